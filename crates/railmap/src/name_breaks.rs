//! Where a name is broken into two rows: only where a word ends.
//!
//! Nothing tells where the words of 東日本橋 end but other names: 日本橋 is a station, so 東 is a word by itself. So between
//! ideographs a name is broken only where one half is a station of the map or a common part of names.

use std::collections::HashSet;

/// Words that are parts of names: provinces and companies that begin them, and what they end with.
const FIRST_PARTS: &str = "学研 京成 京急 京王 東武 西武 近鉄 京阪 阪神 山陽 嵐電 神鉄 高速 都電 地下鉄 \
    大阪 京都 神戸 武蔵 河内 和泉 摂津 大和 紀伊 千歳";
const LAST_PARTS: &str = "駅前 東口 西口 南口 北口 公園 公園前 公園通 遊園 遊園地 遊園地前 菖蒲園 大学 \
    大学前 学園 学園前 空港 温泉 海岸 緑地 団地 団地前 病院前 車庫前 小学校前 \
    区役所前 市役所前 市場 市場前 展示場 競技場 競馬場前 神社 神社前 神宮 神宮前 大社 \
    御陵前 議事堂前 阪大前 ふ頭 埠頭 街道 坂上 大橋 本町 中央 新田 横丁 広小路 \
    ターミナル センター 八幡 天神 稲荷 観音";
/// Words that may stand alone in a row, before a name that is known by itself.
const SHORT_PARTS: [char; 8] = ['新', '東', '西', '南', '北', '上', '下', '元'];
/// Characters with which no row begins.
const NEVER_FIRST: &str = "ぁぃぅぇぉっゃゅょァィゥェォッャュョー々・";
/// Characters that a name cannot be torn from: 大阪城|公園, 妙国寺|前, びわ湖|浜大津.
const TORN_AFTER: [char; 14] = ['城', '川', '山', '寺', '浦', '浜', '橋', '町', '台', '池', '前', '口', '駅', 'ー'];
const TORN_BEFORE: [char; 11] = ['新', '東', '西', '南', '北', '上', '下', '浜', '本', '小', '大'];
/// Endings after which another word begins: 四天王寺前|夕陽ヶ丘, 羽田空港|第3ターミナル.
const ENDINGS: [&str; 4] = ["前", "空港", "大学", "公園"];

/// Words that belong to the one before: Canal St, Fort Hamilton Pkwy.
const UNITS: [&str; 26] = [
    "St", "Sts", "Street", "Av", "Ave", "Avs", "Avenue", "Blvd", "Rd", "Road", "Ln", "Lane", "Dr", "Drive", "Pl",
    "Place", "Sq", "Pkwy", "Ctr", "Hts", "Pk", "Hwy", "Br", "Ter", "Ct", "Tpke",
];
/// Words that belong to the one after.
const JOINING: [&str; 14] = ["of", "the", "de", "der", "du", "des", "la", "le", "und", "and", "at", "am", "im", "St."];

/// The names of the stations of a map.
#[derive(Debug)]
pub struct KnownNames<'a>(HashSet<&'a str>);

impl<'a> FromIterator<&'a str> for KnownNames<'a> {
    fn from_iter<I: IntoIterator<Item = &'a str>>(names: I) -> Self {
        Self(names.into_iter().collect())
    }
}

impl KnownNames<'_> {
    fn is_first(&self, text: &str) -> bool {
        let is_part = is_listed(FIRST_PARTS, text) || ENDINGS.iter().any(|ending| text.ends_with(ending));
        (is_part || self.0.contains(text)) && text.chars().count() > 1
    }

    fn is_last(&self, text: &str) -> bool {
        (is_last_part(text) || self.0.contains(text)) && text.chars().count() > 1
    }
}

/// Whether a half is a common part of names, which is sure of its ends.
fn is_part(first: &str, second: &str) -> bool {
    is_last_part(second) || (is_listed(FIRST_PARTS, first) && !second.starts_with('城'))
}

fn is_listed(words: &str, text: &str) -> bool {
    words.split(' ').any(|word| word == text)
}

fn is_last_part(text: &str) -> bool {
    is_listed(LAST_PARTS, text) || is_block(text)
}

/// Whether a text is the number of a block: 三丁目.
fn is_block(text: &str) -> bool {
    let number = text.strip_suffix("丁目");
    number.is_some_and(|number| !number.is_empty() && number.chars().all(|c| "一二三四五六七八九十".contains(c)))
}

/// Splits a name in two where a word ends, as near to its middle as possible; `None` if it has no such place.
#[must_use]
pub fn split_name(name: &str, known: &KnownNames<'_>) -> Option<Vec<String>> {
    let length = name.chars().count();
    let from_middle = |at: &Break<'_>| (2 * at.first.chars().count()).abs_diff(length);
    let best = breaks(name, known)
        .into_iter()
        .min_by_key(|at| (at.doubt, from_middle(at) + if at.is_inside_part { PART_LETTERS } else { 0 }))?;
    Some(vec![best.first.to_owned(), best.second.to_owned()])
}

/// Whether no row but the last ends inside a word, as far as that is sure: [`split_name`] breaks a name where a word
/// certainly ends, and a person may know better. Rows that are not the name are the choice of a person too.
#[must_use]
pub fn ends_words(name: &str, rows: &[String], known: &KnownNames<'_>) -> bool {
    let without_spaces = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    if without_spaces(&rows.concat()) != without_spaces(name) {
        return true;
    }
    let ends: HashSet<String> = breaks(name, known).iter().map(|at| without_spaces(at.first)).collect();
    (1..rows.len()).all(|count| {
        let first = without_spaces(&rows[..count].concat());
        ends.contains(&first) || !is_torn(name, first.chars().count(), known)
    })
}

/// Whether a name is surely torn after so many letters, spaces not counted.
fn is_torn(name: &str, count: usize, known: &KnownNames<'_>) -> bool {
    let letters: Vec<(usize, char)> = name.char_indices().filter(|(_, letter)| !letter.is_whitespace()).collect();
    let (Some(&(at, after)), Some(&(last, before))) = (letters.get(count), letters.get(count.wrapping_sub(1))) else {
        return false;
    };
    if last + before.len_utf8() < at {
        return false; // a space
    }
    let is_word = |letter: char| letter.is_alphanumeric() || matches!(letter, '\'' | '’');
    if !is_japanese(name) {
        return is_word(before) && is_word(after);
    }
    let is_ideograph =
        |letter: Option<&(usize, char)>| letter.is_some_and(|(_, c)| Script::of(*c) == Script::Ideographs);
    let is_joint = "ノのヶケがツッ".contains(after)
        && is_ideograph(letters.get(count - 1))
        && is_ideograph(letters.get(count + 1));
    let is_latin = before.is_ascii_alphanumeric() && after.is_ascii_alphanumeric();
    if is_latin || is_joint || NEVER_FIRST.contains(after) {
        return true;
    }
    // A word that is known begins before the break and ends the name, or begins the name and ends after the break.
    let begins_before = letters[1..count].iter().any(|(start, _)| {
        let (first, second) = name.split_at(*start);
        let is_short = first.chars().count() == 1 && first.starts_with(SHORT_PARTS);
        is_last_part(second) || ((is_short || known.is_first(first)) && known.is_last(second))
    });
    let ends_after = letters[count + 1..].iter().any(|(start, _)| {
        let (first, second) = name.split_at(*start);
        known.is_first(first) && known.is_last(second)
    });
    begins_before || ends_after
}

fn breaks<'a>(name: &'a str, known: &KnownNames<'_>) -> Vec<Break<'a>> {
    if is_japanese(name) { japanese(name, known) } else { latin(name) }
}

/// Whether a name begins with a character of Japanese.
#[must_use]
pub fn is_japanese(name: &str) -> bool {
    let begins = |name: &str| name.chars().next().is_some_and(|first| first > '\u{2E7F}');
    begins(name) || name.strip_prefix("JR").is_some_and(begins)
}

/// A place where a name may be broken. Of two, the one with less doubt is better.
struct Break<'a> {
    first: &'a str,
    second: &'a str,
    doubt: u8,
    /// Whether it is at a space of a name whose parts have hyphens between them.
    is_inside_part: bool,
}

/// So many letters further from the middle, a hyphen is as good as a space: 59 St-|Columbus Circle.
const PART_LETTERS: usize = 8;

fn latin(name: &str) -> Vec<Break<'_>> {
    let mut found = Vec::new();
    let has_parts = name.contains(['-', '–', '/']);
    for (at, separator) in name.char_indices().filter(|(_, c)| matches!(c, ' ' | '-' | '–' | '/')) {
        let is_space = separator == ' ';
        let end = at + separator.len_utf8();
        let (first, second) = (if is_space { &name[..at] } else { &name[..end] }, name[end..].trim_start());
        let before = name[..at].trim_end();
        let word_at = before.rfind([' ', '-', '–', '/', '(']).map_or(0, |at| at + 1);
        let previous = before.get(word_at..).unwrap_or_default();
        let next = second.split([' ', '-', '–', '/', ')']).next().unwrap_or_default();
        let begins_with_digit = second.starts_with(|c: char| c.is_ascii_digit());
        let ends_in_digit = before.ends_with(|c: char| c.is_ascii_digit());
        let is_saint = previous == "St" && name[..word_at].ends_with(['-', '/']);
        let is_inside = if is_space {
            // Canal St, Malcolm X, E Tremont Av, 81 St, St Mary's St.
            (next.chars().count() < 2 && !begins_with_digit)
                || UNITS.contains(&next)
                || JOINING.contains(&previous)
                || previous.chars().count() < 2
                || is_saint
                || ends_in_digit
        } else {
            // 47-50 Sts, 4-chōme.
            ends_in_digit && (begins_with_digit || next.starts_with(char::is_lowercase))
        };
        if is_inside || before.chars().count() < 3 || second.is_empty() {
            continue;
        }
        // Beach 67 St is one name, unlike Times Sq-42 St.
        let doubt = u8::from(begins_with_digit && is_space);
        found.push(Break { first, second, doubt, is_inside_part: is_space && has_parts });
    }
    found
}

fn japanese<'a>(name: &'a str, known: &KnownNames<'_>) -> Vec<Break<'a>> {
    let letters: Vec<(usize, char)> = name.char_indices().collect();
    if letters.len() < 4 {
        return Vec::new();
    }
    let mut found = Vec::new();
    for at in 1..letters.len() - 1 {
        if letters[at].1.is_whitespace() {
            continue;
        }
        let (first, second) = name.split_at(letters[at].0);
        let (is_first, is_last) = (known.is_first(first), known.is_last(second));
        let doubt = if at == 1 {
            // 東|日本橋
            (SHORT_PARTS.contains(&letters[0].1) && known.0.contains(second)).then_some(3)
        } else if letters[at - 1].1.is_whitespace() || is_between_words(&letters, at) {
            Some(0)
        } else {
            let (begins_torn, ends_torn) =
                (TORN_AFTER.contains(&letters[at].1), TORN_BEFORE.contains(&letters[at - 1].1));
            match (is_first, is_last) {
                _ if is_joined(&letters, at) => None,
                (true, true) => Some(0),
                (true, false) if !begins_torn || is_part(first, second) => Some(1),
                (false, true) if !(begins_torn || ends_torn) || is_part(first, second) => Some(1),
                _ => None,
            }
        };
        let first = first.trim_end();
        found.extend(doubt.map(|doubt| Break { first, second, doubt, is_inside_part: false }));
    }
    found
}

/// Whether a dot or a change of the script shows that a word ends before a letter.
fn is_between_words(letters: &[(usize, char)], at: usize) -> bool {
    let (before, after) = (letters[at - 1].1, letters[at].1);
    if before == '・' {
        // 第1・第2ターミナル is one enumeration.
        return !letters[at - 2].1.is_ascii_digit();
    }
    if is_joined(letters, at) || matches!(after, '前' | '口' | '駅') || at + 1 == letters.len() {
        return false;
    }
    let run = |script: Script, letters: &mut dyn Iterator<Item = &(usize, char)>| {
        letters.take_while(|(_, letter)| Script::of(*letter) == script).count()
    };
    match (Script::of(before), Script::of(after)) {
        (a, b) if a == b => false,
        (_, Script::Katakana) | (Script::Katakana | Script::Latin, _) => true,
        // Short runs of hiragana are endings of words, or words such as びわ湖.
        (_, Script::Hiragana) => run(Script::Hiragana, &mut letters[at..].iter()) > 2,
        (Script::Hiragana, _) => run(Script::Hiragana, &mut letters[..at].iter().rev()) > 2,
        _ => false,
    }
}

/// Whether letters belong together: 虎ノ門 and 自由が丘 are words, although they have two scripts; so is 第1.
fn is_joined(letters: &[(usize, char)], at: usize) -> bool {
    let joins = |letter: char| matches!(letter, 'ノ' | 'ヶ' | 'ケ' | 'ツ' | 'ッ' | 'の' | 'が' | '々');
    let (before, after) = (letters[at - 1].1, letters[at].1);
    joins(before) || joins(after) || after == '・' || after.is_ascii_digit() || before == '第'
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Script {
    Hiragana,
    Katakana,
    Latin,
    Ideographs,
}

impl Script {
    fn of(letter: char) -> Self {
        match letter {
            'ぁ'..='ゖ' => Self::Hiragana,
            'ァ'..='ヺ' | 'ー' | '・' => Self::Katakana,
            letter if letter.is_ascii() => Self::Latin,
            _ => Self::Ideographs,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{KnownNames, ends_words, split_name};

    #[test]
    fn names_are_broken_where_words_end() {
        let known: KnownNames<'_> = [
            "大久保",
            "日本橋",
            "新今宮",
            "上野",
            "向原",
            "新宿",
            "中野",
            "大阪",
            "難波",
            "富田",
            "富田林",
            "ドーム前",
            "住吉",
            "鳥居前",
            "山下",
            "寺前",
            "生駒",
            "大津",
        ]
        .into_iter()
        .collect();
        for (name, rows) in [
            ("新大久保", "新|大久保"),
            ("東日本橋", "東|日本橋"),
            ("上鳥羽口", "上鳥羽口"),
            ("新今宮駅前", "新今宮|駅前"),
            ("四天王寺前夕陽ヶ丘", "四天王寺前|夕陽ヶ丘"),
            ("ドーム前千代崎", "ドーム前|千代崎"),
            ("高輪ゲートウェイ", "高輪|ゲートウェイ"),
            ("虎ノ門ヒルズ", "虎ノ門|ヒルズ"),
            ("東京国際クルーズターミナル", "東京国際|クルーズターミナル"),
            ("六本木一丁目", "六本木|一丁目"),
            ("京成関屋", "京成|関屋"),
            ("小竹向原", "小竹|向原"),
            ("大阪難波", "大阪|難波"),
            ("富田林西口", "富田林|西口"),
            ("住吉鳥居前", "住吉|鳥居前"),
            ("天下茶屋", "天下茶屋"),
            ("馬喰横山", "馬喰横山"),
            ("西国分寺", "西国分寺"),
            ("びわ湖浜大津", "びわ湖浜大津"),
            ("さくら夙川", "さくら|夙川"),
            ("三宮・花時計前", "三宮・|花時計前"),
            ("羽田空港第1・第2ターミナル", "羽田空港第1・第2|ターミナル"),
            ("明治神宮前", "明治|神宮前"),
            ("龍谷大前深草", "龍谷大前|深草"),
            ("とうきょうスカイツリー", "とうきょう|スカイツリー"),
            ("コスモスクエア", "コスモスクエア"),
            ("なかもず", "なかもず"),
            ("自由が丘", "自由が丘"),
            ("三田", "三田"),
            ("110 St-Malcolm X Plaza", "110 St-|Malcolm X Plaza"),
            ("Times Sq-42 St", "Times Sq-|42 St"),
            ("47-50 Sts-Rockefeller Ctr", "47-50 Sts-|Rockefeller Ctr"),
            ("Cathedral Pkwy (110 St)", "Cathedral Pkwy|(110 St)"),
            ("81 St-Museum of Natural History", "81 St-Museum|of Natural History"),
            ("大阪城公園", "大阪城|公園"),
            ("信貴山下", "信貴山下"),
            ("妙国寺前", "妙国寺前"),
            ("学研北生駒", "学研|北生駒"),
            ("W 8 St-NY Aquarium", "W 8 St-|NY Aquarium"),
            ("West Farms Sq-E Tremont Av", "West Farms Sq-|E Tremont Av"),
            ("E 143 St-St Mary's St", "E 143 St-|St Mary's St"),
            ("59 St-Columbus Circle", "59 St-|Columbus Circle"),
            ("Queensboro Plaza", "Queensboro|Plaza"),
            ("182-183 Sts", "182-183 Sts"),
            ("Canal St", "Canal St"),
            ("51 St", "51 St"),
            ("Avenue X", "Avenue X"),
            ("Beach 67 St", "Beach|67 St"),
            ("Clinton-Washington Avs", "Clinton-|Washington Avs"),
            ("Haneda Airport Terminal 1·2", "Haneda Airport|Terminal 1·2"),
            ("Arai-yakushi-mae", "Arai-|yakushi-mae"),
            ("Tanimachi 4-chōme", "Tanimachi|4-chōme"),
            ("Shin-Ōkubo", "Shin-|Ōkubo"),
            ("서울 시청", "서울|시청"),
        ] {
            assert_eq!(split_name(name, &known).unwrap_or_else(|| vec![name.to_owned()]).join("|"), rows);
        }
    }

    #[test]
    fn a_name_is_torn_only_where_that_is_sure() {
        let known: KnownNames<'_> = ["大阪", "大久保", "日本橋", "富田林", "上野"].into_iter().collect();
        let rows = |broken: &str| broken.split('|').map(str::to_owned).collect::<Vec<_>>();
        for sound in [
            "Finchley |Road",
            "La |Défense",
            "Malcolm |X Plaza",
            "47-|50 Sts",
            "59 St-|Columbus Circle",
            "St.|Pölten",
            "新|大阪",
            "東|日本橋",
            "上|野毛",
            "天下|茶屋",
            "富田林|西口",
            "自由が|丘",
            "スポーツ|センター",
            "大|和田",
            "서울 |시청",
        ] {
            assert!(ends_words(&sound.replace('|', ""), &rows(sound), &known), "{sound}");
        }
        assert!(ends_words("Finchley Road", &rows("Finchley|Road"), &known), "without the space");
        assert!(ends_words("新大阪", &rows("新駅|大阪"), &known), "not the name");
        for torn in [
            "Finch|ley Road",
            "La Déf|ense",
            "King'|s Cross",
            "新大|久保",
            "東日|本橋",
            "代々木公|園",
            "虎|ノ門",
            "高輪ゲ|ートウェイ",
            "J|R難波",
        ] {
            assert!(!ends_words(&torn.replace('|', ""), &rows(torn), &known), "{torn}");
        }
    }
}
