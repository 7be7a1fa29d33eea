//! Colours and their contrast.

use std::fmt;

/// An sRGB colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Color(pub(crate) u8, pub(crate) u8, pub(crate) u8);

impl Color {
    /// Parses `#rrggbb`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6 && digits.is_ascii())?;
        let part = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
        Some(Self(part(0)?, part(2)?, part(4)?))
    }

    /// The WCAG 2 contrast ratio: 1 for equal colours, 21 for black and white.
    pub(crate) fn contrast(self, other: Self) -> f64 {
        let (a, b) = (self.luminance(), other.luminance());
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    /// Lightens the colour, with the same hue, until it has this contrast to a dark background.
    pub(crate) fn lightened(self, ground: Self, contrast: f64) -> Self {
        self.shaded(ground, contrast, 1.0)
    }

    /// Darkens the colour until it has this contrast to a light background.
    pub(crate) fn darkened(self, ground: Self, contrast: f64) -> Self {
        self.shaded(ground, contrast, 0.0)
    }

    fn shaded(self, ground: Self, contrast: f64, end: f64) -> Self {
        if self.contrast(ground) >= contrast {
            return self;
        }
        let Oklab { lightness, a, b } = Oklab::of(self);
        let (mut near, mut far) = (lightness, end);
        // Fourteen bisections are finer than eight bits of colour.
        for _ in 0..14 {
            let centre = f64::midpoint(near, far);
            let tried = Oklab { lightness: centre, a, b }.into_color();
            if tried.contrast(ground) < contrast { near = centre } else { far = centre }
        }
        Oklab { lightness: far, a, b }.into_color()
    }

    fn luminance(self) -> f64 {
        let [r, g, b] = self.linear();
        0.2126 * r + 0.7152 * g + 0.0722 * b
    }

    fn linear(self) -> [f64; 3] {
        [self.0, self.1, self.2].map(|part| {
            let part = f64::from(part) / 255.0;
            if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        })
    }
}

impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }
}

/// A colour in the Oklab space, in which a change of lightness preserves the hue.
#[derive(Clone, Copy)]
struct Oklab {
    lightness: f64,
    a: f64,
    b: f64,
}

impl Oklab {
    fn of(color: Color) -> Self {
        let rgb = color.linear();
        let cones = [
            mixed(rgb, [0.412_221_470_8, 0.536_332_536_3, 0.051_445_992_9]).cbrt(),
            mixed(rgb, [0.211_903_498_2, 0.680_699_545_1, 0.107_396_956_6]).cbrt(),
            mixed(rgb, [0.088_302_461_9, 0.281_718_837_6, 0.629_978_700_5]).cbrt(),
        ];
        Self {
            lightness: mixed(cones, [0.210_454_255_3, 0.793_617_785_0, -0.004_072_046_8]),
            a: mixed(cones, [1.977_998_495_1, -2.428_592_205_0, 0.450_593_709_9]),
            b: mixed(cones, [0.025_904_037_1, 0.782_771_766_2, -0.808_675_766_0]),
        }
    }

    /// The nearest sRGB colour. Outside the gamut, the chroma is reduced.
    fn into_color(self) -> Color {
        let strengths = (0..=20).rev().map(|step| f64::from(step) / 20.0);
        let tried = strengths.map(|strength| Self { a: self.a * strength, b: self.b * strength, ..self }.linear());
        let on_screen = |rgb: &[f64; 3]| rgb.iter().all(|part| (-0.001..=1.001).contains(part));
        let [r, g, b] = tried.clone().find(on_screen).unwrap_or([self.lightness; 3]).map(encoded);
        Color(r, g, b)
    }

    fn linear(self) -> [f64; 3] {
        let lab = [self.lightness, self.a, self.b];
        let cones = [
            mixed(lab, [1.0, 0.396_337_777_4, 0.215_803_757_3]).powi(3),
            mixed(lab, [1.0, -0.105_561_345_8, -0.063_854_172_8]).powi(3),
            mixed(lab, [1.0, -0.089_484_177_5, -1.291_485_548_0]).powi(3),
        ];
        [
            mixed(cones, [4.076_741_662_1, -3.307_711_591_3, 0.230_969_929_2]),
            mixed(cones, [-1.268_438_004_6, 2.609_757_401_1, -0.341_319_396_5]),
            mixed(cones, [-0.004_196_086_3, -0.703_418_614_7, 1.707_614_701_0]),
        ]
    }
}

fn mixed(parts: [f64; 3], shares: [f64; 3]) -> f64 {
    parts.iter().zip(shares).map(|(part, share)| part * share).sum()
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to eight bits")]
fn encoded(part: f64) -> u8 {
    let part = part.clamp(0.0, 1.0);
    let part = if part <= 0.003_130_8 { part * 12.92 } else { 1.055 * part.powf(1.0 / 2.4) - 0.055 };
    (part * 255.0).round() as u8
}

#[cfg(test)]
mod tests {
    use super::Color;

    #[test]
    fn a_colour_is_read_and_written() {
        for text in ["#000000", "#80c241", "#ffffff"] {
            assert_eq!(Color::parse(text).unwrap().to_string(), text);
        }
        for text in ["", "80c241", "#80c2411", "#80c24", "#80c24g", "#ö0c24", "red"] {
            assert_eq!(Color::parse(text), None, "{text}");
        }
    }

    #[test]
    fn contrast_is_that_of_the_web() {
        assert!((Color(0, 0, 0).contrast(Color(255, 255, 255)) - 21.0).abs() < 1e-9);
        assert!((Color(119, 119, 119).contrast(Color(255, 255, 255)) - 4.478).abs() < 1e-3);
    }

    #[test]
    fn every_colour_can_be_lifted_and_darkened() {
        let (night, day) = (Color(23, 32, 44), Color(252, 252, 250));
        for code in (0..0x0100_0000_u32).step_by(0x1235) {
            let [_, r, g, b] = code.to_be_bytes();
            let color = Color(r, g, b);
            assert!(color.lightened(night, 3.0).contrast(night) >= 3.0, "{color}");
            assert!(color.darkened(day, 3.0).contrast(day) >= 3.0, "{color}");
        }
    }
}
