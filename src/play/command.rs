//! What a person can say beside a move.

/// A request of the person at the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Command {
    /// Take back the person's last move and the reply.
    Undo,
    /// What would the agent play here?
    Hint,
    /// What does the agent think of each move?
    Show,
    /// Which moves are legal?
    Moves,
    /// Draw the board again.
    Board,
    /// What can be said?
    Help,
    /// Leave the table.
    Quit,
}

impl Command {
    /// All commands with their names and what they do.
    pub(super) const ALL: [(Command, &'static str, &'static str); 7] = [
        (Command::Undo, "undo", "take back your last move and the reply to it"),
        (Command::Hint, "hint", "tell what the agent would play in your place"),
        (Command::Show, "show", "tell what the agent thinks of each of your moves"),
        (Command::Moves, "moves", "list the legal moves"),
        (Command::Board, "board", "draw the board again"),
        (Command::Help, "help", "list these commands"),
        (Command::Quit, "quit", "leave the game"),
    ];

    /// The command that `text` names, without regard to case and surrounding blanks.
    pub(super) fn parse(text: &str) -> Option<Command> {
        Self::ALL.iter().find(|(_, name, _)| name.eq_ignore_ascii_case(text.trim())).map(|(command, _, _)| *command)
    }
}
