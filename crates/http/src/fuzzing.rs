//! Entry points for the fuzz targets: the parsers of request bodies without a server around them.

use bytes::Bytes;
use futures_util::FutureExt;

use crate::{
    Failure,
    recognition::{form, user_category::create_data_set},
};

/// The image and the text fields of a form.
pub type FormParts = (Option<Bytes>, Vec<(&'static str, String)>);

/// Parses a form with the fields named in `known` and an image of at most `most` bytes. `None` if the parser waits for
/// more of the body, which it must not do, because the whole body is there.
pub fn form(
    content_type: &str,
    body: Bytes,
    known: &[&'static str],
    most: usize,
) -> Option<Result<FormParts, Failure>> {
    form::parse(content_type, body, known, most).now_or_never()
}

/// Parses the JSON body of `createDataSet`, and returns how many images it lists.
///
/// # Errors
/// The error that a caller would see.
pub fn dataset(body: &[u8], most: usize) -> Result<usize, Failure> {
    create_data_set::parse(body, most)
}
