//! Embeds the installer of the models: `kaisatsu models install` runs what `make models` runs, without the sources.

use std::{
    env,
    fmt::Write as _,
    fs, io,
    path::{Path, PathBuf},
};

/// The files and folders of tools/models that the installer consists of; the rest is for development.
const INSTALLER: [&str; 7] =
    ["classes", "convert", "install.py", "labels", "manifests", "registry.py", "requirements.txt"];

fn main() -> io::Result<()> {
    let variable = |name: &str| env::var_os(name).map(PathBuf::from).ok_or_else(|| io::Error::other(name.to_owned()));
    let root = fs::canonicalize(variable("CARGO_MANIFEST_DIR")?.join("../../tools/models"))?;
    let mut files = Vec::new();
    for name in INSTALLER {
        println!("cargo::rerun-if-changed={}", root.join(name).display());
        collect(&root.join(name), &mut files)?;
    }
    files.sort();
    let mut text = String::from("&[");
    for file in files {
        let name = file.strip_prefix(&root).map_err(io::Error::other)?.display().to_string();
        let _ = writeln!(text, "({name:?}, include_bytes!({:?})),", file.display().to_string());
    }
    text.push(']');
    fs::write(variable("OUT_DIR")?.join("installer.rs"), text)
}

/// The files below a path, without what Python leaves beside its sources.
fn collect(path: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    if path.is_dir() {
        for entry in fs::read_dir(path)? {
            let path = entry?.path();
            if path.file_name().is_some_and(|name| name != "__pycache__") {
                collect(&path, files)?;
            }
        }
    } else {
        files.push(path.to_owned());
    }
    Ok(())
}
