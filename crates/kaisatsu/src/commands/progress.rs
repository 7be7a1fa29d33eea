//! Progress bars for long commands, shown only on a terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar on standard error; it draws nothing when that is not a terminal.
pub(super) fn bar(what: &'static str, count: usize) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(count as u64), ProgressDrawTarget::stderr());
    let template = "{prefix} {bar:32} {pos}/{len}  {per_sec}, {eta} left";
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar.with_prefix(what)
}

/// A count on standard error, of what is not counted before; it draws nothing when that is not a terminal.
pub(super) fn counter(what: &'static str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("{prefix} {human_pos}  {per_sec}") {
        bar.set_style(style);
    }
    bar.with_prefix(what)
}
