//! The arithmetic of article numbers: check digits, the short form of UPC, and the ISBN of ten digits.

/// The check digit that belongs behind these digits: weights 3 and 1 in turn, from the right.
#[must_use]
pub fn check_digit(digits: &[u8]) -> u8 {
    let weigh = |(place, &digit): (usize, &u8)| u32::from(digit) * if place % 2 == 0 { 3 } else { 1 };
    let sum: u32 = digits.iter().rev().enumerate().map(weigh).sum();
    u8::try_from((10 - sum % 10) % 10).unwrap_or(0)
}

/// Whether the last digit is the check digit of those before it.
#[must_use]
pub fn is_valid(digits: &[u8]) -> bool {
    digits.split_last().is_some_and(|(last, before)| !before.is_empty() && check_digit(before) == *last)
}

/// The twelve digits of UPC-A for the eight of UPC-E: number system, six digits, check digit.
#[must_use]
#[allow(clippy::many_single_char_names, reason = "the digits as the standard names them")]
pub fn expand_upc_e(short: [u8; 8]) -> Option<[u8; 12]> {
    let [system, a, b, c, d, e, rule, check] = short;
    if system > 1 || short.iter().any(|digit| *digit > 9) {
        return None;
    }
    let body = match rule {
        0..=2 => [a, b, rule, 0, 0, 0, 0, c, d, e],
        3 => [a, b, c, 0, 0, 0, 0, 0, d, e],
        4 => [a, b, c, d, 0, 0, 0, 0, 0, e],
        _ => [a, b, c, d, e, 0, 0, 0, 0, rule],
    };
    let mut long = [0; 12];
    long[0] = system;
    long[1..11].copy_from_slice(&body);
    long[11] = check;
    Some(long)
}

/// Digits as text.
pub(super) fn text(digits: &[u8]) -> String {
    digits.iter().map(|digit| char::from(b'0' + digit % 10)).collect()
}

/// Text as digits, hyphens and spaces left out; `None` when there is anything else.
fn digits(text: &str) -> Option<Vec<u8>> {
    let kept = text.chars().filter(|c| !matches!(c, '-' | ' '));
    kept.map(|c| c.to_digit(10).and_then(|digit| u8::try_from(digit).ok())).collect()
}

/// Converts a printed number of 8 to 13 digits to thirteen, if its check digit is right. Zeros in front do not change
/// the check digit.
#[must_use]
pub fn to_ean_13(printed: &str) -> Option<String> {
    let plain = digits(printed).filter(|plain| (8..=13).contains(&plain.len()) && is_valid(plain))?;
    Some(format!("{:0>13}", text(&plain)))
}

/// The thirteen digits of an ISBN of ten.
#[must_use]
pub fn isbn_10_to_13(isbn_10: &str) -> Option<String> {
    let plain: String = isbn_10.chars().filter(|c| !matches!(c, '-' | ' ')).collect();
    let (body, check) = plain.split_at_checked(9)?;
    let body = digits(body)?;
    let given = match check {
        "X" | "x" => 10,
        _ => u32::from(*digits(check).filter(|digits| digits.len() == 1)?.first()?),
    };
    if eleventh(&body) != given {
        return None;
    }
    let mut ean = vec![9, 7, 8];
    ean.extend(body);
    ean.push(check_digit(&ean));
    Some(text(&ean))
}

/// The check digit of an ISBN of ten: weights 10 down to 2, modulo 11.
fn eleventh(body: &[u8]) -> u32 {
    let sum: u32 = body.iter().zip((2..=10u32).rev()).map(|(&digit, weight)| u32::from(digit) * weight).sum();
    (11 - sum % 11) % 11
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{check_digit, expand_upc_e, is_valid, isbn_10_to_13, text, to_ean_13};

    #[test]
    fn known_numbers() {
        assert_eq!(check_digit(&[4, 9, 0, 2, 1, 0, 2, 0, 7, 2, 6, 5]), 6);
        assert_eq!(isbn_10_to_13("4-10-101001-3").as_deref(), Some("9784101010014"));
        for wrong in ["4101010014", "", "41010100", "410101001XX", "abcdefghij", "猫猫猫猫"] {
            assert_eq!(isbn_10_to_13(wrong), None, "{wrong}");
        }
        assert_eq!(isbn_10_to_13("0-306-40615-2").as_deref(), Some("9780306406157"));
        assert_eq!(isbn_10_to_13("0-8044-2957-X").as_deref(), Some("9780804429573"));
    }

    #[test]
    fn the_short_upc_is_expanded_by_its_last_digit() {
        let long = |short| expand_upc_e(short).map(|long| text(&long));
        assert_eq!(long([0, 4, 2, 5, 2, 6, 1, 4]).as_deref(), Some("042100005264"));
        assert_eq!(long([0, 1, 2, 3, 4, 5, 3, 0]).as_deref(), Some("012300000450"));
        assert_eq!(long([0, 1, 2, 3, 4, 5, 4, 0]).as_deref(), Some("012340000050"));
        assert_eq!(long([0, 1, 2, 3, 4, 5, 7, 0]).as_deref(), Some("012345000070"));
        assert_eq!(long([2, 1, 2, 3, 4, 5, 7, 0]), None);
    }

    #[test]
    fn shorter_numbers_get_zeros_in_front() {
        assert_eq!(to_ean_13("49123456").as_deref(), Some("0000049123456"));
        assert_eq!(to_ean_13("042100005264").as_deref(), Some("0042100005264"));
        assert_eq!(to_ean_13("978-4-10-101001-4").as_deref(), Some("9784101010014"));
        for wrong in ["", "4912345", "49123457", "97841010100141", "４９１２３４５６", "4912345x"] {
            assert_eq!(to_ean_13(wrong), None, "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn one_wrong_digit_is_always_noticed(
            body in prop::collection::vec(0u8..10, 12), at in 0usize..13, by in 1u8..10,
        ) {
            let mut code = body;
            code.push(check_digit(&code));
            prop_assert!(is_valid(&code));
            code[at] = (code[at] + by) % 10;
            prop_assert!(!is_valid(&code));
        }

        #[test]
        fn an_expanded_upc_has_twelve_digits_and_its_own_check_digit(short in prop::array::uniform8(0u8..10)) {
            if let Some(long) = expand_upc_e(short) {
                prop_assert_eq!(long[11], short[7]);
                prop_assert!(long.iter().all(|digit| *digit < 10));
                // A check digit of UPC-A is that of the EAN-13 with a zero in front.
                let mut ean = vec![0];
                ean.extend(long);
                prop_assert_eq!(is_valid(&ean), is_valid(&long));
            }
        }

        #[test]
        fn no_text_upsets_the_conversions(text in ".{0,20}") {
            let _ = (isbn_10_to_13(&text), to_ean_13(&text));
        }
    }
}
