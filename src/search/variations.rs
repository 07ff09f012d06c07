//! Lines of best play, kept while a depth-first search runs: the "triangular" table of chess programs. Row `ply` is the best
//! line known from the position now visited at that ply; a better move there is put before the row of its reply.

use crate::game::Action;

/// One line for each ply of the path under search.
#[derive(Debug, Default)]
pub(crate) struct Variations {
    rows: Vec<Vec<Action>>,
}

impl Variations {
    /// Enters a position at `ply`: nothing is known of it yet.
    pub(crate) fn clear(&mut self, ply: u32) {
        let ply = ply as usize;
        if self.rows.len() < ply + 2 {
            self.rows.resize_with(ply + 2, Vec::new);
        }
        self.rows[ply].clear();
    }

    /// `action` at `ply` is the best so far; the row below it holds the answer to it.
    pub(crate) fn raise(&mut self, ply: u32, action: Action) {
        let (above, below) = self.rows.split_at_mut(ply as usize + 1);
        let row = &mut above[ply as usize];
        row.clear();
        row.push(action);
        row.extend_from_slice(&below[0]);
    }

    /// The line that starts with `action` in the root, once that move has been searched.
    pub(crate) fn after_root_move(&self, action: Action) -> Vec<Action> {
        let replies = self.rows.get(1).map_or(&[][..], Vec::as_slice);
        [&[action], replies].concat()
    }
}
