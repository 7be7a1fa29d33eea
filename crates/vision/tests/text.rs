//! The text reader with its real networks, on lines that were drawn for it.

use std::path::PathBuf;

use kaisatsu_vision::{
    Picture, Resizer, Runtime,
    manifest::{Manifest, Parts},
    text::{Language, Limits, Line, Reader, support},
};

fn reader() -> Reader {
    let Some(models) = std::env::var_os("KAISATSU_TEST_MODELS").map(PathBuf::from) else {
        panic!("KAISATSU_TEST_MODELS is not set; `make models` installs models, and `make test` sets it");
    };
    let folder = models.join("text");
    assert!(folder.is_dir(), "{} is not there; `make models` installs it", folder.display());
    let runtime = Runtime::at(&models.join("runtime/libonnxruntime.so")).unwrap();
    let manifest = Manifest::read(&folder).unwrap();
    let Parts::Text(parts) = &manifest.parts else { panic!("'text' is no reader of text") };
    Reader::load(&runtime, &folder, parts).unwrap()
}

fn picture(file: &str) -> Picture {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(file);
    let rgb = image::open(path).unwrap().to_rgb8();
    Picture::new(rgb.width(), rgb.height(), rgb.into_raw()).unwrap()
}

fn read(picture: &Picture, limits: Limits) -> Vec<Line> {
    reader().read(&mut Resizer::new(), picture, limits, None).unwrap()
}

fn texts(lines: &[Line]) -> Vec<&str> {
    lines.iter().map(|line| line.text.as_str()).collect()
}

#[test]
#[ignore = "needs the models; `make test` runs it"]
fn japanese_lines_are_read_in_order_with_their_places() {
    let picture = picture("lines.png");
    let lines = read(&picture, Limits::default());
    assert_eq!(texts(&lines), ["吾輩は猫である", "新潮文庫 定価 649円"]);
    for line in &lines {
        assert!(line.score > 0.9, "{line:?}");
        for (x, y) in line.quad {
            assert!((0.0..=320.0).contains(&x) && (0.0..=100.0).contains(&y), "{line:?}");
        }
    }
    // From the upper left, clockwise; the first line is above the second.
    let [upper, lower] = [lines[0].quad, lines[1].quad];
    assert!(upper[0].0 < upper[1].0 && upper[0].1 < upper[3].1 && upper[3].1 < lower[3].1);
    assert!((support("吾輩は猫である", &texts(&lines).join("\n")) - 1.0).abs() < 1e-6);
}

#[test]
#[ignore = "needs the models; `make test` runs it"]
fn a_page_that_lies_upside_down_is_read() {
    let lines = read(&picture("lines.png").turned(2), Limits::default());
    assert_eq!(texts(&lines), ["吾輩は猫である", "新潮文庫 定価 649円"], "from its own top");
    // The first corner is the upper left one of the line as it is read: here the lower right of the picture.
    for Line { quad, vertical, .. } in lines {
        assert!(quad[0].0 > quad[1].0 && quad[0].1 > quad[3].1 && !vertical, "{quad:?}");
    }
}

#[test]
#[ignore = "needs the models; `make test` runs it"]
fn a_language_narrows_the_characters() {
    let read = |language| {
        let lines = reader().read(&mut Resizer::new(), &picture("lines.png"), Limits::default(), Some(language));
        lines.unwrap().into_iter().map(|line| line.text).collect::<Vec<_>>()
    };
    assert_eq!(read(Language::Japanese), ["吾輩は猫である", "新潮文庫 定価 649円"]);
    assert_eq!(read(Language::English), ["649"], "the price is all that English has of these lines");
}

#[test]
#[ignore = "needs the models; `make test` runs it"]
fn columns_are_read_from_right_to_left() {
    let lines = read(&picture("columns.png"), Limits::default());
    assert_eq!(texts(&lines), ["人間失格", "太宰治"]);
    assert!(lines.iter().all(|line| line.vertical));
}

#[test]
#[ignore = "needs the models; `make test` runs it"]
fn the_largest_letters_are_read_when_lines_are_limited() {
    let lines = read(&picture("lines.png"), Limits { lines: 1, ..Limits::default() });
    assert_eq!(texts(&lines), ["吾輩は猫である"]);
}

#[test]
#[ignore = "needs the models; `make test` runs it"]
fn pictures_without_text_and_of_any_shape_give_nothing() {
    let mut reader = reader();
    for (width, height) in [(300, 200), (1, 1), (700, 3), (3, 700)] {
        let plain = Picture::new(width, height, vec![200; (width * height * 3) as usize]).unwrap();
        let lines = reader.read(&mut Resizer::new(), &plain, Limits { longest_side: 320, lines: 5 }, None).unwrap();
        assert_eq!(lines, [], "{width} × {height}");
    }
}
