//! The files of a model of instances: vectors, and local features.
//!
//! Of the features, the codes that vote are kept in memory. The references that verify are seven times as large and are
//! read from the file when they are voted for.

use std::{
    fs::{self, File},
    io::{self, BufReader, Read, Write},
    path::Path,
};

use crate::object::EncodedReference;

const VECTORS: [u8; 4] = *b"KIV1";
const FEATURES: [u8; 4] = *b"KIF1";

/// The most bytes of a reference: more than any picture has.
const MOST: usize = 16 << 20;

/// What is known of a picture without its reference.
pub(super) struct IndexedPicture {
    pub(super) instance: usize,
    pub(super) encoded: EncodedReference,
    pub(super) offset: u64,
    pub(super) length: usize,
}

/// A picture as it is written: its thing, its codes, and its reference.
pub(super) struct WrittenPicture {
    pub(super) instance: usize,
    pub(super) encoded: Vec<u8>,
    pub(super) reference: Vec<u8>,
}

fn malformed(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.to_owned())
}

/// Writes vectors, which have one length.
pub(super) fn write_vectors(path: &Path, vectors: &[Vec<f32>]) -> io::Result<()> {
    let dims = u32::try_from(vectors.first().map_or(0, Vec::len)).unwrap_or(u32::MAX);
    let mut bytes = VECTORS.to_vec();
    bytes.extend(dims.to_le_bytes());
    for number in vectors.iter().flatten() {
        bytes.extend(number.to_le_bytes());
    }
    fs::write(path, bytes)
}

pub(super) fn read_vectors(path: &Path) -> io::Result<Vec<Vec<f32>>> {
    let bytes = fs::read(path)?;
    let numbers = bytes.strip_prefix(&VECTORS).ok_or_else(|| malformed("these are no vectors"))?;
    let (dims, numbers) = numbers.split_first_chunk().ok_or_else(|| malformed("it is cut short"))?;
    let row = 4 * u32::from_le_bytes(*dims) as usize;
    if row == 0 || numbers.len() % row != 0 {
        return Err(malformed("it is cut short"));
    }
    let (numbers, _) = numbers.as_chunks::<4>();
    Ok(numbers.chunks(row / 4).map(|row| row.iter().map(|number| f32::from_le_bytes(*number)).collect()).collect())
}

pub(super) fn write_features(path: &Path, pictures: &[WrittenPicture]) -> io::Result<()> {
    let mut file = io::BufWriter::new(File::create(path)?);
    file.write_all(&FEATURES)?;
    for picture in pictures {
        for number in [picture.instance, picture.encoded.len(), picture.reference.len()] {
            file.write_all(&u32::try_from(number).unwrap_or(u32::MAX).to_le_bytes())?;
        }
        file.write_all(&picture.encoded)?;
        file.write_all(&picture.reference)?;
    }
    file.flush()
}

pub(super) fn read_index(file: &File) -> io::Result<Vec<IndexedPicture>> {
    let mut reader = BufReader::with_capacity(1 << 20, file);
    let mut mark = [0; 4];
    reader.read_exact(&mut mark)?;
    if mark != FEATURES {
        return Err(malformed("these are no features of instances"));
    }
    let (mut pictures, mut offset) = (Vec::new(), 4);
    let whole = file.metadata()?.len();
    while offset < whole {
        let mut head = [0; 12];
        reader.read_exact(&mut head)?;
        let (numbers, _) = head.as_chunks::<4>();
        let [instance, encoded, length] = *numbers else { return Err(malformed("it is cut short")) };
        let [instance, encoded, length] = [instance, encoded, length].map(|number| u32::from_le_bytes(number) as usize);
        offset += 12 + encoded as u64;
        if encoded > MOST || length > MOST || offset + length as u64 > whole {
            return Err(malformed("it is cut short"));
        }
        let mut codes = vec![0; encoded];
        reader.read_exact(&mut codes)?;
        reader.seek_relative(i64::try_from(length).unwrap_or(i64::MAX))?;
        let encoded = EncodedReference::from_bytes(&codes).map_err(|fault| malformed(&fault.to_string()))?;
        pictures.push(IndexedPicture { instance, encoded, offset, length });
        offset += length as u64;
    }
    Ok(pictures)
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::{WrittenPicture, read_index, read_vectors, write_features, write_vectors};
    use crate::object::{EncodedReference, Reference};

    #[test]
    fn what_is_written_is_read_and_what_is_cut_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("vectors");
        let vectors = vec![vec![1.0, -2.0], vec![0.5, 0.25]];
        write_vectors(&path, &vectors).unwrap();
        assert_eq!(read_vectors(&path).unwrap(), vectors);
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
        assert!(read_vectors(&path).is_err());

        let path = folder.path().join("features");
        let picture = |instance| WrittenPicture {
            instance,
            encoded: EncodedReference::default().to_bytes(),
            reference: Reference::default().to_bytes(),
        };
        write_features(&path, &[picture(3), picture(1)]).unwrap();
        let read = read_index(&File::open(&path).unwrap()).unwrap();
        assert_eq!(read.iter().map(|picture| picture.instance).collect::<Vec<_>>(), [3, 1]);
        let bytes = std::fs::read(&path).unwrap();
        let at = usize::try_from(read[1].offset).unwrap();
        assert_eq!(Reference::from_bytes(&bytes[at..at + read[1].length]), Ok(Reference::default()));
        std::fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
        assert!(read_index(&File::open(&path).unwrap()).is_err());
    }
}
