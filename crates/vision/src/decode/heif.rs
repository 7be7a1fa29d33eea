//! HEIC and AVIF files, read by the system's libheif. It is loaded when the first such file comes, or at the start of
//! the process; a machine without it reads every other format.

mod library;

use std::{
    convert::Infallible,
    ffi::OsStr,
    fmt,
    path::{Path, PathBuf},
    str::FromStr,
    sync::OnceLock,
};

use image::metadata::Orientation;
use library::{Codec, Fault, Library, Pixels};

use super::{Bounds, DecodeError, Decoded, check_size, on_white};
use crate::{ImageFile, Picture};

/// The names under which systems have the library: Linux, then macOS.
const NAMES: [&str; 3] = ["libheif.so.1", "libheif.so", "libheif.1.dylib"];

/// The library of this process. It is loaded once and never unloaded, like the ONNX Runtime.
static LIBRARY: OnceLock<Option<Library>> = OnceLock::new();

/// Which libheif to use.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum HeifLibrary {
    /// The one that is installed on the system, if there is one.
    #[default]
    Installed,
    /// The one in a file.
    File(PathBuf),
    /// None.
    Off,
}

impl FromStr for HeifLibrary {
    type Err = Infallible;

    /// `auto`, `off`, or a path.
    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(match text {
            "auto" => Self::Installed,
            "off" => Self::Off,
            path => Self::File(Path::new(path).to_owned()),
        })
    }
}

impl fmt::Display for HeifLibrary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Installed => f.write_str("auto"),
            Self::Off => f.write_str("off"),
            Self::File(path) => path.display().fmt(f),
        }
    }
}

/// Which of its formats this process can read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeifSupport {
    /// The version of the library.
    pub version: String,
    /// Whether it reads HEIC.
    pub heic: bool,
    /// Whether it reads AVIF.
    pub avif: bool,
}

/// Loads the library for this process; `None` when there is none, or it is switched off. Only the first call chooses.
///
/// # Errors
/// Why a library that was named cannot be loaded.
pub fn load_heif(choice: &HeifLibrary) -> Result<Option<HeifSupport>, String> {
    let loaded = match choice {
        HeifLibrary::Off => None,
        HeifLibrary::Installed => installed(),
        HeifLibrary::File(path) => {
            let loaded = Library::load(path.as_os_str());
            Some(loaded.map_err(|error| format!("{} cannot be loaded as libheif: {error}", path.display()))?)
        }
    };
    let library = LIBRARY.get_or_init(|| loaded).as_ref();
    Ok(library.map(|library| HeifSupport {
        version: library.version(),
        heic: library.decodes(Codec::Hevc),
        avif: library.decodes(Codec::Av1),
    }))
}

fn installed() -> Option<Library> {
    NAMES.iter().find_map(|name| Library::load(OsStr::new(name)).ok())
}

/// The two formats of the library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Heic,
    Avif,
}

impl Format {
    /// The format of a file by its first bytes: the brands in its first box. `None` for another format.
    pub(super) fn of(bytes: &[u8]) -> Option<Self> {
        if bytes.get(4..8)? != b"ftyp" {
            return None;
        }
        let size = u32::from_be_bytes(bytes.get(..4)?.try_into().ok()?) as usize;
        let brands = bytes.get(8..size.clamp(16, 256).min(bytes.len()))?;
        // The second word is a version number.
        let brands = brands.as_chunks::<4>().0.iter().enumerate().filter(|(at, _)| *at != 1).map(|(_, brand)| brand);
        let has = |known: &[&[u8; 4]]| brands.clone().any(|brand| known.contains(&brand));
        if has(&[b"avif", b"avis"]) {
            Some(Self::Avif)
        } else if has(&[b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1"]) {
            Some(Self::Heic)
        } else {
            None
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Heic => "HEIC",
            Self::Avif => "AVIF",
        }
    }

    fn codec(self) -> Codec {
        match self {
            Self::Heic => Codec::Hevc,
            Self::Avif => Codec::Av1,
        }
    }

    /// The error of a server that cannot read it.
    fn unreadable(self) -> DecodeError {
        match self {
            Self::Heic => DecodeError::UnknownFormat {
                seen: "the image is an HEIC, which this server has no decoder for",
                convert: "; `heif-convert photo.heic photo.jpg` converts it, and an iPhone takes JPEG with Settings, \
                          Camera, Formats, Most Compatible",
            },
            Self::Avif => DecodeError::UnknownFormat {
                seen: "the image is an AVIF, which this server has no decoder for",
                convert: "; `avifdec photo.avif photo.png` converts it",
            },
        }
    }
}

/// Decodes a file. A turn or mirroring in it is part of its image, and so not of the orientation: positions are those
/// that every viewer shows.
pub(super) fn decode(bytes: &[u8], format: Format, bounds: Bounds) -> Result<Decoded, DecodeError> {
    let name = format.name();
    let fault = |fault| match fault {
        Fault::Unsupported => DecodeError::Broken { format: name, fault: "of a kind that we do not read" },
        Fault::Broken => DecodeError::Broken { format: name, fault: "truncated or corrupt" },
    };
    let library = LIBRARY.get_or_init(installed).as_ref().filter(|library| library.decodes(format.codec()));
    let library = library.ok_or_else(|| format.unreadable())?;
    let image = library.open(bytes, bounds.max_pixels).map_err(fault)?;
    let (width, height) = image.size();
    check_size(width, height, name, bounds)?;
    let pixels = image.decode().map_err(fault)?;
    // The file declares its size in one place and has its pixels in another.
    check_size(pixels.width, pixels.height, name, bounds)?;
    let (width, height) = (pixels.width, pixels.height);
    let picture = Picture::new(width, height, flatten(pixels)).ok_or_else(|| fault(Fault::Broken))?;
    Ok(Decoded { picture, file: ImageFile { width, height, orientation: Orientation::NoTransforms, format: name } })
}

/// What is transparent is laid on white.
fn flatten(pixels: Pixels) -> Vec<u8> {
    if pixels.channels == 3 {
        return pixels.bytes;
    }
    let premultiplied = pixels.premultiplied;
    let blend = |colour: u8, alpha: u8| {
        if premultiplied { colour.saturating_add(255 - alpha) } else { on_white(colour, alpha) }
    };
    pixels
        .bytes
        .as_chunks::<4>()
        .0
        .iter()
        .flat_map(|[r, g, b, a]| [blend(*r, *a), blend(*g, *a), blend(*b, *a)])
        .collect()
}
