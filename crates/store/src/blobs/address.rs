//! The address of the blob storage: `file:FOLDER` or `s3://BUCKET/PREFIX`.

use std::{fmt, path::PathBuf, str::FromStr};

/// The address of a folder or a bucket. It contains no secret: the credentials of S3 come from the environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BlobAddress {
    /// A folder.
    Folder(PathBuf),
    /// A bucket of an S3 server.
    S3 {
        /// Its name.
        bucket: String,
        /// The prefix of every name in it; may be empty.
        prefix: String,
        /// The server, if it is not the one that the environment names.
        endpoint: Option<String>,
        /// The region, if it is not the one that the environment names.
        region: Option<String>,
    },
}

/// An address in neither form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}; expected file:FOLDER or s3://BUCKET/PREFIX?endpoint=https://HOST&region=NAME")]
pub struct InvalidBlobAddress(&'static str);

impl FromStr for BlobAddress {
    type Err = InvalidBlobAddress;

    fn from_str(text: &str) -> Result<Self, InvalidBlobAddress> {
        if let Some(folder) = text.strip_prefix("file:") {
            let folder = folder.strip_prefix("//").unwrap_or(folder);
            return if folder.is_empty() {
                Err(InvalidBlobAddress("file: must be followed by a folder"))
            } else {
                Ok(Self::Folder(PathBuf::from(folder)))
            };
        }
        let Some(rest) = text.strip_prefix("s3://") else {
            return Err(InvalidBlobAddress("the address of a storage begins with file: or s3:"));
        };
        let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (bucket, prefix) = place.split_once('/').unwrap_or((place, ""));
        if bucket.is_empty() || bucket.contains('@') {
            return Err(InvalidBlobAddress("s3: must be followed by the name of a bucket, and no credentials"));
        }
        let (mut endpoint, mut region) = (None, None);
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            match pair.split_once('=') {
                Some(("endpoint", value)) if value.contains('@') => {
                    return Err(InvalidBlobAddress(
                        "the endpoint must hold no credentials; they belong into the environment",
                    ));
                }
                Some(("endpoint", value)) if value.starts_with("http://") || value.starts_with("https://") => {
                    endpoint = Some(value.trim_end_matches('/').to_owned());
                }
                Some(("endpoint", _)) => {
                    return Err(InvalidBlobAddress("the endpoint must begin with http:// or https://"));
                }
                Some(("region", value)) if !value.is_empty() => region = Some(value.to_owned()),
                _ => return Err(InvalidBlobAddress("endpoint and region are all that may follow the question mark")),
            }
        }
        Ok(Self::S3 { bucket: bucket.to_owned(), prefix: prefix.trim_matches('/').to_owned(), endpoint, region })
    }
}

impl fmt::Display for BlobAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(folder) => write!(f, "file:{}", folder.display()),
            Self::S3 { bucket, prefix, endpoint, region } => {
                write!(f, "s3://{bucket}")?;
                if !prefix.is_empty() {
                    write!(f, "/{prefix}")?;
                }
                let mut mark = '?';
                for (name, value) in [("endpoint", endpoint), ("region", region)] {
                    if let Some(value) = value {
                        write!(f, "{mark}{name}={value}")?;
                        mark = '&';
                    }
                }
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::BlobAddress;

    #[test]
    fn addresses_are_parsed_and_printed() {
        for text in [
            "file:/var/lib/kaisatsu/blobs",
            "s3://bucket",
            "s3://bucket/some/prefix",
            "s3://bucket/p?endpoint=http://127.0.0.1:3900&region=garage",
        ] {
            assert_eq!(text.parse::<BlobAddress>().map(|address| address.to_string()), Ok(text.to_owned()));
        }
        for bad in [
            "",
            "file:",
            "/tmp",
            "s3://",
            "s3://key:secret@bucket",
            "s3://b?endpoint=host",
            "s3://b?x=1",
            "s3://b?endpoint=https://u:p@h",
        ] {
            assert!(bad.parse::<BlobAddress>().is_err(), "{bad}");
        }
    }
}
