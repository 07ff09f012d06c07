//! `plyzero analyze`

use super::AGENTS;
use super::analysis::Report;
use super::error::CliError;
use super::output::{caution, say};
use super::place::Place;
use crate::agent::Builder;
use crate::game::{Entry, Game, Games, Visit};
use crate::net::open_device;
use crate::rng;
use crate::solver::{self, four_in_a_row};

#[derive(clap::Args)]
#[command(after_help = AGENTS)]
pub(super) struct Arguments {
    /// The game, perhaps with options, as in hex:size=5; `plyzero games` lists them.
    game: String,
    #[command(flatten)]
    place: Place,
    /// Who analyses, such as puct:net=checkpoints/tic_tac_toe-1/nets/best.safetensors,sims=400 [default: the strongest of the
    /// game's ladder, else alpha-beta, or expectimax or maxn where it does not suit the game].
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    /// The seed of the agent's random choices.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    /// Where a network runs: cpu, or what a cargo feature added.
    #[arg(long, value_name = "NAME", default_value = "cpu")]
    device: String,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

/// Positions that a solver may visit, a second's worth or so: what takes longer is left to `plyzero solve`.
const SOLVED_WITHIN: u64 = 4_000_000;

struct Analyze<'a>(&'a Arguments);

pub(super) fn run(games: &impl Games, arguments: &Arguments) -> Result<(), CliError> {
    games.dispatch(&arguments.game, &mut Analyze(arguments))?
}

impl Visit for Analyze<'_> {
    type Output = Result<(), CliError>;

    fn visit<G: Game>(&mut self, entry: &Entry<G>) -> Result<(), CliError> {
        let (position, moves) = self.0.place.find(entry)?;
        let device = open_device(&self.0.device)?;
        let builder = Builder { entry, device: &device, stop: None };
        let mut agent = builder.factory(self.0.agent.as_deref().unwrap_or(builder.suited()))?();
        let analysis = agent.analyse(&position, &mut rng::stream(self.0.seed, "analyze", 0))?;
        let options = four_in_a_row::Options { nodes: Some(SOLVED_WITHIN), ..four_in_a_row::Options::table(64) };
        let perfect = solver::of(entry, options).map(|mut solver| solver.moves(position.state()));
        if perfect.as_ref().is_some_and(Vec::is_empty) {
            caution("perfect play here takes longer than a second or so; `plyzero solve` finds it");
        }
        let perfect = perfect.filter(|moves| !moves.is_empty());
        let terms = entry.knowledge.as_ref().map_or_else(Vec::new, |knowledge| knowledge.terms(position.state()));
        let report = Report::new(&position, moves, agent.name(), &analysis, perfect.as_deref(), terms);
        let text = if self.0.json { serde_json::to_string_pretty(&report)? } else { report.to_string() };
        Ok(say(text)?)
    }
}
