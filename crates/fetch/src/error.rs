//! Why an image could not be had, in words for the user whose image it was.

/// Why an image could not be had. No message says what a name resolved to, or how a machine inside is called.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FetchError {
    /// The address cannot be read as one.
    #[error("{0}")]
    Malformed(&'static str),
    /// The address is one that images are not fetched from.
    #[error("{0}")]
    Denied(String),
    /// The host says that there is no such image: 404, or 410 when it is gone for good.
    #[error("there is no image at this address (status {0}); check the address")]
    NotFound(u16),
    /// The image is larger than allowed.
    #[error("the image is too large: at most {limit} bytes are fetched; give the address of a smaller one")]
    TooLarge {
        /// How many bytes would have been taken.
        limit: usize,
    },
    /// The image did not come in time.
    #[error("the image did not come in time; try again later, or give an address on a faster host")]
    TimedOut,
    /// The address leads to another one, and so on.
    #[error("the address redirects too many times; give the address of the image itself")]
    TooManyRedirects,
    /// The host answered with a status that comes with no image.
    #[error("the host answered with status {0} instead of an image; {remedy}", remedy = remedy(*.0))]
    Answered(u16),
    /// The host could not be asked, or did not end what it began to say.
    #[error("{0}")]
    Unreachable(String),
}

impl FetchError {
    /// Whether trying again later may help.
    #[must_use]
    pub fn is_passing(&self) -> bool {
        match self {
            Self::TimedOut | Self::Unreachable(_) => true,
            Self::Answered(status) => may_pass(*status),
            Self::Malformed(_)
            | Self::Denied(_)
            | Self::NotFound(_)
            | Self::TooLarge { .. }
            | Self::TooManyRedirects => false,
        }
    }

    /// The same failure when it was a redirect that led there. The words are the crate's own: the address was not the
    /// user's, and a server inside that was vouched for may have named another machine inside.
    pub(crate) fn behind_redirect(self) -> Self {
        match self {
            Self::Malformed(_) | Self::Denied(_) => Self::Denied(
                "the address redirects to one that images are not fetched from; give the address of the image itself"
                    .to_owned(),
            ),
            other => other,
        }
    }
}

/// Whether a status speaks of the moment and not of the address.
fn may_pass(status: u16) -> bool {
    matches!(status, 408 | 425 | 429 | 500..=599)
}

fn remedy(status: u16) -> &'static str {
    if may_pass(status) {
        "try again later"
    } else {
        "the address must lead to the image itself, open to everybody without signing in"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_pass_is_told_from_what_will_not() {
        let passing = [408, 425, 429, 500, 502, 503, 504, 599].map(FetchError::Answered);
        assert!(passing.iter().all(FetchError::is_passing));
        assert!(FetchError::TimedOut.is_passing());
        assert!(FetchError::Unreachable(String::new()).is_passing());
        let lasting = [204, 206, 304, 400, 401, 403, 451, 600].map(FetchError::Answered);
        assert!(!lasting.iter().any(FetchError::is_passing));
        let others = [
            FetchError::Malformed(""),
            FetchError::Denied(String::new()),
            FetchError::NotFound(404),
            FetchError::TooLarge { limit: 1 },
            FetchError::TooManyRedirects,
        ];
        assert!(!others.iter().any(FetchError::is_passing));
    }

    #[test]
    fn a_status_comes_with_its_remedy() {
        assert!(FetchError::Answered(503).to_string().ends_with("status 503 instead of an image; try again later"));
        assert!(FetchError::Answered(403).to_string().ends_with("without signing in"));
    }
}
