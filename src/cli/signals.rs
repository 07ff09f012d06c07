//! Ctrl-C and its kin: the first asks the command to stop in order, the second ends the process at once.

use std::process::exit;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The exit status of a command that was interrupted.
pub(super) const INTERRUPTED: u8 = 130;

/// A flag that the first Ctrl-C or SIGTERM of this process raises. `before_first` tells the person what happens now.
pub(super) fn stop_flag(before_first: impl Fn() + Send + 'static) -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let raised = Arc::clone(&stop);
    let handler = move || {
        if raised.swap(true, Ordering::SeqCst) {
            exit(INTERRUPTED.into());
        }
        before_first();
    };
    // Where signals cannot be handled, they end the process as they always do, and nothing on disk depends on this.
    let _ = ctrlc::set_handler(handler);
    stop
}
