//! Taking a specification apart and writing it down again; the grammar stands in the parent module.

use std::time::Duration;

use super::{Spec, SpecError};
use crate::config::options::{self, Options};

/// The kind whose only argument is a path, written without key or quotes.
const VERBATIM: &str = "net";

/// The kind and the options of `text`, in order.
pub(super) fn spec(text: &str) -> Result<(String, Options), SpecError> {
    let (kind, rest) = text.split_once(':').map_or((text, None), |(kind, rest)| (kind, Some(rest)));
    let kind = kind.trim();
    let nothing = |wanted| SpecError::NothingAfterColon { wanted, spec: text.to_owned() };
    let options = match rest {
        _ if kind.is_empty() => return Err(SpecError::NoKind { spec: text.to_owned() }),
        None => Vec::new(),
        Some("") if kind == VERBATIM => return Err(nothing("a path")),
        Some(path) if kind == VERBATIM => vec![(Spec::PATH.to_owned(), path.to_owned())],
        Some(rest) if rest.trim().is_empty() => return Err(nothing("options")),
        Some(command) if kind == "uci" && !command.contains('=') => vec![("cmd".to_owned(), command.trim().to_owned())],
        Some(rest) => options::parse(rest, text)?,
    };
    Ok((kind.to_owned(), options))
}

/// The text that parses to `kind` and `options`.
pub(super) fn render(kind: &str, options: &[(String, String)]) -> String {
    match options {
        [(_, path)] if kind == VERBATIM => format!("{kind}:{path}"),
        _ => options::render(kind, options),
    }
}

/// The length of time that `text` names, if it names one above zero.
pub(super) fn duration(text: &str) -> Option<Duration> {
    // Milliseconds first: their unit ends with the one of seconds.
    let units = [("ms", 1e-3), ("s", 1.0), ("m", 60.0)];
    let (number, seconds) = units.iter().find_map(|&(unit, seconds)| Some((text.strip_suffix(unit)?, seconds)))?;
    let count: f64 = number.trim_end().parse().ok()?;
    Duration::try_from_secs_f64(count * seconds).ok().filter(|time| !time.is_zero())
}
