//! Writing to the terminal without ever panicking: whoever reads may be gone.

use std::fmt::Display;
use std::io::{self, Write as _};

/// Writes a line to standard output.
pub(super) fn say(line: impl Display) -> io::Result<()> {
    writeln!(io::stdout().lock(), "{line}")
}

/// Writes a line to standard error.
pub(super) fn remark(line: impl Display) {
    // A command does not end because nobody reads along.
    let _ = writeln!(io::stderr().lock(), "{line}");
}

/// `text` as one word for a shell: in single quotes where a shell would take it apart.
pub(super) fn shell_word(text: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "-_./:=,+@%".contains(letter);
    if text.chars().all(is_plain) { text.to_owned() } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

/// This program, as a shell calls it.
pub(super) fn program() -> String {
    shell_word(&std::env::args_os().next().map_or_else(|| "plyzero".to_owned(), |program| program.display().to_string()))
}

/// `text` as part of a file's name: with a hyphen for whatever a shell or a file system may take amiss.
pub(super) fn file_word(text: &str) -> String {
    let plain = |letter: char| if letter.is_alphanumeric() || "-_.".contains(letter) { letter } else { '-' };
    text.chars().map(plain).collect()
}

/// Writes an error to standard error.
pub(super) fn complain(error: &impl Display) {
    remark(format_args!("error: {error}"));
}

/// Writes a warning to standard error.
pub(super) fn caution(warning: &str) {
    remark(format_args!("warning: {warning}"));
}
