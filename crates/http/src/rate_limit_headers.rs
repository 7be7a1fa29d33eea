//! `RateLimit-Policy` and `RateLimit`: how often a caller may call, and how often it still may
//! (draft-ietf-httpapi-ratelimit-headers).

use std::fmt::Write as _;

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use kaisatsu_access::{Caller, RateLimit, Usage};

pub(crate) static POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
pub(crate) static REMAINING: HeaderName = HeaderName::from_static("ratelimit");

const SECONDS_A_DAY: u64 = 24 * 60 * 60;

/// Adds both headers; neither where nothing is limited.
pub(crate) fn add(headers: &mut HeaderMap, caller: &Caller, limit: &RateLimit, usage: &Usage) {
    let (mut policy, mut remaining) = (String::new(), String::new());
    if let Some(most) = limit.most() {
        let left = caller.meter.burst_left().min(most);
        let _ = write!(policy, "\"second\";q={most};w=1");
        let _ = write!(remaining, "\"second\";r={left};t=1");
    }
    if let Some((most, left)) = caller.meter.day() {
        let comma = if policy.is_empty() { "" } else { ", " };
        let _ = write!(policy, "{comma}\"day\";q={most};w={SECONDS_A_DAY}");
        let _ = write!(remaining, "{comma}\"day\";r={left};t={}", usage.until_tomorrow().as_secs() + 1);
    }
    if let (false, Ok(policy), Ok(remaining)) =
        (policy.is_empty(), HeaderValue::try_from(policy), HeaderValue::try_from(remaining))
    {
        headers.insert(&POLICY, policy);
        headers.insert(&REMAINING, remaining);
    }
}
