//! `plyzero annotate`

use std::path::PathBuf;

use super::error::CliError;
use super::output::say;
use crate::game::{Entry, Game, Games, Visit};
use crate::net::{Checkpoint, Header, open_device};

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// A network file.
    net: PathBuf,
    /// What its header is to say, such as command="plyzero train --minutes 60"; an empty text takes a note away. May be given several times.
    #[arg(long, value_name = "NAME=TEXT", required = true, value_parser = note)]
    note: Vec<(String, String)>,
    /// The file to write.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

struct Annotate<'a>(&'a Arguments);

/// Writes a network with notes in its header, which change nothing else of it.
pub(super) fn run(games: &impl Games, arguments: &Arguments) -> Result<(), CliError> {
    let header = Header::read(&arguments.net)?;
    games.dispatch(&header.architecture.game, &mut Annotate(arguments))?
}

impl Visit for Annotate<'_> {
    type Output = Result<(), CliError>;

    fn visit<G: Game>(&mut self, entry: &Entry<G>) -> Result<(), CliError> {
        let Arguments { net, note, out } = self.0;
        let mut checkpoint = Checkpoint::load(net, entry.game.facts(), &open_device("cpu")?)?;
        for (name, text) in note {
            if text.is_empty() {
                checkpoint.header.notes.remove(name);
            } else {
                checkpoint.header.notes.insert(name.clone(), text.clone());
            }
        }
        checkpoint.save(out)?;
        Ok(say(format!("{} has {} notes", out.display(), checkpoint.header.notes.len()))?)
    }
}

/// Reads `name=text`.
fn note(text: &str) -> Result<(String, String), String> {
    let parts = text.split_once('=').filter(|(name, _)| !name.trim().is_empty());
    parts
        .map(|(name, text)| (name.trim().to_owned(), text.to_owned()))
        .ok_or_else(|| "it must be a name, = and a text".to_owned())
}
