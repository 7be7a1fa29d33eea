//! The reasons why an image cannot be fetched, with messages for the user.

/// Why an image cannot be fetched. No message contains the address of a host or the name of an internal one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FetchError {
    /// The URL cannot be parsed.
    #[error("{0}")]
    Malformed(&'static str),
    /// Images are not fetched from this URL.
    #[error("{0}")]
    Denied(String),
    /// The host answered 404 or 410.
    #[error("there is no image at this address (status {0}); check the address")]
    NotFound(u16),
    /// The image is larger than allowed.
    #[error("the image is too large: at most {limit} bytes are fetched; give the address of a smaller one")]
    TooLarge {
        /// The most bytes that are fetched.
        limit: usize,
    },
    /// The image was not received in time.
    #[error("the image did not come in time; try again later, or give an address on a faster host")]
    TimedOut,
    /// There are more redirects than are followed.
    #[error("the address redirects too many times; give the address of the image itself")]
    TooManyRedirects,
    /// The host answered with another status than 200.
    #[error("the host answered with status {0} instead of an image; {remedy}", remedy = remedy(*.0))]
    Answered(u16),
    /// The connection could not be made, or broke before the response was complete.
    #[error("{0}")]
    Unreachable(String),
}

impl FetchError {
    /// Whether a later attempt may succeed.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        match self {
            Self::TimedOut | Self::Unreachable(_) => true,
            Self::Answered(status) => is_transient_status(*status),
            Self::Malformed(_)
            | Self::Denied(_)
            | Self::NotFound(_)
            | Self::TooLarge { .. }
            | Self::TooManyRedirects => false,
        }
    }

    /// The error to report if a redirect led to this one. It does not contain the URL: an allowed internal server may
    /// have redirected to another internal host, whose name must not be revealed.
    pub(crate) fn after_redirect(self) -> Self {
        match self {
            Self::Malformed(_) | Self::Denied(_) => Self::Denied(
                "the address redirects to one that images are not fetched from; give the address of the image itself"
                    .to_owned(),
            ),
            other => other,
        }
    }
}

/// Whether a status describes a temporary condition.
fn is_transient_status(status: u16) -> bool {
    matches!(status, 408 | 425 | 429 | 500..=599)
}

fn remedy(status: u16) -> &'static str {
    if is_transient_status(status) {
        "try again later"
    } else {
        "the address must lead to the image itself, open to everybody without signing in"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transient_errors_are_distinguished_from_permanent_ones() {
        let transient = [408, 425, 429, 500, 502, 503, 504, 599].map(FetchError::Answered);
        assert!(transient.iter().all(FetchError::is_transient));
        assert!(FetchError::TimedOut.is_transient());
        assert!(FetchError::Unreachable(String::new()).is_transient());
        let permanent = [204, 206, 304, 400, 401, 403, 451, 600].map(FetchError::Answered);
        assert!(!permanent.iter().any(FetchError::is_transient));
        let others = [
            FetchError::Malformed(""),
            FetchError::Denied(String::new()),
            FetchError::NotFound(404),
            FetchError::TooLarge { limit: 1 },
            FetchError::TooManyRedirects,
        ];
        assert!(!others.iter().any(FetchError::is_transient));
    }

    #[test]
    fn the_message_for_a_status_says_what_to_do() {
        assert!(FetchError::Answered(503).to_string().ends_with("status 503 instead of an image; try again later"));
        assert!(FetchError::Answered(403).to_string().ends_with("without signing in"));
    }
}
