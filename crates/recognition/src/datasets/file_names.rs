//! Names of files that every system accepts: for images whose tags and names people have chosen freely.

use std::{
    collections::{HashMap, HashSet},
    fmt,
};

use kaisatsu_store::DatasetImageRow;
use unicode_normalization::UnicodeNormalization as _;

/// The most bytes of a folder's name, and of a file's without number and ending: systems take 255.
const LONGEST: usize = 200;

/// Names of devices, which Windows refuses with every ending.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "conin$", "conout$"];

/// A folder, and a file in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilePath {
    /// The folder's name.
    pub folder: String,
    /// The file's name.
    pub file: String,
}

impl fmt::Display for FilePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.folder, self.file)
    }
}

/// The names that were given, so that none is given twice, as systems compare them ([`compared`]).
#[derive(Default)]
pub(super) struct FileNames {
    /// The folder of each tag.
    folders: HashMap<String, String>,
    taken_folders: HashSet<String>,
    /// Folder and file.
    taken_files: HashSet<(String, String)>,
    /// The last number of each name that was given several times, so that it need not be looked for again.
    numbers: HashMap<(String, String), u64>,
}

impl FileNames {
    /// Where an image belongs: in the folder of its tag, under its name or the end of its address.
    pub(super) fn path(&mut self, image: &DatasetImageRow, bytes: &[u8]) -> FilePath {
        let folder = self.folder(&image.tag);
        let name = image.name.as_deref().or_else(|| image.url.as_deref().and_then(end_of_address));
        let (stem, ending) = stem_and_ending(name.unwrap_or(image.image_id.as_str()), bytes);
        let number = self.numbers.entry((folder.clone(), compared(&format!("{stem}{ending}")))).or_default();
        let file = free(&stem, &ending, number, |file| self.taken_files.insert((folder.clone(), compared(file))));
        FilePath { folder, file }
    }

    fn folder(&mut self, tag: &str) -> String {
        if let Some(folder) = self.folders.get(tag) {
            return folder.clone();
        }
        let folder = free(&safe(tag), "", &mut 0, |folder| self.taken_folders.insert(compared(folder)));
        self.folders.insert(tag.to_owned(), folder.clone());
        folder
    }
}

/// A name as systems compare it: to some, neither capitals make a difference, nor whether a character is written as one
/// or as a letter and its mark, as file names of a Mac are.
fn compared(name: &str) -> String {
    name.to_lowercase().nfc().collect()
}

/// The first of `stem`, `stem (2)`, `stem (3)` … after `number` that is not taken.
fn free(stem: &str, ending: &str, number: &mut u64, mut take: impl FnMut(&str) -> bool) -> String {
    loop {
        *number += 1;
        let name = if *number == 1 { format!("{stem}{ending}") } else { format!("{stem} ({number}){ending}") };
        if take(&name) {
            return name;
        }
    }
}

/// A name without what some system gives a meaning to.
fn safe(name: &str) -> String {
    let plain = |c: char| if c.is_control() || "/\\:*?\"<>|".contains(c) { '_' } else { c };
    let mut name: String = name.chars().map(plain).collect();
    name.truncate(name.floor_char_boundary(LONGEST));
    // Windows drops dots and spaces at the end, and a dot at the beginning hides a file.
    let name = name.trim_matches(|c: char| c == '.' || c.is_whitespace());
    let first = name.split('.').next().unwrap_or_default().trim_end().to_lowercase();
    let numbered = |device: &str| {
        let digit = first.strip_prefix(device).and_then(|rest| Some((rest.chars().next()?, rest.chars().nth(1))));
        matches!(digit, Some(('0'..='9' | '¹' | '²' | '³', None)))
    };
    if name.is_empty() || DEVICES.contains(&first.as_str()) || numbered("com") || numbered("lpt") {
        return format!("_{name}");
    }
    name.to_owned()
}

/// A name without its ending, and the ending: that of the name if it fits the image.
fn stem_and_ending(name: &str, bytes: &[u8]) -> (String, String) {
    let endings = endings(bytes);
    if let Some((stem, ending)) = name.rsplit_once('.') {
        let ending = ending.to_lowercase();
        if endings.contains(&ending.as_str()) {
            return (safe(stem), format!(".{ending}"));
        }
    }
    (safe(name), format!(".{}", endings[0]))
}

/// The endings of a format by its first bytes, the usual one first. Only images that could be decoded are stored.
fn endings(bytes: &[u8]) -> &'static [&'static str] {
    match bytes {
        [0xff, 0xd8, ..] => &["jpg", "jpeg", "jpe", "jfif"],
        [0x89, b'P', b'N', b'G', ..] => &["png"],
        [b'G', b'I', b'F', ..] => &["gif"],
        [b'B', b'M', ..] => &["bmp"],
        [b'R', b'I', b'F', b'F', ..] => &["webp"],
        [b'I', b'I', ..] | [b'M', b'M', ..] => &["tif", "tiff"],
        [_, _, _, _, b'f', b't', b'y', b'p', b'a', b'v', b'i', ..] => &["avif"],
        [_, _, _, _, b'f', b't', b'y', b'p', ..] => &["heic", "heif"],
        _ => &["img"],
    }
}

/// `cup.jpg` of `https://example.org/cups/cup.jpg?size=2`.
fn end_of_address(address: &str) -> Option<&str> {
    let (_, rest) = address.split_once("://")?;
    let (_, path) = rest.split_once('/')?;
    let path = path.split(['?', '#']).next()?;
    path.rsplit('/').find(|part| !part.is_empty())
}

#[cfg(test)]
mod tests {
    use kaisatsu_model::{ImageId, Outcome};
    use kaisatsu_store::DatasetImageRow;

    use super::FileNames;

    const PNG: &[u8] = b"\x89PNG";
    const JPEG: &[u8] = b"\xff\xd8";

    fn image(tag: &str, name: Option<&str>, url: Option<&str>) -> DatasetImageRow {
        DatasetImageRow {
            position: 0,
            image_id: ImageId::from_text("img_1"),
            url: url.map(str::to_owned),
            tag: tag.to_owned(),
            outcome: Outcome::Fetched,
            detail: None,
            deleted: false,
            name: name.map(str::to_owned),
        }
    }

    #[test]
    fn a_file_has_the_name_of_its_image_and_the_ending_of_its_format() {
        let mut names = FileNames::default();
        for (name, url, bytes, path) in [
            (Some("エスプレッソ.png"), None, PNG, "cup/エスプレッソ.png"),
            (Some("a.PNG"), None, PNG, "cup/a.png"),
            (Some("b.png"), None, JPEG, "cup/b.png.jpg"),
            (Some("c.jpeg"), None, JPEG, "cup/c.jpeg"),
            (None, Some("https://example.org/cups/d.jpg?size=2#x"), JPEG, "cup/d.jpg"),
            (None, Some("https://example.org/cups/e/"), JPEG, "cup/e.jpg"),
            (None, Some("https://example.org"), JPEG, "cup/img_1.jpg"),
            (None, None, b"GIF8", "cup/img_1.gif"),
            (None, Some("https://example.org/f"), b"BM", "cup/f.bmp"),
            (None, Some("https://example.org/g"), b"RIFF....WEBP", "cup/g.webp"),
            (Some("h.tiff"), None, b"II*\0", "cup/h.tiff"),
            (Some("i"), None, b"MM\0*", "cup/i.tif"),
            (Some("j"), None, b"....ftypavif", "cup/j.avif"),
            (Some("k.heif"), None, b"....ftypheic", "cup/k.heif"),
            (Some("l"), None, b"?", "cup/l.img"),
        ] {
            assert_eq!(names.path(&image("cup", name, url), bytes).to_string(), path);
        }
    }

    #[test]
    fn no_name_leads_out_of_its_folder_or_is_refused_by_a_system() {
        let mut names = FileNames::default();
        for (tag, name, path) in [
            ("..", "../../etc/passwd", "_/_.._etc_passwd.png"),
            ("/", "C:\\a|b?.png", "_ (2)/C__a_b_.png"),
            ("a/b", "nul.png", "a_b/_nul.png"),
            ("COM1", "con", "_COM1/_con.png"),
            ("lpt²", "CONOUT$.png", "_lpt²/_CONOUT$.png"),
            ("com", "com10", "com/com10.png"),
            ("a. ", ".hidden.png", "a/hidden.png"),
            ("line\nbreak", "", "line_break/_.png"),
        ] {
            assert_eq!(names.path(&image(tag, Some(name), None), PNG).to_string(), path, "{tag} {name}");
        }
        let long = names.path(&image(&"長".repeat(500), Some(&"x".repeat(500)), None), PNG);
        assert_eq!((long.folder.len(), long.file.len()), (198, 204));
        let emoji = names.path(&image(&"😀".repeat(80), None, None), PNG);
        assert_eq!(emoji.folder.len(), 200);
    }

    #[test]
    fn no_name_is_given_twice_to_any_system() {
        let mut names = FileNames::default();
        let mut path = |tag: &str, name: &str| names.path(&image(tag, Some(name), None), PNG).to_string();
        assert_eq!(path("cup", "a.png"), "cup/a.png");
        assert_eq!(path("cup", "A.png"), "cup/A (2).png");
        assert_eq!(path("cup", "a (2).png"), "cup/a (2) (2).png");
        assert_eq!(path("CUP", "a.png"), "CUP (2)/a.png", "another tag has another folder");
        assert_eq!(path("cup", "b.png"), "cup/b.png");
        assert_eq!(path("cup", "が.png"), "cup/が.png");
        assert_eq!(path("cup", "か\u{3099}.png"), "cup/か\u{3099} (2).png", "the same on a Mac");
        assert_eq!(path("cup", "a (2).png"), "cup/a (2) (3).png");
        for number in 3..5_000 {
            assert_eq!(path("cup", "a.png"), format!("cup/a ({number}).png"), "in no more steps than images");
        }
    }
}
