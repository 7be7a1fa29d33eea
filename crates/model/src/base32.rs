//! Encodes random bytes as short text that is easy to read aloud, type and select.

/// Crockford's base 32, lower case: no `i`, `l`, `o`, `u`.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// Encodes `bytes` after `prefix`, five bits per character. The length must be a multiple of five bytes, so that no
/// padding is needed.
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

/// Defines the type of an id: a prefix that identifies its kind, and a number of random bytes.
macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal, $bytes:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(String);

        impl $name {
            /// The prefix of every id of this type.
            pub const PREFIX: &'static str = $prefix;

            /// A new id from random bytes.
            #[must_use]
            pub fn from_random(bytes: [u8; $bytes]) -> Self {
                Self($crate::base32::encode(Self::PREFIX, bytes))
            }

            /// An id from its text. It is not validated: an unknown id is not found later.
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

/// Defines the type of a secret: a prefix and 160 random bits. It is shown once; `Debug` does not print it.
macro_rules! secret {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq)]
        pub struct $name(String);

        impl $name {
            /// The prefix of every secret of this type, by which people and scanners recognise a leaked one.
            pub const PREFIX: &'static str = $prefix;

            /// A new secret from 160 random bits.
            #[must_use]
            pub fn from_random(bytes: [u8; 20]) -> Self {
                Self($crate::base32::encode(Self::PREFIX, bytes))
            }

            /// The secret, to show it once and to hash it.
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
