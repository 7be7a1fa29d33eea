//! Writes Japanese names in the Latin alphabet as station signs do: Hepburn, long vowels with a macron, m before b, m
//! and p, and hyphens where a name has parts.

mod kana;
mod parts;

use kana::latin;
use parts::{ENDINGS, PREFIXES, SUFFIXES, Suffix, WHOLE, WORDS};

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
    // Last parts first: the name in 下部温泉 is 下部, and not 部温泉 after 下.
    let mut last_words = Vec::new();
    while let Some((suffix, without)) = rest.suffix() {
        last_words.push(suffix.latin()?);
        rest = without;
    }
    while let Some((prefix, without)) = rest.prefix() {
        words.push(capitalised(&latin(prefix)?));
        rest = without;
    }
    words.push(capitalised(&rest.latin()?));
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

    /// The reading of its first part and what follows, if signs write a hyphen between the two: what follows is a name.
    fn prefix(self) -> Option<(&'static str, Self)> {
        if WHOLE.iter().any(|(name, reading)| self.name.starts_with(name) && self.reading.starts_with(reading)) {
            return None;
        }
        let found =
            PREFIXES.iter().find_map(|prefix| Some((prefix, self.without_prefix(prefix.name, prefix.reading)?)));
        let (prefix, rest) = found?;
        let mut letters = rest.name.chars();
        let is_name = match (letters.next(), letters.next()) {
            // What の or が joins to the first part is no name: 北野田, 西ケ原.
            (Some(_), Some(_)) => !rest.reading.starts_with(['の', 'が']),
            // 武蔵境, but 大和川, 丹波橋 and 西宮.
            (Some(letter), None) => prefix.is_province && !ENDINGS.contains(letter),
            (None, _) => false,
        };
        is_name.then_some((prefix.reading, rest))
    }

    /// Its last part and what precedes it, if signs write a hyphen between the two.
    fn suffix(self) -> Option<(&'static Suffix, Self)> {
        SUFFIXES.iter().find_map(|suffix| {
            let rest = self.without_suffix(suffix)?;
            // A single character is a word before 公園, and not before 前 or 本町: 芝公園, 蔵前, 上本町.
            let is_short = rest.name.chars().count() == 1 && suffix.follows_names();
            // 宮ノ前, 八日市場 and 大阪上本町 are not 宮ノ, 八日 and 大阪上.
            let is_torn = rest.name.ends_with(['ノ', 'の', '之'])
                || (suffix.name == "市場" && rest.name.ends_with('日'))
                || (suffix.name == "本町" && rest.name.ends_with(['上', '東', '西', '南', '北']));
            (!is_short && !is_torn).then_some((suffix, rest))
        })
    }

    /// In the Latin alphabet, word by word: no long vowel crosses two words.
    fn latin(self) -> Option<String> {
        let mut ends = self.ends_of_words();
        ends.push(self.reading.len());
        let mut joined = String::new();
        let mut start = 0;
        for end in ends {
            joined += &latin(&self.reading[start..end])?;
            start = end;
        }
        Some(joined)
    }

    /// Where words within the reading end, as far as letters of the name tell it: after ノ (池ノ上 is Ikenoue), and
    /// before some that are words (豊岡 is Toyooka, 勝浦 Katsuura).
    fn ends_of_words(self) -> Vec<usize> {
        let mut ends = Vec::new();
        let (mut letters, mut start) = (0, 0);
        for letter in self.name.chars() {
            letters += 1;
            if matches!(letter, 'ノ' | 'の' | '之') {
                // Each letter before it is read with at least one kana.
                let kana = self.reading[start..].char_indices().skip(letters - 1).find(|(_, kana)| *kana == 'の');
                if let Some((at, kana)) = kana {
                    start += at + kana.len_utf8();
                    letters = 0;
                    ends.push(start);
                }
            }
        }
        for (letter, before, kana) in WORDS {
            let is_inside = self.name.chars().skip(1).any(|one| one == letter);
            let at = self.reading.rfind(&format!("{before}{kana}")).filter(|_| is_inside);
            ends.extend(at.map(|at| at + before.len()));
        }
        if self.name.ends_with('尾') && self.reading.ends_with('お') {
            ends.push(self.reading.len() - 'お'.len_utf8());
        }
        // ん before a vowel needs to see it.
        ends.retain(|end| (1..self.reading.len()).contains(end) && !self.reading[..*end].ends_with('ん'));
        ends.sort_unstable();
        ends.dedup();
        ends
    }
}

impl Suffix {
    fn latin(&self) -> Option<String> {
        let latin = latin(self.reading)?;
        Some(if self.is_name { capitalised(&latin) } else { latin })
    }

    /// Whether it follows names only, and not single characters.
    fn follows_names(&self) -> bool {
        self.is_name || matches!(self.name, "前" | "市場" | "坂上")
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
            ("下部温泉", "しもべおんせん", "Shimobe-onsen"),
            ("出雲市駅前", "いずもしえきまえ", "Izumoshi-ekimae"),
            ("出雲大社前", "いずもたいしゃまえ", "Izumo-taisha-mae"),
            ("東山公園", "ひがしやまこうえん", "Higashiyama-kōen"),
            ("北里大学前", "きたさとだいがくまえ", "Kitasato-daigaku-mae"),
            ("東武動物公園", "とうぶどうぶつこうえん", "Tōbu-Dōbutsu-kōen"),
            ("上町一丁目", "かみまちいっちょうめ", "Kamimachi-itchōme"),
            ("近江八幡", "おうみはちまん", "Ōmi-Hachiman"),
            ("新宮中央", "しんぐうちゅうおう", "Shingū-Chūō"),
            ("鎌倉高校前", "かまくらこうこうまえ", "Kamakura-kōkō-mae"),
            ("上大岡", "かみおおおか", "Kamiōoka"),
            ("上永谷", "かみながや", "Kaminagaya"),
            ("下仁田", "しもにた", "Shimonita"),
            ("下諏訪", "しもすわ", "Shimo-Suwa"),
            ("新田辺", "しんたなべ", "Shin-Tanabe"),
            ("新田", "しんでん", "Shinden"),
            ("新地中華街", "しんちちゅうかがい", "Shinchichūkagai"),
            ("西武生", "にしたけふ", "Nishi-Takefu"),
            ("西山口", "にしやまぐち", "Nishiyamaguchi"),
            ("北浦湖畔", "きたうらこはん", "Kitaura-kohan"),
            ("武蔵境", "むさしさかい", "Musashi-Sakai"),
            ("武蔵溝ノ口", "むさしみぞのくち", "Musashi-Mizonokuchi"),
            ("下総橘", "しもうさたちばな", "Shimōsa-Tachibana"),
            ("豊後荻", "ぶんごおぎ", "Bungo-Ogi"),
            ("大和川", "やまとがわ", "Yamatogawa"),
            ("八日市場", "ようかいちば", "Yōkaichiba"),
            ("十日市場", "とおかいちば", "Tōkaichiba"),
            ("赤坂上", "あかさかうえ", "Akasakaue"),
            ("築地市場", "つきじしじょう", "Tsukiji-shijō"),
            ("豊岡", "とよおか", "Toyooka"),
            ("大岡山", "おおおかやま", "Ōokayama"),
            ("勝浦", "かつうら", "Katsuura"),
            ("横尾", "よこお", "Yokoo"),
            ("堀之内", "ほりのうち", "Horinouchi"),
            ("井上", "いのうえ", "Inoue"),
            ("青梅", "おうめ", "Ōme"),
            ("河内", "こうち", "Kōchi"),
            ("天下茶屋", "てんがちゃや", "Tengachaya"),
        ] {
            assert_eq!(romanise(name, reading).as_deref(), Some(sign), "{name}");
        }
        assert_eq!(romanise("新宿", "新宿"), None);
        assert_eq!(romanise("Times Sq", ""), None);
    }
}
