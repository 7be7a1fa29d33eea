//! How well text that was read supports a name: the tie-breaker between candidates that look alike.

use unicode_normalization::UnicodeNormalization;

/// Longer texts are cut: what was read off one picture is far shorter.
const LONGEST: usize = 2000;
/// A piece of so many characters counts as much more than its characters one by one: length to this power.
const POWER: f32 = 1.5;

/// How much of a name is found in what was read, 0 to 1.
///
/// Width, case, kana (hiragana or katakana) and punctuation make no difference. Half of it is the part of the name's
/// neighbouring pairs of characters that were read; the other half favours long unbroken pieces, so that a title read
/// whole stands out over one whose pairs are scattered about. It is about the name alone: a single character that was
/// read is in many names and speaks for none of them.
#[must_use]
pub fn support(name: &str, read: &str) -> f32 {
    contained(&fold(name), &fold(read))
}

/// How many characters of a text matter to [`support`].
#[must_use]
pub fn letters(text: &str) -> usize {
    fold(text).len()
}

/// The characters that matter, in one form.
fn fold(text: &str) -> Vec<char> {
    let kana = |c: char| match c {
        'ァ'..='ヶ' => char::from_u32(u32::from(c) - 0x60).unwrap_or(c),
        _ => c,
    };
    text.nfkc().flat_map(char::to_lowercase).filter(|c| c.is_alphanumeric()).map(kana).take(LONGEST).collect()
}

/// How much of `name` is in `read`.
#[allow(clippy::cast_precision_loss, reason = "at most 2000 characters")]
fn contained(name: &[char], read: &[char]) -> f32 {
    let whole = name.len();
    if whole == 0 {
        return 0.0;
    }
    if whole == 1 {
        return if read.contains(&name[0]) { 1.0 } else { 0.0 };
    }
    let pairs = name.windows(2).filter(|pair| read.windows(2).any(|other| other == *pair)).count();
    let (mut at, mut pieces) = (0, 0.0);
    while at < whole {
        let piece = longest_piece(&name[at..], read);
        // A single character is found anywhere and says nothing.
        if piece > 1 {
            pieces += (piece as f32 / whole as f32).powf(POWER);
        }
        at += piece.max(1);
    }
    let pairs = pairs as f32 / (whole - 1) as f32;
    f32::midpoint(pairs, pieces).clamp(0.0, 1.0)
}

/// How many characters from the start of `name` occur unbroken in `read`.
fn longest_piece(name: &[char], read: &[char]) -> usize {
    let common = |from: usize| name.iter().zip(&read[from..]).take_while(|(a, b)| a == b).count();
    (0..read.len()).map(common).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{fold, letters, support};

    #[test]
    fn forms_of_writing_make_no_difference() {
        for (a, b) in [
            ("ネコ", "ねこ"),
            ("ﾈｺ", "ねこ"),
            ("ＡＢＣ", "abc"),
            ("新潮 文庫", "新潮・文庫"),
            ("ガラスの靴", "ｶﾞﾗｽの靴"),
        ] {
            assert!((support(a, b) - 1.0).abs() < 1e-6, "{a} {b}");
        }
    }

    #[test]
    fn a_title_within_the_read_text_is_fully_supported() {
        let read = "新潮文庫 吾輩は猫である 夏目漱石 定価649円";
        assert!((support("吾輩は猫である", read) - 1.0).abs() < 1e-6);
        let one_wrong = support("吾輩は描である", read);
        let other_book = support("こころ", read);
        let pieces = support("猫の文庫である", read);
        assert!(one_wrong > 0.5 && one_wrong < 0.9, "{one_wrong}");
        assert!(other_book < 0.1, "{other_book}");
        assert!(pieces < one_wrong, "{pieces} {one_wrong}");
    }

    #[test]
    fn little_that_was_read_supports_no_longer_name() {
        for read in ["本", "e", "tea", "歴"] {
            for name in ["日本の歴史", "The steak book", "eggs"] {
                let support = support(name, read);
                assert!(support < 0.3, "{name} by {read}: {support}");
            }
        }
        assert_eq!(letters("『こ・こ ろ』"), 3);
    }

    #[test]
    fn nothing_supports_nothing() {
        assert!(support("", "") < 1e-6);
        assert!(support("…!", "?").abs() < 1e-6);
        assert!(support("", "猫").abs() < 1e-6);
        assert!(support("猫", "").abs() < 1e-6);
    }

    proptest! {
        #[test]
        fn it_is_a_part_of_one(name in "[ぁ-んァ-ヶ一-丘a-zA-Z0-9 ・]{0,30}", read in "[ぁ-んァ-ヶ一-丘a-zA-Z0-9 ・]{0,30}") {
            prop_assert!((0.0..=1.0).contains(&support(&name, &read)));
        }

        #[test]
        fn the_same_text_is_fully_like_itself_and_within_any_other(
            a in "\\PC{1,40}", before in "\\PC{0,20}", after in "\\PC{0,20}",
        ) {
            prop_assume!(!fold(&a).is_empty());
            prop_assert!((support(&a, &a) - 1.0).abs() < 1e-6);
            let around = format!("{before} {a} {after}");
            let folded: String = fold(&around).into_iter().collect();
            // Marks that combine with a neighbour can change its letter; then the text is not within the other any
            // more.
            if folded.contains(&fold(&a).into_iter().collect::<String>()) {
                prop_assert!((support(&a, &around) - 1.0).abs() < 1e-6);
            }
        }
    }
}
