//! QR codes and Data Matrix codes that name an article.

use std::panic::{AssertUnwindSafe, catch_unwind};

use rxing::{
    BinaryBitmap, Luma8Source, RXingResult, RXingResultMetadataType, RXingResultMetadataValue, Reader,
    common::HybridBinarizer, datamatrix::DataMatrixReader, qrcode::QRCodeReader,
};

use super::{Barcode, Symbology, area};
use crate::{DecodedGrey, Picture};

/// The longer side at which a picture is read: enough for a code of 25 modules that takes a tenth of it.
const LONGEST: usize = 850;

/// The article that a QR code or a Data Matrix in a picture names; other contents are ignored.
#[must_use]
pub fn read_matrix(picture: &Picture) -> Option<Barcode> {
    read((picture.width(), picture.height()), &picture.grey())
}

/// As [`read_matrix`], of a picture without colours.
#[must_use]
pub fn read_matrix_grey(decoded: &DecodedGrey) -> Option<Barcode> {
    read(decoded.grey.dimensions(), decoded.grey.as_raw())
}

fn read((width, height): (u32, u32), grey: &[u8]) -> Option<Barcode> {
    let (width, height, grey) = reduced((width as usize, height as usize), grey);
    // The crate is written for images of all kinds, but a panic in it would be one request's answer.
    catch_unwind(AssertUnwindSafe(|| in_grey(width, height, &grey))).ok().flatten()
}

fn in_grey(width: usize, height: usize, grey: &[u8]) -> Option<Barcode> {
    let sides = (u32::try_from(width).ok()?, u32::try_from(height).ok()?);
    let source = Luma8Source::new_with_slice(grey, sides.0, sides.1).ok()?;
    let mut bitmap = BinaryBitmap::new(HybridBinarizer::new(source));
    let quick = QRCodeReader.decode(&mut bitmap).ok().map(|found| (Symbology::QrCode, found));
    let found = quick.or_else(|| {
        let found = DataMatrixReader.decode(&mut bitmap).ok()?;
        Some((Symbology::DataMatrix, found))
    });
    let (symbology, found) = found?;
    let digits = barcode_reader::article_in(&format!("{}{}", mark(&found), found.getText()))?;
    Some(Barcode { digits, symbology, area: area(around(&found), (side(width), side(height))) })
}

/// The mark of the kind of content, such as `]d2` for a GS1 Data Matrix.
fn mark(found: &RXingResult) -> &str {
    match found.getRXingResultMetadata().get(&RXingResultMetadataType::SYMBOLOGY_IDENTIFIER) {
        Some(RXingResultMetadataValue::SymbologyIdentifier(mark)) => mark,
        _ => "",
    }
}

/// The rectangle around the points that were found of a code: left, top, right, bottom.
fn around(found: &RXingResult) -> [f32; 4] {
    let wider =
        |[l, t, r, b]: [f32; 4], point: &rxing::Point| [l.min(point.x), t.min(point.y), r.max(point.x), b.max(point.y)];
    found.getPoints().iter().fold([f32::MAX, f32::MAX, 0.0, 0.0], wider)
}

#[allow(clippy::cast_precision_loss, reason = "the sides of pictures are far below 2^24")]
fn side(side: usize) -> f32 {
    side as f32
}

/// The picture in grey, at most [`LONGEST`] pixels long: the mean of squares.
fn reduced((width, height): (usize, usize), grey: &[u8]) -> (usize, usize, Vec<u8>) {
    let factor = width.max(height).div_ceil(LONGEST).max(1);
    if factor == 1 {
        return (width, height, grey.to_vec());
    }
    // A picture can be narrower than a square.
    let (columns, rows) = ((width / factor).max(1), (height / factor).max(1));
    let (across, down) = (factor.min(width), factor.min(height));
    let count = u32::try_from(across * down).unwrap_or(u32::MAX);
    let (mut small, mut sums) = (Vec::with_capacity(columns * rows), vec![0_u32; columns]);
    for row in 0..rows {
        sums.fill(0);
        for line in grey.chunks_exact(width).skip(row * factor).take(down) {
            for (sum, square) in sums.iter_mut().zip(line.chunks_exact(across)) {
                *sum += square.iter().map(|value| u32::from(*value)).sum::<u32>();
            }
        }
        small.extend(sums.iter().map(|sum| u8::try_from(sum / count).unwrap_or(u8::MAX)));
    }
    (columns, rows, small)
}

#[cfg(test)]
mod tests;
