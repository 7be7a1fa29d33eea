//! `kaisatsu map draw`: renders a map file as SVG, PNG or PDF.

use std::{fs, path::PathBuf, process::ExitCode};

use clap::{Args, ValueEnum};
use kaisatsu_model::Window;
use kaisatsu_railmap::check::{self, MAX_SIDE};
use kaisatsu_render::{MAX_PIXELS, MIN_SCALE, Picture, PictureError, Style, pdf, pixel_sides, png, svg};

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
                CliError::Failed(match error {
                    PictureError::TooLarge => format!("{error}: {}", too_large(&window, draw.scale)),
                    PictureError::Unrenderable(_) => format!("{error}; ask for a window, or for an .svg file"),
                })
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

/// How large a picture would be, how large it may be, and what can be asked for instead.
fn too_large(window: &Window, scale: f64) -> String {
    let (width, height) = pixel_sides(window, scale);
    let hundredths = (1..=300).rev().map(|hundredths| f64::from(hundredths) / 100.0);
    let mut fitting = hundredths.take_while(|scale| *scale >= MIN_SCALE).filter(|scale| {
        let (width, height) = pixel_sides(window, *scale);
        width.saturating_mul(height) <= MAX_PIXELS
    });
    let instead = match fitting.next() {
        Some(scale) => format!("the largest scale that fits is {scale}; or ask for a window or an .svg file"),
        None => "no scale is small enough; ask for a window or an .svg file".to_owned(),
    };
    format!(
        "it would have {width} by {height} pixels, {} in all, and a PNG has at most {MAX_PIXELS}; {instead}",
        width.saturating_mul(height)
    )
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

    use super::{too_large, window};

    #[test]
    fn a_picture_that_is_too_large_is_told_with_the_scale_that_fits() {
        let whole = |width, height| Window { x: 0, y: 0, width, height };
        let told = too_large(&whole(10_000, 8_000), 1.0);
        assert!(told.contains("10000 by 8000 pixels, 80000000 in all, and a PNG has at most 16777216"), "{told}");
        assert!(told.contains("the largest scale that fits is 0.45"), "{told}");
        let told = too_large(&whole(1_000_000, 1_000_000), 0.1);
        assert!(told.contains("no scale is small enough"), "{told}");
    }

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
