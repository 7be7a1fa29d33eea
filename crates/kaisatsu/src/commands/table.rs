//! Prints tables with aligned columns.

/// Prints rows under their headings, each column as wide as its widest cell.
pub(super) fn print<const N: usize>(heads: [&str; N], rows: &[[String; N]]) {
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.chain([heads[column].len()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..N).map(width).collect();
    let line = |cells: [&str; N]| {
        let padded: Vec<String> = cells.iter().zip(&widths).map(|(cell, &wide)| format!("{cell:wide$}")).collect();
        outln!("{}", padded.join("  ").trim_end());
    };
    line(heads);
    for row in rows {
        line(std::array::from_fn(|column| row[column].as_str()));
    }
}
