//! An operator who adds models to a folder of models, and has photographs to try them on.

use std::{fs, io::Cursor};

use image::{ImageFormat, Rgb, RgbImage};
use tempfile::TempDir;

use crate::{Run, models_with, run};

/// The colours of the photographs, and the names of their folders.
pub const COLOURS: [(&str, [u8; 3]); 3] = [("red", [250, 10, 10]), ("green", [10, 250, 10]), ("blue", [10, 10, 250])];

/// A picture of one colour. Pictures of different widths have different bytes.
#[must_use]
pub fn coloured(colour: [u8; 3], width: u32) -> Vec<u8> {
    let mut file = Cursor::new(Vec::new());
    let mut image = RgbImage::from_pixel(width, 40, Rgb(colour));
    image.put_pixel(width / 2, 7, Rgb([128, 128, 128]));
    image.write_to(&mut file, ImageFormat::Png).expect("PNG");
    file.into_inner()
}

/// A home folder with four photographs of each colour under `photos`, and a folder of models that has only ONNX
/// Runtime.
#[derive(Debug)]
pub struct Operator {
    /// The home folder.
    pub home: TempDir,
    /// The folder of models.
    pub models: TempDir,
}

impl Operator {
    /// Makes both folders.
    #[must_use]
    pub fn new() -> Self {
        let (home, models) = (tempfile::tempdir().expect("a temporary folder"), models_with(&[]));
        for (name, colour) in COLOURS {
            let folder = home.path().join("photos").join(name);
            fs::create_dir_all(&folder).expect("a folder");
            for width in 40..44 {
                fs::write(folder.join(format!("{width}.png")), coloured(colour, width)).expect("a photograph");
            }
        }
        Self { home, models }
    }

    /// The path of a file of the home folder.
    #[must_use]
    pub fn path(&self, name: &str) -> String {
        self.home.path().join(name).to_str().expect("UTF-8").to_owned()
    }

    /// Writes a file of the home folder.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.home.path().join(name), content).expect("a file");
    }

    /// Runs the command line with this folder of models.
    #[must_use]
    pub fn run(&self, args: &[&str]) -> Run {
        let flag = ["--models", self.models.path().to_str().expect("UTF-8")];
        run(self.home.path(), &[&flag[..], args].concat(), &[])
    }

    /// Runs `models add` with a file of the home folder; arguments that begin with `@` are such files too.
    #[must_use]
    pub fn add(&self, file: &str, args: &[&str]) -> Run {
        let named = |arg: &&str| arg.strip_prefix('@').map_or((*arg).to_owned(), |file| self.path(file));
        let args: Vec<String> = args.iter().map(named).collect();
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        self.run(&[&["models", "add", &self.path(file)][..], &args].concat())
    }
}

impl Default for Operator {
    fn default() -> Self {
        Self::new()
    }
}
