//! Multipart bodies: any form is parsed or refused with a message, and its parts are part of the body.
//!
//! The first line is the `Content-Type`; the rest is the body.

use kaisatsu_http::fuzzing::form;

use crate::text;

const KNOWN: [&str; 3] = ["numOfCandidates", "modelName", "tag"];
const MOST: usize = 4096;

pub(crate) fn run(bytes: &[u8]) {
    let end = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len());
    let (content_type, body) = bytes.split_at(end);
    let body = body.get(1..).unwrap_or_default().to_vec();
    match form(text(content_type), body.clone().into(), &KNOWN, MOST).expect("parsing a whole body never waits") {
        Ok((image, fields)) => {
            assert!(image.is_none_or(|image| image.len() <= MOST && image.len() <= body.len()));
            for (at, (name, value)) in fields.iter().enumerate() {
                assert!(KNOWN.contains(name) && !value.is_empty() && !value.contains('\0'));
                assert!(fields[..at].iter().all(|(other, _)| other != name), "{name} twice");
            }
        }
        Err(failure) => assert!(!failure.message.is_empty()),
    }
}
