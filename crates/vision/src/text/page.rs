//! Which way up a page lies. Photographs of pages often lie on their side and do not say so.

use super::{crop::is_vertical, geometry::Point, order};
use crate::text::Line;

/// A line that was read, where the detector found it.
pub(super) struct ReadLine {
    pub(super) text: String,
    pub(super) score: f32,
    /// Clockwise from the corner that is the upper left one in the picture.
    pub(super) quad: [Point; 4],
    /// Whether it was upside down, or as a column, once laid on its side, upside down.
    pub(super) turned: bool,
}

impl ReadLine {
    /// By how many quarters to the right a row lies: one that runs downwards by one, one that runs upwards by three.
    fn quarters(&self) -> usize {
        usize::from(is_vertical(self.quad)) + 2 * usize::from(self.turned)
    }

    /// By how many quarters to the right the page lies, by this line. A column of Japanese cannot be told from a row on
    /// a page that lies on its side, but both are read from the right where they run downwards, and from the left where
    /// they run upwards. Latin letters are not stacked.
    fn page_quarters(&self) -> usize {
        let is_latin = |letter: &char| letter.is_ascii_alphabetic();
        let letters = self.text.chars().filter(|letter| letter.is_alphabetic()).count();
        let is_row = letters >= 3 && 2 * self.text.chars().filter(is_latin).count() > letters;
        if is_vertical(self.quad) && !is_row { 2 * usize::from(self.turned) } else { self.quarters() }
    }
}

/// With this score a line has been read the right way up.
const SURE: f32 = 0.95;

/// The lines that are upside down where most letters are not, or the other way round, and were read badly.
pub(super) fn doubtful(lines: &mut [ReadLine]) -> impl Iterator<Item = &mut ReadLine> {
    let letters = |turned: bool| -> usize {
        lines.iter().filter(|line| line.turned == turned).map(|line| line.text.chars().count()).sum()
    };
    let turned = letters(true) > letters(false);
    lines.iter_mut().filter(move |line| line.turned != turned && line.score < SURE)
}

/// Puts lines in the order in which they are read on their page, whichever way up it lies. Each begins at its own upper
/// left corner.
pub(super) fn arrange(lines: Vec<ReadLine>) -> Vec<Line> {
    let quarters = quarters(&lines);
    let upright: Vec<[Point; 4]> = lines.iter().map(|line| upright(line.quad, quarters)).collect();
    let mut lines: Vec<Option<ReadLine>> = lines.into_iter().map(Some).collect();
    let ordered = order::reading(&upright).into_iter().filter_map(|at| lines[at].take());
    let finished = |line: ReadLine| {
        let is_row_on_its_side = quarters % 2 == 1 && is_vertical(line.quad);
        let vertical = is_vertical(line.quad) && !is_row_on_its_side;
        let first = if is_row_on_its_side { line.quarters() } else { 2 * usize::from(line.turned) };
        let mut quad = line.quad;
        quad.rotate_left(first);
        Line { text: line.text, score: line.score, quad, vertical }
    };
    ordered.map(finished).collect()
}

/// By how many quarters to the right the page lies: as most of its letters do, or upright.
fn quarters(lines: &[ReadLine]) -> usize {
    let mut letters = [0; 4];
    for line in lines {
        letters[line.page_quarters()] += line.text.chars().count();
    }
    let all: usize = letters.iter().sum();
    (1..4).find(|quarters| 2 * letters[*quarters] > all).unwrap_or(0)
}

/// A line as it is on the page turned upright, from its upper left corner there.
fn upright(mut quad: [Point; 4], quarters: usize) -> [Point; 4] {
    quad.rotate_left(quarters);
    quad.map(|(x, y)| match quarters {
        1 => (y, -x),
        2 => (-x, -y),
        3 => (-y, x),
        _ => (x, y),
    })
}

#[cfg(test)]
mod tests {
    use super::{Point, ReadLine, arrange, doubtful};

    /// A line of a page that was upright, on the page turned by quarters to the right. A row whose letters stand on
    /// their heads after it was laid flat is turned.
    fn line(text: &str, (x, y): (f32, f32), (width, height): (f32, f32), quarters: usize) -> ReadLine {
        let corners = [(x, y), (x + width, y), (x + width, y + height), (x, y + height)];
        let mut quad: [Point; 4] = corners.map(|(x, y)| match quarters {
            1 => (1000.0 - y, x),
            2 => (1000.0 - x, 1000.0 - y),
            3 => (y, 1000.0 - x),
            _ => (x, y),
        });
        quad.rotate_right(quarters);
        ReadLine { text: text.to_owned(), score: 0.9, quad, turned: quarters >= 2 }
    }

    fn page(quarters: usize) -> Vec<ReadLine> {
        let rows = [("The first line", 10.0), ("and the second", 60.0), ("12", 110.0)];
        rows.iter()
            .rev()
            .map(|(text, y)| line(text, (20.0, *y), (if text.len() > 2 { 300.0 } else { 80.0 }, 30.0), quarters))
            .collect()
    }

    #[test]
    fn a_page_is_read_from_its_own_top_whichever_way_up_it_lies() {
        for quarters in 0..4 {
            let lines = arrange(page(quarters));
            let texts: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
            assert_eq!(texts, ["The first line", "and the second", "12"], "{quarters}");
            assert!(lines.iter().all(|line| !line.vertical), "{quarters}");
            let first = match quarters {
                1 => (990.0, 20.0),
                2 => (980.0, 990.0),
                3 => (10.0, 980.0),
                _ => (20.0, 10.0),
            };
            assert_eq!(lines[0].quad[0], first, "{quarters}");
        }
    }

    #[test]
    fn a_line_that_lies_otherwise_than_its_page_and_was_read_badly_is_doubtful() {
        for quarters in 0..4 {
            let mut lines = page(quarters);
            lines[0].turned = !lines[0].turned;
            assert_eq!(doubtful(&mut lines).count(), 1, "{quarters}");
            lines[0].score = 0.99;
            assert_eq!(doubtful(&mut lines).count(), 0, "{quarters}");
        }
    }

    #[test]
    fn columns_of_japanese_do_not_turn_a_page() {
        let column = |text: &str, x: f32| line(text, (x, 10.0), (30.0, 300.0), 0);
        // Three letters in a column say that the page lies on its side, and the columns beside it outweigh them.
        let lines = arrange(vec![column("太宰治の", 10.0), column("人間失格という本", 60.0), column("ABC", 110.0)]);
        let texts: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
        assert_eq!(texts, ["ABC", "人間失格という本", "太宰治の"]);
        assert!(lines.iter().all(|line| line.vertical));
        // The same page upside down, or one with rows that run upwards: from left to right.
        let column = |text: &str, x: f32| line(text, (x, 10.0), (30.0, 300.0), 2);
        let lines = arrange(vec![column("太宰治の", 10.0), column("人間失格という本", 60.0)]);
        let texts: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
        assert_eq!(texts, ["人間失格という本", "太宰治の"]);
        assert!(lines[0].quad[0].0 < lines[1].quad[0].0, "{lines:?}");
    }
}
