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

/// The article numbers, of thirteen digits, that a listed number can stand for, the likeliest first; none if its check
/// digit is wrong however it is read.
///
/// A list writes one article as EAN-13, as EAN-8 or UPC-A, as the ten digits of an ISBN, as the fourteen of a case, or
/// as UPC-E with or without number system and check digit. A spreadsheet loses the zeros in front of any of them, and a
/// database fills them up. Few numbers have two readings, and those are both returned: that the second is the number of
/// another listed article is far less likely than that a guess between them is wrong.
#[must_use]
pub fn article_numbers(listed: &str) -> Vec<String> {
    if let Some(isbn) = isbn_10_to_13(listed) {
        return vec![isbn];
    }
    let Some(plain) = digits(listed) else { return Vec::new() };
    let mut readings: Vec<Option<String>> = match plain.len() {
        6..=7 => vec![short(&plain)],
        // Numbers of EAN-8 that begin with 0 are free for use within a shop.
        8 if plain.first() == Some(&0) => vec![short(&plain), to_ean_13(listed)],
        8 => vec![to_ean_13(listed), short(&plain)],
        14 => vec![unit_of_case(&plain)],
        _ => vec![to_ean_13(listed)],
    };
    if plain.len() == 7 {
        // The zero of the number system was dropped.
        let whole: Vec<u8> = std::iter::once(0).chain(plain.iter().copied()).collect();
        readings.push(short(&whole));
    }
    let mut numbers: Vec<String> = readings.into_iter().flatten().collect();
    if numbers.is_empty() && plain.len() > 8 {
        // A UPC-E that was filled up with zeros to the length of the others.
        let (zeros, rest) = plain.split_at(plain.len() - 8);
        numbers.extend(short(rest).filter(|_| zeros.iter().all(|digit| *digit == 0)));
    }
    numbers.dedup();
    numbers
}

/// The thirteen digits of a UPC-E of six digits (number system 0), seven (with number system) or eight (with check
/// digit).
fn short(plain: &[u8]) -> Option<String> {
    // The number system and the check digit are 0 if they are not there.
    let mut whole = [0; 8];
    match plain.len() {
        6 => whole[1..7].copy_from_slice(plain),
        7 => whole[..7].copy_from_slice(plain),
        8 => whole.copy_from_slice(plain),
        _ => return None,
    }
    let mut long = expand_upc_e(whole)?;
    if plain.len() < 8 {
        long[11] = check_digit(long.get(..11)?);
    }
    is_valid(&long).then(|| format!("{:0>13}", text(&long)))
}

/// The thirteen digits of the article in a case, whose fourteen begin with the kind of the case, 1 to 8. With 0 they
/// are those of the article itself, and 9 is for goods sold by weight, which have no number of their own.
fn unit_of_case(plain: &[u8]) -> Option<String> {
    let (kind, unit) = plain.split_first().filter(|(kind, _)| **kind < 9 && is_valid(plain))?;
    let body = unit.get(..12)?;
    let check = if *kind == 0 { *unit.last()? } else { check_digit(body) };
    Some(format!("{}{check}", text(body)))
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

    use super::{article_numbers, check_digit, expand_upc_e, is_valid, isbn_10_to_13, text, to_ean_13};

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

    #[test]
    fn however_an_article_is_listed_its_number_is_the_same() {
        let same = [
            // UPC-E with number system and check digit, as its six bars, and as a spreadsheet and a database write it.
            ("0042100005264", &["04252614", "425261", "4252614", "0 425261 4", "000004252614"][..]),
            ("0042100005264", &["042100005264", "42100005264", "0042100005264", "00042100005264", "10042100005261"]),
            ("0000049123456", &["49123456", "0000049123456"]),
            ("9784101010014", &["4-10-101001-3", "978-4-10-101001-4", "09784101010014", "19784101010011"]),
            ("9780804429573", &["080442957X", "080442957x"]),
        ];
        for (number, listings) in same {
            for listed in listings {
                assert_eq!(article_numbers(listed), [number], "{listed}");
            }
        }
        for wrong in ["", "12345", "04252615", "2425261", "97841010100141", "99784101010017", "４２５２６１", "42526x"]
        {
            assert_eq!(article_numbers(wrong), Vec::<String>::new(), "{wrong}");
        }
    }

    #[test]
    fn seven_or_eight_digits_may_have_two_readings() {
        // Both have the check digit of EAN-8 and that of UPC-E.
        assert_eq!(article_numbers("01234565"), ["0012345000065", "0000001234565"]);
        assert_eq!(article_numbers("12345670"), ["0000012345670", "0123456000070"]);
        // With the number system and without the check digit, or the other way round.
        assert_eq!(article_numbers("0425261"), ["0042100005264", "0004252000061"]);
        assert_eq!(article_numbers("0425262"), ["0042200005263"]);
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
            prop_assert!(article_numbers(&text).iter().all(|number| number.len() == 13));
        }
    }
}
