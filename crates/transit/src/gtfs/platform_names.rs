//! Names of stops without what tells the platform or the direction: Main St (Northbound), Hauptbahnhof Gleis 3, 駅前のりば2.

/// Words that name a direction by themselves.
const DIRECTIONS: [&str; 26] = [
    "northbound",
    "southbound",
    "eastbound",
    "westbound",
    "inbound",
    "outbound",
    "nb",
    "sb",
    "eb",
    "wb",
    "n/b",
    "s/b",
    "e/b",
    "w/b",
    "clockwise",
    "anticlockwise",
    "counterclockwise",
    "northeastbound",
    "northwestbound",
    "southeastbound",
    "southwestbound",
    "uptown",
    "downtown",
    "ib",
    "ob",
    "upbound",
];

/// Words that name a platform together with the number or letter after them.
const PLATFORMS: [&str; 24] = [
    "platform",
    "plat",
    "stop",
    "stand",
    "bay",
    "track",
    "quay",
    "gate",
    "door",
    "berth",
    "gleis",
    "bahnsteig",
    "bussteig",
    "steig",
    "bstg",
    "quai",
    "voie",
    "andén",
    "anden",
    "vía",
    "via",
    "binario",
    "spoor",
    "perron",
];

/// Words after which the rest of the name is where the trains go.
const TOWARDS: [&str; 9] =
    ["toward", "towards", "richtung", "ri", "direction", "dir", "vers", "dirección", "direzione"];

/// What a Japanese stop ends in.
const JAPANESE: [&str; 9] = ["番線", "番のりば", "番乗り場", "番ホーム", "のりば", "乗り場", "ホーム", "上り", "下り"];

/// The name of the place that a stop belongs to.
pub(super) fn place(name: &str) -> &str {
    let mut place = name;
    while let Some(shorter) = without_last(place) {
        place = shorter;
    }
    place
}

/// The name without a last single letter or a number below 100, which may also be a part of the name.
fn place_without_number(name: &str) -> Option<&str> {
    let (before, last) = place(name).rsplit_once([' ', '-', '/', ','])?;
    let before = trimmed(before);
    (!before.is_empty() && is_platform_number(last.trim_matches(['(', ')', '[', ']']), 2)).then_some(before)
}

/// The name of the place, without a last letter or number too.
pub(super) fn unnumbered_place(name: &str) -> &str {
    place_without_number(name).unwrap_or_else(|| place(name))
}

/// Without the last thing that is no part of the place's name, if there is one.
fn without_last(name: &str) -> Option<&str> {
    let shorter = in_brackets(name).or_else(|| after_space(name)).or_else(|| japanese(name))?;
    let shorter = trimmed(shorter);
    (!shorter.is_empty()).then_some(shorter)
}

fn trimmed(text: &str) -> &str {
    text.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '-' | '–' | '—' | ',' | '/' | ':' | '・'))
}

/// `Main St (Northbound)`, `Main St [Platform 2]`, `駅前（上り）`
fn in_brackets(name: &str) -> Option<&str> {
    let (open, close) = [('(', ')'), ('[', ']'), ('（', '）')].into_iter().find(|(_, close)| name.ends_with(*close))?;
    let (before, inside) = name.strip_suffix(close)?.rsplit_once(open)?;
    let inside = inside.trim();
    let word = inside.to_lowercase();
    let is_letter = matches!(word.as_str(), "n" | "s" | "e" | "w");
    let is_qualifier = is_letter
        || is_platform_number(inside, 2)
        || after_space(&format!("x {inside}")) == Some("x ")
        || japanese(&format!("駅{inside}")) == Some("駅")
        || inside.ends_with("方面");
    is_qualifier.then_some(before)
}

/// `Main St NB`, `Main St Platform 2`, `Main St towards Harbour`
fn after_space(name: &str) -> Option<&str> {
    let starts = || name.char_indices().filter(|(_, c)| c.is_whitespace()).map(|(at, c)| at + c.len_utf8());
    for start in starts() {
        let words: Vec<String> =
            name[start..].split_whitespace().map(|word| word.trim_matches(['.', ':', ',']).to_lowercase()).collect();
        let is_qualifier = match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            [direction] => DIRECTIONS.contains(&direction),
            [word, number] if PLATFORMS.contains(&word) => is_platform_number(number, 3),
            [word, _, ..] => TOWARDS.contains(&word),
            [] => false,
        };
        if is_qualifier {
            return Some(&name[..start]);
        }
    }
    None
}

/// `駅前2番のりば`, `駅前のりば2`, `駅前上り`
fn japanese(name: &str) -> Option<&str> {
    let is_digit = |c: char| c.is_numeric();
    let ending = name.trim_end_matches(is_digit);
    let before = JAPANESE.iter().find_map(|word| ending.strip_suffix(word))?;
    Some(before.trim_end_matches(|c: char| is_digit(c) || c.is_whitespace()))
}

/// Whether a word is a number of up to so many digits, or a letter with or without one.
fn is_platform_number(word: &str, digits: usize) -> bool {
    let rest = word.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let letters = word.len() - rest.len();
    !word.is_empty() && letters <= 1 && rest.len() <= digits && rest.chars().all(|c| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::{place, place_without_number};

    #[test]
    fn platforms_and_directions_are_no_part_of_a_name() {
        let cases = [
            ("Main St (Northbound)", "Main St"),
            ("Main St - SB", "Main St"),
            ("Main St Platform 2", "Main St"),
            ("Main St Station, Platform 12", "Main St Station"),
            ("Main St [Stop A] (Inbound)", "Main St"),
            ("Hauptbahnhof Gleis 3", "Hauptbahnhof"),
            ("Alter Markt, Richtung Hafen", "Alter Markt"),
            ("Gare Centrale - Quai B", "Gare Centrale"),
            ("Market St & 4th St (E)", "Market St & 4th St"),
            ("駅前2番のりば", "駅前"),
            ("駅前のりば2", "駅前"),
            ("駅前（上り）", "駅前"),
            ("港町（市役所方面）", "港町"),
        ];
        for (name, expected) in cases {
            assert_eq!(place(name), expected, "{name}");
        }
    }

    #[test]
    fn what_only_looks_like_a_platform_stays() {
        for name in [
            "Union Station",
            "Platform",
            "Green Bay",
            "Main St North",
            "14 St",
            "Avenue A",
            "Gate",
            "NB",
            "国会議事堂前",
        ] {
            assert_eq!(place(name), name);
        }
        assert_eq!(place("Whitehall St (South Ferry)"), "Whitehall St (South Ferry)");
        assert_eq!(place_without_number("Main St 2"), Some("Main St"));
        assert_eq!(place_without_number("Main St B"), Some("Main St"));
        assert_eq!(place_without_number("Main St"), None);
        assert_eq!(place_without_number("B"), None);
    }
}
