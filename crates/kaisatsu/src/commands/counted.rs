//! Numbers of things in sentences: `1 image`, `2 images`.

use std::fmt::Display;

/// A number of things, in the singular or the plural.
pub(super) fn counted(count: impl Display, thing: &str) -> String {
    let count = count.to_string();
    let ending = match thing.chars().next_back() {
        _ if count == "1" => "",
        Some('s') => "es",
        _ => "s",
    };
    format!("{count} {thing}{ending}")
}

#[cfg(test)]
mod tests {
    use super::counted;

    #[test]
    fn one_is_singular_and_none_is_not() {
        assert_eq!([0, 1, 2, 11].map(|count| counted(count, "item")), ["0 items", "1 item", "2 items", "11 items"]);
        assert_eq!([1, 2].map(|count| counted(count, "class")), ["1 class", "2 classes"]);
    }
}
