//! Writes Japanese names in the Latin alphabet as station signs do: Hepburn, long vowels with a macron, m before b, m
//! and p, and hyphens where a name has parts.

mod kana;

use kana::latin;

/// First parts of names after which signs write a hyphen, with their readings.
const PREFIXES: [(&str, &str); 15] = [
    ("新", "しん"),
    ("東", "ひがし"),
    ("西", "にし"),
    ("南", "みなみ"),
    ("北", "きた"),
    ("京成", "けいせい"),
    ("京急", "けいきゅう"),
    ("東武", "とうぶ"),
    ("西武", "せいぶ"),
    ("近鉄", "きんてつ"),
    ("京阪", "けいはん"),
    ("山陽", "さんよう"),
    ("嵐電", "らんでん"),
    ("地下鉄", "ちかてつ"),
    ("大阪", "おおさか"),
];

/// Names that only look as if they had a first part.
const WHOLE: [&str; 17] = [
    "大阪城",
    "新宿",
    "新橋",
    "新田",
    "新町",
    "新富町",
    "新発田",
    "新開地",
    "新大工町",
    "新庄",
    "西大路",
    "北大路",
    "西ノ",
    "東雲",
    "北山田",
    "新在家",
    "西宮",
];

/// Last parts of names before which signs write a hyphen, with their readings.
const SUFFIXES: [(&str, &str); 14] = [
    ("一丁目", "いっちょうめ"),
    ("二丁目", "にちょうめ"),
    ("三丁目", "さんちょうめ"),
    ("四丁目", "よんちょうめ"),
    ("五丁目", "ごちょうめ"),
    ("六丁目", "ろくちょうめ"),
    ("七丁目", "ななちょうめ"),
    ("八丁目", "はっちょうめ"),
    ("九丁目", "きゅうちょうめ"),
    ("駅前", "えきまえ"),
    ("前", "まえ"),
    ("公園", "こうえん"),
    ("大学", "だいがく"),
    ("空港", "くうこう"),
];

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
    let (mut name, mut reading) = (name, reading.as_str());
    let mut parts: Vec<String> = Vec::new();
    if let Some((rest, read)) = name.strip_prefix("JR").zip(reading.strip_prefix("じぇいあーる")) {
        parts.push("JR".to_owned());
        (name, reading) = (rest, read);
    }
    let prefix = PREFIXES.iter().find_map(|(written, read)| {
        let rest = name.strip_prefix(written).filter(|rest| rest.chars().count() > 1)?;
        let rest_read = reading.strip_prefix(read).filter(|rest| !rest.starts_with('の'))?;
        (!WHOLE.iter().any(|whole| name.starts_with(whole))).then_some((*read, rest, rest_read))
    });
    if let Some((read, rest, rest_read)) = prefix {
        parts.push(capitalised(&latin(read)?));
        (name, reading) = (rest, rest_read);
    }
    let suffix = SUFFIXES.iter().find_map(|(written, read)| {
        let before = name.strip_suffix(written).filter(|before| !before.is_empty())?;
        Some((*read, before, reading.strip_suffix(read).filter(|rest| !rest.is_empty())?))
    });
    match suffix {
        Some((read, _, before)) => {
            parts.push(capitalised(&latin(before)?));
            parts.push(latin(read)?);
        }
        None => parts.push(capitalised(&latin(reading)?)),
    }
    Some(parts.join("-"))
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
            ("明治神宮前", "めいじじんぐうまえ", "Meijijingū-mae"),
            ("代々木公園", "よよぎこうえん", "Yoyogi-kōen"),
            ("高輪ゲートウェイ", "たかなわげーとうぇい", "Takanawagētowei"),
            ("三ノ輪", "みのわ", "Minowa"),
            ("新潟", "にいがた", "Niigata"),
            ("本郷三丁目", "ほんごうさんちょうめ", "Hongō-sanchōme"),
            ("天王寺", "てんのうじ", "Tennōji"),
            ("八丁堀", "はっちょうぼり", "Hatchōbori"),
            ("札幌", "さっぽろ", "Sapporo"),
            ("JR総持寺", "じぇいあーるそうじじ", "JR-Sōjiji"),
            ("西宮北口", "にしのみやきたぐち", "Nishinomiyakitaguchi"),
            ("大阪難波", "おおさかなんば", "Ōsaka-Namba"),
            ("三軒茶屋", "さんげんぢゃや", "Sangenjaya"),
            ("西武新宿", "せいぶしんじゅく", "Seibu-Shinjuku"),
            ("神谷町", "かみやちょう", "Kamiyachō"),
            ("鳴尾・武庫川女子大前", "なるお・むこがわじょしだいまえ", "Naruo/Mukogawajoshidai-mae"),
            ("なかもず", "ナカモズ", "Nakamozu"),
            ("本厚木", "ほんあつぎ", "Hon'atsugi"),
        ] {
            assert_eq!(romanise(name, reading).as_deref(), Some(sign), "{name}");
        }
        assert_eq!(romanise("新宿", "新宿"), None);
        assert_eq!(romanise("Times Sq", ""), None);
    }
}
