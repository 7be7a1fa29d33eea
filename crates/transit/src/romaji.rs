//! Writes Japanese names in the Latin alphabet as station signs do: Hepburn, long vowels with a macron, m before b, m
//! and p, and hyphens where a name has parts.

mod kana;
mod parts;

use kana::latin;
use parts::{PREFIXES, SUFFIXES, Suffix, WHOLE};

/// The name in the Latin alphabet; `None` if the reading is not all kana.
pub(crate) fn romanise(name: &str, reading: &str) -> Option<String> {
    let reading: String = reading.chars().map(hiragana).collect();
    // Both halves of 鳴尾・武庫川女子大前 are names of their own.
    let (names, readings): (Vec<&str>, Vec<&str>) = (name.split('・').collect(), reading.split('・').collect());
    if names.len() == readings.len() && names.len() > 1 {
        let halves: Option<Vec<String>> = names.iter().zip(&readings).map(|(n, r)| romanise(n, r)).collect();
        return halves.map(|halves| halves.join("/"));
    }
    let reading = reading.replace('・', "");
    let mut rest = Written { name, reading: &reading };
    let mut words: Vec<String> = Vec::new();
    if let Some(without) = rest.without_prefix("JR", "じぇいあーる") {
        words.push("JR".to_owned());
        rest = without;
    }
    while let Some((prefix, without)) = rest.prefix() {
        words.push(capitalised(&latin(prefix)?));
        rest = without;
    }
    let mut last_words = Vec::new();
    while let Some((suffix, without)) = rest.suffix() {
        last_words.push(suffix.latin()?);
        rest = without;
    }
    match SUFFIXES.iter().find(|suffix| (suffix.name, suffix.reading) == (rest.name, rest.reading)) {
        // 南公園 is a park, as 北野公園 is.
        Some(suffix) if !words.is_empty() => words.push(suffix.latin()?),
        _ => words.push(capitalised(&rest.latin()?)),
    }
    words.extend(last_words.into_iter().rev());
    Some(words.join("-"))
}

/// A name, or what is left of it, and its reading.
#[derive(Clone, Copy)]
struct Written<'a> {
    name: &'a str,
    reading: &'a str,
}

impl Written<'_> {
    fn without_prefix(self, name: &str, reading: &str) -> Option<Self> {
        let (name, reading) = (self.name.strip_prefix(name)?, self.reading.strip_prefix(reading)?);
        Some(Self { name, reading })
    }

    fn without_suffix(self, suffix: &Suffix) -> Option<Self> {
        let (name, reading) = (self.name.strip_suffix(suffix.name)?, self.reading.strip_suffix(suffix.reading)?);
        (!name.is_empty() && !reading.is_empty()).then_some(Self { name, reading })
    }

    /// The reading of its first part and what follows, if signs write a hyphen between the two. A single character that
    /// follows is no name: 丹波橋, 大和川. Nor is what の or が joins to the first part: 北野田, 西ケ原.
    fn prefix(self) -> Option<(&'static str, Self)> {
        if WHOLE.iter().any(|whole| self.name.starts_with(whole)) {
            return None;
        }
        PREFIXES.iter().find_map(|(name, reading)| {
            let rest = self.without_prefix(name, reading)?;
            let is_name = rest.name.chars().count() > 1 && !rest.reading.starts_with(['の', 'が']);
            is_name.then_some((*reading, rest))
        })
    }

    /// Its last part and what precedes it, if signs write a hyphen between the two. Not after a single character that
    /// goes with a part which is no word of its own: 蔵前, 上本町; nor after what joins the two: 宮ノ前.
    fn suffix(self) -> Option<(&'static Suffix, Self)> {
        SUFFIXES.iter().find_map(|suffix| {
            let rest = self.without_suffix(suffix)?;
            let is_short = rest.name.chars().count() == 1 && (suffix.is_name || suffix.name == "前");
            (!is_short && !rest.name.ends_with(['ノ', 'の'])).then_some((suffix, rest))
        })
    }

    /// In the Latin alphabet. A word ends after ノ, so no long vowel crosses it: 池ノ上 is Ikenoue.
    fn latin(self) -> Option<String> {
        let mut joined = String::new();
        let (mut letters, mut reading) = (0, self.reading);
        for letter in self.name.chars() {
            letters += 1;
            if !matches!(letter, 'ノ' | 'の') {
                continue;
            }
            // Each letter before it is read with at least one kana.
            let end = reading.char_indices().skip(letters - 1).find(|(_, kana)| *kana == 'の');
            if let Some((at, kana)) = end {
                joined += &latin(&reading[..at + kana.len_utf8()])?;
                (letters, reading) = (0, &reading[at + kana.len_utf8()..]);
            }
        }
        if !reading.is_empty() {
            joined += &latin(reading)?;
        }
        (!joined.is_empty()).then_some(joined)
    }
}

impl Suffix {
    fn latin(&self) -> Option<String> {
        let latin = latin(self.reading)?;
        Some(if self.is_name { capitalised(&latin) } else { latin })
    }
}

fn hiragana(c: char) -> char {
    match c {
        'ァ'..='ヶ' => char::from_u32(u32::from(c) - 0x60).unwrap_or(c),
        other => other,
    }
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::romanise;

    #[test]
    fn names_are_written_as_on_signs() {
        for (name, reading, sign) in [
            ("新宿", "しんじゅく", "Shinjuku"),
            ("新橋", "しんばし", "Shimbashi"),
            ("日本橋", "にほんばし", "Nihombashi"),
            ("東京", "とうきょう", "Tōkyō"),
            ("大阪", "おおさか", "Ōsaka"),
            ("新大阪", "しんおおさか", "Shin-Ōsaka"),
            ("高円寺", "こうえんじ", "Kōenji"),
            ("東中野", "ひがしなかの", "Higashi-Nakano"),
            ("北千住", "きたせんじゅ", "Kita-Senju"),
            ("六本木一丁目", "ろっぽんぎいっちょうめ", "Roppongi-itchōme"),
            ("新宿三丁目", "しんじゅくさんちょうめ", "Shinjuku-sanchōme"),
            ("明治神宮前", "めいじじんぐうまえ", "Meiji-jingū-mae"),
            ("代々木公園", "よよぎこうえん", "Yoyogi-kōen"),
            ("高輪ゲートウェイ", "たかなわげーとうぇい", "Takanawagētowei"),
            ("三ノ輪", "みのわ", "Minowa"),
            ("新潟", "にいがた", "Niigata"),
            ("本郷三丁目", "ほんごうさんちょうめ", "Hongō-sanchōme"),
            ("天王寺", "てんのうじ", "Tennōji"),
            ("八丁堀", "はっちょうぼり", "Hatchōbori"),
            ("札幌", "さっぽろ", "Sapporo"),
            ("JR総持寺", "じぇいあーるそうじじ", "JR-Sōjiji"),
            ("西宮北口", "にしのみやきたぐち", "Nishinomiya-kitaguchi"),
            ("大阪難波", "おおさかなんば", "Ōsaka-Namba"),
            ("三軒茶屋", "さんげんぢゃや", "Sangenjaya"),
            ("西武新宿", "せいぶしんじゅく", "Seibu-Shinjuku"),
            ("神谷町", "かみやちょう", "Kamiyachō"),
            ("鳴尾・武庫川女子大前", "なるお・むこがわじょしだいまえ", "Naruo/Mukogawajoshidai-mae"),
            ("なかもず", "ナカモズ", "Nakamozu"),
            ("下落合", "しもおちあい", "Shimo-Ochiai"),
            ("下総中山", "しもうさなかやま", "Shimōsa-Nakayama"),
            ("池ノ上", "いけのうえ", "Ikenoue"),
            ("磯ノ浦", "いそのうら", "Isonoura"),
            ("山ノ内", "やまのうち", "Yamanouchi"),
            ("井の頭公園", "いのかしらこうえん", "Inokashira-kōen"),
            ("おごと温泉", "おごとおんせん", "Ogoto-onsen"),
            ("新宿西口", "しんじゅくにしぐち", "Shinjuku-nishiguchi"),
            ("府中本町", "ふちゅうほんまち", "Fuchū-Hommachi"),
            ("武蔵小杉", "むさしこすぎ", "Musashi-Kosugi"),
            ("大和西大寺", "やまとさいだいじ", "Yamato-Saidaiji"),
            ("JR河内永和", "じぇいあーるかわちえいわ", "JR-Kawachi-Eiwa"),
            ("松陰神社前", "しょういんじんじゃまえ", "Shōin-jinja-mae"),
            ("近江神宮前", "おうみじんぐうまえ", "Ōmi-jingū-mae"),
            ("南公園", "みなみこうえん", "Minami-kōen"),
            ("大阪上本町", "おおさかうえほんまち", "Ōsaka-Uehommachi"),
            ("蔵前", "くらまえ", "Kuramae"),
            ("宮ノ前", "みやのまえ", "Miyanomae"),
            ("西ケ原", "にしがはら", "Nishigahara"),
            ("西大路", "にしおおじ", "Nishiōji"),
            ("丹波橋", "たんばばし", "Tambabashi"),
            ("本厚木", "ほんあつぎ", "Hon'atsugi"),
        ] {
            assert_eq!(romanise(name, reading).as_deref(), Some(sign), "{name}");
        }
        assert_eq!(romanise("新宿", "新宿"), None);
        assert_eq!(romanise("Times Sq", ""), None);
    }
}
