//! Image files, model manifests, stored probes and stored local features: any bytes are decoded or refused.
//!
//! JPEG files reach C code (libjpeg-turbo), HEIC and AVIF files too where the system has libheif.

use kaisatsu_vision::{
    Bounds, decode,
    manifest::Manifest,
    object::{EncodedReference, Reference},
    probe::Probe,
};

pub(crate) fn run(bytes: &[u8]) {
    let bounds = Bounds { max_pixels: 1 << 20 };
    for short_side in [None, Some(32)] {
        if let Ok(decoded) = decode(bytes, bounds, short_side) {
            let pixels = u64::from(decoded.file.width) * u64::from(decoded.file.height);
            assert!(pixels <= bounds.max_pixels);
        }
    }
    let _ = Probe::from_bytes(bytes);
    let _ = Reference::from_bytes(bytes);
    let _ = EncodedReference::from_bytes(bytes);
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = Manifest::parse(text);
    }
}
