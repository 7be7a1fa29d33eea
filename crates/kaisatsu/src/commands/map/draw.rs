//! `kaisatsu map draw`: renders a map file as SVG, PNG or PDF.

use std::{fs, path::PathBuf, process::ExitCode};

use clap::{Args, ValueEnum};
use kaisatsu_model::Window;
use kaisatsu_railmap::check::{self, MAX_SIDE};
use kaisatsu_render::{MIN_SCALE, Picture, Style, pdf, png, svg};

use super::files;
use crate::error::CliError;

#[derive(Debug, Args)]
pub(crate) struct Draw {
    /// The map file
    map: PathBuf,
    /// The picture to write; the name ends in .svg, .png or .pdf
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
    /// Part of the map: X,Y,WIDTH,HEIGHT in map units [default: the whole map]
    #[arg(long, value_name = "WINDOW", allow_hyphen_values = true, value_parser = window)]
    window: Option<Window>,
    /// Pixels per map unit: 0.1 to 3
    #[arg(long, default_value_t = 1.0, value_parser = scale)]
    scale: f64,
    /// Colour scheme
    #[arg(long, value_enum, default_value_t = StyleArg::Light)]
    style: StyleArg,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum StyleArg {
    Light,
    Dark,
}

pub(crate) fn run(draw: &Draw) -> Result<ExitCode, CliError> {
    let name = draw.map.display();
    let text = fs::read_to_string(&draw.map).map_err(|error| CliError::Failed(format!("{name}: {error}")))?;
    let map = check::check(&text)
        .map
        .ok_or_else(|| CliError::Failed(format!("{name} is no usable map; `kaisatsu map check {name}` says why")))?;
    let style = match draw.style {
        StyleArg::Light => Style::Light,
        StyleArg::Dark => Style::Dark,
    };
    let window = draw.window.unwrap_or(map.extent);
    let picture = Picture { scale: draw.scale, style, ..Picture::new(&map, window) };
    match draw.output.extension().and_then(|ending| ending.to_str()) {
        Some("svg") => files::write(&draw.output, svg(&picture))?,
        Some("png") => {
            let bytes = png(&picture).map_err(|error| {
                CliError::Failed(format!("{error}; ask for a window, a smaller scale, or an .svg file"))
            })?;
            files::write(&draw.output, bytes)?;
        }
        Some("pdf") => {
            files::write(&draw.output, pdf(&picture).map_err(|error| CliError::Failed(error.to_string()))?)?;
        }
        _ => {
            let name = draw.output.display();
            return Err(CliError::Failed(format!("{name}: a picture's name ends in .svg, .png or .pdf")));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn scale(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|scale| (MIN_SCALE..=3.0).contains(scale));
    number.ok_or_else(|| format!("a scale is a number from {MIN_SCALE} to 3"))
}

fn window(text: &str) -> Result<Window, String> {
    let numbers: Result<Vec<i64>, _> = text.split(',').map(|part| part.trim().parse::<i64>()).collect();
    match numbers.as_deref() {
        // A window may begin before the map or extend past it, but not beyond the largest map.
        Ok(&[x, y, width, height])
            if [x, y].iter().all(|start| (-MAX_SIDE..=MAX_SIDE).contains(start))
                && [width, height].iter().all(|side| (1..=MAX_SIDE).contains(side)) =>
        {
            Ok(Window { x, y, width, height })
        }
        _ => Err(format!(
            "a window is written X,Y,WIDTH,HEIGHT in whole numbers, \
             the first two from -{MAX_SIDE} and the last two from 1, all of them up to {MAX_SIDE}"
        )),
    }
}

#[cfg(test)]
mod tests {
    use kaisatsu_model::Window;

    use super::window;

    #[test]
    fn a_window_lies_within_the_limits_of_map_coordinates() {
        let good = Window { x: -10, y: 1_000_000, width: 1, height: 1_000_000 };
        assert_eq!(window("-10, 1000000,1,1000000"), Ok(good));
        for bad in
            ["9223372036854775807,0,1,1", "0,-1000001,1,1", "0,0,1000001,1", "0,0,0,1", "0,0,1,-1", "0,0,1", "a,0,1,1"]
        {
            assert!(window(bad).is_err(), "{bad}");
        }
    }
}
