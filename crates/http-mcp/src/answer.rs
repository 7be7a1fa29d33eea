//! What an assistant gets of an answer: text, pictures as pictures, and errors as errors.

use axum::http::{HeaderMap, Response, StatusCode, header};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use bytes::Bytes;
use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};
use serde_json::Value;

/// The result of a call.
pub(crate) fn result(tool: &str, answer: &Response<Bytes>) -> CallToolResult {
    let (status, body) = (answer.status(), answer.body());
    if status.is_client_error() || status.is_server_error() {
        return failed(sentence(status, answer.headers(), body));
    }
    let media = answer.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let kind = media.split(';').next().unwrap_or_default().trim();
    let content = if body.is_empty() {
        ContentBlock::text("Done.")
    } else if kind.starts_with("image/") && kind != "image/svg+xml" {
        ContentBlock::image(STANDARD.encode(body), kind)
    } else if let Ok(text) = std::str::from_utf8(body) {
        ContentBlock::text(text)
    } else {
        let uri = format!("kaisatsu:{tool}");
        let (mime_type, blob) = (Some(kind.to_owned()), STANDARD.encode(body));
        ContentBlock::resource(ResourceContents::BlobResourceContents { uri, mime_type, blob, meta: None })
    };
    CallToolResult::success(vec![content])
}

/// The result of a call that failed.
pub(crate) fn failed(sentence: impl Into<String>) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(sentence)])
}

/// What the server says of an error: its sentence, the status and its code.
fn sentence(status: StatusCode, headers: &HeaderMap, body: &[u8]) -> String {
    let parsed: Value = serde_json::from_slice(body).unwrap_or_default();
    let (recognition, route_map) = (&parsed["error"], &parsed["ResultSet"]["Error"]);
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let message = text(&recognition["message"]).or_else(|| text(&route_map["Message"]));
    let message = message.unwrap_or_else(|| String::from_utf8_lossy(body).trim().to_owned());
    let code = text(&recognition["code"]).or_else(|| text(&route_map["code"]));
    let code = code.map(|code| format!(", code {code}")).unwrap_or_default();
    let wait = headers.get(header::RETRY_AFTER).and_then(|value| value.to_str().ok());
    let wait = wait.map(|seconds| format!("; try again after {seconds} s")).unwrap_or_default();
    format!("{message} (HTTP {}{code}{wait})", status.as_u16())
}

#[cfg(test)]
mod tests {
    use axum::http::Response;
    use bytes::Bytes;
    use serde_json::{Value, json};

    use super::result;

    fn answered(status: u16, media: &str, body: &'static [u8]) -> Value {
        let response = Response::builder().status(status).header("content-type", media).header("retry-after", "3");
        serde_json::to_value(result("railmapData", &response.body(Bytes::from_static(body)).unwrap())).unwrap()
    }

    #[test]
    fn texts_pictures_and_files_keep_their_kind() {
        let json = answered(200, "application/json;charset=UTF-8", b"{\"a\":1}");
        assert_eq!((&json["content"][0]["text"], &json["isError"]), (&json!("{\"a\":1}"), &json!(false)));
        let picture = answered(200, "image/png", b"\x89PNG");
        let expected = json!({"type": "image", "data": "iVBORw==", "mimeType": "image/png"});
        assert_eq!(picture["content"][0], expected);
        assert_eq!(answered(200, "image/svg+xml;charset=UTF-8", b"<svg/>")["content"][0]["text"], "<svg/>");
        let file = answered(200, "application/pdf", b"%PDF\xff");
        assert_eq!(file["content"][0]["resource"]["mimeType"], "application/pdf");
        assert_eq!(answered(204, "", b"")["content"][0]["text"], "Done.");
    }

    #[test]
    fn errors_carry_the_sentence_of_the_server() {
        let text = |body: &'static [u8]| {
            let answer = answered(404, "application/json", body);
            assert_eq!(answer["isError"], true);
            answer["content"][0]["text"].as_str().unwrap().to_owned()
        };
        let recognition = br#"{"error":{"code":"301","message":"getDataSet: there is none"}}"#;
        assert_eq!(text(recognition), "getDataSet: there is none (HTTP 404, code 301; try again after 3 s)");
        let route_map = br#"{"ResultSet":{"Error":{"code":"W404","Message":"no map x"}}}"#;
        assert_eq!(text(route_map), "no map x (HTTP 404, code W404; try again after 3 s)");
        assert_eq!(text(b"nothing here\n"), "nothing here (HTTP 404; try again after 3 s)");
    }
}
