//! The command line over a list of games. It is the only place that knows both training and those who judge it.
//!
//! A program with games of its own calls [`run`] with its own list and has every command for them.

mod analysis;
mod analyze;
mod annotate;
mod bench;
mod chart;
mod check;
mod crew;
mod epd;
mod error;
mod evaluate;
mod games;
mod inspect;
mod judges;
mod openings;
mod output;
mod place;
mod play;
mod positions;
mod progress;
mod replay;
mod report;
mod signals;
mod solve;
mod standings;
mod tournament;
mod train;
mod tune;
mod uci;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::error::ErrorKind;
use clap::{Parser, Subcommand, ValueEnum};

use crate::agent::puct_rule;
use crate::arena::Agreement;
use crate::game::{Games, Player};
use crate::search::mcts::Rule;
use crate::solver::four_in_a_row::{sets::Half, shipped};
use error::CliError;

/// The exit status where the input was at fault.
const BAD_INPUT: u8 = 2;
/// How long to wait for room on a full disk before trying again.
const PATIENCE: Duration = Duration::from_secs(5);

/// Learns board games from their rules alone, by self-play.
#[derive(Parser)]
#[command(name = "plyzero", version, about, arg_required_else_help = true, after_help = STATUSES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// List the games and their options.
    Games(games::Arguments),
    /// Train a network from scratch, for the first game of the list unless said otherwise.
    Train(TrainArguments),
    /// Measure a network: against perfect play where that is known, and in matches.
    Evaluate(EvaluateArguments),
    /// Let agents play each other, and rate them.
    Tournament(TournamentArguments),
    /// Play against an agent, or look at games that were played.
    Play(PlayArguments),
    /// Tell what a network, a file of games or a run is.
    Inspect(InspectArguments),
    /// Write notes into the header of a network, such as how it came about.
    Annotate(annotate::Arguments),
    /// Look into a position: what an agent, its network and perfect play think of each move.
    Analyze(analyze::Arguments),
    /// Tell what positions and their moves are worth under perfect play.
    Solve(solve::Arguments),
    /// Draw and solve sets of positions to measure solvers and networks with.
    Positions(positions::Arguments),
    /// Speak the Universal Chess Interface with another program, such as a board to play on.
    Uci(uci::Arguments),
    /// Solve test suites: positions with known best moves, in EPD.
    Epd(epd::Arguments),
    /// Fit the weights of an evaluation to games.
    Tune(tune::Arguments),
    /// Measure parts of this program.
    #[command(subcommand)]
    Bench(bench::Command),
    /// Try the rules of a game: whether they are what every other command takes for granted.
    Check(check::Arguments),
}

/// How a command ends, for `--help`.
const STATUSES: &str = "Exit status:
    0  done
    1  something failed
    2  the input was at fault; standard error says what to change
  130  interrupted

Environment:
  PLYZERO_KERNEL  how networks are computed on the CPU: portable, avx2, avx512, avx512-bf16 or amx [default: the fastest that
                  the processor has]";

/// What an AGENT may be, for `--help`.
const AGENTS: &str = "Agents:
  random
  minimax[:depth=N]
  alpha-beta[:depth=N,nodes=N,time=T,table=MIB,weights=FILE,quiescence=true,extensions=true,null_move=true,reductions=true,
             futility=true]
  expectimax[:depth=N]
  maxn[:depth=N]
  uct[:sims=N,time=T,c=X,reuse=true]
  net:PATH
  solver[:cache=FILE,table=MIB]
  puct[:net=PATH,sims=N,time=T,c_puct=X,fpu=X,gather=N,reuse=true]
  uci:CMD, uci:cmd=CMD[,args=\"A B\",time=T,depth=N,nodes=N,patience=T,OPTION=VALUE]
A PATH may be `builtin`, the network that a game is shipped with, which puct plays with unless told otherwise.
Times are like 50ms or 1.5s. A value that holds a comma stands in double quotes.";

#[derive(clap::Args)]
struct TrainArguments {
    /// A configuration file; keys it leaves out keep the game's shipped values.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["game", "resume"])]
    config: Option<PathBuf>,
    /// The game, perhaps with options, as in hex:size=5; it is trained with its shipped configuration.
    #[arg(long, value_name = "ID", conflicts_with = "resume")]
    game: Option<String>,
    /// The folder of the run [default: checkpoints/<game>-<number>].
    #[arg(long, value_name = "DIR", conflicts_with = "resume")]
    run: Option<PathBuf>,
    /// Go on with the run in this folder, exactly where it stood. With --set train.iterations=N it becomes longer.
    #[arg(long, value_name = "DIR")]
    resume: Option<PathBuf>,
    /// Begin with the network of this file instead of a fresh one.
    #[arg(long, value_name = "NET", conflicts_with = "resume")]
    from: Option<PathBuf>,
    /// Change a key of the configuration, such as learner.batch=256. May be given several times.
    #[arg(long, value_name = "SECTION.KEY=VALUE")]
    set: Vec<String>,
    /// Worker threads [default: one a core]. They change the time it takes, not the result.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Begin no further iteration once the run has taken so many minutes, those before an interruption included; all that changes
    /// with the progress of the run follows whichever is further, time or iterations.
    #[arg(long, value_name = "M", value_parser = positive)]
    minutes: Option<f64>,
    /// The same in minutes of processor time, of all cores together: other work on the machine then shortens nothing.
    #[arg(long, value_name = "M", value_parser = positive)]
    cpu_minutes: Option<f64>,
    /// Go on although this processor or device computes differently from the one before: the results will not be the same to the bit.
    #[arg(long, requires = "resume")]
    allow_kernel_change: bool,
}

#[derive(clap::Args)]
#[command(after_help = AGENTS)]
struct EvaluateArguments {
    /// A network file; or the folder of a run, whose networks are then compared.
    net: PathBuf,
    /// Of a run at most so many networks, evenly spread.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(2..))]
    nets: u32,
    /// Simulations a move with which the network is measured, besides without search.
    #[arg(long, value_name = "N", value_delimiter = ',', default_value = "100", value_parser = clap::value_parser!(u32).range(1..))]
    sims: Vec<u32>,
    /// How it searches, in options of puct agents, such as c_puct=1.5,solve=false [default: as they do].
    #[arg(long, value_name = "OPTIONS", value_parser = puct_rule)]
    search: Option<Rule>,
    /// Positions of each solved set to compare with perfect play in, where the game has such sets [default: 50].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=shipped::POSITIONS as i64))]
    positions: Option<u32>,
    /// The half of each of these sets: for results that are told, or for everything before [default: development].
    #[arg(long, value_name = "HALF", value_parser = Half::BOTH.map(Half::name))]
    set: Option<String>,
    /// Play matches against this agent, such as alpha-beta:depth=4. May be given several times [default: alpha-beta:depth=4 for
    /// games too large to compare with perfect play, uct:sims=400 where that does not suit].
    #[arg(long, value_name = "AGENT")]
    against: Vec<String>,
    /// Games a match, from distinct openings with sides swapped.
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    games: u32,
    /// Random plies of the openings; longer ones where too few of these are distinct, and 0 for the initial position alone.
    #[arg(long, value_name = "N", default_value_t = 4)]
    opening_plies: usize,
    /// The seed of openings and games.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    /// Worker threads [default: one a core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Where the network runs: cpu, or what a cargo feature added.
    #[arg(long, value_name = "NAME", default_value = "cpu")]
    device: String,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

#[derive(clap::Args)]
#[command(after_help = AGENTS)]
struct TournamentArguments {
    /// The game, perhaps with options, as in hex:size=5; `plyzero games` lists them.
    #[arg(long, value_name = "ID")]
    game: String,
    /// Two agents or more, separated by blanks.
    #[arg(long, value_name = "AGENT", num_args = 2.., required = true)]
    agents: Vec<String>,
    /// Games of each pairing: an even number, for every opening is played from both sides.
    #[arg(long, value_name = "N", default_value = "100", value_parser = tournament::even)]
    games: usize,
    /// Let the first agent meet all others, and no one else [default: everyone meets everyone].
    #[arg(long)]
    gauntlet: bool,
    /// The agent whose rating is 0 [default: the first].
    #[arg(long, value_name = "AGENT")]
    anchor: Option<String>,
    /// Test whether the first of two agents is elo0 (H0) or elo1 (H1) stronger than the second, and end as soon as that is decided.
    #[arg(long, value_name = "ELO0,ELO1", allow_hyphen_values = true, value_parser = tournament::hypotheses)]
    sprt: Option<(f64, f64)>,
    /// The chance that the test accepts H1 where H0 holds.
    #[arg(long, value_name = "P", default_value_t = 0.05, requires = "sprt")]
    alpha: f64,
    /// The chance that the test accepts H0 where H1 holds.
    #[arg(long, value_name = "P", default_value_t = 0.05, requires = "sprt")]
    beta: f64,
    /// Random plies of the openings, longer ones where too few of these are distinct, or 0 for the initial position alone [default: 4]; of a
    /// file of moves or games, the plies of each that are played [default: all].
    #[arg(long, value_name = "N")]
    opening_plies: Option<usize>,
    /// A file of openings, taken in their order: moves, a line an opening; in chess positions in EPD or FEN, one a line, or games in PGN.
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// A player loses who MOVES times in a row values its game at -SCORE or less while its opponent values it at SCORE or more; values are
    /// utilities: 1 is a win.
    #[arg(long, value_name = "SCORE,MOVES", value_parser = tournament::resignation)]
    resign: Option<Agreement>,
    /// From ply PLIES on a game is drawn that both players MOVES times in a row value within SCORE of a draw.
    #[arg(long, value_name = "SCORE,MOVES,PLIES", value_parser = tournament::draw)]
    draw: Option<Agreement>,
    /// Write the games as PGN, too, with what the players thought of them.
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,
    /// The seed of openings and games.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    /// Games played at the same time [default: one a core]. They change the time it takes, not the result.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Where networks run: cpu, or what a cargo feature added.
    #[arg(long, value_name = "NAME", default_value = "cpu")]
    device: String,
    /// The file that keeps the games; with one of the same tournament it goes on where that ended [default:
    /// tournaments/<game>-<code>.games, with a code of the tournament].
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

#[derive(clap::Args)]
#[command(after_help = AGENTS)]
struct PlayArguments {
    /// The game, perhaps with options, as in hex:size=5; `plyzero games` lists them. A file of a tournament
    /// says it by itself.
    #[arg(required_unless_present = "replay")]
    game: Option<String>,
    /// List the games of a tournament's file or of a run's self-play (games/00001.games in its folder) instead of playing.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["agent", "side", "seed", "device"])]
    replay: Option<PathBuf>,
    /// Show the game with this number in the list, move by move.
    #[arg(long, value_name = "K", requires = "replay")]
    game_number: Option<u64>,
    /// Print what --replay shows as PGN, in games that programs share a notation of.
    #[arg(long, requires = "replay")]
    pgn: bool,
    /// Your opponent, such as puct:net=checkpoints/tic_tac_toe-1/nets/best.safetensors,sims=400 [default: the strongest of the game's
    /// ladder, else alpha-beta, or expectimax or maxn where it does not suit the game].
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    /// The strength of your opponent, from 1, on the ladder of the game; `plyzero games` tells how many there are.
    #[arg(long, value_name = "N", conflicts_with_all = ["agent", "replay"])]
    strength: Option<usize>,
    /// The side you play.
    #[arg(long, value_enum, default_value_t = Side::First)]
    side: Side,
    /// The seed of your opponent's random choices.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    /// Where a network runs: cpu, or what a cargo feature added.
    #[arg(long, value_name = "NAME", default_value = "cpu")]
    device: String,
}

#[derive(clap::Args)]
struct InspectArguments {
    /// A file of this program, or the folder of a run.
    path: PathBuf,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Side {
    First,
    Second,
}

impl From<Side> for Player {
    fn from(side: Side) -> Self {
        match side {
            Side::First => Player::First,
            Side::Second => Player::Second,
        }
    }
}

fn positive(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|number: &f64| number.is_finite() && *number > 0.0)
        .ok_or_else(|| "it must be a number above 0".to_owned())
}

/// Worker threads: as asked for, else one a core.
fn threads(asked: Option<u16>) -> usize {
    asked.map_or_else(|| std::thread::available_parallelism().map_or(1, std::num::NonZero::get), usize::from)
}

/// What is wrong with the arguments, and what to do, in one line.
fn one_line(error: &clap::Error) -> String {
    let text = error.to_string();
    let lines = text.lines().map(str::trim).take_while(|line| !line.starts_with("Usage:"));
    let told: Vec<&str> = lines.filter(|line| !line.is_empty() && !line.starts_with("For more information")).collect();
    told.join("; ").trim_start_matches("error: ").replace(":; ", ": ")
}

/// Runs the command line of this process over `games`. Status 2 says that the input was at fault, 130 that the command was interrupted, 1
/// that something else went wrong.
pub fn run(games: &impl Games) -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        // Help and the version are what was asked for.
        Err(error) if !error.use_stderr() || error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => error.exit(),
        Err(error) => {
            output::complain(&one_line(&error));
            return ExitCode::from(BAD_INPUT);
        }
    };
    let result = match cli.command {
        Command::Games(arguments) => games::run(games, &arguments),
        Command::Train(arguments) => train::run(games, &arguments),
        Command::Evaluate(arguments) => evaluate::run(games, &arguments),
        Command::Tournament(arguments) => tournament::run(games, &arguments),
        Command::Play(arguments) => play::run(games, &arguments),
        Command::Inspect(arguments) => inspect::run(&arguments),
        Command::Annotate(arguments) => annotate::run(games, &arguments),
        Command::Epd(arguments) => epd::run(games, &arguments),
        Command::Tune(arguments) => tune::run(games, &arguments),
        Command::Uci(arguments) => uci::run(games, &arguments),
        Command::Analyze(arguments) => analyze::run(games, &arguments),
        Command::Bench(command) => bench::run(games, &command),
        Command::Solve(arguments) => solve::run(games, &arguments),
        Command::Positions(arguments) => positions::run(games, &arguments),
        Command::Check(arguments) => check::run(games, &arguments),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever read our output has gone: there is nobody left to tell.
        Err(CliError::Output(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(CliError::Interrupted) => ExitCode::from(signals::INTERRUPTED),
        Err(error) => {
            output::complain(&error);
            ExitCode::from(if error.is_bad_input() { BAD_INPUT } else { 1 })
        }
    }
}
