//! The binary encoding of records: bincode 2 through serde, always with a limit, so that no input can make it allocate more
//! than a record may have. The one place that names `bincode`.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// The longest encoding of a record, in bytes.
pub(super) const LIMIT: usize = 1 << 24;
/// A byte may stand for an integer of eight, and bincode counts what it decodes.
const DECODED: usize = 8 * LIMIT;

fn config()
-> bincode::config::Configuration<bincode::config::LittleEndian, bincode::config::Varint, bincode::config::Limit<DECODED>> {
    bincode::config::standard().with_limit::<DECODED>()
}

pub(super) fn encode(value: &impl Serialize) -> Result<Vec<u8>, String> {
    let bytes = bincode::serde::encode_to_vec(value, config()).map_err(|error| error.to_string())?;
    // bincode does not mind the limit when it writes.
    if bytes.len() > LIMIT { Err(format!("a record of {} bytes is too long", bytes.len())) } else { Ok(bytes) }
}

pub(super) fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    match bincode::serde::decode_from_slice(bytes, config()) {
        Ok((value, used)) if used == bytes.len() => Ok(value),
        Ok(_) => Err("bytes are left over".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}
