//! Networks as files: what they say of themselves, and when they are believed.
//!
//! A file is believed only after its table of tensors agrees, name by name, with what its architecture demands, its checksum holds
//! and all its numbers are finite.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use burn::module::{Module, ModuleVisitor, Param};
use burn::store::{ModuleSnapshot, SafetensorsStore};
use burn::tensor::{Device, Tensor};
use serde::{Deserialize, Serialize};

use super::safetensors::{self, Table};
use super::{Architecture, Network};
use crate::game::Facts;
use crate::storage::{StorageError, System, read_capped, write_atomic};

const FORMAT: u16 = 2;
/// No size in an architecture may exceed this: a file must not make the program allocate what no network needs.
const LARGEST: usize = 4096;

/// What a network file says of itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// The version of this layout.
    pub format: u16,
    /// The version of the program that wrote it.
    pub version: String,
    /// The shape of the network.
    pub architecture: Architecture,
    /// The seed of the run that trained it.
    pub seed: u64,
    /// Training iterations behind it.
    pub iteration: u32,
    /// Games of self-play behind it.
    pub games: u64,
    /// Optimizer steps behind it.
    pub steps: u64,
    /// The checksum of the network file it began from, where it did not begin fresh.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// What somebody wrote about it, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub notes: BTreeMap<String, String>,
}

/// A header in its file.
#[derive(Serialize, Deserialize)]
struct Sealed {
    /// See [`safetensors`].
    checksum: String,
    #[serde(flatten)]
    header: Header,
}

impl Header {
    /// The header of a network that this program is about to write.
    #[must_use]
    pub fn new(architecture: &Architecture, seed: u64, iteration: u32, games: u64, steps: u64) -> Self {
        let version = env!("CARGO_PKG_VERSION").to_owned();
        Self {
            format: FORMAT,
            version,
            architecture: architecture.clone(),
            seed,
            iteration,
            games,
            steps,
            parent: None,
            notes: BTreeMap::new(),
        }
    }

    /// Reads what a network file says of itself, and not its weights.
    ///
    /// # Errors
    /// When the file cannot be read, is no network, is damaged or is of a newer version.
    pub fn read(path: &Path) -> Result<Self, CheckpointError> {
        let bytes = read_capped(path, Checkpoint::CAP)?;
        Ok(parse(path, &bytes)?.0)
    }
}

/// A network with its header.
#[derive(Debug)]
pub struct Checkpoint {
    /// What it says of itself.
    pub header: Header,
    /// The network, on the device it was loaded to.
    pub network: Network,
}

/// A network file that is not used.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// It could not be read or written, or is damaged.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// It plays something else.
    #[error("{} is a network for {found}, not for {wanted}", path.display())]
    Game {
        /// The file.
        path: PathBuf,
        /// Its game.
        found: String,
        /// The game asked for.
        wanted: String,
    },
}

/// What every header begins with, whatever else a newer one holds.
#[derive(Deserialize)]
struct Version {
    format: u16,
}

impl Checkpoint {
    /// The largest network file that is read, in bytes.
    pub const CAP: u64 = 1 << 30;

    /// Writes the network in one step.
    ///
    /// # Errors
    /// When the system refuses; an older file at `path` is then still whole.
    pub fn save(&self, path: &Path) -> Result<(), CheckpointError> {
        let bytes = self.to_bytes().map_err(|what| StorageError::damaged(path, what))?;
        Ok(write_atomic(&System, path, &bytes)?)
    }

    /// Reads a network for the game of `facts`.
    ///
    /// # Errors
    /// When the file cannot be read, is no network, is damaged, is of a newer version or plays another game.
    pub fn load(path: &Path, facts: &Facts, device: &Device) -> Result<Self, CheckpointError> {
        Self::from_bytes(path, read_capped(path, Checkpoint::CAP)?, facts, device)
    }

    /// The network of a file that holds `bytes`; `path` names it in errors.
    ///
    /// # Errors
    /// As [`Checkpoint::load`].
    pub(crate) fn from_bytes(path: &Path, bytes: Vec<u8>, facts: &Facts, device: &Device) -> Result<Self, CheckpointError> {
        let damaged = |what: String| StorageError::damaged(path, what);
        let (header, table) = parse(path, &bytes)?;
        let expected = Architecture::new(facts, &header.architecture.network);
        if header.architecture.game != expected.game {
            let (found, wanted) = (header.architecture.game, expected.game);
            return Err(CheckpointError::Game { path: path.to_owned(), found, wanted });
        }
        if header.architecture != expected {
            return Err(damaged("its inputs and outputs are not those of the game in this build".to_owned()).into());
        }
        let network = fill(&header, &table, bytes, device).map_err(damaged)?;
        Ok(Self { header, network })
    }

    /// The content of its file: a function of header and network alone.
    pub(crate) fn to_bytes(&self) -> Result<Vec<u8>, String> {
        let sealed = Sealed { checksum: safetensors::BLANK.to_owned(), header: self.header.clone() };
        let json = serde_json::to_string(&sealed).map_err(|error| error.to_string())?;
        let mut store = SafetensorsStore::from_bytes(None).clear_metadata().metadata(safetensors::KEY, json);
        self.network.save_into(&mut store).map_err(|error| error.to_string())?;
        safetensors::seal(store.get_bytes().map_err(|error| error.to_string())?)
    }
}

/// The header and the table of tensors of a file that is as it was written.
fn parse(path: &Path, bytes: &[u8]) -> Result<(Header, Table), StorageError> {
    let damaged = |what: String| StorageError::damaged(path, what);
    let unreadable = |error: serde_json::Error| damaged(format!("its plyzero header cannot be read: {error}"));
    let (ours, table) = safetensors::split(bytes).map_err(damaged)?;
    let Version { format } = serde_json::from_str(&ours).map_err(unreadable)?;
    if format > FORMAT {
        return Err(StorageError::Newer { path: path.to_owned(), found: format, known: FORMAT });
    }
    if format < FORMAT {
        return Err(damaged(format!("format version {format} is no longer read")));
    }
    let Sealed { checksum, header } = serde_json::from_str(&ours).map_err(unreadable)?;
    if safetensors::is_sealed(bytes, &checksum) { Ok((header, table)) } else { Err(damaged("it fails its checksum".to_owned())) }
}

/// Builds the network that the header describes and fills it from the file.
fn fill(header: &Header, table: &Table, bytes: Vec<u8>, device: &Device) -> Result<Network, String> {
    let sizes = &header.architecture.network;
    let always = [sizes.channels, sizes.policy_channels, sizes.value_channels, sizes.value_hidden];
    let perhaps = [sizes.blocks, sizes.policy_hidden].map(|size| size.max(1));
    let mut all = always.into_iter().chain(perhaps);
    if let Some(size) = all.find(|size| !(1..=LARGEST).contains(size)) {
        return Err(format!("its architecture has a size of {size}; sizes are from 1 to {LARGEST}"));
    }
    // Before anything of that size is made.
    if header.architecture.parameters() * size_of::<f32>() as u64 != safetensors::end(table) as u64 {
        return Err("it does not hold as many numbers as its architecture has".to_owned());
    }
    let mut network = Network::new(&header.architecture, 0, device);
    let blank = Checkpoint { header: header.clone(), network: network.clone() }.to_bytes()?;
    if safetensors::split(&blank)?.1 != *table {
        return Err("its table of tensors is not that of its architecture".to_owned());
    }
    let mut store = SafetensorsStore::from_bytes(Some(bytes));
    network.load_from(&mut store).map_err(|error| error.to_string())?;
    if is_finite(&network) { Ok(network) } else { Err("some of its weights are not finite".to_owned()) }
}

/// Whether every parameter is a finite number.
pub(crate) fn is_finite(network: &Network) -> bool {
    struct Finite(bool);
    impl ModuleVisitor for Finite {
        fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
            self.0 &= param.val().inner().into_data_as::<f32>().iter::<f32>().all(f32::is_finite);
        }
    }
    let mut finite = Finite(true);
    network.visit(&mut finite);
    finite.0
}
