//! Stations: codes, names and kinds of transport.

use std::fmt;

use serde::Deserialize;
use unicode_normalization::UnicodeNormalization;

use crate::Invalid;

/// The code of a station. It stays the same when the station is renamed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StationCode(u32);

impl StationCode {
    /// Checks that a code is a positive integer below 2³².
    ///
    /// # Errors
    /// If `number` violates the rule.
    pub fn new(number: i64) -> Result<Self, Invalid> {
        u32::try_from(number)
            .ok()
            .filter(|&n| n > 0)
            .map(Self)
            .ok_or(Invalid("a station code is a whole number from 1 to 4294967295"))
    }

    /// The number.
    #[must_use]
    pub fn get(self) -> u32 {
        self.0
    }
}

impl fmt::Display for StationCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The name of a station as a lookup key: spellings that people consider the same name are equal.
///
/// Unicode compatibility composition (NFKC) unifies NFD, full-width Latin and half-width kana. Interchangeable
/// characters are unified (霞ケ関 and 霞ヶ関, 四ツ谷 and 四ッ谷, 麹町 and 麴町). Letters become lower case. White space and a second
/// name in brackets at the end (押上〈スカイツリー前〉) are removed.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct StationName(String);

impl StationName {
    /// The key for a name as a person wrote it.
    #[must_use]
    pub fn fold(text: &str) -> Self {
        let folded = text.nfkc().flat_map(char::to_lowercase).filter(|c| !c.is_whitespace()).map(|c| match c {
            'ヶ' => 'ケ',
            'ヵ' => 'カ',
            'ッ' => 'ツ',
            '麴' => '麹',
            other => other,
        });
        let mut name: String = folded.collect();
        if name.ends_with(['〉', ')'])
            && let Some(start) = name.find(['〈', '('])
            && start > 0
        {
            name.truncate(start);
        }
        Self(name)
    }

    /// The text of the key.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the key is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// What stops at a station.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TransportKind {
    /// Trains.
    #[default]
    Train,
    /// Aeroplanes.
    Plane,
    /// Ships.
    Ship,
    /// Buses.
    Bus,
    /// A place reached on foot.
    Walk,
    /// Anything else.
    Strange,
}

impl TransportKind {
    /// The kind with that word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Train, Self::Plane, Self::Ship, Self::Bus, Self::Walk, Self::Strange]
            .into_iter()
            .find(|kind| kind.word() == word)
    }

    /// The word for it in responses and files.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Train => "train",
            Self::Plane => "plane",
            Self::Ship => "ship",
            Self::Bus => "bus",
            Self::Walk => "walk",
            Self::Strange => "strange",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{StationCode, StationName, TransportKind};

    #[test]
    fn spellings_of_one_name_are_equal() {
        for (a, b) in [
            ("霞ケ関", "霞ヶ関"),
            ("東京テレポート", "東京テレホ\u{309a}ート"),        // NFD
            ("東京テレポート", "東京ﾃﾚﾎﾟｰﾄ"),                     // half-width kana
            ("羽田空港第3ターミナル", "羽田空港第３ターミナル"), // full-width digit
            ("YRP野比", "yrp野比"),
            ("押上", "押上〈スカイツリー前〉"),
            ("押上", "押上（スカイツリー前）"),
            ("四ツ谷", "四ッ谷"),
            ("麹町", "麴町"),
            ("新 宿", "新宿"),
        ] {
            assert_eq!(StationName::fold(a), StationName::fold(b), "{a} {b}");
        }
        assert_ne!(StationName::fold("大崎"), StationName::fold("大塚"));
        assert!(StationName::fold(" \u{3000}").is_empty());
        assert!(!StationName::fold("(駅)").is_empty());
    }

    #[test]
    fn a_second_name_is_dropped_at_the_end_only() {
        assert_ne!(StationName::fold("(新)宿"), StationName::fold("宿"));
        assert_ne!(StationName::fold("押上(前"), StationName::fold("押上"));
        assert_ne!(StationName::fold("市ヶ谷"), StationName::fold("市谷"));
        assert_eq!(StationName::fold("三カ森"), StationName::fold("三ヵ森"));
        assert_eq!(StationName::fold("(駅)"), StationName::fold("（駅）"));
        assert_ne!(StationName::fold("(駅)"), StationName::fold("(町)"));
    }

    #[test]
    fn kinds_of_transport_are_written_as_in_the_contract() {
        let kinds = [
            TransportKind::Train,
            TransportKind::Plane,
            TransportKind::Ship,
            TransportKind::Bus,
            TransportKind::Walk,
            TransportKind::Strange,
        ];
        assert_eq!(kinds.map(TransportKind::word), ["train", "plane", "ship", "bus", "walk", "strange"]);
    }

    #[test]
    fn codes_are_positive() {
        for bad in [i64::MIN, -1, 0, 1 << 32] {
            assert!(StationCode::new(bad).is_err(), "{bad}");
        }
        assert_eq!(StationCode::new(22671).map(StationCode::get), Ok(22671));
        assert_eq!(StationCode::new(1).map(|code| format!("{code:03}")), Ok("001".to_owned()));
        assert_eq!(StationCode::new((1 << 32) - 1).map(StationCode::get), Ok(u32::MAX));
    }
}
