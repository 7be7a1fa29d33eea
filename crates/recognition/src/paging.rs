//! Pages of lists that are ordered by age.

use kaisatsu_model::Timestamp;

/// One page, and where the next one begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T> {
    /// What is on it, oldest first.
    pub items: Vec<T>,
    /// Where the next page begins, if there is one.
    pub next: Option<Cursor>,
}

/// A position in a list that is ordered by age.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor {
    at: Timestamp,
    id: String,
}

impl Cursor {
    /// Before everything.
    #[must_use]
    pub fn start() -> Self {
        Self { at: Timestamp(i64::MIN), id: String::new() }
    }

    /// A cursor out of its text; `None` when the text is not one.
    #[must_use]
    pub fn from_text(text: &str) -> Option<Self> {
        let (at, id) = text.split_once('-')?;
        let at = u64::from_str_radix(at, 16).ok().and_then(|at| i64::try_from(at).ok())?;
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        (id.len() < 100 && id.bytes().all(plain)).then(|| Self { at: Timestamp(at), id: id.to_owned() })
    }

    /// The cursor as text.
    #[must_use]
    pub fn to_text(&self) -> String {
        format!("{:x}-{}", self.at.0.max(0), self.id)
    }

    pub(crate) fn as_pair(&self) -> (Timestamp, &str) {
        (self.at, &self.id)
    }
}

impl<T> Page<T> {
    /// How many rows to read for a page of `most`: one more says whether there is another page.
    pub(crate) fn rows(most: usize) -> i64 {
        i64::try_from(most).unwrap_or(i64::MAX).saturating_add(1)
    }

    /// A page out of rows that were read with [`Self::rows`]. `key` is what the list is ordered by.
    pub(crate) fn cut(mut items: Vec<T>, most: usize, key: impl Fn(&T) -> (Timestamp, String)) -> Self {
        let more = items.len() > most;
        items.truncate(most);
        let cursor = |item: &T| {
            let (at, id) = key(item);
            Cursor { at, id }
        };
        let next = items.last().filter(|_| more).map(cursor);
        Self { items, next }
    }
}

#[cfg(test)]
mod tests {
    use kaisatsu_model::Timestamp;

    use super::{Cursor, Page};

    fn page(rows: i64, most: usize) -> Page<i64> {
        Page::cut((0..rows).collect(), most, |row| (Timestamp(*row), format!("img_{row}")))
    }

    #[test]
    fn a_page_has_a_next_one_only_when_more_rows_were_read_than_fit() {
        assert_eq!(Page::<i64>::rows(3), 4);
        for (rows, on_it, next) in [(0, 0, None), (3, 3, None), (4, 3, Some("2-img_2"))] {
            let page = page(rows, 3);
            assert_eq!((page.items.len(), page.next.map(|next| next.to_text()).as_deref()), (on_it, next), "{rows}");
        }
    }

    #[test]
    fn the_next_page_begins_after_the_last_row_of_this_one() {
        let next = page(4, 3).next.unwrap();
        assert_eq!(next.as_pair(), (Timestamp(2), "img_2"));
        assert_eq!(Cursor::from_text(&next.to_text()), Some(next));
    }

    #[test]
    fn what_is_no_cursor_is_refused() {
        let long = format!("1-{}", "a".repeat(100));
        for text in ["", "12", "x-img_1", "1-img 1", "1-a'b", "ffffffffffffffff-a", &long] {
            assert_eq!(Cursor::from_text(text), None, "{text}");
        }
    }
}
