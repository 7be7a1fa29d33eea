//! Renders a picture as a PDF file for printing: one page, every shape as a vector.

use std::io::Write as _;

use flate2::{Compression, write::ZlibEncoder};
use pdf_writer::{Content, Filter, Finish, Name, Pdf, Rect, Ref, types::LineCapStyle, types::LineJoinStyle};
use resvg::usvg::{
    FillRule, Group, LineCap, LineJoin, Node, Options, Paint, Path, Tree,
    tiny_skia_path::{PathSegment, Transform},
};

use crate::{
    Lettering, Picture, PictureError,
    picture::unrenderable,
    svg_document::{self, Zoom},
};

/// Points of a page per map unit at scale 1: a map unit is a pixel of CSS, of which 96 make an inch.
const POINTS: f32 = 0.75;

/// The longest side of a page that viewers accept, in points.
const MAX_POINTS: f32 = 14_400.0;

const CATALOG: Ref = Ref::new(1);
const PAGES: Ref = Ref::new(2);
const PAGE: Ref = Ref::new(3);
const CONTENT: Ref = Ref::new(4);
const INFO: Ref = Ref::new(5);
/// The graphics states follow, one for each opacity.
const FIRST_STATE: i32 = 6;

/// Renders a PDF file. A map that is too large for a page is scaled down to the largest one.
///
/// # Errors
/// When the picture cannot be rendered, for example because its window is empty.
pub fn pdf(picture: &Picture<'_>) -> Result<Vec<u8>, PictureError> {
    let picture = &Picture { lettering: Lettering::Outlines, ..*picture };
    let document = svg_document::write(picture, Zoom::FULL);
    let tree = Tree::from_str(&document, &Options::default()).map_err(unrenderable)?;
    let (width, height) = (tree.size().width(), tree.size().height());
    let scale = POINTS.min(MAX_POINTS / width.max(height));
    let mut page = PageContent { content: Content::new(), opacities: Vec::new() };
    // The y axis of a page points upwards.
    page.group(tree.root(), Transform::from_row(scale, 0.0, 0.0, -scale, 0.0, height * scale), 1.0);
    let mut content = ZlibEncoder::new(Vec::new(), Compression::default());
    content.write_all(&page.content.finish()).map_err(unrenderable)?;
    let content = content.finish().map_err(unrenderable)?;

    let mut pdf = Pdf::new();
    pdf.catalog(CATALOG).pages(PAGES);
    pdf.pages(PAGES).kids([PAGE]).count(1);
    let mut written = pdf.page(PAGE);
    written.parent(PAGES).media_box(Rect::new(0.0, 0.0, width * scale, height * scale)).contents(CONTENT);
    let mut resources = written.resources();
    let mut states = resources.ext_g_states();
    for (at, reference) in (FIRST_STATE..).map(Ref::new).take(page.opacities.len()).enumerate() {
        states.pair(Name(state_name(at).as_bytes()), reference);
    }
    states.finish();
    resources.finish();
    written.finish();
    for (opacity, reference) in page.opacities.iter().zip((FIRST_STATE..).map(Ref::new)) {
        let mut state = pdf.ext_graphics(reference);
        state.non_stroking_alpha(*opacity).stroking_alpha(*opacity);
    }
    pdf.stream(CONTENT, &content).filter(Filter::FlateDecode);
    pdf.document_info(INFO).title(pdf_writer::TextStr(picture.map.title())).producer(pdf_writer::TextStr("Kaisatsu"));
    Ok(pdf.finish())
}

fn state_name(at: usize) -> String {
    format!("a{at}")
}

/// The drawing operators of the page.
struct PageContent {
    content: Content,
    /// The opacities other than 1 that are used.
    opacities: Vec<f32>,
}

impl PageContent {
    fn group(&mut self, group: &Group, to_page: Transform, opacity: f32) {
        let opacity = opacity * group.opacity().get();
        for node in group.children() {
            match node {
                Node::Group(group) => self.group(group, to_page, opacity),
                Node::Path(path) => self.path(path, to_page, opacity),
                // Our documents have neither images nor text: letters are outlines.
                Node::Image(_) | Node::Text(_) => {}
            }
        }
    }

    fn path(&mut self, path: &Path, to_page: Transform, opacity: f32) {
        let transform = to_page.pre_concat(path.abs_transform());
        let fill = path.fill().and_then(|fill| Some((color(fill.paint())?, fill.opacity().get(), fill.rule())));
        let stroke = path.stroke().and_then(|stroke| Some((color(stroke.paint())?, stroke)));
        if fill.is_none() && stroke.is_none() {
            return;
        }
        self.content.save_state();
        let alpha =
            fill.map_or_else(|| stroke.map_or(1.0, |(_, stroke)| stroke.opacity().get()), |(_, alpha, _)| alpha);
        self.set_opacity(alpha * opacity);
        let Transform { sx, ky, kx, sy, tx, ty } = transform;
        self.content.transform([sx, ky, kx, sy, tx, ty]);
        if let Some(([r, g, b], ..)) = fill {
            self.content.set_fill_rgb(r, g, b);
        }
        if let Some(([r, g, b], stroke)) = stroke {
            self.content.set_stroke_rgb(r, g, b).set_line_width(stroke.width().get());
            self.content.set_line_cap(match stroke.linecap() {
                LineCap::Butt => LineCapStyle::ButtCap,
                LineCap::Round => LineCapStyle::RoundCap,
                LineCap::Square => LineCapStyle::ProjectingSquareCap,
            });
            self.content.set_line_join(match stroke.linejoin() {
                LineJoin::Round => LineJoinStyle::RoundJoin,
                LineJoin::Bevel => LineJoinStyle::BevelJoin,
                LineJoin::Miter | LineJoin::MiterClip => LineJoinStyle::MiterJoin,
            });
            if let Some(dashes) = stroke.dasharray() {
                self.content.set_dash_pattern(dashes.iter().copied(), stroke.dashoffset());
            }
        }
        self.outline(path);
        let even_odd = fill.is_some_and(|(_, _, rule)| rule == FillRule::EvenOdd);
        match (fill.is_some(), stroke.is_some()) {
            (true, true) if even_odd => self.content.fill_even_odd_and_stroke(),
            (true, true) => self.content.fill_nonzero_and_stroke(),
            (true, false) if even_odd => self.content.fill_even_odd(),
            (true, false) => self.content.fill_nonzero(),
            (false, _) => self.content.stroke(),
        };
        self.content.restore_state();
    }

    fn outline(&mut self, path: &Path) {
        let mut pen = (0.0, 0.0);
        for segment in path.data().segments() {
            match segment {
                PathSegment::MoveTo(to) => {
                    self.content.move_to(to.x, to.y);
                    pen = (to.x, to.y);
                }
                PathSegment::LineTo(to) => {
                    self.content.line_to(to.x, to.y);
                    pen = (to.x, to.y);
                }
                // PDF has cubic curves only.
                PathSegment::QuadTo(by, to) => {
                    let third =
                        |end: (f32, f32)| (end.0 + (by.x - end.0) * 2.0 / 3.0, end.1 + (by.y - end.1) * 2.0 / 3.0);
                    let (first, second) = (third(pen), third((to.x, to.y)));
                    self.content.cubic_to(first.0, first.1, second.0, second.1, to.x, to.y);
                    pen = (to.x, to.y);
                }
                PathSegment::CubicTo(first, second, to) => {
                    self.content.cubic_to(first.x, first.y, second.x, second.y, to.x, to.y);
                    pen = (to.x, to.y);
                }
                PathSegment::Close => {
                    self.content.close_path();
                }
            }
        }
    }

    fn set_opacity(&mut self, opacity: f32) {
        if opacity >= 1.0 {
            return;
        }
        let known = self.opacities.iter().position(|known| known.to_bits() == opacity.to_bits());
        let at = known.unwrap_or_else(|| {
            self.opacities.push(opacity);
            self.opacities.len() - 1
        });
        self.content.set_parameters(Name(state_name(at).as_bytes()));
    }
}

/// A plain colour as numbers from 0 to 1. Our documents have no gradients and patterns.
fn color(paint: &Paint) -> Option<[f32; 3]> {
    match paint {
        Paint::Color(color) => Some([color.red, color.green, color.blue].map(|part| f32::from(part) / 255.0)),
        _ => None,
    }
}
