//! The request that a call of a tool becomes.

use axum::http::{Request, header::CONTENT_TYPE, request::Parts};
use bytes::{BufMut as _, Bytes, BytesMut};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value};

use crate::{
    backend::Backend,
    picture,
    tool::{BodyFormat, Field, ParameterLocation, Tool},
};

const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// The boundary of forms begins so, and goes on until the body does not contain it.
const BOUNDARY: &str = "kaisatsu-mcp";

/// Makes the request of a call.
pub(crate) async fn request<B: Backend>(
    tool: &Tool,
    arguments: &Map<String, Value>,
    backend: &B,
    asked: Option<&Parts>,
) -> Result<Request<Bytes>, String> {
    let known = |name: &String| tool.fields.iter().any(|field| field.name == *name);
    if let Some(name) = arguments.keys().find(|name| !known(name)) {
        return Err(format!("{} has no argument {name}", tool.name));
    }
    let given: Vec<_> = tool
        .fields
        .iter()
        .filter_map(|field| Some((field, arguments.get(&field.name)?)))
        .filter(|(_, v)| !v.is_null())
        .collect();
    let mut path = tool.path.clone();
    let mut query = Vec::new();
    let mut body = Vec::new();
    for (field, value) in given {
        match field.location {
            ParameterLocation::Path => {
                path = path.replace(&format!("{{{}}}", field.name), &escaped(&text(field, value)?));
            }
            ParameterLocation::Query => {
                query.push(format!("{}={}", escaped(&field.name), escaped(&text(field, value)?)));
            }
            ParameterLocation::Body => body.push((field, value)),
        }
    }
    if let Some(field) = tool
        .fields
        .iter()
        .find(|field| field.location == ParameterLocation::Path && !arguments.contains_key(&field.name))
    {
        return Err(format!("{} needs the argument {}", tool.name, field.name));
    }
    let (media, bytes) = written(tool.body, body, backend, asked).await?;
    let target = if query.is_empty() { path } else { format!("{path}?{}", query.join("&")) };
    let mut request = Request::builder().method(tool.method.clone()).uri(target);
    if let Some(media) = media {
        request = request.header(CONTENT_TYPE, media);
    }
    request.body(bytes).map_err(|error| error.to_string())
}

/// The body and its media type.
async fn written<B: Backend>(
    format: BodyFormat,
    fields: Vec<(&Field, &Value)>,
    backend: &B,
    asked: Option<&Parts>,
) -> Result<(Option<String>, Bytes), String> {
    match format {
        BodyFormat::None => Ok((None, Bytes::new())),
        BodyFormat::Json => {
            let object: Map<_, _> =
                fields.into_iter().map(|(field, value)| (field.name.clone(), value.clone())).collect();
            Ok((Some("application/json".to_owned()), Value::Object(object).to_string().into()))
        }
        BodyFormat::Bare => {
            let (field, value) = fields.first().ok_or("the argument image is missing")?;
            let bytes = picture::read(backend, asked, &field.name, &text(field, value)?).await?;
            Ok((Some("application/octet-stream".to_owned()), bytes))
        }
        BodyFormat::Form => {
            let mut parts = Vec::new();
            for (field, value) in fields {
                let single = [value.clone()];
                for value in value.as_array().map_or(&single[..], Vec::as_slice) {
                    let text = text(field, value)?;
                    let bytes = if field.is_picture {
                        picture::read(backend, asked, &field.name, &text).await?
                    } else {
                        text.into()
                    };
                    parts.push((field, bytes));
                }
            }
            let boundary = boundary(&parts);
            Ok((Some(format!("multipart/form-data; boundary={boundary}")), form(&parts, &boundary)))
        }
    }
}

/// A text that none of the parts contains.
fn boundary(parts: &[(&Field, Bytes)]) -> String {
    let contains = |boundary: &str| {
        parts.iter().any(|(_, bytes)| bytes.windows(boundary.len()).any(|window| window == boundary.as_bytes()))
    };
    let mut boundary = BOUNDARY.to_owned();
    while contains(&boundary) {
        boundary.push('-');
    }
    boundary
}

fn form(parts: &[(&Field, Bytes)], boundary: &str) -> Bytes {
    let mut body = BytesMut::new();
    for (field, bytes) in parts {
        let file =
            if field.is_picture { "; filename=\"picture\"\r\nContent-Type: application/octet-stream" } else { "" };
        let name = &field.name;
        body.put_slice(
            format!("--{boundary}\r\nContent-Disposition: form-data; name=\"{name}\"{file}\r\n\r\n").as_bytes(),
        );
        body.put_slice(bytes);
        body.put_slice(b"\r\n");
    }
    body.put_slice(format!("--{boundary}--\r\n").as_bytes());
    body.freeze()
}

/// A value as it stands in a query or a form.
fn text(field: &Field, value: &Value) -> Result<String, String> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Number(_) | Value::Bool(_) => Ok(value.to_string()),
        _ => Err(format!("the argument {} must be a text, a number, true or false", field.name)),
    }
}

fn escaped(text: &str) -> String {
    utf8_percent_encode(text, ESCAPED).to_string()
}
