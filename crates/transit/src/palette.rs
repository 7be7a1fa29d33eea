//! Colours for lines that have none of their own.

/// Told apart by most eyes, and dark enough to be seen on white.
const COLORS: [&str; 20] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8c564b", "#5b4ea1", "#c9a400", "#17a2b8", "#b2182b", "#4d7c0f",
    "#e07b91", "#6a3d9a", "#2b5c8a", "#a6611a", "#1b7837", "#c2185b", "#00838f", "#7f6000", "#3f51b5", "#607d8b",
];

/// The colour of a line without one: always the same for the same name.
pub(crate) fn color_of(name: &str) -> &'static str {
    // FNV-1a. The standard hasher may change between versions of the language, and all colours with it.
    let hash = name
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    // The low bits of FNV alone are poorly mixed.
    let at = usize::try_from((hash ^ (hash >> 32)) % 20).unwrap_or(0);
    COLORS[at]
}

/// `rrggbb` or `#rrggbb` in any case, as `#rrggbb`.
pub(crate) fn normal(color: &str) -> Option<String> {
    let color = color.trim();
    let digits = color.strip_prefix('#').unwrap_or(color);
    (digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
        .then(|| format!("#{}", digits.to_ascii_lowercase()))
}
