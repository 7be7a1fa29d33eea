//! Default colours for lines.

/// Colours that most people can tell apart, dark enough for a white background.
const COLORS: [&str; 20] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8c564b", "#5b4ea1", "#c9a400", "#17a2b8", "#b2182b", "#4d7c0f",
    "#e07b91", "#6a3d9a", "#2b5c8a", "#a6611a", "#1b7837", "#c2185b", "#00838f", "#7f6000", "#3f51b5", "#607d8b",
];

/// The default colours of a line, the one determined by its name first.
pub(crate) fn default_colors(name: &str) -> impl Iterator<Item = &'static str> {
    // FNV-1a. The standard hasher may change with the version of Rust, and with it all colours.
    let hash = name
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    // The low bits of FNV-1a alone are poorly mixed.
    let at = usize::try_from((hash ^ (hash >> 32)) % 20).unwrap_or(0);
    (at..COLORS.len()).chain(0..at).map(|at| COLORS[at])
}

/// Converts `rrggbb` or `#rrggbb`, in upper or lower case, to lower-case `#rrggbb`.
pub(crate) fn normalise(color: &str) -> Option<String> {
    let color = color.trim();
    let digits = color.strip_prefix('#').unwrap_or(color);
    (digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
        .then(|| format!("#{}", digits.to_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::{COLORS, default_colors, normalise};

    #[test]
    fn the_first_default_colour_of_a_name_never_changes() {
        for (name, color) in [
            ("", "#5b4ea1"),
            ("A", "#2b5c8a"),
            ("Main Line", "#009e73"),
            ("山手線", "#17a2b8"),
            ("中央線", "#7f6000"),
            ("丸ノ内線", "#5b4ea1"),
        ] {
            assert_eq!(default_colors(name).next(), Some(color), "{name}");
        }
        let mut all: Vec<_> = default_colors("A").collect();
        all.sort_unstable();
        let mut palette = COLORS;
        palette.sort_unstable();
        assert_eq!(all, palette);
    }

    #[test]
    fn colours_are_written_with_a_sign_and_in_lower_case() {
        for color in ["80C241", "#80c241", " #80C241 "] {
            assert_eq!(normalise(color).as_deref(), Some("#80c241"), "{color}");
        }
        for other in ["", "#", "#80c24", "#80c2411", "80c24g", "red"] {
            assert_eq!(normalise(other), None, "{other}");
        }
    }
}
