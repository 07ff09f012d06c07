//! Options in one word: the `key=value,key=value` behind the colon of an agent or of a game.
//!
//! # Grammar
//! ```text
//! options = option { "," option }
//! option  = key "=" value
//! value   = plain | "\"" quoted "\""
//! ```
//! - Blanks around keys and plain values do not count.
//! - A plain value runs to the next comma. Nothing in it is special: `C:\nets\a.safetensors` stands for itself.
//! - A value that starts with a double quote runs to the closing one. Inside, commas and blanks stand for themselves, `\"` is
//!   a quote and `\\` a backslash: `net="a,b.safetensors",sims=400`.

/// Keys with their values, in order; no key twice.
pub type Options = Vec<(String, String)>;

const UNTERMINATED: &str = "does not end; close it with a double quote";
const BAD_ESCAPE: &str = "has a backslash before neither \" nor \\; write \\\\ for a backslash";
const TRAILING: &str = "is followed by more text; put a comma after the closing quote";

/// Text that is no list of options.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OptionsError {
    /// An option without key or without `=`.
    #[error("{option:?} in {whole:?} is not an option; write key=value, and quote values that hold commas: key=\"a,b\"")]
    NotAnOption {
        /// What stands in place of an option.
        option: String,
        /// The text that the options are part of.
        whole: String,
    },
    /// An option with nothing behind `=`.
    #[error("option {key:?} in {whole:?} has no value; give it one or leave the option out")]
    EmptyValue {
        /// The option.
        key: String,
        /// The text that the options are part of.
        whole: String,
    },
    /// The same option twice.
    #[error("option {key:?} stands twice in {whole:?}; keep one of them")]
    DuplicateKey {
        /// The option.
        key: String,
        /// The text that the options are part of.
        whole: String,
    },
    /// A quoted value that is not well formed.
    #[error("the quoted value of {key:?} in {whole:?} {fault}")]
    BadQuotes {
        /// The option.
        key: String,
        /// What is wrong and what to do.
        fault: &'static str,
        /// The text that the options are part of.
        whole: String,
    },
}

/// The options that `text` lists; `whole` is what it is part of, for errors.
///
/// # Errors
/// When it breaks the grammar, gives no value, or names a key twice.
pub fn parse(text: &str, whole: &str) -> Result<Options, OptionsError> {
    let mut options = Options::new();
    let mut rest = Some(text);
    while let Some(at) = rest {
        let (key, after) = key(at, whole)?;
        let (value, following) = value(key, after, whole)?;
        if value.is_empty() {
            return Err(OptionsError::EmptyValue { key: key.to_owned(), whole: whole.to_owned() });
        }
        if options.iter().any(|(other, _)| other == key) {
            return Err(OptionsError::DuplicateKey { key: key.to_owned(), whole: whole.to_owned() });
        }
        options.push((key.to_owned(), value));
        rest = following;
    }
    Ok(options)
}

/// `name` with `options` behind a colon, where there are any: values are quoted only where they must be, and the options parse
/// back to equal ones.
#[must_use]
pub fn render(name: &str, options: &[(String, String)]) -> String {
    if options.is_empty() {
        return name.to_owned();
    }
    let written: Vec<String> = options.iter().map(|(key, value)| format!("{key}={}", quote(value))).collect();
    format!("{name}:{}", written.join(","))
}

/// The key at the start of `at`, and what follows its `=`.
fn key<'a>(at: &'a str, whole: &str) -> Result<(&'a str, &'a str), OptionsError> {
    // The first of the two decides: an `=` behind a comma belongs to the next option.
    match at.find(['=', ',']) {
        Some(end) if at[end..].starts_with('=') && !at[..end].trim().is_empty() => Ok((at[..end].trim(), &at[end + 1..])),
        _ => {
            let option = at.split(',').next().unwrap_or_default().trim().to_owned();
            Err(OptionsError::NotAnOption { option, whole: whole.to_owned() })
        }
    }
}

/// The value at the start of `after`, and the options that follow it.
fn value<'a>(key: &str, after: &'a str, whole: &str) -> Result<(String, Option<&'a str>), OptionsError> {
    match after.trim_start().strip_prefix('"') {
        Some(body) => {
            quoted(body).map_err(|fault| OptionsError::BadQuotes { key: key.to_owned(), fault, whole: whole.to_owned() })
        }
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

/// `value`, in quotes only if it would not stand for itself without them.
fn quote(value: &str) -> String {
    if value.contains(',') || value.starts_with('"') || value.trim() != value {
        format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""))
    } else {
        value.to_owned()
    }
}
