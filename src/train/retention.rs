//! Which files of past iterations stay.

use std::collections::BTreeSet;

use super::state::Progress;
use super::{Folder, RetentionConfig};
use crate::storage::StorageError;

/// Removes networks and games that the rule does not keep.
///
/// # Errors
/// When a file cannot be removed; this harms nothing but the room it takes.
pub(super) fn prune(folder: &Folder, rule: &RetentionConfig, progress: &Progress) -> Result<(), StorageError> {
    let newest = progress.iteration;
    let best = progress.best.map(|best| best.iteration);
    for iteration in folder.iterations("nets", ".safetensors")? {
        let is_kept = iteration.saturating_add(rule.networks) > newest
            || iteration.is_multiple_of(rule.milestones)
            || Some(iteration) == best;
        if !is_kept {
            folder.remove(&folder.net(iteration))?;
        }
    }
    let window: BTreeSet<u32> = progress.window.iter().map(|chunk| chunk.iteration).collect();
    for iteration in folder.iterations("games", ".games")? {
        if iteration.saturating_add(rule.games) <= newest && !window.contains(&iteration) {
            folder.remove(&folder.games(iteration))?;
        }
    }
    Ok(())
}
