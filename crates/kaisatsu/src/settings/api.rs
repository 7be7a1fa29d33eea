//! What the server offers over HTTP, to whom, and how much of it.

use kaisatsu_http::{Cors, Embedding, Segment, TrustedProxies};

/// The settings of the API and of the pages.
#[allow(clippy::doc_markdown, reason = "these comments are the help text, which is no Markdown")]
#[allow(clippy::struct_excessive_bools, reason = "each is a setting of its own")]
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct ApiSettings {
    /// First path segment of the route map function
    #[arg(
        long,
        global = true,
        env = "KAISATSU_ROUTE_SERVICE",
        value_name = "SEGMENT",
        default_value = "route_service",
        value_parser = Segment::new
    )]
    pub(crate) route_service: Segment,

    /// Show the route maps at /map to everybody who can reach the server, without a key: true or false
    #[arg(
        long,
        global = true,
        env = "KAISATSU_MAP_PAGES",
        value_name = "BOOL",
        default_value_t = true,
        action = clap::ArgAction::Set
    )]
    pub(crate) map_pages: bool,

    /// Sites whose pages may embed the map pages: off for none, * for all, or origins separated by commas
    #[arg(long, global = true, env = "KAISATSU_MAP_EMBED", value_name = "ORIGINS", default_value = "off")]
    pub(crate) map_embed: Embedding,

    /// Offer the operations as tools to assistants at /mcp (Model Context Protocol): true or false
    #[arg(
        long,
        global = true,
        env = "KAISATSU_MCP",
        value_name = "BOOL",
        default_value_t = true,
        action = clap::ArgAction::Set
    )]
    pub(crate) mcp: bool,

    /// Web pages that may call the API: * for all, off for none, or origins separated by commas
    #[arg(long, global = true, env = "KAISATSU_CORS", value_name = "ORIGINS", default_value = "*")]
    pub(crate) cors: Cors,

    /// Take API keys in the headers Authorization: Bearer KEY and X-API-Key: KEY as well as in the query: true or false
    #[arg(
        long,
        global = true,
        env = "KAISATSU_KEY_HEADERS",
        value_name = "BOOL",
        default_value_t = true,
        action = clap::ArgAction::Set
    )]
    pub(crate) key_headers: bool,

    /// Proxies in front of the server, whose X-Forwarded-For says where people sign in from: addresses and networks
    /// separated by commas, or none
    #[arg(
        long,
        global = true,
        env = "KAISATSU_TRUSTED_PROXIES",
        value_name = "NETWORKS",
        default_value = "127.0.0.0/8,::1"
    )]
    pub(crate) trusted_proxies: TrustedProxies,

    /// Requests a second that one API key may make; 0 for no limit
    #[arg(long, global = true, env = "KAISATSU_RATE_LIMIT", value_name = "NUMBER", default_value_t = 0)]
    pub(crate) rate_limit: u32,

    /// Requests a day that one application may make, in UTC, unless an operator sets another limit in the console; 0
    /// for no limit
    #[arg(long, global = true, env = "KAISATSU_DAILY_REQUESTS", value_name = "NUMBER", default_value_t = 0)]
    pub(crate) daily_requests: u64,

    /// Let all servers on a PostgreSQL database keep the rate limit and the daily quotas together; with false, and on
    /// SQLite, each keeps the rate limit by itself: true or false
    #[arg(
        long,
        global = true,
        env = "KAISATSU_SHARED_LIMITS",
        value_name = "BOOL",
        default_value_t = true,
        action = clap::ArgAction::Set
    )]
    pub(crate) shared_limits: bool,
}
