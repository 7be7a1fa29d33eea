//! Keys under which names are found however people write them: kana of either kind, romaji with or without long vowels.

use kaisatsu_model::StationName;

/// The key of a text. Two texts that people take for the same have the same key.
pub(crate) fn fold(text: &str) -> String {
    let folded = StationName::fold(text);
    let plain: String = folded.as_str().chars().filter_map(plain).collect();
    if plain.is_ascii() { shorten(&plain) } else { plain }
}

/// The key of a name without the kana that join its words, which people write in several ways or leave out: 自由が丘 and
/// 自由ヶ丘, 御茶ノ水 and お茶の水, 四ツ谷 and 四谷.
pub(crate) fn loose(text: &str) -> String {
    let letters: Vec<char> = fold(text).chars().collect();
    let is_kanji = |at: usize| letters.get(at).is_some_and(|c| matches!(c, '々' | '\u{3400}'..='\u{9fff}'));
    let kept = |(at, c): (usize, &char)| match c {
        'お' if at == 0 && is_kanji(1) => Some('御'),
        'け' | 'が' if at > 0 && is_kanji(at + 1) => None,
        'つ' | 'の' if at > 0 && is_kanji(at - 1) && is_kanji(at + 1) => None,
        other => Some(*other),
    };
    letters.iter().enumerate().filter_map(kept).collect()
}

/// The key of a reading in the Latin alphabet; `None` if the text is not all kana.
pub(crate) fn romaji(reading: &str) -> Option<String> {
    // A small つ doubles the consonant after it, and double consonants are single ones in a key.
    let kana: Vec<char> =
        reading.chars().filter(|c| !c.is_whitespace()).filter_map(plain).filter(|c| *c != 'っ').collect();
    let mut latin = String::new();
    let mut at = 0;
    while at < kana.len() {
        let (syllable, length) = syllable(&kana[at..])?;
        latin.push_str(syllable);
        at += length;
    }
    (!latin.is_empty()).then(|| shorten(&latin))
}

/// Hiragana for katakana, plain vowels for long ones; no marks.
fn plain(c: char) -> Option<char> {
    Some(match c {
        'ァ'..='ヶ' => char::from_u32(u32::from(c) - 0x60)?,
        'ā' => 'a',
        'ī' => 'i',
        'ū' => 'u',
        'ē' => 'e',
        'ō' => 'o',
        '-' | '‐' | '–' | '・' | '·' | '.' | ',' | '\'' | '’' | '/' => return None,
        other => other,
    })
}

/// Latin letters without what spellings differ in: long vowels (toukyou, tookyo), double consonants (itchome,
/// icchome), and m for n (shimbashi).
fn shorten(latin: &str) -> String {
    let mut short = String::with_capacity(latin.len());
    let mut rest = latin.chars().peekable();
    while let Some(c) = rest.next() {
        match (short.chars().next_back(), c) {
            (Some('o'), 'u') => {}
            (Some(last), _) if last == c && c.is_ascii_alphabetic() => {}
            (_, 't') if rest.peek() == Some(&'c') => {}
            (Some('m'), 'b' | 'm' | 'p') => {
                short.pop();
                short.push('n');
                short.push(c);
            }
            _ => short.push(c),
        }
    }
    short
}

/// A key in Kunrei or Nihon-shiki romaji (sinzyuku, huzisawa) in Hepburn's spelling; `None` if it is the same. What is
/// sought may end in the middle of a syllable.
pub(crate) fn hepburn(key: &str) -> Option<String> {
    if !key.is_ascii() {
        return None;
    }
    let mut converted = String::with_capacity(key.len() + 4);
    let mut rest = key;
    while let Some(first) = rest.chars().next() {
        // In shu and chu, hu is no syllable.
        let is_inside = matches!(converted.chars().next_back(), Some('s' | 'c'));
        let fits = |(kunrei, _): &&(&str, &str)| rest.starts_with(kunrei) && !(is_inside && *kunrei == "hu");
        let (length, latin) = KUNREI.iter().find(fits).map_or((1, None), |(kunrei, latin)| (kunrei.len(), Some(latin)));
        match latin {
            Some(latin) => converted.push_str(latin),
            None => converted.push(first),
        }
        rest = &rest[length..];
    }
    (converted != key).then_some(converted)
}

/// Kunrei and Nihon-shiki spellings, and those of Hepburn.
const KUNREI: [(&str, &str); 11] = [
    ("sy", "sh"),
    ("ty", "ch"),
    ("zy", "j"),
    ("dy", "j"),
    ("si", "shi"),
    ("ti", "chi"),
    ("zi", "ji"),
    ("di", "ji"),
    ("tu", "tsu"),
    ("du", "zu"),
    ("hu", "fu"),
];

/// The first syllable of a text in hiragana, in Hepburn's spelling, and how many characters it has.
fn syllable(kana: &[char]) -> Option<(&'static str, usize)> {
    if let [first, second @ ('ゃ' | 'ゅ' | 'ょ'), ..] = kana {
        let row = CONTRACTED.iter().find(|(known, ..)| known == first)?;
        let latin = match second {
            'ゃ' => row.1,
            'ゅ' => row.2,
            _ => row.3,
        };
        return Some((latin, 2));
    }
    let first = kana.first()?;
    PLAIN.iter().find(|(known, _)| known == first).map(|(_, latin)| (*latin, 1))
}

const CONTRACTED: [(char, &str, &str, &str); 11] = [
    ('き', "kya", "kyu", "kyo"),
    ('し', "sha", "shu", "sho"),
    ('ち', "cha", "chu", "cho"),
    ('に', "nya", "nyu", "nyo"),
    ('ひ', "hya", "hyu", "hyo"),
    ('み', "mya", "myu", "myo"),
    ('り', "rya", "ryu", "ryo"),
    ('ぎ', "gya", "gyu", "gyo"),
    ('じ', "ja", "ju", "jo"),
    ('び', "bya", "byu", "byo"),
    ('ぴ', "pya", "pyu", "pyo"),
];

#[rustfmt::skip]
const PLAIN: [(char, &str); 80] = [
    ('あ', "a"), ('い', "i"), ('う', "u"), ('え', "e"), ('お', "o"),
    ('か', "ka"), ('き', "ki"), ('く', "ku"), ('け', "ke"), ('こ', "ko"),
    ('さ', "sa"), ('し', "shi"), ('す', "su"), ('せ', "se"), ('そ', "so"),
    ('た', "ta"), ('ち', "chi"), ('つ', "tsu"), ('て', "te"), ('と', "to"),
    ('な', "na"), ('に', "ni"), ('ぬ', "nu"), ('ね', "ne"), ('の', "no"),
    ('は', "ha"), ('ひ', "hi"), ('ふ', "fu"), ('へ', "he"), ('ほ', "ho"),
    ('ま', "ma"), ('み', "mi"), ('む', "mu"), ('め', "me"), ('も', "mo"),
    ('や', "ya"), ('ゆ', "yu"), ('よ', "yo"),
    ('ら', "ra"), ('り', "ri"), ('る', "ru"), ('れ', "re"), ('ろ', "ro"),
    ('わ', "wa"), ('ゐ', "i"), ('ゑ', "e"), ('を', "o"), ('ん', "n"),
    ('が', "ga"), ('ぎ', "gi"), ('ぐ', "gu"), ('げ', "ge"), ('ご', "go"),
    ('ざ', "za"), ('じ', "ji"), ('ず', "zu"), ('ぜ', "ze"), ('ぞ', "zo"),
    ('だ', "da"), ('ぢ', "ji"), ('づ', "zu"), ('で', "de"), ('ど', "do"),
    ('ば', "ba"), ('び', "bi"), ('ぶ', "bu"), ('べ', "be"), ('ぼ', "bo"),
    ('ぱ', "pa"), ('ぴ', "pi"), ('ぷ', "pu"), ('ぺ', "pe"), ('ぽ', "po"),
    ('ぁ', "a"), ('ぃ', "i"), ('ぅ', "u"), ('ぇ', "e"), ('ぉ', "o"), ('ー', ""), ('ゔ', "vu"),
];

#[cfg(test)]
mod tests {
    use super::{fold, hepburn, loose, romaji};

    #[test]
    fn spellings_of_one_name_have_one_key() {
        for alike in [
            &["Tokyo", "tōkyō", "Toukyou", "TOKYO"][..],
            &["Shimbashi", "shinbashi", "Shinbashi"],
            &["Roppongi-itchome", "roppongi icchome", "Roppongiichome"],
            &["霞ヶ関", "霞ケ関"],
            &["なかもず", "ナカモズ"],
            &["59 St-Columbus Circle", "59st columbus circle"],
        ] {
            for name in alike {
                assert_eq!(fold(name), fold(alike[0]), "{name}");
            }
        }
        assert_ne!(fold("Osaka"), fold("Asaka"));
    }

    #[test]
    fn other_romaji_is_converted_to_hepburn() {
        for (written, latin) in [
            ("sinzyuku", "Shinjuku"),
            ("sinjuku", "Shinjuku"),
            ("hutyuu", "Fuchū"),
            ("Ittyoome", "Itchōme"),
            ("mitukosimae", "Mitsukoshimae"),
            ("zyuuzyoo", "Jūjō"),
            ("syakuzii", "Shakujii"),
            ("tyoohu", "Chōfu"),
            ("kanaduka", "Kanazuka"),
        ] {
            assert_eq!(hepburn(&fold(written)), Some(fold(latin)), "{written}");
        }
        assert_eq!(hepburn(&fold("sinzy")), Some("shinj".to_owned()), "the beginning of a name");
        for same in ["Shinjuku", "Chuo", "Shuzenji", "Tsutsujigaoka", "Ryogoku", "新宿", ""] {
            assert_eq!(hepburn(&fold(same)), None, "{same}");
        }
    }

    #[test]
    fn kana_that_join_words_do_not_count_and_others_do() {
        for alike in [
            &["自由が丘", "自由ヶ丘", "自由ケ丘"][..],
            &["つつじヶ丘", "つつじが丘"],
            &["御茶ノ水", "御茶の水", "お茶の水"],
            &["四ツ谷", "四ッ谷", "四谷"],
            &["虎ノ門", "虎の門"],
        ] {
            for name in alike {
                assert_eq!(loose(name), loose(alike[0]), "{name}");
            }
        }
        for name in ["ツ", "がけ", "のの", "おおさか", "なつ"] {
            assert_eq!(loose(name), fold(name), "{name}");
        }
        assert_ne!(loose("三ノ宮"), loose("二ノ宮"));
    }

    #[test]
    fn readings_have_the_key_of_their_romaji() {
        for (reading, latin) in [
            ("しんじゅく", "Shinjuku"),
            ("とうきょう", "Tōkyō"),
            ("しんばし", "Shimbashi"),
            ("ろっぽんぎいっちょうめ", "Roppongi-itchome"),
            ("にほんばし", "Nihombashi"),
            ("こうえんじ", "Kōenji"),
            ("ゲートウェイ", "getouei"),
        ] {
            assert_eq!(romaji(reading), Some(fold(latin)), "{reading}");
        }
        assert_eq!((romaji("新宿"), romaji("")), (None, None));
    }
}
