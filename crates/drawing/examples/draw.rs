//! Draws a map file: `draw MAP OUT.svg|OUT.png [x,y,width,height] [scale|WIDTHxHEIGHT] [light|dark]`.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a tool for the terminal")]

use std::{error::Error, fs, path::Path, process::ExitCode, time::Instant};

use kaisatsu_drawing::{Picture, Style, overview, png, svg};
use kaisatsu_model::Window;
use kaisatsu_railmap::check::check;

fn main() -> ExitCode {
    match draw(&std::env::args().skip(1).collect::<Vec<_>>()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn draw(words: &[String]) -> Result<(), Box<dyn Error>> {
    let [file, out, options @ ..] = words else {
        return Err("draw MAP OUT.svg|OUT.png [x,y,width,height] [scale|WIDTHxHEIGHT] [light|dark]".into());
    };
    let checked = check(&fs::read_to_string(file)?);
    for finding in checked.findings.iter().take(5) {
        eprintln!("{file}:{finding}");
    }
    let map = checked.map.ok_or("the map cannot be used")?;
    let mut picture = Picture { map: &map, window: map.extent, scale: 1, style: Style::Light };
    let mut pixels = None;
    for option in options {
        match option.as_str() {
            "light" => picture.style = Style::Light,
            "dark" => picture.style = Style::Dark,
            numbers if numbers.contains(',') => {
                let numbers: Vec<i64> = numbers.split(',').map(str::parse).collect::<Result<_, _>>()?;
                let [x, y, width, height] = numbers[..] else { return Err("a window is x,y,width,height".into()) };
                picture.window = Window { x, y, width, height };
            }
            size if size.contains('x') => {
                let (width, height) = size.split_once('x').unwrap_or_default();
                pixels = Some((width.parse()?, height.parse()?));
            }
            scale => picture.scale = scale.parse()?,
        }
    }
    let start = Instant::now();
    let bytes = match pixels {
        Some((width, height)) => overview(&picture, width, height)?,
        None if Path::new(out).extension().is_some_and(|kind| kind == "svg") => svg(&picture).into_bytes(),
        None => png(&picture)?,
    };
    println!("{out}: {} bytes in {:?}", bytes.len(), start.elapsed());
    Ok(fs::write(out, bytes)?)
}
