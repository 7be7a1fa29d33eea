//! `applications/{id}/datasets/{dataSet}/archive`: a dataset as a ZIP archive, with a folder for each tag.
//!
//! A link to it is enough: the browser writes the archive to the disk as it arrives. The public API has no such
//! operation; `getDataSet` and `getImage` return what is in the archive.

use std::{fmt::Write as _, sync::Arc};

use axum::{
    body::Body,
    extract::{Path, State},
    http::{HeaderValue, header},
    response::Response,
};
use bytes::Bytes;
use futures_util::stream;
use kaisatsu_model::{AppId, DatasetId};
use kaisatsu_recognition::{OpenDataset, RecognitionError};

use super::{
    response::{ConsoleError, ConsoleFailure, no_store},
    session_guard::CurrentAccount,
    zip::Archive,
};
use kaisatsu_http::Gateway;

/// A dataset as a ZIP archive
#[utoipa::path(
    get, path = "/console/api/applications/{id}/datasets/{dataSet}/archive", operation_id = "downloadDataSet",
    tag = "Applications",
    params(
        ("id" = String, Path, description = "The application"),
        ("dataSet" = String, Path, description = "The dataset of one of its users"),
    ),
    responses(
        (status = 200, description = "A folder for each tag, with the images that have not been deleted", body = Vec<u8>,
            content_type = "application/zip"),
        (status = 404, description = "notFound", body = ConsoleError),
        (status = 409, description = "notBuilt", body = ConsoleError),
        (status = 503, description = "unavailable: too many are downloaded", body = ConsoleError),
    )
)]
pub(crate) async fn download(
    State(gateway): State<Arc<Gateway>>,
    current: CurrentAccount,
    Path((id, set)): Path<(String, String)>,
) -> Result<Response, ConsoleFailure> {
    let application = AppId::from_text(id);
    gateway.console.application(current.account(), &application).await?;
    let opened = gateway.recognition.dataset_files.open(Some(&application), &DatasetId::from_text(set)).await?;
    let disposition = attachment(opened.name());
    let mut response =
        no_store(Body::from_stream(stream::try_unfold(Sending::Files(opened, Archive::default()), send_or_log)));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/zip"));
    headers.insert(header::CONTENT_DISPOSITION, disposition);
    Ok(response)
}

/// How far an archive has been sent.
enum Sending {
    Files(OpenDataset, Archive),
    /// The bytes of a file, whose head has been sent.
    Image(OpenDataset, Archive, Bytes),
    Done,
}

/// The next part of an archive. An error ends the response early: the client sees that it is not complete, but not why,
/// because its status has been sent.
async fn send_or_log(sending: Sending) -> Result<Option<(Bytes, Sending)>, RecognitionError> {
    let sent = send(sending).await;
    sent.inspect_err(|error| tracing::error!(%error, "an archive of a dataset was broken off"))
}

async fn send(sending: Sending) -> Result<Option<(Bytes, Sending)>, RecognitionError> {
    let (mut files, mut archive) = match sending {
        Sending::Files(files, archive) => (files, archive),
        Sending::Image(files, archive, image) => return Ok(Some((image, Sending::Files(files, archive)))),
        Sending::Done => return Ok(None),
    };
    let Some(file) = files.next().await? else {
        return Ok(Some((archive.finish(), Sending::Done)));
    };
    let too_large = || RecognitionError::Failed(format!("{} does not fit into an archive", file.path));
    let head = archive.file(&file.path.to_string(), &file.bytes).ok_or_else(too_large)?;
    Ok(Some((head, Sending::Image(files, archive, file.bytes))))
}

/// `Content-Disposition` with the name of the dataset (RFC 6266).
fn attachment(name: &str) -> HeaderValue {
    let mut encoded = String::new();
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    let value = format!("attachment; filename=\"dataset.zip\"; filename*=UTF-8''{encoded}.zip");
    HeaderValue::try_from(value).unwrap_or(HeaderValue::from_static("attachment; filename=\"dataset.zip\""))
}

#[cfg(test)]
mod tests {
    use super::attachment;

    #[test]
    fn the_file_is_named_after_the_dataset() {
        for (name, encoded) in [("cups-1", "cups-1"), ("カップ\"\r\n", "%E3%82%AB%E3%83%83%E3%83%97%22%0D%0A")] {
            let expected = format!("attachment; filename=\"dataset.zip\"; filename*=UTF-8''{encoded}.zip");
            assert_eq!(attachment(name), expected.as_str());
        }
    }
}
