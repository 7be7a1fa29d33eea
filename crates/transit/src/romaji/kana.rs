//! Kana in Hepburn's spelling.

/// A text in hiragana in the Latin alphabet; `None` if a character has no sound.
pub(super) fn latin(kana: &str) -> Option<String> {
    let kana: Vec<char> = kana.chars().filter(|c| !c.is_whitespace()).collect();
    let mut latin = String::new();
    let mut at = 0;
    let mut doubled = false;
    while at < kana.len() {
        match kana[at] {
            'っ' => {
                doubled = true;
                at += 1;
                continue;
            }
            'ー' => lengthen(&mut latin),
            'ん' => push_n(&mut latin, &kana[at + 1..]),
            _ => {
                let (sound, length) = sound(&kana[at..])?;
                if std::mem::take(&mut doubled) {
                    // っち is written tch.
                    let first = if sound.starts_with("ch") { "t" } else { &sound[..1] };
                    latin.push_str(first);
                }
                push_sound(&mut latin, sound);
                at += length;
                continue;
            }
        }
        at += 1;
    }
    (!latin.is_empty()).then_some(latin)
}

/// ん before b, m and p is m. Before a vowel or y an apostrophe keeps the syllables apart.
fn push_n(latin: &mut String, after: &[char]) {
    let next = sound(after).map_or("", |(sound, _)| sound);
    match next.chars().next() {
        Some('b' | 'm' | 'p') => latin.push('m'),
        Some('a' | 'i' | 'u' | 'e' | 'o' | 'y') => latin.push_str("n'"),
        _ => latin.push('n'),
    }
}

/// う and お after o, and う after u, make the vowel long.
fn push_sound(latin: &mut String, sound: &str) {
    match (latin.chars().next_back(), sound) {
        (Some('o'), "u" | "o") | (Some('u'), "u") => lengthen(latin),
        _ => latin.push_str(sound),
    }
}

fn lengthen(latin: &mut String) {
    let long = match latin.pop() {
        Some('a') => 'ā',
        Some('i') => 'ī',
        Some('u') => 'ū',
        Some('e') => 'ē',
        Some('o') => 'ō',
        Some(other) => other,
        None => return,
    };
    latin.push(long);
}

/// The sound at the beginning of a text, and how many characters it has.
fn sound(kana: &[char]) -> Option<(&'static str, usize)> {
    if let [first, second, ..] = kana
        && let Some((_, sound)) = PAIRS.iter().find(|(pair, _)| pair.chars().eq([*first, *second]))
    {
        return Some((sound, 2));
    }
    let first = kana.first()?;
    let (row, column) = ROWS.iter().find_map(|(row, sounds)| Some((row.chars().position(|c| c == *first)?, sounds)))?;
    column.split(' ').nth(row).map(|sound| (sound, 1))
}

const ROWS: [(&str, &str); 17] = [
    ("あいうえお", "a i u e o"),
    ("かきくけこ", "ka ki ku ke ko"),
    ("さしすせそ", "sa shi su se so"),
    ("たちつてと", "ta chi tsu te to"),
    ("なにぬねの", "na ni nu ne no"),
    ("はひふへほ", "ha hi fu he ho"),
    ("まみむめも", "ma mi mu me mo"),
    ("やゆよ", "ya yu yo"),
    ("らりるれろ", "ra ri ru re ro"),
    ("わゐゑを", "wa i e o"),
    ("がぎぐげご", "ga gi gu ge go"),
    ("ざじずぜぞ", "za ji zu ze zo"),
    ("だぢづでど", "da ji zu de do"),
    ("ばびぶべぼ", "ba bi bu be bo"),
    ("ぱぴぷぺぽ", "pa pi pu pe po"),
    ("ぁぃぅぇぉ", "a i u e o"),
    ("ゔヶ", "vu ga"),
];

const PAIRS: [(&str, &str); 49] = [
    ("きゃ", "kya"),
    ("きゅ", "kyu"),
    ("きょ", "kyo"),
    ("しゃ", "sha"),
    ("しゅ", "shu"),
    ("しょ", "sho"),
    ("ちゃ", "cha"),
    ("ちゅ", "chu"),
    ("ちょ", "cho"),
    ("にゃ", "nya"),
    ("にゅ", "nyu"),
    ("にょ", "nyo"),
    ("ひゃ", "hya"),
    ("ひゅ", "hyu"),
    ("ひょ", "hyo"),
    ("みゃ", "mya"),
    ("みゅ", "myu"),
    ("みょ", "myo"),
    ("りゃ", "rya"),
    ("りゅ", "ryu"),
    ("りょ", "ryo"),
    ("ぎゃ", "gya"),
    ("ぎゅ", "gyu"),
    ("ぎょ", "gyo"),
    ("じゃ", "ja"),
    ("じゅ", "ju"),
    ("じょ", "jo"),
    ("ぢゃ", "ja"),
    ("ぢゅ", "ju"),
    ("ぢょ", "jo"),
    ("びゃ", "bya"),
    ("びゅ", "byu"),
    ("びょ", "byo"),
    ("ぴゃ", "pya"),
    ("ぴゅ", "pyu"),
    ("ぴょ", "pyo"),
    ("しぇ", "she"),
    ("じぇ", "je"),
    ("ちぇ", "che"),
    ("てぃ", "ti"),
    ("でぃ", "di"),
    ("ふぁ", "fa"),
    ("ふぃ", "fi"),
    ("ふぇ", "fe"),
    ("ふぉ", "fo"),
    ("うぃ", "wi"),
    ("うぇ", "we"),
    ("うぉ", "wo"),
    ("ゔぃ", "vi"),
];
