//! The address of a database: `sqlite:PATH` or `postgres://…`.

use std::{fmt, path::PathBuf, str::FromStr};

use sqlx::postgres::{PgConnectOptions, PgSslMode};

/// The address of a database. `Display` hides the password.
#[derive(Clone)]
pub enum DatabaseAddress {
    /// A SQLite file.
    Sqlite(PathBuf),
    /// A PostgreSQL server and database.
    Postgres(Box<PgConnectOptions>),
}

/// An address in neither form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidDatabaseAddress(String);

const FORMS: &str = "sqlite:PATH or postgres://USER:PASSWORD@HOST:PORT/DATABASE";

impl FromStr for DatabaseAddress {
    type Err = InvalidDatabaseAddress;

    fn from_str(text: &str) -> Result<Self, InvalidDatabaseAddress> {
        if let Some(path) = text.strip_prefix("sqlite:") {
            let path = path.strip_prefix("//").unwrap_or(path);
            if path.is_empty() || path.contains(['?', '\0']) || path.starts_with(":memory:") {
                return Err(InvalidDatabaseAddress(format!(
                    "sqlite: must be followed by the path of a file; expected {FORMS}"
                )));
            }
            return Ok(Self::Sqlite(PathBuf::from(path)));
        }
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            // The parser's own message may quote the address with its password, so it is not passed on.
            return PgConnectOptions::from_str(text)
                .map(|options| Self::Postgres(Box::new(options.application_name("kaisatsu"))))
                .map_err(|_| {
                    InvalidDatabaseAddress(format!("that postgres:// address cannot be read; expected {FORMS}"))
                });
        }
        let scheme = text.split_once(':').map(|(scheme, _)| scheme);
        let plain = |s: &&str| s.len() < 20 && s.bytes().all(|b| b.is_ascii_alphanumeric());
        Err(InvalidDatabaseAddress(match scheme.filter(plain) {
            Some(scheme) => format!("'{scheme}:' is no kind of database we keep things in; expected {FORMS}"),
            None => format!("a database address begins with its kind; expected {FORMS}"),
        }))
    }
}

/// The word for how a connection is encrypted.
pub(crate) fn sslmode(options: &PgConnectOptions) -> &'static str {
    match options.get_ssl_mode() {
        PgSslMode::Prefer => "prefer",
        PgSslMode::Disable => "disable",
        PgSslMode::Allow => "allow",
        PgSslMode::Require => "require",
        PgSslMode::VerifyCa => "verify-ca",
        PgSslMode::VerifyFull => "verify-full",
    }
}

impl fmt::Display for DatabaseAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(path) => write!(f, "sqlite:{}", path.display()),
            Self::Postgres(options) => write!(
                f,
                "postgres://{}@{}:{}/{}{}",
                options.get_username(),
                options.get_host(),
                options.get_port(),
                options.get_database().unwrap_or(options.get_username()),
                match sslmode(options) {
                    "prefer" => String::new(),
                    word => format!("?sslmode={word}"),
                }
            ),
        }
    }
}

impl fmt::Debug for DatabaseAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::DatabaseAddress;

    #[test]
    fn the_password_is_never_printed() {
        let address: DatabaseAddress = "postgres://me:s3cret@db.example:5433/gate".parse().unwrap();
        assert_eq!(address.to_string(), "postgres://me@db.example:5433/gate");
        assert_eq!(format!("{address:?}"), "postgres://me@db.example:5433/gate");
        let strict: DatabaseAddress = "postgres://me:s3cret@db.example/gate?sslmode=verify-full".parse().unwrap();
        assert_eq!(strict.to_string(), "postgres://me@db.example:5432/gate?sslmode=verify-full");
    }

    #[test]
    fn an_invalid_address_is_answered_with_the_valid_forms_and_not_quoted() {
        for bad in
            ["", "kaisatsu.db", "mysql://me:s3cret@h/d", "sqlite:", "sqlite::memory:", "postgres://me:s3cret@h:x/d"]
        {
            let message = bad.parse::<DatabaseAddress>().unwrap_err().to_string();
            assert!(message.contains("sqlite:PATH"), "{bad}: {message}");
            assert!(!message.contains("s3cret"), "{message}");
        }
    }

    #[test]
    fn sqlite_paths_with_and_without_slashes() {
        for (text, shown) in [("sqlite:a/b.db", "sqlite:a/b.db"), ("sqlite:///a/b.db", "sqlite:/a/b.db")] {
            assert_eq!(text.parse::<DatabaseAddress>().unwrap().to_string(), shown);
        }
    }
}
