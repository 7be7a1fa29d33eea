//! What every handler can reach.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use kaisatsu_access::{Accounts, Caller, Desk, Gate, RateLimit, Tokens, Usage};
use kaisatsu_railmap::Library;
use kaisatsu_recognition::{Recognition, User};

use crate::{Failure, Kind, Query, Rendered, intake::Room, pictures::Pictures};

/// The name of the query parameter that carries the key.
pub(crate) const API_KEY: &str = "APIKEY";

/// The name of the query parameter that carries the user's token.
pub(crate) const TOKEN: &str = "token";

/// The first path segment of the route map function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment(String);

impl Segment {
    /// 1 to 64 letters, digits, `-` and `_`, and none of the segments that mean something else.
    ///
    /// # Errors
    /// The rule, when `text` breaks it.
    pub fn new(text: &str) -> Result<Self, String> {
        const TAKEN: [&str; 8] =
            ["imageRecognition", "docs", "healthz", "readyz", "metrics", "map", "map-assets", "console"];
        let plain = text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'));
        if text.is_empty() || text.len() > 64 || !plain {
            return Err("a path segment has 1 to 64 letters, digits, '-' and '_'".to_owned());
        }
        if TAKEN.contains(&text) {
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

/// What people are told of the server before they try.
#[derive(Debug, Clone, Copy)]
pub struct Facts {
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

/// What a [`Gateway`] is made of.
pub struct Parts {
    /// Who may pass.
    pub gate: Arc<Gate>,
    /// How often.
    pub limit: RateLimit,
    /// How much of that is counted.
    pub usage: Arc<Usage>,
    /// Whose users they speak for.
    pub tokens: Tokens,
    /// The people to whom applications belong.
    pub accounts: Accounts,
    /// Where they are handed their applications.
    pub desk: Desk,
    /// What they are told of the server.
    pub facts: Facts,
    /// The maps in force.
    pub maps: Arc<Library<Rendered>>,
    /// The door to image recognition.
    pub recognition: Arc<Recognition>,
    /// The most bytes of an image.
    pub max_image_bytes: usize,
    /// The first path segment of the route map function.
    pub segment: Segment,
    /// Whether anybody may look at the maps in a browser.
    pub map_pages: bool,
}

/// The parts of the product behind the API.
pub struct Gateway {
    /// Who may pass.
    pub gate: Arc<Gate>,
    /// How often.
    pub limit: RateLimit,
    /// How much of that is counted.
    pub usage: Arc<Usage>,
    /// Whose users they speak for.
    pub tokens: Tokens,
    /// The people to whom applications belong.
    pub accounts: Accounts,
    /// Where they are handed their applications.
    pub desk: Desk,
    /// What they are told of the server.
    pub facts: Facts,
    /// The maps in force.
    pub maps: Arc<Library<Rendered>>,
    /// The door to image recognition.
    pub recognition: Arc<Recognition>,
    /// The most bytes of an image.
    pub max_image_bytes: usize,
    /// The room for images.
    pub(crate) room: Room,
    /// The first path segment of the route map function.
    pub segment: Segment,
    /// Whether anybody may look at the maps in a browser.
    pub map_pages: bool,
    /// Where maps are drawn.
    pub(crate) pictures: Pictures,
    draining: AtomicBool,
}

impl Gateway {
    /// Puts the parts together.
    #[must_use]
    pub fn new(parts: Parts) -> Self {
        let Parts { gate, limit, usage, tokens, accounts, desk, facts, maps, recognition, .. } = parts;
        let Parts { max_image_bytes, segment, map_pages, .. } = parts;
        Self {
            gate,
            limit,
            usage,
            tokens,
            accounts,
            desk,
            facts,
            maps,
            recognition,
            max_image_bytes,
            room: Room::new(max_image_bytes),
            segment,
            map_pages,
            pictures: Pictures::new(),
            draining: AtomicBool::new(false),
        }
    }

    /// Says that no new work should be sent here: `/readyz` answers no from now on.
    pub fn drain(&self) {
        self.draining.store(true, Ordering::Relaxed);
    }

    /// Why this server should get no work at the moment, if it should not.
    #[must_use]
    pub fn not_ready(&self) -> Option<&'static str> {
        if self.draining.load(Ordering::Relaxed) {
            Some("the server is shutting down")
        } else if !self.gate.is_sure() {
            Some("API keys cannot be read from the database")
        } else if self.maps.all().is_empty() {
            Some("no route map is loaded")
        } else {
            self.recognition.not_ready()
        }
    }

    /// The first checks of every operation: the key, its rate, and its application's quota.
    pub(crate) async fn admit(&self, query: &Query<'_>) -> Result<Arc<Caller>, Failure> {
        // Whatever is wrong with the key, the caller is simply not known: 401 and not 400.
        let unknown = |failure: Failure| Failure::new(Kind::KeyUnknown, failure.message);
        let key = query.required(API_KEY).map_err(unknown)?;
        let caller = self.gate.admit(key).await?;
        self.limit.take(&caller.key).map_err(|wait| {
            let told = "this API key calls too often; slow down, or ask for a higher limit";
            Failure::passing(Kind::TooOften, told, wait).of(Arc::clone(&caller))
        })?;
        caller.meter.take().map_err(|most| {
            let told = format!(
                "the application's quota of {most} requests a day is used up; it begins anew at midnight UTC, or ask the \
                 operator for a higher one"
            );
            Failure::passing(Kind::TooOften, told, self.usage.until_tomorrow()).of(Arc::clone(&caller))
        })?;
        Ok(caller)
    }

    /// The user whom the token of a request stands for. Whatever is wrong with it, the user is simply not known.
    pub(crate) async fn user(&self, query: &Query<'_>, caller: &Caller) -> Result<User, Failure> {
        let unknown = |told: String| Failure::new(Kind::TokenUnknown, told);
        let token = query.required(TOKEN).map_err(|failure| unknown(failure.message))?;
        let user = self.tokens.owner(&caller.application, token).await?;
        let id = user.ok_or_else(|| {
            let told = "query parameter token is not a good token of this application's; getToken makes one";
            unknown(told.to_owned())
        })?;
        Ok(User { application: caller.application.clone(), id })
    }

    /// The same for an operation that may do without a user.
    pub(crate) async fn user_if_any(&self, query: &Query<'_>, caller: &Caller) -> Result<Option<User>, Failure> {
        if query.has(TOKEN) { self.user(query, caller).await.map(Some) } else { Ok(None) }
    }
}

#[cfg(test)]
mod tests {
    use super::Segment;

    #[test]
    fn a_segment_is_one_plain_segment() {
        assert!(Segment::new("route_service").is_ok());
        for bad in ["", "a/b", "路線", "imageRecognition", "docs", "a b", &"a".repeat(65)] {
            assert!(Segment::new(bad).is_err(), "{bad}");
        }
    }
}
