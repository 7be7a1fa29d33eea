//! The colours of the light and the dark style.

use crate::color::Color;

/// The minimum contrast of a line on the dark background, from WCAG 2 for graphics.
const LINE_CONTRAST: f64 = 3.0;
/// A line with less contrast on the light background gets darker edges.
const MIN_UNEDGED_CONTRAST: f64 = 1.6;
const EDGE_CONTRAST: f64 = 2.0;

/// The style of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Style {
    /// Dark text on a light background.
    #[default]
    Light,
    /// Light text on a dark background.
    Dark,
}

/// The colours of a style.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Palette {
    /// The background.
    pub(crate) ground: Color,
    /// Labels, and the outlines of interchanges.
    pub(crate) ink: Color,
    /// Labels in the second language, and small print.
    pub(crate) soft_ink: Color,
    /// The inside of a station's mark.
    pub(crate) mark: Color,
    /// The frame of the legend.
    pub(crate) frame: Color,
    style: Style,
}

/// The colours of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Paint {
    pub(crate) fill: Color,
    /// The colour of both edges, if the line would hardly be visible without them.
    pub(crate) edge: Option<Color>,
}

impl Paint {
    /// The more visible of the two colours.
    pub(crate) fn outline(self) -> Color {
        self.edge.unwrap_or(self.fill)
    }
}

impl Style {
    pub(crate) fn palette(self) -> Palette {
        match self {
            Self::Light => Palette {
                ground: Color(0xfd, 0xfd, 0xfb),
                ink: Color(0x1a, 0x21, 0x2b),
                soft_ink: Color(0x51, 0x5c, 0x6b),
                mark: Color(0xff, 0xff, 0xff),
                frame: Color(0xd3, 0xd8, 0xde),
                style: self,
            },
            Self::Dark => Palette {
                ground: Color(0x15, 0x1d, 0x29),
                ink: Color(0xea, 0xef, 0xf5),
                soft_ink: Color(0xa3, 0xb1, 0xc2),
                mark: Color(0x15, 0x1d, 0x29),
                frame: Color(0x3a, 0x47, 0x59),
                style: self,
            },
        }
    }
}

impl Palette {
    /// The colours of a line. An invalid colour is replaced by that of labels.
    pub(crate) fn paint(&self, color: &str) -> Paint {
        let color = Color::parse(color).unwrap_or(self.ink);
        match self.style {
            Style::Dark => Paint { fill: color.lightened(self.ground, LINE_CONTRAST), edge: None },
            Style::Light if color.contrast(self.ground) < MIN_UNEDGED_CONTRAST => {
                Paint { fill: color, edge: Some(color.darkened(self.ground, EDGE_CONTRAST)) }
            }
            Style::Light => Paint { fill: color, edge: None },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{EDGE_CONTRAST, LINE_CONTRAST, MIN_UNEDGED_CONTRAST, Style};

    #[test]
    fn letters_are_easily_read() {
        for style in [Style::Light, Style::Dark] {
            let palette = style.palette();
            for under in [palette.ground, palette.mark] {
                assert!(palette.ink.contrast(under) > 12.0, "{style:?}");
                assert!(palette.soft_ink.contrast(under) > 6.0, "{style:?}");
            }
        }
    }

    #[test]
    fn every_line_is_seen() {
        let colors = ["#000000", "#000084", "#27404e", "#ffffff", "#ffd400", "#d7c447", "#80c241", "not a colour"];
        let (light, dark) = (Style::Light.palette(), Style::Dark.palette());
        for color in colors {
            assert!(dark.paint(color).fill.contrast(dark.ground) >= LINE_CONTRAST, "{color}");
            let paint = light.paint(color);
            let seen = paint.outline().contrast(light.ground);
            assert!(seen >= if paint.edge.is_some() { EDGE_CONTRAST } else { MIN_UNEDGED_CONTRAST }, "{color}");
        }
        assert_eq!(light.paint("#e60012").edge, None);
        assert_eq!(light.paint("#e60012").fill.to_string(), "#e60012");
        assert_eq!(dark.paint("#80c241").fill.to_string(), "#80c241");
    }
}
