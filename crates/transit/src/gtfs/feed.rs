//! Opens the files of a feed, in a folder or in a zip archive.

use std::{
    borrow::Cow,
    fs::File,
    io::{BufReader, Read},
    path::{Path, PathBuf},
};

use zip::ZipArchive;

use crate::{Error, table::Table};

/// The largest `stop_times.txt`, in bytes. That of a country may have several gigabytes; it is streamed.
const MAX_STOP_TIMES_BYTES: u64 = 16 << 30;
/// The largest other file, in bytes. Those of the largest feeds have a tenth of this; their contents stay in memory.
const MAX_TABLE_BYTES: u64 = 1 << 30;

/// An open feed.
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

    /// A file that may be missing, and its size in bytes.
    pub(super) fn table(&mut self, file: &str) -> Result<Option<(Rows<'_>, u64)>, Error> {
        let max_bytes = if file == "stop_times.txt" { MAX_STOP_TIMES_BYTES } else { MAX_TABLE_BYTES };
        match self {
            Self::Folder(folder) => {
                let path = folder.join(file);
                if !path.exists() {
                    return Ok(None);
                }
                let opened = File::open(&path).map_err(|error| Error::io(file, error))?;
                let size = opened.metadata().map_or(0, |metadata| metadata.len());
                Ok(Some((Table::new(file, Box::new(opened) as Box<dyn Read>, max_bytes)?, size)))
            }
            Self::Zip { name, archive } => {
                // Some feeds are packed together with their folder.
                let inside = |entry: &String| entry == file || entry.ends_with(&format!("/{file}"));
                let entries = archive.file_names().filter_map(Result::ok).map(Cow::into_owned);
                let Some(entry) = entries.filter(inside).min_by_key(String::len) else { return Ok(None) };
                let whole = format!("{name}/{entry}");
                let opened = archive.by_name(&entry).map_err(|error| Error::file(&whole, error.to_string()))?;
                let size = opened.size();
                Ok(Some((Table::new(file, Box::new(opened) as Box<dyn Read>, max_bytes)?, size)))
            }
        }
    }

    /// A file that a feed must have.
    pub(super) fn required(&mut self, file: &str) -> Result<(Rows<'_>, u64), Error> {
        let whole = match self {
            Self::Folder(folder) => folder.display().to_string(),
            Self::Zip { name, .. } => name.clone(),
        };
        self.table(file)?.ok_or_else(|| Error::file(&whole, format!("there is no {file} in it")))
    }
}
