//! The layout of a network file: safetensors, with one JSON value of ours in its header.
//!
//! ```text
//! length u64 | {"__metadata__": {"plyzero": ours}, name: {dtype, shape, data_offsets}, ...} | tensors
//! ```
//! Ours holds a checksum: the SHA-256, in hexadecimal, of the whole file with zeros in the checksum's own place. So no byte of the
//! file, weights included, can change unnoticed, and any reader of safetensors can still open it.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, MapAccess, Visitor};
use sha2::{Digest as _, Sha256};

/// The key of our value in the metadata. It is the only key, since burn keeps metadata in a hash map, whose order would differ
/// from run to run.
pub(super) const KEY: &str = "plyzero";
/// What stands in place of a checksum while it is computed.
pub(super) const BLANK: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// Tensors by name.
pub(super) type Table = BTreeMap<String, TensorInfo>;

/// Where a tensor lies in the file.
#[derive(Debug, PartialEq, Deserialize)]
pub(super) struct TensorInfo {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: [usize; 2],
}

/// Splits a file into the text of our value and its table of tensors.
pub(super) fn split(bytes: &[u8]) -> Result<(String, Table), String> {
    let (length, rest) = bytes.split_first_chunk::<8>().ok_or("it is shorter than 8 bytes")?;
    let length = usize::try_from(u64::from_le_bytes(*length)).unwrap_or(usize::MAX);
    let (json, data) = rest.split_at_checked(length).ok_or("its header is cut short")?;
    let Unique(mut table) = serde_json::from_slice::<Unique<serde_json::Value>>(json)
        .map_err(|error| format!("its header cannot be read: {error}"))?;
    let metadata = table.remove("__metadata__").ok_or("it is not a network of plyzero")?;
    let ours = metadata.get(KEY).and_then(|ours| ours.as_str()).ok_or("it is not a network of plyzero")?.to_owned();
    let table = table.into_iter().map(|(name, info)| Ok((name, serde_json::from_value(info)?))).collect::<Result<Table, _>>();
    let table = table.map_err(|error: serde_json::Error| format!("its table of tensors cannot be read: {error}"))?;
    let end = end(&table);
    if end != data.len() {
        return Err(format!("its tensors end at byte {end} of {}", data.len()));
    }
    Ok((ours, table))
}

/// Where the last tensor ends, in bytes.
pub(super) fn end(table: &Table) -> usize {
    table.values().map(|tensor| tensor.data_offsets[1]).max().unwrap_or(0)
}

/// Writes the checksum into the place of [`BLANK`].
pub(super) fn seal(mut bytes: Vec<u8>) -> Result<Vec<u8>, String> {
    let place = find(&bytes, BLANK.as_bytes()).ok_or("the network's header has no place for a checksum")?;
    let checksum = format!("{:x}", Sha256::digest(&bytes));
    bytes[place..place + BLANK.len()].copy_from_slice(checksum.as_bytes());
    Ok(bytes)
}

/// Whether the file has the checksum that it names.
pub(super) fn is_sealed(bytes: &[u8], checksum: &str) -> bool {
    let Some(place) = find(bytes, checksum.as_bytes()).filter(|_| checksum.len() == BLANK.len()) else { return false };
    let (before, after) = (&bytes[..place], &bytes[place + BLANK.len()..]);
    let found = Sha256::new().chain_update(before).chain_update(BLANK).chain_update(after).finalize();
    format!("{found:x}") == checksum
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len().max(1)).position(|window| window == wanted)
}

/// A JSON object in which no key stands twice.
struct Unique<T>(BTreeMap<String, T>);

impl<'de, T: DeserializeOwned> Deserialize<'de> for Unique<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Keys<T>(std::marker::PhantomData<T>);
        impl<'de, T: DeserializeOwned> Visitor<'de> for Keys<T> {
            type Value = Unique<T>;

            fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Unique<T>, A::Error> {
                let mut entries = BTreeMap::new();
                while let Some((key, value)) = map.next_entry::<String, T>()? {
                    if entries.contains_key(&key) {
                        return Err(serde::de::Error::custom(format!("{key:?} stands twice")));
                    }
                    entries.insert(key, value);
                }
                Ok(Unique(entries))
            }
        }
        deserializer.deserialize_map(Keys(std::marker::PhantomData))
    }
}
