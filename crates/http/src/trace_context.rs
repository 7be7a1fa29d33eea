//! `traceparent`: the id of the trace that a request belongs to, for the log.

use axum::http::HeaderMap;

/// The trace id of a request, if its `traceparent` is valid (W3C Trace Context): 32 hexadecimal digits, not all zero.
pub(crate) fn trace_id(headers: &HeaderMap) -> Option<String> {
    let text = headers.get("traceparent")?.to_str().ok()?;
    let mut fields = text.split('-');
    let (version, trace, parent, flags) = (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
    let hexadecimal = |text: &str, length: usize| {
        text.len() == length && text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
    };
    let is_known = version != "00" || fields.next().is_none();
    let is_valid = hexadecimal(version, 2)
        && version != "ff"
        && hexadecimal(trace, 32)
        && trace.bytes().any(|b| b != b'0')
        && hexadecimal(parent, 16)
        && parent.bytes().any(|b| b != b'0')
        && hexadecimal(flags, 2);
    (is_known && is_valid).then(|| trace.to_owned())
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderMap, HeaderValue};

    use super::trace_id;

    fn of(text: &'static str) -> Option<String> {
        trace_id(&HeaderMap::from_iter([("traceparent".parse().unwrap(), HeaderValue::from_static(text))]))
    }

    #[test]
    fn only_a_valid_header_has_a_trace() {
        let trace = "4bf92f3577b34da6a3ce929d0e0e4736";
        assert_eq!(of("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01").as_deref(), Some(trace));
        assert_eq!(of("01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more").as_deref(), Some(trace));
        for wrong in [
            "",
            "kst_secret",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
            "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
        ] {
            assert_eq!(of(wrong), None, "{wrong}");
        }
        assert_eq!(trace_id(&HeaderMap::new()), None);
    }
}
