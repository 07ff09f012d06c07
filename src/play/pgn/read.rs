//! Reading: tags and the moves of the main line. Comments, variations and glyphs are passed over; what moves mean is the reader's business.

use std::iter::Peekable;

/// A game as it is written down.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Game {
    /// The line, counted from 1, that it begins in.
    pub line: usize,
    /// Names and values.
    pub tags: Vec<(String, String)>,
    /// The moves, each with its line.
    pub moves: Vec<(usize, String)>,
}

/// Text that is no PGN.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct Fault {
    /// Where, counted from 1.
    pub line: usize,
    /// What is wrong.
    pub problem: &'static str,
}

impl Game {
    /// The value of a tag.
    #[must_use]
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// A part of the text.
enum Token {
    Tag(String, String),
    /// A move or what a move comes with.
    Word(String),
    /// A parenthesis opens (1) or closes (-1).
    Nesting(i32),
}

/// The games of `text`, in their order.
///
/// # Errors
/// When a tag, a comment or a variation has no end.
pub fn read(text: &str) -> Result<Vec<Game>, Fault> {
    let (mut games, mut game, mut depth) = (Vec::new(), Game::default(), 0);
    let mut scanner = Scanner { letters: text.chars().peekable(), line: 1, is_at_start: true };
    while let Some((line, token)) = scanner.next()? {
        match token {
            Token::Tag(name, value) => {
                if !game.moves.is_empty() {
                    games.push(std::mem::take(&mut game));
                }
                game.tags.push((name, value));
            }
            Token::Nesting(step) => {
                depth += step;
                if depth < 0 {
                    return Err(Fault { line, problem: "a variation ends that has not begun" });
                }
                continue;
            }
            Token::Word(_) if depth > 0 => continue,
            Token::Word(word) if matches!(word.as_str(), "1-0" | "0-1" | "1/2-1/2" | "*") => {
                games.push(std::mem::take(&mut game));
                continue;
            }
            Token::Word(word) => game.moves.extend(bare(&word).map(|text| (line, text.to_owned()))),
        }
        if game.line == 0 {
            game.line = line;
        }
    }
    if depth > 0 {
        return Err(Fault { line: scanner.line, problem: "a variation has no end" });
    }
    if game != Game::default() {
        games.push(game);
    }
    Ok(games)
}

/// The move in a word, without the number before it; nothing in a number alone, in a glyph, and in the mark of a pawn taken in passing.
fn bare(word: &str) -> Option<&str> {
    let unnumbered = word.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let text = if unnumbered.starts_with('.') { unnumbered.trim_start_matches('.') } else { word };
    let is_move =
        !text.is_empty() && !text.starts_with('$') && text != "e.p." && text.chars().any(|letter| !letter.is_ascii_digit());
    is_move.then_some(text)
}

/// Takes a text apart.
struct Scanner<I: Iterator<Item = char>> {
    letters: Peekable<I>,
    line: usize,
    /// Whether nothing of the line has been read.
    is_at_start: bool,
}

impl<I: Iterator<Item = char>> Scanner<I> {
    fn letter(&mut self) -> Option<char> {
        let letter = self.letters.next()?;
        self.is_at_start = letter == '\n';
        self.line += usize::from(letter == '\n');
        Some(letter)
    }

    /// The next token, with its line.
    fn next(&mut self) -> Result<Option<(usize, Token)>, Fault> {
        loop {
            let (line, is_at_start) = (self.line, self.is_at_start);
            let fault = |problem| Fault { line, problem };
            let Some(letter) = self.letter() else { return Ok(None) };
            match letter {
                // An escape of the standard: other programs' lines.
                '%' if is_at_start => self.pass('\n').unwrap_or_default(),
                ';' => self.pass('\n').unwrap_or_default(),
                '{' => self.pass('}').ok_or(fault("a comment has no end"))?,
                '(' => return Ok(Some((line, Token::Nesting(1)))),
                ')' => return Ok(Some((line, Token::Nesting(-1)))),
                '[' => return Ok(Some((line, self.tag().ok_or(fault("a tag has no end"))?))),
                letter if letter.is_whitespace() || letter == '\u{feff}' => {}
                letter => return Ok(Some((line, Token::Word(self.word(letter))))),
            }
        }
    }

    /// Goes past the next `end`, where there is one.
    fn pass(&mut self, end: char) -> Option<()> {
        while self.letter()? != end {}
        Some(())
    }

    /// A name and, in quotes, its value; a bracket has been read.
    fn tag(&mut self) -> Option<Token> {
        let (mut name, mut value) = (String::new(), String::new());
        loop {
            match self.letter()? {
                '"' => break,
                ']' => return Some(Token::Tag(name.trim().to_owned(), value)),
                letter => name.push(letter),
            }
        }
        loop {
            match self.letter()? {
                '"' => break,
                '\\' => value.push(self.letter()?),
                letter => value.push(letter),
            }
        }
        self.pass(']')?;
        Some(Token::Tag(name.trim().to_owned(), value))
    }

    fn word(&mut self, first: char) -> String {
        let mut word = String::from(first);
        while let Some(letter) = self.letters.next_if(|letter| !letter.is_whitespace() && !"{}();[]".contains(*letter)) {
            word.push(letter);
        }
        self.is_at_start = false;
        word
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moves(game: &Game) -> Vec<&str> {
        game.moves.iter().map(|(_, text)| text.as_str()).collect()
    }

    #[test]
    fn the_main_line_alone_is_read() {
        let text = "\u{feff}[Event \"a \\\"b\\\"\"]\n[FEN \"8/8 w\"]\n% 1. a3 a6\n\n1.e4 {good; (yes)} e5 2. Nf3! $1 (2. f4 exf4 (2... d5) 3. Bc4) 2... Nc6 ; 3. Bb5\n\
                    3.O-O exd6 e.p. 0-0-0 1/2-1/2\n\n1. d4 d5 *\n[White \"x\"]\nc4";
        let games = read(text).unwrap();
        assert_eq!(games.len(), 3);
        assert_eq!(moves(&games[0]), ["e4", "e5", "Nf3!", "Nc6", "O-O", "exd6", "0-0-0"]);
        assert_eq!((games[0].tag("Event"), games[0].tag("FEN"), games[0].tag("White")), (Some("a \"b\""), Some("8/8 w"), None));
        assert_eq!((games[0].line, games[0].moves[4].0), (1, 6));
        assert_eq!((moves(&games[1]), moves(&games[2])), (vec!["d4", "d5"], vec!["c4"]));
        assert_eq!((games[1].line, games[2].tag("White")), (8, Some("x")));
        assert!(read(" \n; nothing\n").unwrap().is_empty());
    }

    #[test]
    fn what_has_no_end_is_told_with_its_line() {
        for (text, told) in [
            ("1. e4\n{never", "line 2: a comment has no end"),
            ("[Event \"x", "line 1: a tag has no end"),
            ("1. e4 (1. d4", "line 1: a variation has no end"),
            ("1. e4\n)", "line 2: a variation ends that has not begun"),
        ] {
            assert_eq!(read(text).unwrap_err().to_string(), told);
        }
    }
}
