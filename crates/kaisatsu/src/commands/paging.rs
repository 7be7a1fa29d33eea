//! Lists that may be too long for one page.

/// Leaves the first `limit` rows of a list that was read one row further, and says how the next page is asked for.
pub(super) fn cut<T>(rows: &mut Vec<T>, limit: u32, number: impl Fn(&T) -> i64) {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    if rows.len() > limit {
        rows.truncate(limit);
        let last = rows.last().map_or(0, number);
        eprintln!("more follow; --after {last} goes on, --limit NUMBER lists more at once");
    }
}
