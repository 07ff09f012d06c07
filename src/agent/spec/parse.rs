//! Taking a specification apart and writing it down again; the grammar stands in the parent module.

use std::time::Duration;

use super::{Spec, SpecError};

/// The kind whose only argument is a path, written without key or quotes.
const VERBATIM: &str = "net";

const UNTERMINATED: &str = "does not end; close it with a double quote";
const BAD_ESCAPE: &str = "has a backslash before neither \" nor \\; write \\\\ for a backslash";
const TRAILING: &str = "is followed by more text; put a comma after the closing quote";

type Options = Vec<(String, String)>;

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
        Some(rest) => options(rest, text)?,
    };
    Ok((kind.to_owned(), options))
}

/// The options that `rest` lists; `text` is the whole specification, for errors.
fn options(rest: &str, text: &str) -> Result<Options, SpecError> {
    let mut options = Options::new();
    let mut rest = Some(rest);
    while let Some(at) = rest {
        let (key, after) = key(at, text)?;
        let (value, following) = value(key, after, text)?;
        if value.is_empty() {
            return Err(SpecError::EmptyValue { key: key.to_owned(), spec: text.to_owned() });
        }
        if options.iter().any(|(other, _)| other == key) {
            return Err(SpecError::DuplicateKey { key: key.to_owned(), spec: text.to_owned() });
        }
        options.push((key.to_owned(), value));
        rest = following;
    }
    Ok(options)
}

/// The key at the start of `at`, and what follows its `=`.
fn key<'a>(at: &'a str, text: &str) -> Result<(&'a str, &'a str), SpecError> {
    // The first of the two decides: an `=` behind a comma belongs to the next option.
    match at.find(['=', ',']) {
        Some(end) if at[end..].starts_with('=') && !at[..end].trim().is_empty() => Ok((at[..end].trim(), &at[end + 1..])),
        _ => {
            let option = at.split(',').next().unwrap_or_default().trim().to_owned();
            Err(SpecError::NotAnOption { option, spec: text.to_owned() })
        }
    }
}

/// The value at the start of `after`, and the options that follow it.
fn value<'a>(key: &str, after: &'a str, text: &str) -> Result<(String, Option<&'a str>), SpecError> {
    match after.trim_start().strip_prefix('"') {
        Some(body) => quoted(body).map_err(|fault| SpecError::BadQuotes { key: key.to_owned(), fault, spec: text.to_owned() }),
        None => {
            let (plain, following) = after.split_once(',').map_or((after, None), |(plain, following)| (plain, Some(following)));
            Ok((plain.trim().to_owned(), following))
        }
    }
}

/// The quoted value whose opening quote stands before `body`, and the options that follow it.
fn quoted(body: &str) -> Result<(String, Option<&str>), &'static str> {
    let mut value = String::new();
    let mut letters = body.chars();
    loop {
        match letters.next().ok_or(UNTERMINATED)? {
            '"' => break,
            '\\' => match letters.next().ok_or(UNTERMINATED)? {
                escaped @ ('"' | '\\') => value.push(escaped),
                _ => return Err(BAD_ESCAPE),
            },
            letter => value.push(letter),
        }
    }
    let rest = letters.as_str().trim_start();
    match rest.strip_prefix(',') {
        None if !rest.is_empty() => Err(TRAILING),
        following => Ok((value, following)),
    }
}

/// The text that parses to `kind` and `options`.
pub(super) fn render(kind: &str, options: &[(String, String)]) -> String {
    match options {
        [] => kind.to_owned(),
        [(_, path)] if kind == VERBATIM => format!("{kind}:{path}"),
        _ => {
            let written: Vec<String> = options.iter().map(|(key, value)| format!("{key}={}", quote(value))).collect();
            format!("{kind}:{}", written.join(","))
        }
    }
}

/// `value`, in quotes only if it would not stand for itself without them.
fn quote(value: &str) -> String {
    if value.contains(',') || value.starts_with('"') || value.trim() != value {
        format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""))
    } else {
        value.to_owned()
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
