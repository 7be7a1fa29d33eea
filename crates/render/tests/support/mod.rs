//! Maps and pictures for the tests.

use std::fmt::Write;

use kaisatsu_model::Window;
use kaisatsu_railmap::{Label, RouteMap, check};
use kaisatsu_render::{Picture, Style, Typeface, measure, png};

pub(crate) const TOKYO: &str = include_str!("../../../railmap/maps/tokyo.toml");
pub(crate) const DEMO: &str = include_str!("../demo.toml");

pub(crate) const HEAD: &str = "format = 1\nid = \"test\"\nwidth = 1000\nheight = 600\ncentre = 1\n";

pub(crate) fn read(text: &str) -> RouteMap {
    let checked = check::check(text);
    checked.map.unwrap_or_else(|| panic!("{:?}\n{text}", checked.findings))
}

pub(crate) fn label(rows: &[&str], small: &[&str], down: bool) -> Label {
    let own = |rows: &[&str]| rows.iter().map(ToString::to_string).collect();
    Label { rows: own(rows), small: own(small), down, size: Label::SIZE }
}

/// A TOML string.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for char in text.chars() {
        write!(out, "\\U{:08x}", u32::from(char)).unwrap();
    }
    out + "\""
}

/// A map with one label in a rect, and its mark far away.
pub(crate) fn alone(label: &Label, rect: &Window) -> RouteMap {
    let rows = |rows: &[String]| rows.iter().map(|row| quoted(row)).collect::<Vec<_>>().join(", ");
    let Window { x, y, width, height } = rect;
    read(&format!(
        "{HEAD}name = \"x\"\n[[station]]\ncode = 1\nname = \"x\"\nlat = 35.0\nlon = 139.0\n\
         label = {{ rows = [{}], small = [{}], down = {}, size = {} }}\nmarks = [\n\
         {{ shape = \"rect\", x = {x}, y = {y}, width = {width}, height = {height}, text = true }},\n\
         {{ shape = \"circle\", x = 990, y = 590, r = 4 }},\n]\n",
        rows(&label.rows),
        rows(&label.small),
        label.down,
        label.size
    ))
}

/// The rect of a label, as large as the label.
pub(crate) fn fitting(label: &Label, x: i64, y: i64) -> Window {
    let room = measure(Typeface::builtin(), label);
    Window { x, y, width: room.width.into(), height: room.height.into() }
}

/// A decoded picture.
pub(crate) struct Pixels {
    pub(crate) width: usize,
    pub(crate) height: usize,
    colors: Vec<u8>,
}

impl Pixels {
    pub(crate) fn draw(map: &RouteMap, window: Window, scale: u8, style: Style) -> Self {
        Self::decode(&png(&Picture { scale: scale.into(), style, ..Picture::new(map, window) }).expect("not too large"))
    }

    pub(crate) fn decode(file: &[u8]) -> Self {
        let mut reader = png::Decoder::new(std::io::Cursor::new(file)).read_info().expect("a PNG file");
        let mut colors = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut colors).expect("its pixels");
        assert_eq!((info.color_type, info.bit_depth), (png::ColorType::Rgb, png::BitDepth::Eight));
        Self { width: info.width as usize, height: info.height as usize, colors }
    }

    pub(crate) fn at(&self, x: usize, y: usize) -> [u8; 3] {
        let at = 3 * (y * self.width + x);
        [self.colors[at], self.colors[at + 1], self.colors[at + 2]]
    }

    pub(crate) fn places(&self) -> impl Iterator<Item = (usize, usize)> {
        let width = self.width;
        (0..self.height).flat_map(move |y| (0..width).map(move |x| (x, y)))
    }

    /// The edges of everything that is not the background, which is the colour of the first pixel: left, top, right,
    /// bottom.
    pub(crate) fn ink(&self) -> Option<[usize; 4]> {
        let ground = self.at(0, 0);
        let mut ink: Option<[usize; 4]> = None;
        for (x, y) in self.places().filter(|(x, y)| self.at(*x, *y) != ground) {
            let [left, top, right, bottom] = ink.unwrap_or([x, y, x + 1, y + 1]);
            ink = Some([left.min(x), top.min(y), right.max(x + 1), bottom.max(y + 1)]);
        }
        ink
    }
}

pub(crate) fn furthest(a: [u8; 3], b: [u8; 3]) -> u8 {
    (0..3).map(|part| a[part].abs_diff(b[part])).max().unwrap_or(0)
}
