//! The binary encoding of records: bincode 2 through serde, always with a limit, so that no input can make it allocate more
//! than a record may have. The one place that names `bincode`.

use bincode::config::{Configuration, Limit, LittleEndian, Varint};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The longest encoding of a record in a log, in bytes.
pub(super) const LIMIT: usize = 1 << 24;
/// A byte may stand for an integer of eight, and bincode counts what it decodes.
const DECODED: usize = 8 * LIMIT;
/// The longest encoding of a sealed value, in bytes.
pub(super) const SEALED_LIMIT: usize = 1 << 32;

fn config<const DECODED: usize>() -> Configuration<LittleEndian, Varint, Limit<DECODED>> {
    bincode::config::standard().with_limit::<DECODED>()
}

/// A record of a log as bytes.
pub(super) fn encode(value: &impl Serialize) -> Result<Vec<u8>, String> {
    let bytes = encode_sealed(value)?;
    // bincode does not mind the limit when it writes.
    if bytes.len() > LIMIT { Err(format!("a record of {} bytes is too long", bytes.len())) } else { Ok(bytes) }
}

/// A record of a log from its bytes.
pub(super) fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    whole(bincode::serde::decode_from_slice(bytes, config::<DECODED>()), bytes.len())
}

/// A value of a file of its own as bytes.
pub(super) fn encode_sealed(value: &impl Serialize) -> Result<Vec<u8>, String> {
    bincode::serde::encode_to_vec(value, config::<SEALED_LIMIT>()).map_err(|error| error.to_string())
}

/// A value of a file of its own from its bytes, whose checksum holds.
pub(super) fn decode_sealed<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    whole(bincode::serde::decode_from_slice(bytes, config::<SEALED_LIMIT>()), bytes.len())
}

fn whole<T>(decoded: Result<(T, usize), bincode::error::DecodeError>, length: usize) -> Result<T, String> {
    match decoded {
        Ok((value, used)) if used == length => Ok(value),
        Ok(_) => Err("bytes are left over".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}
