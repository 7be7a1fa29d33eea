//! The article number in what a two-dimensional code says: element strings and web addresses of GS1.

use super::digits::article_numbers;

/// Ends an element of variable length.
const SEPARATOR: char = '\u{1d}';

/// The marks that a reader puts before element strings: GS1 Data Matrix, GS1 QR code, GS1-128 and GS1 `DataBar`.
const ELEMENT_STRINGS: [&str; 4] = ["]d2", "]Q3", "]C1", "]e0"];

/// The length of elements whose identifier begins with these two digits, without those two. All others end with a
/// separator.
const FIXED: [(&str, usize); 22] = [
    ("00", 18),
    ("01", 14),
    ("02", 14),
    ("03", 14),
    ("04", 16),
    ("11", 6),
    ("12", 6),
    ("13", 6),
    ("14", 6),
    ("15", 6),
    ("16", 6),
    ("17", 6),
    ("18", 6),
    ("19", 6),
    ("20", 2),
    ("31", 8),
    ("32", 8),
    ("33", 8),
    ("34", 8),
    ("35", 8),
    ("36", 8),
    ("41", 14),
];

/// The article number, of thirteen digits, that the content of a two-dimensional code names; `None` if it names none.
///
/// Content is an element string with the mark of its symbology in front (`]d2`, `]Q3`), the same in print with
/// brackets, a web address with the number behind `/01/`, or the number alone. A number of other lengths than 13 and 14
/// stands for anything, so it is not taken.
#[must_use]
pub fn article_in(content: &str) -> Option<String> {
    if let Some(elements) = ELEMENT_STRINGS.iter().find_map(|mark| content.strip_prefix(mark)) {
        return in_elements(elements);
    }
    // A reader of plain symbols has a mark too.
    let content = content.strip_prefix(']').and_then(|rest| rest.get(2..)).unwrap_or(content).trim();
    if let Some((_, behind)) = content.split_once("(01)") {
        return article(behind.get(..14)?);
    }
    if content.starts_with("http://") || content.starts_with("https://") {
        let (_, behind) = content.split_once("/01/")?;
        return article(behind.split(['/', '?', '#']).next()?);
    }
    article(content).filter(|_| matches!(content.len(), 13 | 14))
}

fn article(digits: &str) -> Option<String> {
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit()) && digits.len() >= 8;
    article_numbers(digits).into_iter().next().filter(|_| plain)
}

fn in_elements(elements: &str) -> Option<String> {
    let mut rest = elements.trim_start_matches(SEPARATOR);
    while let Some((identifier, behind)) = rest.split_at_checked(2) {
        let fixed = FIXED.iter().find(|(fixed, _)| *fixed == identifier);
        let (element, next) = match fixed {
            Some((_, length)) => behind.split_at_checked(*length)?,
            None => behind.split_once(SEPARATOR).unwrap_or((behind, "")),
        };
        if identifier == "01" {
            return article(element);
        }
        rest = next.trim_start_matches(SEPARATOR);
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::article_in;

    #[test]
    fn the_number_is_found_among_other_elements() {
        let number = Some("9506000134352".to_owned());
        for content in [
            "]d20109506000134352",
            "]d217281231010950600013435210AB-1\u{1d}21X7",
            "]Q310AB-1\u{1d}0109506000134352",
            "]d2\u{1d}0109506000134352",
            "]d1(01)09506000134352(17)281231",
            "https://id.gs1.org/01/09506000134352/10/AB-1?17=281231",
            "http://example.com/some/path/01/9506000134352#more",
            "9506000134352",
            "]Q109506000134352",
        ] {
            assert_eq!(article_in(content), number, "{content}");
        }
        assert_eq!(article_in("]d20119506000134359"), number, "the case of the article");
    }

    #[test]
    fn other_content_names_no_article() {
        for content in [
            "",
            "]",
            "]d2",
            "]d210AB",
            "]d20109506000134353",
            "]d2010950600013435",
            "]d10109506000134352",
            "https://example.com/09506000134352",
            "https://id.gs1.org/01/",
            "95060001",
            "WIFI:S:9506000134352;;",
            "猫猫猫",
            "]猫猫",
        ] {
            assert_eq!(article_in(content), None, "{content}");
        }
    }

    proptest! {
        #[test]
        fn no_content_upsets_it(content in ".{0,40}", digits in "[0-9]{0,40}") {
            let _ = (article_in(&content), article_in(&format!("]d2{content}")), article_in(&format!("]Q3{digits}")));
        }
    }
}
