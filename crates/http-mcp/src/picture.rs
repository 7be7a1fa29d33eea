//! A picture as an argument: in base64, as a `data:` address, as an address to fetch, or as a file.

use axum::http::request::Parts;
use base64::{
    Engine as _,
    alphabet::{STANDARD, URL_SAFE},
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use bytes::Bytes;

use crate::backend::Backend;

/// Clients write base64 with and without padding.
const LENIENT: GeneralPurposeConfig =
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);

/// The bytes that an argument stands for.
pub(crate) async fn read<B: Backend>(
    backend: &B,
    asked: Option<&Parts>,
    name: &str,
    text: &str,
) -> Result<Bytes, String> {
    let (scheme, rest) = text.split_once(':').unwrap_or(("", text));
    match scheme.to_ascii_lowercase().as_str() {
        "http" | "https" => backend.fetch(text, asked).await.map_err(|error| format!("{name}: {error}")),
        "data" => {
            let data = rest.split_once(";base64,").map(|(_, data)| data);
            decode(name, data.ok_or_else(|| format!("{name} is a data: address without ;base64,"))?)
        }
        "file" if B::READS_FILES => {
            let path = rest.strip_prefix("//").unwrap_or(rest);
            let file = tokio::fs::read(path).await;
            file.map(Bytes::from).map_err(|error| format!("{name}: the file {path} cannot be read: {error}"))
        }
        "" => decode(name, rest),
        other => Err(format!("{name} is no picture: addresses begin with http:, https: or data:, not {other}:")),
    }
}

fn decode(name: &str, text: &str) -> Result<Bytes, String> {
    let text: String = text.chars().filter(|c| !c.is_ascii_whitespace()).collect();
    let alphabet = if text.contains(['-', '_']) { &URL_SAFE } else { &STANDARD };
    let bytes = GeneralPurpose::new(alphabet, LENIENT).decode(text);
    bytes.map(Bytes::from).map_err(|error| format!("{name} is neither base64 nor an address: {error}"))
}

#[cfg(test)]
mod tests {
    use axum::http::{Request, Response, request::Parts};
    use bytes::Bytes;

    use super::read;
    use crate::backend::Backend;

    struct FilesByAddress;

    impl Backend for FilesByAddress {
        const READS_FILES: bool = false;

        async fn send(&self, _: Request<Bytes>, _: Option<&Parts>) -> Result<Response<Bytes>, String> {
            Err("nothing is sent".to_owned())
        }

        async fn fetch(&self, address: &str, _: Option<&Parts>) -> Result<Bytes, String> {
            Ok(Bytes::from(format!("at {address}")))
        }
    }

    #[tokio::test]
    async fn a_picture_is_given_in_several_forms() {
        for (text, bytes) in [
            ("//79", &b"\xff\xfe\xfd"[..]),
            ("__79", b"\xff\xfe\xfd"),
            ("YQ", b"a"),
            ("YQ==", b"a"),
            ("YW\nJj", b"abc"),
            ("data:image/png;base64,YWJj", b"abc"),
            ("https://example.org/a.jpg", b"at https://example.org/a.jpg"),
        ] {
            assert_eq!(read(&FilesByAddress, None, "image", text).await.unwrap(), bytes, "{text}");
        }
        for (text, message) in [
            ("file:///etc/passwd", "image is no picture: addresses begin with http:, https: or data:, not file:"),
            ("data:image/png,abc", "image is a data: address without ;base64,"),
            ("?", "image is neither base64 nor an address: "),
        ] {
            let error = read(&FilesByAddress, None, "image", text).await.unwrap_err();
            assert!(error.starts_with(message), "{error}");
        }
    }
}
