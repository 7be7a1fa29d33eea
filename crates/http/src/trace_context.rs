//! `traceparent`: the trace that a request belongs to, for the log and for exported spans.

use axum::http::HeaderMap;

/// The caller's span, and the trace that it belongs to (W3C Trace Context).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceParent {
    /// 32 hexadecimal digits, not all zero.
    pub trace_id: String,
    /// 16 hexadecimal digits, not all zero.
    pub parent_id: String,
    /// Whether the caller records the trace.
    pub is_sampled: bool,
}

/// The `traceparent` of a request, if it is valid.
pub(crate) fn trace_parent(headers: &HeaderMap) -> Option<TraceParent> {
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
    let is_sampled = u8::from_str_radix(flags, 16).is_ok_and(|flags| flags & 1 == 1);
    let found = || TraceParent { trace_id: trace.to_owned(), parent_id: parent.to_owned(), is_sampled };
    (is_known && is_valid).then(found)
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderMap, HeaderValue};

    use super::trace_parent;

    fn of(text: &'static str) -> Option<String> {
        let headers = HeaderMap::from_iter([("traceparent".parse().unwrap(), HeaderValue::from_static(text))]);
        trace_parent(&headers).map(|found| found.trace_id)
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
        assert_eq!(trace_parent(&HeaderMap::new()), None);
        let sampled = |flags: &str| {
            let text = format!("00-{trace}-00f067aa0ba902b7-{flags}");
            let value = HeaderValue::try_from(text).unwrap();
            trace_parent(&HeaderMap::from_iter([("traceparent".parse().unwrap(), value)])).unwrap().is_sampled
        };
        assert_eq!(["00", "01", "02", "03"].map(sampled), [false, true, false, true]);
    }
}
