//! Sizes in bytes as people write them: `20MB`, `512KiB`, `2GiB`, or a plain number.

/// The units: powers of 1000, and of 1024 with an `i`, as the SI and the IEC have them.
const UNITS: [(&str, u64); 8] = [
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("TiB", 1 << 40),
    ("kB", 1_000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("TB", 1_000_000_000_000),
];

/// Parses a whole number of bytes, with or without a unit.
pub(crate) fn parse(text: &str) -> Result<u64, String> {
    let rule = || "write a whole number of bytes, or one with a unit such as 20MB or 2GiB".to_owned();
    let split = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, unit) = text.split_at(split);
    let number: u64 = digits.parse().map_err(|_| rule())?;
    let unit = unit.trim_start_matches(' ');
    let size = match unit {
        "" | "B" => 1,
        // "KB" is written too; it means no power of 1024.
        "KB" => 1_000,
        other => UNITS.iter().find(|(name, _)| *name == other).ok_or_else(rule)?.1,
    };
    number.checked_mul(size).ok_or_else(|| "that is more than this program can count".to_owned())
}

/// Parses the size of an image: from one byte to a gibibyte.
pub(crate) fn parse_image(text: &str) -> Result<u32, String> {
    let size = parse(text)?;
    match u32::try_from(size) {
        Ok(size) if (1..=1 << 30).contains(&size) => Ok(size),
        _ => Err("an image has at least one byte and at most 1GiB".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::{parse, parse_image};

    #[test]
    fn a_size_is_a_number_with_or_without_a_unit() {
        for (text, bytes) in [
            ("0", 0),
            ("20971520", 20 << 20),
            ("20MiB", 20 << 20),
            ("20 MB", 20_000_000),
            ("1kB", 1_000),
            ("1KB", 1_000),
            ("3TiB", 3 << 40),
            ("7B", 7),
        ] {
            assert_eq!(parse(text), Ok(bytes), "{text}");
        }
        for bad in ["", "MB", "-1MB", "1.5GB", "20mb", "20 M", "99999999999999999999", "99999999999TiB", "1MB2"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn an_image_is_not_larger_than_a_gibibyte() {
        assert_eq!(parse_image("1GiB"), Ok(1 << 30));
        assert!(parse_image("0").is_err() && parse_image("2GiB").is_err());
    }
}
