//! The files of a feed, wherever they are.

use std::{
    borrow::Cow,
    fs::File,
    io::{BufReader, Read},
    path::{Path, PathBuf},
};

use zip::ZipArchive;

use crate::{Error, table::Table};

/// The calls of a country may fill several gigabytes. They are streamed.
const LARGEST_CALLS: u64 = 16 << 30;
/// The other files of the largest feeds have a tenth of this. What is read of them is kept.
const LARGEST_OTHER: u64 = 1 << 30;

/// A feed that is open for reading.
pub(super) enum Feed {
    Folder(PathBuf),
    Zip { name: String, archive: Box<ZipArchive<BufReader<File>>> },
}

type Rows<'a> = Table<Box<dyn Read + 'a>>;

impl Feed {
    pub(super) fn open(path: &Path) -> Result<Self, Error> {
        let name = path.display().to_string();
        if path.is_dir() {
            return Ok(Self::Folder(path.to_owned()));
        }
        let file = File::open(path).map_err(|error| Error::io(&name, error))?;
        let archive = ZipArchive::new(BufReader::new(file))
            .map_err(|error| Error::file(&name, format!("neither a folder nor a zip file: {error}")))?;
        Ok(Self::Zip { name, archive: Box::new(archive) })
    }

    /// A file that may be missing, and how many bytes it has.
    pub(super) fn table(&mut self, file: &str) -> Result<Option<(Rows<'_>, u64)>, Error> {
        let largest = if file == "stop_times.txt" { LARGEST_CALLS } else { LARGEST_OTHER };
        match self {
            Self::Folder(folder) => {
                let path = folder.join(file);
                if !path.exists() {
                    return Ok(None);
                }
                let opened = File::open(&path).map_err(|error| Error::io(file, error))?;
                let size = opened.metadata().map_or(0, |metadata| metadata.len());
                Ok(Some((Table::new(file, Box::new(opened) as Box<dyn Read>, largest)?, size)))
            }
            Self::Zip { name, archive } => {
                // Some feeds are packed with the folder that they were in.
                let inside = |entry: &String| entry == file || entry.ends_with(&format!("/{file}"));
                let entries = archive.file_names().filter_map(Result::ok).map(Cow::into_owned);
                let Some(entry) = entries.filter(inside).min_by_key(String::len) else { return Ok(None) };
                let whole = format!("{name}/{entry}");
                let opened = archive.by_name(&entry).map_err(|error| Error::file(&whole, error.to_string()))?;
                let size = opened.size();
                Ok(Some((Table::new(file, Box::new(opened) as Box<dyn Read>, largest)?, size)))
            }
        }
    }

    /// A file without which there is no network.
    pub(super) fn needed(&mut self, file: &str) -> Result<(Rows<'_>, u64), Error> {
        let whole = match self {
            Self::Folder(folder) => folder.display().to_string(),
            Self::Zip { name, .. } => name.clone(),
        };
        self.table(file)?.ok_or_else(|| Error::file(&whole, format!("there is no {file} in it")))
    }
}
