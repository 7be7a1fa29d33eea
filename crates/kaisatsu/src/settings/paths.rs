//! The folders and addresses that the settings name, with their defaults.

use std::path::{Path, PathBuf};

use kaisatsu_store::{BlobAddress, DatabaseAddress};

use super::{Hidden, Settings, sources};
use crate::error::CliError;

impl Settings {
    /// The data folder.
    pub(crate) fn data_folder(&self) -> Result<PathBuf, CliError> {
        match &self.data {
            Some(folder) => Ok(folder.clone()),
            None => sources::user_folder("XDG_DATA_HOME", ".local/share").ok_or_else(|| {
                CliError::Usage("there is no home folder to keep data in; name one with --data FOLDER".to_owned())
            }),
        }
    }

    /// The address of the database. The data folder is created if the database is in it.
    pub(crate) fn database(&self) -> Result<DatabaseAddress, CliError> {
        match &self.database {
            Some(Hidden(text)) => text.parse().map_err(|error| CliError::Usage(format!("--database: {error}"))),
            None => Ok(DatabaseAddress::Sqlite(self.made_data_folder()?.join("kaisatsu.db"))),
        }
    }

    /// The address of a database that there is, for commands that are of no use on an empty one.
    pub(crate) fn existing_database(&self) -> Result<DatabaseAddress, CliError> {
        let named = self.database.is_some();
        let address =
            if named { self.database()? } else { DatabaseAddress::Sqlite(self.data_folder()?.join("kaisatsu.db")) };
        match &address {
            DatabaseAddress::Sqlite(path) if !path.exists() => Err(CliError::Usage(format!(
                "there is no database {}; name the server's folder with --data, or its database with --database",
                path.display()
            ))),
            _ => Ok(address),
        }
    }

    /// The address of the storage for users' images. The data folder is created if they are in it.
    pub(crate) fn blobs(&self) -> Result<BlobAddress, CliError> {
        if let Some(Hidden(text)) = &self.blobs {
            return text.parse().map_err(|error| CliError::Usage(format!("--blobs: {error}")));
        }
        let folder = self.made_data_folder()?.join("blobs");
        make_folder(&folder)?;
        Ok(BlobAddress::Folder(folder))
    }

    /// The folder for segments of the catalogue, made when there is one: they are copies, so a server that has no data
    /// folder keeps them where the system has its temporary files.
    pub(crate) fn segments_folder(&self) -> PathBuf {
        self.data_folder().unwrap_or_else(|_| std::env::temp_dir().join("kaisatsu")).join("segments")
    }

    /// The folder with map files. The default folder is created; a named one must exist.
    pub(crate) fn maps_folder(&self) -> Result<PathBuf, CliError> {
        match &self.maps {
            Some(folder) if folder.is_dir() => Ok(folder.clone()),
            Some(folder) => Err(CliError::Usage(format!("--maps: there is no folder {}", folder.display()))),
            None => {
                let folder = self.made_data_folder()?.join("maps");
                make_folder(&folder)?;
                Ok(folder)
            }
        }
    }

    /// The folder with models. It need not exist: a server without models runs without image recognition.
    pub(crate) fn models_folder(&self) -> Result<PathBuf, CliError> {
        if let Some(folder) = &self.models {
            if folder.is_dir() {
                return Ok(folder.clone());
            }
            return Err(CliError::Usage(format!("--models: there is no folder {}", folder.display())));
        }
        let own = self.data_folder()?.join("models");
        if own.is_dir() {
            return Ok(own);
        }
        Ok(sources::user_folder("XDG_DATA_HOME", ".local/share").map_or(own, |shared| shared.join("models")))
    }

    /// The folder that models are installed into: the one that a server with these settings then uses.
    pub(crate) fn models_to_install(&self) -> Result<PathBuf, CliError> {
        match &self.models {
            Some(folder) => Ok(folder.clone()),
            None => Ok(self.data_folder()?.join("models")),
        }
    }

    fn made_data_folder(&self) -> Result<PathBuf, CliError> {
        let folder = self.data_folder()?;
        make_folder(&folder)?;
        Ok(folder)
    }
}

/// Creates a folder and its parents, accessible to this user only.
fn make_folder(folder: &Path) -> Result<(), CliError> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(|error| {
        let folder = folder.display();
        CliError::Store(format!("{folder}: {error}. Name a folder this user may write to with --data FOLDER"))
    })
}
