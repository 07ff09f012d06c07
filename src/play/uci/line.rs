//! Lines of bounded length: what is longer is skipped, whatever its length, and so is what is no text.

use std::io::{self, BufRead};

/// Bytes of the longest line that is read: a game of the greatest length takes less.
const LONGEST: usize = 1 << 18;

/// The lines of a reader.
pub(super) struct Lines<R>(R);

impl<R: BufRead> Lines<R> {
    pub(super) fn new(input: R) -> Self {
        Self(input)
    }

    /// The next line; an empty one in place of one that is too long. None at the end.
    pub(super) fn next(&mut self) -> io::Result<Option<String>> {
        let (mut line, mut length) = (Vec::new(), 0);
        loop {
            let part = match self.0.fill_buf() {
                Ok(part) => part,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if part.is_empty() {
                return Ok((length > 0).then(|| text(line, length)));
            }
            let end = part.iter().position(|&byte| byte == b'\n');
            let taken = &part[..end.unwrap_or(part.len())];
            length += taken.len();
            line.extend_from_slice(&taken[..taken.len().min(LONGEST.saturating_sub(line.len()))]);
            let used = taken.len() + usize::from(end.is_some());
            self.0.consume(used);
            if end.is_some() {
                return Ok(Some(text(line, length)));
            }
        }
    }
}

fn text(line: Vec<u8>, length: usize) -> String {
    if length > LONGEST { String::new() } else { String::from_utf8_lossy(&line).into_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_and_long_ones_are_skipped() {
        let long = "x".repeat(LONGEST + 1);
        let input = format!("uci\r\n{long}\n\nisready\n{}\nquit", "y".repeat(LONGEST));
        let mut lines = Lines::new(input.as_bytes());
        let mut read = || lines.next().unwrap();
        assert_eq!(read().as_deref(), Some("uci\r"));
        assert_eq!(read().as_deref(), Some(""));
        assert_eq!(read().as_deref(), Some(""));
        assert_eq!(read().as_deref(), Some("isready"));
        assert_eq!(read().map(|line| line.len()), Some(LONGEST));
        assert_eq!(read().as_deref(), Some("quit"));
        assert_eq!(read(), None);
        assert_eq!(Lines::new(&[0xFF, b'\n'][..]).next().unwrap().as_deref(), Some("\u{FFFD}"));
    }
}
