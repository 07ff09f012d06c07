//! What a run leaves on disk.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Every file of a folder, by its name.
pub fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if path.is_dir() {
            found.extend(files(&path).into_iter().map(|(inner, bytes)| (format!("{name}/{inner}"), bytes)));
        } else {
            found.insert(name, fs::read(path).unwrap());
        }
    }
    found
}

/// What a run leaves that is a function of its configuration alone: networks, games and the configuration.
pub fn results(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = files(folder);
    files.retain(|name, _| !["metrics.jsonl", "state/run.state"].contains(&name.as_str()));
    files
}
