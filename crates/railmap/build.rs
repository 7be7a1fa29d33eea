//! Lists the built-in layouts for other languages: every `maps/MAP.LANGUAGE.toml`. `make maps` writes them, and a map
//! that gets or loses its translations changes which there are.

use std::{env, error::Error, fmt::Write as _, fs, path::PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    let maps = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("maps");
    println!("cargo:rerun-if-changed={}", maps.display());
    let mut names = Vec::new();
    for entry in fs::read_dir(&maps)? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    let mut table = "&[\n".to_owned();
    for name in names {
        let Some((map, word)) = name.strip_suffix(".toml").and_then(|stem| stem.split_once('.')) else { continue };
        let language = match word {
            "en" => "English",
            "ja-en" => "Both",
            other => return Err(format!("{name}: there is no language {other}").into()),
        };
        let path = maps.join(&name);
        writeln!(
            table,
            "({map:?}, MapLanguage::{language}, \"built-in {name}\", include_str!({:?})),",
            path.display().to_string()
        )?;
    }
    table.push(']');
    fs::write(PathBuf::from(env::var("OUT_DIR")?).join("layouts.rs"), table)?;
    Ok(())
}
