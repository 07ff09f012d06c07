//! Writing to the terminal without ever panicking: whoever reads may be gone.

use std::fmt::Display;
use std::io::{self, Write as _};

/// Writes a line to standard output.
pub(super) fn say(line: impl Display) -> io::Result<()> {
    writeln!(io::stdout().lock(), "{line}")
}

/// `text` as one word for a shell: in single quotes where a shell would take it apart.
pub(super) fn shell_word(text: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "-_./:=,+@%".contains(letter);
    if text.chars().all(is_plain) { text.to_owned() } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

/// Writes an error to standard error.
pub(super) fn complain(error: &impl Display) {
    // Nothing is left to do if even this fails.
    let _ = writeln!(io::stderr().lock(), "error: {error}");
}

/// Writes a warning to standard error.
pub(super) fn caution(warning: &str) {
    // A command does not end because nobody reads along.
    let _ = writeln!(io::stderr().lock(), "warning: {warning}");
}
