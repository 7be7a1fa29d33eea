//! The languages in which a map is asked for.

/// The language of the names on a map.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum MapLanguage {
    /// The map's own names, which are Japanese on the maps of Japan.
    #[default]
    Japanese,
    /// Names in the Latin alphabet: romanised or translated.
    English,
    /// The map's own names, with those in the Latin alphabet below them in small type.
    Both,
}

impl MapLanguage {
    /// All languages, the default first.
    pub const ALL: [Self; 3] = [Self::Japanese, Self::English, Self::Both];

    /// The word for it in requests and map files.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Japanese => "ja",
            Self::English => "en",
            Self::Both => "ja-en",
        }
    }

    /// The language of a word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.word() == word)
    }

    /// What a name is in this language. Without a translation it is the name itself.
    #[must_use]
    pub fn choose<'a>(self, name: &'a str, translation: &'a str) -> &'a str {
        if self == Self::English && !translation.is_empty() { translation } else { name }
    }
}

#[cfg(test)]
mod tests {
    use super::MapLanguage;

    #[test]
    fn a_name_without_a_translation_is_itself_in_every_language() {
        for language in MapLanguage::ALL {
            assert_eq!(MapLanguage::from_word(language.word()), Some(language));
            assert_eq!(language.choose("Times Sq", ""), "Times Sq");
        }
        let names = MapLanguage::ALL.map(|language| language.choose("新宿", "Shinjuku"));
        assert_eq!(names, ["新宿", "Shinjuku", "新宿"]);
        assert_eq!((MapLanguage::from_word("EN"), MapLanguage::from_word("de")), (None, None));
    }
}
