//! The state that every handler can reach, and the checks that every operation begins with.

use std::{
    ops::Deref,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use axum::{
    body::Body,
    http::{HeaderMap, header},
};
use bytes::Bytes;
use kaisatsu_access::{
    Accounts, Caller, ConsoleService, FailedRequests, Idempotency, KeyCache, KeyRejection, RateLimit, Tokens, Usage,
};
use kaisatsu_model::{KeyScope, Part, PartState};
use kaisatsu_railmap::MapRegistry;
use kaisatsu_recognition::{Recognition, User};
use kaisatsu_render::PictureError;
use kaisatsu_status::Monitor;

use crate::{
    Embedding, Etag, Failure, KeyPlaces, Kind, PreparedMap, Query, TrustedProxies,
    body::BodyMemory,
    client_address,
    drawings::{Client, Drawings},
    hang_up,
    presented_key::{presented_key, unknown},
    recent_errors::{RecentError, RecentErrors},
};

/// The name of the query parameter that carries the key.
pub(crate) const API_KEY: &str = "APIKEY";

/// The name of the query parameter that carries the user's token.
pub(crate) const TOKEN: &str = "token";

/// The first path segment of the route map function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment(String);

impl Segment {
    /// 1 to 64 letters, digits, `-` and `_`, and not the first segment of another path of this server.
    ///
    /// # Errors
    /// The rule that `text` breaks.
    pub fn new(text: &str) -> Result<Self, String> {
        const RESERVED: [&str; 9] =
            ["imageRecognition", "docs", "healthz", "readyz", "metrics", "map", "map-assets", "console", "mcp"];
        let plain = text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'));
        if text.is_empty() || text.len() > 64 || !plain {
            return Err("a path segment has 1 to 64 letters, digits, '-' and '_'".to_owned());
        }
        if RESERVED.contains(&text) {
            return Err(format!("'{text}' is the path of something else here"));
        }
        Ok(Self(text.to_owned()))
    }

    /// The segment as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The limits that the console shows to people.
#[derive(Debug, Clone, Copy)]
pub struct PublishedLimits {
    /// Bytes of images that one user may have.
    pub user_bytes: u64,
    /// Images that one user may have in the storage area.
    pub user_images: u32,
    /// Datasets that one user may have.
    pub user_data_sets: u32,
    /// Images that one dataset may have.
    pub data_set_images: u32,
    /// Whether pictures are kept with recognitions.
    pub keep_pictures: bool,
}

/// A setting as the operator's page shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingInForce {
    /// Its name.
    pub name: String,
    /// Its value; nothing when it is not set.
    pub value: Option<String>,
    /// Where the value comes from: `default`, `file`, `environment` or `flag`.
    pub origin: &'static str,
}

/// The services behind the API, and the settings that handlers read.
pub struct Services {
    /// Where API keys are read from.
    pub key_places: KeyPlaces,
    /// The proxies whose word about the address of a client is believed.
    pub trusted_proxies: TrustedProxies,
    /// Checks API keys.
    pub key_cache: Arc<KeyCache>,
    /// Limits the rate of each key.
    pub limit: RateLimit,
    /// Counts requests, and enforces the daily quotas.
    pub usage: Arc<Usage>,
    /// The tokens of the users of applications.
    pub tokens: Tokens,
    /// Requests that clients may send again.
    pub idempotency: Idempotency,
    /// The accounts of people, and their sessions.
    pub accounts: Accounts,
    /// The applications and keys that people manage in the console.
    pub console: ConsoleService,
    /// The limits that the console shows.
    pub limits: PublishedLimits,
    /// The maps in force.
    pub maps: Arc<MapRegistry<PreparedMap>>,
    /// Image recognition.
    pub recognition: Arc<Recognition>,
    /// The most bytes of an image.
    pub max_image_bytes: usize,
    /// The first path segment of the route map function.
    pub segment: Segment,
    /// How long a request may take once its body has arrived.
    pub request_timeout: Duration,
    /// Whether the map pages are served.
    pub map_pages: bool,
    /// The sites that may embed the map pages.
    pub map_embed: Embedding,
    /// How the database and the disks are, and which other servers there are.
    pub monitor: Arc<Monitor>,
    /// The failed requests of each application.
    pub failed_requests: Arc<FailedRequests>,
    /// The settings in force, without secrets, for the operator's page.
    pub settings: Vec<SettingInForce>,
}

/// The state that all handlers share: the services, and what bounds the use of this process.
pub struct Gateway {
    services: Services,
    /// The memory for request bodies.
    pub(crate) body_memory: BodyMemory,
    /// The queue of map drawings.
    pub(crate) drawings: Drawings,
    draining: AtomicBool,
    pub(crate) errors: RecentErrors,
}

impl Deref for Gateway {
    type Target = Services;

    fn deref(&self) -> &Services {
        &self.services
    }
}

impl Gateway {
    /// Wraps the services.
    #[must_use]
    pub fn new(services: Services) -> Self {
        Self {
            body_memory: BodyMemory::new(services.max_image_bytes),
            drawings: Drawings::new(),
            draining: AtomicBool::new(false),
            errors: RecentErrors::default(),
            services,
        }
    }

    /// Draws a picture for a map page, or takes it from the cache. Pages have a queue of their own: they need no key,
    /// so they must not hold up callers with a key.
    ///
    /// # Errors
    /// [`Kind::Unavailable`] when the queue is full, [`Kind::Internal`] when drawing fails.
    pub async fn draw_for_page(
        &self,
        etag: Etag,
        draw: impl FnOnce() -> Result<Bytes, PictureError> + Send + 'static,
    ) -> Result<Bytes, Failure> {
        Ok(self.drawings.get(Client::Page, etag, draw).await?)
    }

    /// Makes `/readyz` answer 503 from now on, so that load balancers send no new requests.
    pub fn drain(&self) {
        self.draining.store(true, Ordering::Relaxed);
    }

    /// Why this server is not ready, or `None` if it is.
    #[must_use]
    pub fn not_ready(&self) -> Option<&'static str> {
        if self.draining.load(Ordering::Relaxed) {
            Some("the server is shutting down")
        } else if !self.key_cache.is_fresh() {
            Some("API keys cannot be read from the database")
        } else if self.maps.all().is_empty() {
            Some("no route map is loaded")
        } else {
            self.recognition.not_ready()
        }
    }

    /// The parts of the server, and how they are.
    #[must_use]
    pub fn parts(&self) -> Vec<Part> {
        let part = |name: &str, fault: Option<&str>| {
            fault.map_or_else(|| Part::ok(name), |fault| Part::new(name, PartState::Failing, fault))
        };
        let draining = self.draining.load(Ordering::Relaxed);
        let mut parts = vec![part("server", draining.then_some("the server is shutting down"))];
        parts.extend(self.monitor.parts());
        let stale = !self.key_cache.is_fresh();
        parts.push(part("keys", stale.then_some("API keys cannot be read from the database")));
        parts.push(self.maps_part());
        parts.extend(self.recognition.parts());
        parts
    }

    fn maps_part(&self) -> Part {
        const NAME: &str = "maps";
        let broken = self.maps.broken_files();
        if self.maps.all().is_empty() {
            Part::new(NAME, PartState::Failing, "no route map is loaded")
        } else if broken.is_empty() {
            Part::ok(NAME)
        } else {
            let names: Vec<_> = broken.iter().filter_map(|path| path.file_name()).map(|name| name.display()).collect();
            let names = names.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
            Part::new(NAME, PartState::Degraded, format!("not usable: {names}; `kaisatsu map check` says why"))
        }
    }

    /// The latest requests that the server failed to answer, the newest first.
    #[must_use]
    pub fn recent_errors(&self) -> Vec<RecentError> {
        self.errors.list()
    }

    /// Whether a request presents a key that is valid now. Nothing is counted.
    pub async fn knows(&self, query: Option<&str>, headers: &HeaderMap) -> bool {
        let query = Query::read(query, &[API_KEY]);
        match presented_key(self.key_places, &query, headers) {
            Ok(key) => self.key_cache.authenticate(key.text).await.is_ok(),
            Err(_) => false,
        }
    }

    /// Reads a whole body of at most `limit` bytes. It takes `weight` bytes of the memory for bodies for each byte,
    /// until the last copy of it is dropped.
    ///
    /// # Errors
    /// [`Kind::TooLarge`], [`Kind::BodyFormat`] when the body is cut short, [`Kind::Unavailable`] without memory.
    pub async fn read_body(
        &self,
        headers: &HeaderMap,
        body: Body,
        limit: usize,
        weight: usize,
        what: &str,
    ) -> Result<Bytes, Failure> {
        self.body_memory.read_and_hold(headers, body, limit, weight, what).await
    }

    /// The first checks of every operation: the key, its rate limit, and the quota of its application.
    pub(crate) async fn admit(&self, query: &Query<'_>, headers: &HeaderMap) -> Result<Arc<Caller>, Failure> {
        let key = presented_key(self.key_places, query, headers)?;
        let caller = self.key_cache.authenticate(key.text).await.map_err(|rejection| match rejection {
            KeyRejection::Unknown => unknown(key.place),
            other => other.into(),
        })?;
        if !caller.allowed.is_everywhere() && !self.comes_from_allowed_place(&caller, headers) {
            let message = "this API key may not be used from here: it is for certain sites or networks; ask the \
                           operator, or use another key";
            return Err(Failure::new(Kind::Denied, message).of(caller));
        }
        let taken = self.limit.take(&caller.key).await;
        caller.meter.set_burst_left(*taken.as_ref().unwrap_or(&0));
        taken.map_err(|wait| {
            let message = "this API key calls too often; slow down, or ask for a higher limit";
            Failure::passing(Kind::TooOften, message, wait).of(Arc::clone(&caller))
        })?;
        caller.meter.take().await.map_err(|most| {
            let message = format!(
                "the application's quota of {most} requests a day is used up; it begins anew at midnight UTC, or ask \
                    the \
                 operator for a higher one"
            );
            Failure::passing(Kind::TooOften, message, self.usage.until_tomorrow()).of(Arc::clone(&caller))
        })?;
        hang_up::remember(&caller);
        Ok(caller)
    }

    fn comes_from_allowed_place(&self, caller: &Caller, headers: &HeaderMap) -> bool {
        let origin = headers.get(header::ORIGIN).and_then(|value| value.to_str().ok());
        caller.allowed.allow(origin, self.trusted_proxies.client(client_address::peer(), headers))
    }

    /// The same for an operation that needs a key of some scope; `what` is refused to others.
    async fn admit_scope(
        &self,
        query: &Query<'_>,
        headers: &HeaderMap,
        scope: KeyScope,
        what: &str,
    ) -> Result<Arc<Caller>, Failure> {
        let caller = self.admit(query, headers).await?;
        if caller.scope < scope {
            let own = caller.scope;
            let message = format!(
                "a key of the scope {own} may not {what}; `kaisatsu key create --scope {scope}` makes one that may"
            );
            return Err(Failure::new(Kind::Denied, message).of(caller));
        }
        Ok(caller)
    }

    /// The first checks of an operation that a restricted key may not call.
    pub(crate) async fn admit_unrestricted(
        &self,
        query: &Query<'_>,
        headers: &HeaderMap,
        what: &str,
    ) -> Result<Arc<Caller>, Failure> {
        self.admit_scope(query, headers, KeyScope::Standard, what).await
    }

    /// The first checks of an operation for operators.
    pub(crate) async fn admit_operator(&self, query: &Query<'_>, headers: &HeaderMap) -> Result<Arc<Caller>, Failure> {
        self.admit_scope(query, headers, KeyScope::Operator, "manage the catalogue and the collections").await
    }

    /// The user whose token the request carries. A token that is missing or malformed is answered like an unknown one.
    pub(crate) async fn user(&self, query: &Query<'_>, caller: &Caller) -> Result<User, Failure> {
        let unknown = |message: String| Failure::new(Kind::TokenUnknown, message);
        let token = query.required(TOKEN).map_err(|failure| unknown(failure.message))?;
        let user = self.tokens.owner(&caller.application, token).await?;
        let id = user.ok_or_else(|| {
            let message = "query parameter token is not a good token of this application's; getToken makes one";
            unknown(message.to_owned())
        })?;
        Ok(User { application: caller.application.clone(), id })
    }

    /// The same for an operation in which the token is optional.
    pub(crate) async fn user_if_any(&self, query: &Query<'_>, caller: &Caller) -> Result<Option<User>, Failure> {
        if query.has(TOKEN) { self.user(query, caller).await.map(Some) } else { Ok(None) }
    }
}

#[cfg(test)]
mod tests {
    use super::Segment;

    #[test]
    fn a_segment_has_only_plain_characters_and_is_not_reserved() {
        assert!(Segment::new("route_service").is_ok());
        for bad in ["", "a/b", "路線", "imageRecognition", "docs", "a b", &"a".repeat(65)] {
            assert!(Segment::new(bad).is_err(), "{bad}");
        }
    }
}
