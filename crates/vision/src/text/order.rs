//! The order in which people read lines.

use super::{
    columns::{Placed, columns_of_text},
    crop::is_vertical,
    extent::Extent,
    geometry::{Point, distance},
};

/// A line this many times as long as thick tells how far the page is turned.
const TELLING: f32 = 2.0;

/// A line that runs to the right, or a block of columns.
struct Item {
    extent: Extent,
    /// The columns of a block, or the one line, and the place of each among all.
    lines: Vec<(Extent, usize)>,
    is_block: bool,
}

/// Sorts lines from top to bottom, and side by side from left to right, columns of text one after the other. Columns of
/// upright letters that stand together are read as a block, from right to left. A page that lies a little askew is read
/// along its own rows. Returns the places of the lines in this order.
pub(super) fn reading(quads: &[[Point; 4]]) -> Vec<usize> {
    let (sin, cos) = tilt(quads).sin_cos();
    let extent = |quad: &[Point; 4]| {
        let corners = quad.map(|(x, y)| (x * cos + y * sin, y * cos - x * sin));
        let point = |(x, y): Point| Extent { left: x, right: x, top: y, bottom: y };
        corners.map(point).into_iter().reduce(Extent::around).unwrap_or(point((0.0, 0.0)))
    };
    let placed = |(at, quad): (usize, &[Point; 4])| Placed { at, extent: extent(quad), is_column: is_vertical(*quad) };
    let placed = quads.iter().enumerate().map(placed).collect();
    columns_of_text(placed).iter().flat_map(|part| rows(part)).collect()
}

/// The order of lines that are not in several columns of text.
fn rows(lines: &[Placed]) -> Vec<usize> {
    let mut items: Vec<Item> = Vec::with_capacity(lines.len());
    for &Placed { at, extent, is_column } in lines {
        let mut item = Item { extent, lines: vec![(extent, at)], is_block: is_column };
        if item.is_block {
            // A column may join several blocks that so far were apart.
            let joins = |other: &Item| other.is_block && other.lines.iter().any(|line| line.0.same_block(extent));
            for block in items.extract_if(.., |other| joins(other)) {
                item.extent = item.extent.around(block.extent);
                item.lines.extend(block.lines);
            }
        }
        items.push(item);
    }
    items.sort_by(|a, b| a.extent.middle().total_cmp(&b.extent.middle()));
    let mut ordered = Vec::with_capacity(lines.len());
    for row in items.chunk_by_mut(|a, b| a.extent.beside(b.extent)) {
        if row.iter().all(|item| item.is_block) {
            row.sort_by(|a, b| b.extent.right.total_cmp(&a.extent.right));
        } else {
            row.sort_by(|a, b| a.extent.left.total_cmp(&b.extent.left));
        }
        for item in row {
            columns(&mut item.lines);
            ordered.extend(item.lines.iter().map(|(_, at)| *at));
        }
    }
    ordered
}

/// Sorts columns from right to left, and those one below the other from the top.
fn columns(lines: &mut [(Extent, usize)]) {
    let middle = |extent: Extent| f32::midpoint(extent.left, extent.right);
    lines.sort_by(|(a, _), (b, _)| middle(*b).total_cmp(&middle(*a)));
    let same = |a: Extent, b: Extent| a.left < middle(b) && middle(b) < a.right;
    for column in lines.chunk_by_mut(|(a, _), (b, _)| same(*a, *b)) {
        column.sort_by(|(a, _), (b, _)| a.top.total_cmp(&b.top));
    }
}

/// How far the page is turned to the right, in radians: the median of its lines.
fn tilt(quads: &[[Point; 4]]) -> f32 {
    let angle = |&[a, b, _, d]: &[Point; 4]| {
        let (along, down) = (distance(a, b), distance(a, d));
        if along >= TELLING * down {
            Some((b.1 - a.1).atan2(b.0 - a.0))
        } else if down >= TELLING * along {
            Some((a.0 - d.0).atan2(d.1 - a.1))
        } else {
            None
        }
    };
    let mut angles: Vec<f32> = quads.iter().filter_map(angle).collect();
    angles.sort_by(f32::total_cmp);
    angles.get(angles.len() / 2).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::{Point, reading};

    fn line(x: f32, y: f32, width: f32, height: f32) -> [Point; 4] {
        [(x, y), (x + width, y), (x + width, y + height), (x, y + height)]
    }

    fn order<const N: usize>(wanted: [[Point; 4]; N]) {
        // From every order that the detector may give, turned about: backwards, and from the middle.
        for shift in 0..N {
            let mut lines = wanted;
            lines.rotate_left(shift);
            if shift % 2 == 0 {
                lines.reverse();
            }
            let ordered: Vec<Point> = reading(&lines).into_iter().map(|at| lines[at][0]).collect();
            assert_eq!(ordered, wanted.map(|quad| quad[0]), "from {shift}");
        }
    }

    #[test]
    fn rows_go_down_and_neighbours_to_the_right() {
        order([line(0.0, 5.0, 200.0, 20.0), line(0.0, 55.0, 80.0, 20.0), line(100.0, 52.0, 80.0, 20.0)]);
    }

    #[test]
    fn large_letters_stand_beside_small_ones_of_their_row() {
        order([line(0.0, 0.0, 300.0, 90.0), line(320.0, 35.0, 90.0, 20.0), line(0.0, 100.0, 300.0, 20.0)]);
    }

    #[test]
    fn columns_go_to_the_left() {
        order([line(60.0, 0.0, 20.0, 90.0), line(62.0, 100.0, 20.0, 90.0), line(10.0, 0.0, 20.0, 200.0)]);
        // On the two sides of a cover.
        order([line(600.0, 0.0, 20.0, 200.0), line(10.0, 20.0, 20.0, 200.0)]);
    }

    #[test]
    fn a_heading_comes_before_the_columns_below_it() {
        order([
            line(0.0, 0.0, 200.0, 30.0),
            line(150.0, 50.0, 20.0, 300.0),
            line(110.0, 50.0, 20.0, 280.0),
            line(70.0, 50.0, 20.0, 300.0),
            line(0.0, 380.0, 200.0, 20.0),
        ]);
    }

    #[test]
    fn a_page_that_lies_askew_is_read_along_its_rows() {
        let (sin, cos) = 8f32.to_radians().sin_cos();
        let turned = |quad: [Point; 4]| quad.map(|(x, y)| (x * cos - y * sin, x * sin + y * cos));
        order(
            [
                line(0.0, 0.0, 300.0, 20.0),
                line(600.0, 0.0, 300.0, 20.0),
                line(0.0, 30.0, 300.0, 20.0),
                line(600.0, 30.0, 300.0, 20.0),
            ]
            .map(turned),
        );
        order([line(90.0, 0.0, 20.0, 400.0), line(50.0, 0.0, 20.0, 400.0), line(10.0, 0.0, 20.0, 400.0)].map(turned));
    }

    #[test]
    fn nothing_and_one_line_are_in_order() {
        order([]);
        order([line(5.0, 5.0, 10.0, 10.0)]);
    }
}
