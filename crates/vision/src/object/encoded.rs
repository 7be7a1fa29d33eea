//! Encoded reference pictures: a visual word and a signature for each feature.

use super::{
    bytes::{Malformed, Reader, header},
    features::Reference,
};

const MARK: [u8; 2] = *b"KW";
/// Also the version of the vocabulary: words of another one mean nothing here.
const VERSION: u8 = 1;
const CODE_BYTES: usize = 10;

/// A feature as the index knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FeatureCode {
    /// Its visual word.
    pub word: u16,
    /// One bit for each of 64 directions; similar descriptors differ in few.
    pub signature: u64,
}

/// The codes of a reference picture, view by view.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EncodedReference {
    pub(super) views: Vec<Vec<FeatureCode>>,
}

impl EncodedReference {
    /// The codes of each view.
    #[must_use]
    pub fn views(&self) -> &[Vec<FeatureCode>] {
        &self.views
    }

    /// The stored form. A server reads these at start; they take a seventh of the features themselves.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let codes: usize = self.views.iter().map(Vec::len).sum();
        let mut bytes = Vec::with_capacity(4 + 2 * self.views.len() + codes * CODE_BYTES);
        header(&mut bytes, MARK, VERSION, self.views.len());
        for view in &self.views {
            bytes.extend(u16::try_from(view.len()).unwrap_or(u16::MAX).to_le_bytes());
            for code in view {
                bytes.extend(code.word.to_le_bytes());
                bytes.extend(code.signature.to_le_bytes());
            }
        }
        bytes
    }

    /// Reads what [`EncodedReference::to_bytes`] wrote.
    ///
    /// # Errors
    /// When it is something else, of another version, cut short, or too long. Then the
    /// item has to be imported again.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Malformed> {
        let (mut reader, views) = Reader::open(bytes, MARK, VERSION)?;
        if usize::from(views) > Reference::MOST_VIEWS {
            return Err(Malformed("they have too many views"));
        }
        let views = (0..views).map(|_| read_view(&mut reader)).collect::<Result<_, _>>()?;
        reader.finish()?;
        Ok(Self { views })
    }
}

fn read_view(reader: &mut Reader<'_>) -> Result<Vec<FeatureCode>, Malformed> {
    let count = usize::from(reader.u16()?);
    reader.expect(count * CODE_BYTES)?;
    (0..count).map(|_| Ok(FeatureCode { word: reader.u16()?, signature: reader.u64()? })).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{EncodedReference, FeatureCode};

    fn encoded() -> impl Strategy<Value = EncodedReference> {
        let code = (any::<u16>(), any::<u64>()).prop_map(|(word, signature)| FeatureCode { word, signature });
        let view = proptest::collection::vec(code, 0..20);
        proptest::collection::vec(view, 0..=8).prop_map(|views| EncodedReference { views })
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(encoded in encoded()) {
            prop_assert_eq!(EncodedReference::from_bytes(&encoded.to_bytes()), Ok(encoded));
        }

        #[test]
        fn a_cut_or_a_longer_text_is_refused(encoded in encoded(), cut in any::<prop::sample::Index>()) {
            let mut bytes = encoded.to_bytes();
            prop_assert!(EncodedReference::from_bytes(&bytes[..cut.index(bytes.len())]).is_err());
            bytes.push(0);
            prop_assert!(EncodedReference::from_bytes(&bytes).is_err());
        }

        #[test]
        fn garbage_is_refused_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let bytes = [b"KW\x01".as_slice(), &bytes].concat();
            if let Ok(encoded) = EncodedReference::from_bytes(&bytes) {
                prop_assert_eq!(encoded.to_bytes(), bytes);
            }
        }
    }
}
