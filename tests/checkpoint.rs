//! Network files: what they hold, that they come back as they were, and that nothing damaged is believed.

mod seasoned;

use std::fs;
use std::path::{Path, PathBuf};

use burn::module::{Module, ModuleMapper, Param};
use burn::tensor::{Tensor, TensorData};
use ndarray::{Array2, Array4};
use plyzero::game::{Facts, Game};
use plyzero::games::{ConnectFour, TicTacToe};
use plyzero::net::{Architecture, Auxiliary, Checkpoint, Frozen, Header, Network, NetworkConfig, Norm};
use plyzero::rng::stream;
use rand::RngExt as _;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use seasoned::{architecture, cpu, seasoned};

/// A file in a folder of its own, which goes when it is dropped.
struct File {
    folder: tempfile::TempDir,
    path: PathBuf,
    bytes: Vec<u8>,
}

fn checkpoint(facts: &Facts) -> Checkpoint {
    let shape = architecture(facts, 4, 1);
    Checkpoint { header: Header::new(&shape, 77, 3, 1234, 567), network: seasoned(&shape, 9) }
}

fn saved(checkpoint: &Checkpoint) -> File {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("00003.safetensors");
    checkpoint.save(&path).unwrap();
    let bytes = fs::read(&path).unwrap();
    File { folder, path, bytes }
}

fn tic_tac_toe() -> File {
    saved(&checkpoint(TicTacToe::new().facts()))
}

impl File {
    /// What loading says of other bytes in its place.
    fn refusal(&self, bytes: &[u8]) -> String {
        fs::write(&self.path, bytes).unwrap();
        let error = Checkpoint::load(&self.path, TicTacToe::new().facts(), &cpu()).unwrap_err().to_string();
        assert!(error.contains("00003.safetensors"), "{error} must name the file");
        error
    }

    /// The header of the file, and what follows it.
    fn parts(&self) -> (Value, Vec<u8>) {
        let length = usize::try_from(u64::from_le_bytes(self.bytes[..8].try_into().unwrap())).unwrap();
        (serde_json::from_slice(&self.bytes[8..8 + length]).unwrap(), self.bytes[8 + length..].to_vec())
    }

    /// What loading says after a change of our header.
    fn refusal_of(&self, change: impl Fn(&mut Value)) -> String {
        let (mut json, data) = self.parts();
        let mut ours: Value = serde_json::from_str(json["__metadata__"]["plyzero"].as_str().unwrap()).unwrap();
        change(&mut ours);
        json["__metadata__"]["plyzero"] = Value::String(ours.to_string());
        self.refusal(&joined(&json.to_string(), &data))
    }
}

/// A file with this header and these tensors, under the right checksum if it has one.
fn joined(json: &str, data: &[u8]) -> Vec<u8> {
    resealed([&(json.len() as u64).to_le_bytes(), json.as_bytes(), data].concat())
}

/// What a forger would do who knows how the checksum is made.
fn resealed(mut bytes: Vec<u8>) -> Vec<u8> {
    const KEY: &[u8] = br#"\"checksum\":\""#;
    if let Some(at) = bytes.windows(KEY.len()).position(|window| window == KEY) {
        let place = at + KEY.len()..at + KEY.len() + 64;
        bytes[place.clone()].fill(b'0');
        let checksum = format!("{:x}", Sha256::digest(&bytes));
        bytes[place].copy_from_slice(checksum.as_bytes());
    }
    bytes
}

fn answers(network: &Network, shape: &Architecture) -> (Array2<f32>, Array2<f32>) {
    let [depth, height, width] = shape.planes;
    let mut rng = stream(1, "planes", 0);
    let planes = Array4::from_shape_fn((8, depth, height, width), |_| rng.random_range(-1.0..1.0));
    Frozen::new(network, shape, 8, &cpu()).infer(planes.view())
}

#[test]
fn a_network_comes_back_as_it_was() {
    for facts in [TicTacToe::new().facts(), ConnectFour::new().facts()] {
        let before = checkpoint(facts);
        let file = saved(&before);
        let after = Checkpoint::load(&file.path, facts, &cpu()).unwrap();
        assert_eq!(after.header, before.header);
        assert_eq!(Header::read(&file.path).unwrap(), before.header);
        let shape = &before.header.architecture;
        assert!(answers(&after.network, shape) == answers(&before.network, shape), "answers must be the same bits");
        after.save(&file.folder.path().join("again")).unwrap();
        assert_eq!(fs::read(file.folder.path().join("again")).unwrap(), file.bytes);
        assert_eq!(fs::read_dir(file.folder.path()).unwrap().count(), 2, "nothing is left beside");
    }
}

#[test]
fn a_network_of_another_shape_says_so_and_comes_back_as_it_was() {
    let facts = ConnectFour::new().facts().clone();
    let plain = architecture(&facts, 4, 1).network;
    let auxiliary = vec![Auxiliary::PliesLeft, Auxiliary::Reply];
    let network = NetworkConfig { norm: Norm::None, policy_hidden: 6, auxiliary, ..plain };
    let shape = Architecture::new(&facts, &network);
    let before = Checkpoint { header: Header::new(&shape, 77, 3, 1234, 567), network: seasoned(&shape, 9) };
    let file = saved(&before);
    let (json, _) = file.parts();
    let ours: Value = serde_json::from_str(json["__metadata__"]["plyzero"].as_str().unwrap()).unwrap();
    let found = &ours["architecture"]["network"];
    assert_eq!((&found["norm"], &found["policy_hidden"]), (&json!("none"), &json!(6)));
    assert_eq!(found["auxiliary"], json!(["plies_left", "reply"]));
    assert_eq!(json["policy_hidden.weight"]["shape"], json!([3 * 42, 6]));
    assert_eq!(json["policy.weight"]["shape"], json!([6, 7]));
    let after = Checkpoint::load(&file.path, &facts, &cpu()).unwrap();
    assert_eq!(after.header, before.header);
    assert!(answers(&after.network, &shape) == answers(&before.network, &shape), "answers must be the same bits");
    after.save(&file.folder.path().join("again")).unwrap();
    assert_eq!(fs::read(file.folder.path().join("again")).unwrap(), file.bytes);
}

#[test]
fn a_file_is_a_function_of_the_network() {
    assert_eq!(tic_tac_toe().bytes, tic_tac_toe().bytes);
}

#[test]
fn the_header_tells_what_the_network_is() {
    let (json, data) = tic_tac_toe().parts();
    assert_eq!(json["__metadata__"].as_object().unwrap().len(), 1, "a second key would make the order of bytes chance");
    let mut ours: Value = serde_json::from_str(json["__metadata__"]["plyzero"].as_str().unwrap()).unwrap();
    assert_eq!(ours.as_object_mut().unwrap().remove("checksum").unwrap().as_str().unwrap().len(), 64);
    let network = json!({"channels": 4, "blocks": 1, "policy_channels": 3, "value_channels": 2, "value_hidden": 5});
    let shape = json!({"game": "tic_tac_toe", "planes": [2, 3, 3], "actions": 9, "value": "wdl", "network": network});
    let version = env!("CARGO_PKG_VERSION");
    let whole =
        json!({"format": 2, "version": version, "architecture": shape, "seed": 77, "iteration": 3, "games": 1234, "steps": 567});
    assert_eq!(ours, whole);
    assert_eq!(json["stem.weight"]["shape"], json!([4, 2, 3, 3]));
    assert_eq!(json["blocks.0.second.running_variance"]["shape"], json!([4]));
    let parameters = architecture(TicTacToe::new().facts(), 4, 1).parameters();
    assert_eq!(data.len() as u64, 4 * parameters);
}

#[test]
fn a_file_cut_short_is_refused_at_every_length() {
    let file = tic_tac_toe();
    let header = file.bytes.len() - file.parts().1.len();
    let lengths = (0..32).chain((32..header).step_by(97)).chain((header..file.bytes.len()).step_by(53));
    for length in lengths {
        let error = file.refusal(&file.bytes[..length]);
        assert!(error.contains("damaged"), "at {length}: {error}");
        assert!(Header::read(&file.path).is_err(), "at {length}");
    }
    let longer = [&file.bytes[..], &[0; 4]].concat();
    assert!(file.refusal(&longer).contains("end at byte"));
}

#[test]
fn a_file_with_a_flipped_bit_is_refused() {
    let file = tic_tac_toe();
    let mut rng = stream(1, "bits", 0);
    for bit in (0..64).chain((0..600).map(|_| rng.random_range(64..8 * file.bytes.len()))) {
        let mut bytes = file.bytes.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        file.refusal(&bytes);
        assert!(Header::read(&file.path).is_err(), "bit {bit}");
    }
}

#[test]
fn a_key_that_stands_twice_is_refused() {
    let file = tic_tac_toe();
    let (json, data) = file.parts();
    let text = json.to_string();
    let again = format!("{},\"stem.beta\":{}}}", text.strip_suffix('}').unwrap(), json["stem.beta"]);
    assert!(file.refusal(&joined(&again, &data)).contains("\"stem.beta\" stands twice"));
    let again = format!("{},\"__metadata__\":{}}}", text.strip_suffix('}').unwrap(), json["__metadata__"]);
    assert!(file.refusal(&joined(&again, &data)).contains("\"__metadata__\" stands twice"));
}

#[test]
fn foreign_files_are_refused() {
    let file = tic_tac_toe();
    let foreign = joined(r#"{"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}"#, &[0; 4]);
    assert!(file.refusal(&foreign).contains("not a network of plyzero"));
    assert!(file.refusal(&joined("{}", &[])).contains("not a network of plyzero"));
    assert!(file.refusal(&joined(r#"{"__metadata__":7}"#, &[])).contains("not a network of plyzero"));
    assert!(file.refusal(&joined("[1, 2]", &[])).contains("header cannot be read"));
    assert!(file.refusal(b"").contains("shorter than 8 bytes"));
    assert!(file.refusal(b"#!/bin/sh\necho hello\n").contains("damaged or not a plyzero file"));
    assert!(
        file.refusal(&joined(&"[".repeat(1 << 20), &[])).contains("header cannot be read"),
        "deep nesting must not end the stack"
    );
    let missing = file.folder.path().join("nowhere.safetensors");
    let error = Checkpoint::load(&missing, TicTacToe::new().facts(), &cpu()).unwrap_err().to_string();
    assert!(error.contains("cannot read") && error.contains("nowhere.safetensors"), "{error}");
    assert!(Header::read(file.folder.path()).unwrap_err().to_string().contains("cannot read"), "a folder is no file");
}

#[test]
fn absurd_lengths_are_refused() {
    let file = tic_tac_toe();
    for length in [u64::MAX, u64::MAX / 2, 1 << 40, file.bytes.len() as u64, file.bytes.len() as u64 - 7] {
        let bytes = [&length.to_le_bytes(), &file.bytes[8..]].concat();
        assert!(file.refusal(&bytes).contains("cut short"), "{length}");
    }
    for length in [0, 1, 100] {
        let bytes = [&u64::to_le_bytes(length), &file.bytes[8..]].concat();
        assert!(file.refusal(&bytes).contains("header cannot be read"), "{length}");
    }
}

#[test]
fn a_network_for_another_game_is_refused_by_name() {
    let file = saved(&checkpoint(ConnectFour::new().facts()));
    let error = file.refusal(&file.bytes);
    assert!(error.contains("a network for connect_four, not for tic_tac_toe"), "{error}");
    let renamed = tic_tac_toe().refusal_of(|header| header["architecture"]["game"] = json!("chess"));
    assert!(renamed.contains("a network for chess, not for tic_tac_toe"), "{renamed}");
    let reshaped = tic_tac_toe().refusal_of(|header| header["architecture"]["planes"] = json!([3, 3, 3]));
    assert!(reshaped.contains("inputs and outputs"), "{reshaped}");
}

#[test]
fn sizes_that_the_file_does_not_have_are_refused_before_they_are_made() {
    let file = tic_tac_toe();
    for (key, size) in [
        ("channels", json!(5)),
        ("blocks", json!(2)),
        ("value_hidden", json!(6)),
        ("channels", json!(4096)),
        ("blocks", json!(4096)),
        ("policy_channels", json!(0)),
        ("policy_hidden", json!(8)),
        ("policy_hidden", json!(u64::MAX)),
        ("auxiliary", json!(["reply"])),
        ("channels", json!(0)),
        ("channels", json!(u64::MAX)),
        ("blocks", json!(u64::MAX)),
    ] {
        let error = file.refusal_of(|header| header["architecture"]["network"][key] = size.clone());
        assert!(error.contains("architecture"), "{key} {size}: {error}");
    }
    for size in [json!(-1), json!(1e300), json!("4"), json!(null)] {
        let error = file.refusal_of(|header| header["architecture"]["network"]["channels"] = size.clone());
        assert!(error.contains("cannot be read"), "{size}: {error}");
    }
    // As large as sizes go: the program would need terabytes if it believed this.
    let error = file.refusal_of(|header| {
        for key in ["channels", "blocks", "policy_channels", "value_channels", "value_hidden"] {
            header["architecture"]["network"][key] = json!(4096);
        }
    });
    assert!(error.contains("as many numbers"), "{error}");
}

#[test]
fn a_table_of_tensors_that_is_not_the_networks_is_refused() {
    let file = tic_tac_toe();
    let refusal = |change: &dyn Fn(&mut Value)| {
        let (mut json, data) = file.parts();
        change(&mut json);
        file.refusal(&joined(&json.to_string(), &data))
    };
    let swapped = refusal(&|json| {
        let second = json["stem.beta"].clone();
        json["stem.beta"] = std::mem::replace(&mut json["stem.gamma"], second);
    });
    assert!(swapped.contains("table of tensors"), "{swapped}");
    for (key, value) in [("dtype", json!("F16")), ("dtype", json!("XYZ")), ("shape", json!([2, 2])), ("shape", json!([]))] {
        let error = refusal(&|json| json["stem.beta"][key] = value.clone());
        assert!(error.contains("table of tensors"), "{key} {value}: {error}");
    }
    for offsets in [json!([0, 0]), json!([16, 0]), json!([0, u64::MAX]), json!([-4, 0]), json!([0])] {
        refusal(&|json| json["stem.beta"]["data_offsets"] = offsets.clone());
    }
    let renamed = refusal(&|json| {
        let tensor = json.as_object_mut().unwrap().remove("stem.beta").unwrap();
        json["stem.delta"] = tensor;
    });
    assert!(renamed.contains("table of tensors"), "{renamed}");
}

#[test]
fn data_at_an_odd_address_is_read_or_refused() {
    let file = tic_tac_toe();
    let facts = TicTacToe::new().facts().clone();
    let expected = Checkpoint::load(&file.path, &facts, &cpu()).unwrap();
    let (json, data) = file.parts();
    for blanks in 0..9 {
        fs::write(&file.path, joined(&(json.to_string() + &" ".repeat(blanks)), &data)).unwrap();
        if let Ok(found) = Checkpoint::load(&file.path, &facts, &cpu()) {
            let shape = &found.header.architecture;
            assert!(answers(&found.network, shape) == answers(&expected.network, shape), "{blanks} blanks");
        }
    }
}

#[test]
fn numbers_that_are_none_are_refused() {
    let file = tic_tac_toe();
    let data = file.bytes.len() - file.parts().1.len();
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        for at in [data, data + 4 * 100, file.bytes.len() - 4] {
            let mut bytes = file.bytes.clone();
            bytes[at..at + 4].copy_from_slice(&bad.to_le_bytes());
            assert!(file.refusal(&resealed(bytes)).contains("not finite"), "{bad} at {at}");
        }
    }
}

#[test]
fn a_newer_format_is_refused_by_its_version_whatever_else_it_holds() {
    let file = tic_tac_toe();
    let error = file.refusal_of(|header| header["format"] = json!(3));
    assert!(error.contains("format version 3") && error.contains("newer plyzero"), "{error}");
    let error = file.refusal_of(|header| *header = json!({"format": 9, "shape": "of another kind"}));
    assert!(error.contains("format version 9") && error.contains("newer plyzero"), "{error}");
    assert!(Header::read(&file.path).unwrap_err().to_string().contains("format version 9"));
    assert!(file.refusal_of(|header| header["format"] = json!(0)).contains("format version 0 is no longer read"));
    for format in [json!(70_000), json!("1"), json!(-1), json!(null)] {
        assert!(file.refusal_of(|header| header["format"] = format.clone()).contains("cannot be read"), "{format}");
    }
}

/// A network need not be saved from the device it is used on.
#[test]
fn training_and_inference_devices_write_the_same_file() {
    struct Move;
    impl ModuleMapper for Move {
        fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
            let (shape, values) = (param.val().dims(), param.val().into_data_as::<f32>().iter::<f32>().collect::<Vec<_>>());
            param.map(|_| Tensor::from_data(TensorData::new(values, shape), &cpu().autodiff()))
        }
    }
    let plain = checkpoint(TicTacToe::new().facts());
    let trained = Checkpoint { header: plain.header.clone(), network: plain.network.clone().map(&mut Move) };
    assert_eq!(saved(&plain).bytes, saved(&trained).bytes);
}

#[test]
fn a_file_that_cannot_be_written_is_an_error() {
    let error = checkpoint(TicTacToe::new().facts()).save(Path::new("/nowhere/at/all")).unwrap_err().to_string();
    assert!(error.contains("cannot write /nowhere/at/all"), "{error}");
}
