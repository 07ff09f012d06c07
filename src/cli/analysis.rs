//! What is known of a position and its moves, as one JSON document and as text: both are written from the same figures, so that
//! they cannot disagree. Values are for the player who is to move.

use std::fmt;

use serde::Serialize;

use crate::agent::{Analysis, RawMove};
use crate::game::{Action, Game, Player, Position, Term, Turn};
use crate::play::wording::{JUDGED, columns, every_move, judged, known, percent, plies, utility};
use crate::search::Candidate;
use crate::solver::Verdict;

/// What `--json` prints.
#[derive(Serialize)]
pub(super) struct Report {
    game: String,
    /// What led to the position.
    moves: Vec<String>,
    /// Who is to move: all values are for this player.
    mover: &'static str,
    agent: String,
    /// The move that the agent chooses.
    decision: String,
    /// The value of the position by the agent's search.
    value: Option<f32>,
    nodes: u64,
    depth: Option<u32>,
    principal_variation: Vec<String>,
    /// The value of the position by the agent's network alone.
    network: Option<NetworkValue>,
    perfect: Option<Perfect>,
    /// The parts of the estimate that classical search uses, for the first player, where the game tells them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    features: Vec<Term>,
    /// Every legal move, the best by the agent first.
    candidates: Vec<Row>,
    #[serde(skip)]
    board: String,
    #[serde(skip)]
    mark: char,
}

/// A move.
#[derive(Serialize)]
struct Row {
    #[serde(rename = "move")]
    label: String,
    visits: Option<u32>,
    prior: Option<f32>,
    value: Option<f32>,
    principal_variation: Vec<String>,
    /// What the agent's network alone thinks of it.
    network: Option<NetworkMove>,
    perfect: Option<Perfect>,
}

#[derive(Serialize)]
struct NetworkValue {
    value: f32,
}

#[derive(Serialize)]
struct NetworkMove {
    prior: f32,
    value: Option<f32>,
}

/// The result of perfect play, and in how many plies.
#[derive(Clone, Copy, Serialize)]
struct Perfect {
    class: &'static str,
    plies: u32,
}

impl From<Verdict> for Perfect {
    fn from(verdict: Verdict) -> Self {
        Self { class: verdict.outcome.name(), plies: verdict.plies }
    }
}

impl Report {
    /// What `agent` makes of `position`, in which a player is to move and to which `moves` led, and what perfect play makes of
    /// each move, where that is known; with the parts of classical search's estimate of it, if there are any.
    pub(super) fn new<G: Game>(
        position: &Position<G>,
        moves: Vec<String>,
        agent: &str,
        analysis: &Analysis,
        perfect: Option<&[(Action, Verdict)]>,
        features: Vec<Term>,
    ) -> Self {
        let game = position.game();
        let player = if let Turn::Move(player) = position.turn() { player } else { Player::First };
        let decision = &analysis.decision;
        let best = perfect.and_then(|moves| moves.iter().map(|&(_, verdict)| verdict).max());
        let row = |candidate: Candidate| {
            let judged = analysis.network.iter().flat_map(|network| &network.moves).find(|mv| mv.action == candidate.action);
            let solved = perfect.into_iter().flatten().find(|&&(action, _)| action == candidate.action);
            let network = |mv: &RawMove| NetworkMove { prior: mv.prior, value: mv.value.map(|value| value.of(player)) };
            Row {
                label: game.label(position.state(), candidate.action),
                visits: candidate.visits,
                prior: candidate.prior,
                value: candidate.value.map(|value| value.of(player)),
                principal_variation: labels(position, &candidate.principal_variation),
                network: judged.map(network),
                perfect: solved.map(|&(_, verdict)| verdict.into()),
            }
        };
        Self {
            game: game.facts().id.clone(),
            moves,
            mover: ["first", "second"][player.index()],
            agent: agent.to_owned(),
            decision: game.label(position.state(), decision.action),
            value: decision.value.map(|value| value.of(player)),
            nodes: decision.nodes,
            depth: decision.depth,
            principal_variation: labels(position, &decision.principal_variation),
            network: analysis.network.as_ref().map(|network| NetworkValue { value: network.value.of(player) }),
            perfect: best.map(Perfect::from),
            features,
            candidates: every_move(position, decision).into_iter().map(row).collect(),
            board: game.draw(position.state()),
            mark: player.mark(),
        }
    }

    /// What the agent's search says of the position.
    fn verdict(&self) -> String {
        let value = self.value.map(|value| format!("value {}", utility(value)));
        let depth = self.depth.map(|depth| format!("depth {depth}"));
        let nodes = (self.nodes > 0).then(|| format!("{} {}", self.nodes, if self.nodes == 1 { "node" } else { "nodes" }));
        let parts: Vec<String> = value.into_iter().chain(depth).chain(nodes).collect();
        if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) }
    }

    /// The table of features, with their sum; nothing where there are none.
    fn features(&self) -> Vec<String> {
        if self.features.is_empty() {
            return Vec::new();
        }
        let number = |number: f64| format!("{number:.1}");
        let row = |term: &Term| {
            vec![term.name.clone(), term.count.to_string(), term.weight.map_or_else(String::new, number), number(term.part)]
        };
        let mut rows = vec![["feature", "count", "weight", "part"].map(str::to_owned).to_vec()];
        rows.extend(self.features.iter().map(row));
        let sum = number(self.features.iter().map(|term| term.part).sum());
        rows.push(vec!["sum".to_owned(), String::new(), String::new(), sum]);
        columns(&rows)
    }

    /// The table of moves: a head, and a row a move.
    fn table(&self) -> Vec<String> {
        let mut rows = vec![JUDGED.map(str::to_owned).to_vec()];
        rows.extend(self.candidates.iter().map(|row| judged(row.label.clone(), row.visits, row.prior, row.value)));
        let mut add = |head: &[&str], cells: &dyn Fn(&Row) -> Vec<String>| {
            let heads = head.iter().map(|&head| head.to_owned()).collect();
            let columns = std::iter::once(heads).chain(self.candidates.iter().map(cells));
            rows.iter_mut().zip(columns).for_each(|(row, more)| row.extend(more));
        };
        if self.network.is_some() {
            add(&["net prior", "net value"], &|row| {
                let network = row.network.as_ref();
                vec![known(network.map(|mv| mv.prior), percent), known(network.and_then(|mv| mv.value), utility)]
            });
        }
        if self.perfect.is_some() {
            add(&["perfect"], &|row| vec![known(row.perfect, |found| format!("{} in {}", found.class, found.plies))]);
        }
        let lines = std::iter::once("principal variation".to_owned())
            .chain(self.candidates.iter().map(|row| row.principal_variation.join(" ")));
        columns(&rows).into_iter().zip(lines).map(|(figures, line)| format!("{figures}  {line}")).collect()
    }
}

/// The labels of `line`, played from `position`, as far as players move.
fn labels<G: Game>(position: &Position<G>, line: &[Action]) -> Vec<String> {
    let (game, mut state) = (position.game(), position.state().clone());
    let mut label = |&action: &Action| {
        let label = game.label(&state, action);
        game.play(&mut state, action);
        label
    };
    line.iter().map(&mut label).collect()
}

/// For people.
impl fmt::Display for Report {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { board, game, mark, mover, agent, decision, .. } = self;
        let path = if self.moves.is_empty() { String::new() } else { format!(" after {}", self.moves.join(" ")) };
        writeln!(formatter, "{board}\n{game}{path}: {mark}, the {mover} player, is to move; values are for {mark}.")?;
        writeln!(formatter, "{agent} chooses {decision}{}.", self.verdict())?;
        if let Some(network) = &self.network {
            writeln!(formatter, "Its network alone: value {}.", utility(network.value))?;
        }
        if let Some(perfect) = &self.perfect {
            writeln!(formatter, "Perfect play: a {} in {}.", perfect.class, plies(perfect.plies as usize))?;
        }
        self.table().iter().try_for_each(|line| write!(formatter, "\n{line}"))?;
        let features = self.features();
        if !features.is_empty() {
            write!(formatter, "\n\nThe estimate of the position before any search, for the first player:")?;
        }
        features.iter().try_for_each(|line| write!(formatter, "\n{line}"))
    }
}
