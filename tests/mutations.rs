//! Ten thousand mutations of each kind of file: what is read is what was written, or nothing is.

mod seasoned;
mod tiny;
mod trial;

use std::fmt::Debug;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use plyzero::arena::{self, Adjudication, Archive, Archived, Ending, Entrant, Format, OpeningSource, Terms};
use plyzero::game::{Action, Game, Payoff, Step};
use plyzero::games::TicTacToe;
use plyzero::net::{Checkpoint, Header};
use plyzero::rng::{Rng, stream};
use plyzero::storage::{Kind, Log, System, read_log};
use plyzero::train::{Folder, GameRecord, GamesFile, Saved};
use rand::RngExt as _;

use seasoned::{architecture, cpu, seasoned};
use tiny::config;
use trial::Trial;

const MUTATIONS: u64 = 10_000;
/// What reading a small file may need, in KiB.
const MEMORY: u64 = 256 << 10;

/// `bytes` with a fault: flipped bits, an end cut off, a part moved, doubled or taken from `other`, or a number made absurd.
fn mutated(bytes: &[u8], other: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut found = bytes.to_vec();
    let place = |rng: &mut Rng| rng.random_range(0..bytes.len());
    // Faults at the beginning matter most, and a file is mostly end.
    let early = |rng: &mut Rng| rng.random_range(0..bytes.len().min(64));
    match rng.random_range(0..8) {
        0 => (0..rng.random_range(1..8)).for_each(|_| found[place(rng)] ^= 1 << rng.random_range(0..8)),
        1 => found[early(rng)] ^= 1 << rng.random_range(0..8),
        2 => found.truncate(place(rng)),
        3 => found.truncate(early(rng)),
        4 => {
            let (from, to) = (place(rng), place(rng));
            let length = rng.random_range(0..=bytes.len() - from.max(to));
            found.copy_within(from..from + length, to);
        }
        5 => {
            let (from, to) = (rng.random_range(0..other.len()), place(rng));
            let length = rng.random_range(0..=other.len() - from);
            found.splice(to..to, other[from..from + length].iter().copied());
        }
        6 => {
            let at = early(rng);
            let number = [u64::MAX, 1 << 40, 1 << 31, 0, rng.random()][rng.random_range(0..5)].to_le_bytes();
            let length = number.len().min(bytes.len() - at);
            found[at..at + length].copy_from_slice(&number[..length]);
        }
        _ => {
            let at = place(rng);
            found.drain(at..rng.random_range(at..=bytes.len()));
        }
    }
    found
}

/// The address space that this process has needed so far, in KiB; nothing where the system does not tell.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmPeak:"));
    line.and_then(|line| line.trim().strip_suffix(" kB")?.parse().ok()).unwrap_or(0)
}

/// Mutates the file at `path` again and again; whatever `read` makes of it must be `sound`. Returns how often it was read.
fn mutate<T: Debug>(path: &Path, other: &[u8], read: impl Fn(&Path) -> Result<T, String>, is_sound: impl Fn(&T) -> bool) -> u64 {
    let bytes = fs::read(path).unwrap();
    let (mut rng, mut believed) = (stream(1, "mutations", bytes.len() as u64), 0);
    assert!(is_sound(&read(path).unwrap()));
    let before = peak();
    for number in 0..MUTATIONS {
        // A new file, since file systems take their time to empty an old one.
        fs::remove_file(path).unwrap();
        fs::write(path, mutated(&bytes, other, &mut rng)).unwrap();
        match read(path) {
            Ok(found) => {
                assert!(is_sound(&found), "mutation {number} of {}: {found:?}", path.display());
                believed += 1;
            }
            Err(error) => assert!(error.contains(&path.display().to_string()) && !error.contains('\n'), "{error}"),
        }
    }
    assert!(peak() - before < MEMORY, "{} KiB were needed", peak() - before);
    fs::write(path, bytes).unwrap();
    believed
}

fn text<T, E: ToString>(result: Result<T, E>) -> Result<T, String> {
    result.map_err(|error| error.to_string())
}

/// A finished run, and one with another seed.
fn runs() -> [tempfile::TempDir; 2] {
    ["train.seed=1", "train.seed=2"].map(|seed| {
        let root = tempfile::tempdir().unwrap();
        let folder = Folder::create(root.path(), Arc::new(System)).unwrap();
        Trial::default().run(TicTacToe::new(), &config(&[seed]), &folder).unwrap();
        root
    })
}

/// One test, so that nobody else needs memory meanwhile.
#[test]
fn no_mutation_is_believed() {
    let [run, other] = runs();
    let foreign = |name: &str| fs::read(other.path().join(name)).unwrap();

    let games = run.path().join("games/00001.games");
    let (expected, _) = GamesFile::read(&games).unwrap();
    let read = |path: &Path| text(GamesFile::read(path)).map(|(file, _)| file);
    let believed = mutate(&games, &foreign("games/00001.games"), read, |found| *found == expected);
    assert!(believed < MUTATIONS / 20, "only what changes nothing is believed, not {believed}");

    let state = run.path().join("state/run.state");
    let whole = format!("{:?}", Saved::read(&state).unwrap());
    mutate(&state, &foreign("state/run.state"), |path| text(Saved::read(path)), |found| format!("{found:?}") == whole);

    network(run.path());
    log(run.path(), &expected.records);
    tournament(run.path());
}

fn tournament(folder: &Path) {
    let entrant = |name: &str| Entrant { name: name.to_owned(), network: None };
    let terms = |seed: u64| Terms {
        version: "1".to_owned(),
        game: "tic_tac_toe".to_owned(),
        agents: vec![entrant("random"), entrant("minimax")],
        format: Format::RoundRobin,
        games: 100,
        openings: OpeningSource::Random { plies: 2 },
        adjudication: Adjudication::default(),
        seed,
        sprt: None,
        device: "cpu".to_owned(),
    };
    let write = |name: &str, seed: u64| -> PathBuf {
        let path = folder.join(name);
        let mut archive = Archive::open(&System, &path, &terms(seed)).unwrap();
        for number in 0..20 {
            let steps = (0..9).map(|ply| Step::Move(Action((ply + number as u16 * seed as u16) % 9))).collect();
            let record = arena::GameRecord { start: None, steps, ending: Ending::Over(Payoff::DRAW) };
            archive.add(&Archived { number, opening: 2, record, remarks: Vec::new() }).unwrap();
        }
        path
    };
    let (path, other) = (write("tournament", 1), fs::read(write("another", 2)).unwrap());
    let (expected, games) = Archive::read(&path).unwrap();
    let read = |path: &Path| text(Archive::read(path));
    mutate(&path, &other, read, |(terms, found)| *terms == expected && games.starts_with(found));
}

fn network(folder: &Path) {
    let facts = TicTacToe::new().facts().clone();
    let shape = architecture(&facts, 4, 1);
    let [path, other] = [3, 4].map(|seed| {
        let path = folder.join(format!("{seed}.safetensors"));
        Checkpoint { header: Header::new(&shape, seed, 7, 8, 9), network: seasoned(&shape, seed) }.save(&path).unwrap();
        path
    });
    let expected = Header::read(&path).unwrap();
    let foreign = fs::read(other).unwrap();
    mutate(&path, &foreign, |path| text(Header::read(path)), |found| *found == expected);
    let load = |path: &Path| text(Checkpoint::load(path, &facts, &cpu())).map(|checkpoint| checkpoint.header);
    mutate(&path, &foreign, load, |found| *found == expected);
}

/// Of a log the beginning may be read, and only its own.
fn log(folder: &Path, records: &[GameRecord]) {
    let write = |name: &str, records: &[GameRecord]| -> PathBuf {
        let path = folder.join(name);
        let (mut log, _) = Log::open::<GameRecord>(&System, &path, Kind::Playing).unwrap();
        records.iter().for_each(|record| log.append(record).unwrap());
        path
    };
    let path = write("log", records);
    let other = fs::read(write("other", &[records[3].clone(), records[1].clone(), records[2].clone()])).unwrap();
    let read = |path: &Path| text(read_log::<GameRecord>(path, Kind::Playing));
    mutate(&path, &other, read, |found| records.starts_with(&found.records));
    // The same where it is opened to go on.
    let open = |path: &Path| text(Log::open::<GameRecord>(&System, path, Kind::Playing)).map(|(_, loaded)| loaded);
    mutate(&path, &other, open, |found| records.starts_with(&found.records));
}
