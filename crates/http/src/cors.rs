//! CORS: which web pages may call the API from a browser.

use axum::http::{HeaderMap, HeaderValue, Method, header};

/// The headers that pages of other sites may read.
const EXPOSED: HeaderValue = HeaderValue::from_static(
    "x-request-id,retry-after,etag,www-authenticate,idempotent-replayed,ratelimit,ratelimit-policy,\
     x-recognition-saved",
);

/// The origins that may call.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Cors {
    /// Any origin: every request needs a key, and none uses a cookie.
    #[default]
    Any,
    /// Only these origins.
    Only(Vec<HeaderValue>),
    /// No origin.
    Off,
}

impl std::str::FromStr for Cors {
    type Err = String;

    /// `*`, `off`, or origins separated by commas.
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "*" => Ok(Self::Any),
            "off" => Ok(Self::Off),
            list => list.split(',').map(|origin| parse_origin(origin.trim())).collect::<Result<_, _>>().map(Self::Only),
        }
    }
}

pub(crate) fn parse_origin(origin: &str) -> Result<HeaderValue, String> {
    let host = origin.strip_prefix("https://").or_else(|| origin.strip_prefix("http://"));
    match host {
        Some(host) if !host.is_empty() && !host.contains('/') => {
            HeaderValue::from_str(origin).map_err(|_| format!("'{}' is no origin", origin.escape_debug()))
        }
        _ => Err(format!("'{}' is no origin; write *, off, or https://HOST[:PORT]", origin.escape_debug())),
    }
}

impl Cors {
    /// Adds the CORS headers to the response.
    pub(crate) fn apply(&self, method: &Method, request: &CorsRequest, response: &mut HeaderMap) {
        let allowed = match self {
            Self::Off => return,
            Self::Any => HeaderValue::from_static("*"),
            Self::Only(origins) => {
                response.append(header::VARY, HeaderValue::from_static("origin"));
                match request.origin.as_ref().filter(|origin| origins.contains(origin)) {
                    Some(origin) => origin.clone(),
                    None => return,
                }
            }
        };
        response.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, allowed);
        if method == Method::OPTIONS && request.is_preflight {
            if let Some(methods) = response.get(header::ALLOW).cloned() {
                response.insert(header::ACCESS_CONTROL_ALLOW_METHODS, methods);
            }
            let headers = HeaderValue::from_static("content-type,x-request-id,authorization,x-api-key,idempotency-key");
            response.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, headers);
            response.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("86400"));
        } else {
            response.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
        }
    }
}

/// The CORS headers of a request, taken before the request goes to its handler.
pub(crate) struct CorsRequest {
    origin: Option<HeaderValue>,
    is_preflight: bool,
}

impl CorsRequest {
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        Self {
            origin: headers.get(header::ORIGIN).cloned(),
            is_preflight: headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Cors;

    #[test]
    fn the_setting_is_parsed() {
        assert_eq!("*".parse(), Ok(Cors::Any));
        assert_eq!("off".parse(), Ok(Cors::Off));
        assert!(matches!("https://a.example, http://b.example:8080".parse(), Ok(Cors::Only(list)) if list.len() == 2));
        for bad in ["", "a.example", "https://", "https://a.example/path", "https://a\0b"] {
            assert!(bad.parse::<Cors>().is_err(), "{bad}");
        }
    }
}
