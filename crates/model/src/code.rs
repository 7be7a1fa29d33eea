//! Random bytes as short text that survives being read aloud, typed and double-clicked.

/// Crockford's base 32, lower case: no `i`, `l`, `o`, `u`.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// Writes `bytes` after `prefix`, five bits a character. The length must be a multiple of five bytes, so that no
/// character carries padding.
pub(crate) fn encode<const N: usize>(prefix: &str, bytes: [u8; N]) -> String {
    const { assert!(N.is_multiple_of(5)) };
    let mut text = String::with_capacity(prefix.len() + N / 5 * 8);
    text.push_str(prefix);
    for group in bytes.chunks_exact(5) {
        let bits = group.iter().fold(0, |bits, &byte| (bits << 8) | usize::from(byte));
        for shift in (0..8).rev() {
            text.push(char::from(ALPHABET[(bits >> (shift * 5)) & 31]));
        }
    }
    text
}

/// Makes the type of an id: a prefix that people recognise it by, and that many random bytes.
macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal, $bytes:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(String);

        impl $name {
            /// What every one begins with.
            pub const PREFIX: &'static str = $prefix;

            /// A fresh id out of random bytes.
            #[must_use]
            pub fn from_random(bytes: [u8; $bytes]) -> Self {
                Self($crate::code::encode(Self::PREFIX, bytes))
            }

            /// An id as it was printed before. What does not exist is simply not found later.
            #[must_use]
            pub fn from_text(text: impl Into<String>) -> Self {
                Self(text.into())
            }

            /// The id as text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}
pub(crate) use id;

/// Makes the type of a secret: 160 random bits behind a prefix. It is shown once; neither `Debug` nor `Display` prints it.
macro_rules! secret {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq)]
        pub struct $name(String);

        impl $name {
            /// What every one begins with, so that a leaked one is recognised by people and scanners.
            pub const PREFIX: &'static str = $prefix;

            /// A fresh one: 160 random bits.
            #[must_use]
            pub fn from_random(bytes: [u8; 20]) -> Self {
                Self($crate::code::encode(Self::PREFIX, bytes))
            }

            /// Gives the secret away: for the one moment it is shown, and for hashing.
            #[must_use]
            pub fn reveal(&self) -> &str {
                &self.0
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(concat!(stringify!($name), "(…)"))
            }
        }
    };
}
pub(crate) use secret;

#[cfg(test)]
mod tests {
    use super::encode;

    #[test]
    fn five_bytes_become_eight_characters() {
        assert_eq!(encode("app_", [0; 5]), "app_00000000");
        assert_eq!(encode("", [0xff; 5]), "zzzzzzzz");
        assert_eq!(encode("", [0, 0, 0, 0, 1]), "00000001");
        assert_eq!(encode("", [0x08, 0, 0, 0, 0]), "10000000");
    }
}
