//! Puts a finished model folder in its place.

use std::{fs, io, path::Path};

/// Renames a folder that was made beside the models to the name of its model, replacing one of the same name.
pub(crate) fn publish(models: &Path, name: &str, making: &Path) -> io::Result<()> {
    let place = models.join(name);
    let old = models.join(format!(".{name}.old"));
    let _ = fs::remove_dir_all(&old);
    let replaces = place.exists();
    if replaces {
        fs::rename(&place, &old)?;
    }
    if let Err(error) = fs::rename(making, &place) {
        if replaces {
            fs::rename(&old, &place)?;
        }
        return Err(error);
    }
    let _ = fs::remove_dir_all(&old);
    Ok(())
}
