//! `/metrics`: the figures of this process in Prometheus' text format.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use axum::{
    extract::State,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use metrics::{Counter, Gauge, counter, describe_counter, describe_gauge, gauge};
use metrics_exporter_prometheus::PrometheusHandle;

use crate::{
    Gateway,
    map_page::{self, Label},
};

/// What the page needs.
pub(crate) struct Page {
    gateway: Arc<Gateway>,
    handle: PrometheusHandle,
    meters: Arc<Meters>,
    /// Maps that have been shown: one that is gone is shown with no station from then on.
    shown: Mutex<BTreeSet<String>>,
}

impl Page {
    pub(crate) fn new(gateway: Arc<Gateway>, handle: PrometheusHandle, meters: Arc<Meters>) -> Arc<Self> {
        Arc::new(Self { gateway, handle, meters, shown: Mutex::default() })
    }
}

pub(crate) async fn metrics(State(page): State<Arc<Page>>) -> Response {
    let Page { gateway, handle, meters, shown } = &*page;
    gauge!("kaisatsu_keys_known").set(small(gateway.gate.known()));
    gauge!("kaisatsu_ready").set(if gateway.not_ready().is_none() { 1.0 } else { 0.0 });
    let mut shown = shown.lock().unwrap_or_else(PoisonError::into_inner);
    for id in &*shown {
        gauge!("kaisatsu_map_stations", "map" => id.clone()).set(0.0);
    }
    for shelved in gateway.maps.all() {
        let id = shelved.map.id.as_str().to_owned();
        gauge!("kaisatsu_map_stations", "map" => id.clone()).set(small(shelved.map.stations().len()));
        shown.insert(id);
    }
    drop(shown);
    if let Some(bytes) = resident_bytes() {
        gauge!("process_resident_memory_bytes").set(bytes);
    }
    let text = handle.render() + &meters.render_times();
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text).into_response()
}

/// What the figures mean; read once, when the server starts.
pub(crate) fn describe() {
    describe_counter!("kaisatsu_http_requests_total", "Requests answered, by operation and status");
    describe_gauge!("kaisatsu_http_requests_in_flight", "Requests being answered");
    describe_gauge!("kaisatsu_keys_known", "API keys known to the gate, disabled ones included");
    describe_gauge!("kaisatsu_ready", "Whether /readyz says yes");
    describe_gauge!("kaisatsu_map_stations", "Stations of each route map in force");
    describe_counter!("kaisatsu_pictures_refused_total", "Pictures of maps refused because every place was taken");
    describe_gauge!("kaisatsu_build_info", "Always 1; the labels name the build");
    describe_gauge!("process_resident_memory_bytes", "Resident memory");
    gauge!("kaisatsu_build_info", "version" => env!("CARGO_PKG_VERSION")).set(1.0);
}

/// The meters of the busiest path, looked up once and not for every request.
pub(crate) struct Meters {
    operations: BTreeMap<String, OperationMeters>,
    /// The console, whatever of it.
    console: OperationMeters,
    /// The pages of maps, whatever the map.
    pages: OperationMeters,
    /// Their tiles, whichever they are.
    tiles: OperationMeters,
    /// Everything else: other pages, and paths that do not exist, which must not become labels.
    others: OperationMeters,
    in_flight: Gauge,
}

struct OperationMeters {
    name: String,
    /// Its place among the operations, if it is one.
    number: Option<usize>,
    times: Times,
    /// One for each status from 100 to 599, made when it first occurs.
    statuses: Vec<OnceLock<Counter>>,
}

impl Meters {
    pub(crate) fn new<'a>(operations: impl Iterator<Item = &'a str>) -> Self {
        let mut operations: BTreeMap<_, _> =
            operations.map(|path| (path.to_owned(), OperationMeters::new(path))).collect();
        for (number, meters) in operations.values_mut().enumerate() {
            meters.number = Some(number);
        }
        Self {
            operations,
            console: OperationMeters::new("/console"),
            pages: OperationMeters::new("/map"),
            tiles: OperationMeters::new("/map/tiles"),
            others: OperationMeters::new("other"),
            in_flight: gauge!("kaisatsu_http_requests_in_flight"),
        }
    }

    /// Counts a request as being answered until the result is dropped.
    pub(crate) fn busy(&self) -> Busy<'_> {
        self.in_flight.increment(1.0);
        Busy(&self.in_flight)
    }

    /// The times of all operations in Prometheus' text format.
    fn render_times(&self) -> String {
        let mut text = "# HELP kaisatsu_http_request_seconds Time to answer, by operation\n\
                        # TYPE kaisatsu_http_request_seconds histogram\n"
            .to_owned();
        for meters in self.operations.values().chain([&self.console, &self.pages, &self.tiles, &self.others]) {
            meters.times.render(&meters.name, &mut text);
        }
        text
    }

    /// Counts an answer, and says which operation it was: its number in the order of their paths.
    pub(crate) fn count(&self, path: &str, status: StatusCode, took: Duration) -> Option<usize> {
        let meters = self.operations.get(path).unwrap_or_else(|| match map_page::label(path) {
            Some(Label::Page) => &self.pages,
            Some(Label::Tile) => &self.tiles,
            None if path.starts_with("/console") => &self.console,
            None => &self.others,
        });
        meters.count(status, took);
        meters.number
    }
}

impl OperationMeters {
    fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            number: None,
            times: Times::default(),
            statuses: (100..600).map(|_| OnceLock::new()).collect(),
        }
    }

    fn count(&self, status: StatusCode, took: Duration) {
        self.times.record(took);
        if let Some(counter) = self.statuses.get(usize::from(status.as_u16()) - 100) {
            let make = || {
                let (operation, status) = (self.name.clone(), status.as_str().to_owned());
                counter!("kaisatsu_http_requests_total", "operation" => operation, "status" => status)
            };
            counter.get_or_init(make).increment(1);
        }
    }
}

/// Upper bounds of the classes of times, in microseconds.
const CLASSES: [u64; 12] = [50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 50_000, 100_000, 500_000, 1_000_000];

/// How many requests took how long. Plain counters: the exporter's own histogram keeps every single time until somebody
/// asks, which at tens of thousands of requests a second is memory and work for nothing.
#[derive(Default)]
struct Times {
    /// One for each class, and one for what is longer.
    classes: [AtomicU64; CLASSES.len() + 1],
    total_micros: AtomicU64,
}

impl Times {
    fn record(&self, took: Duration) {
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        self.classes[CLASSES.partition_point(|bound| *bound < micros)].fetch_add(1, Ordering::Relaxed);
        self.total_micros.fetch_add(micros, Ordering::Relaxed);
    }

    /// The lines of a Prometheus histogram, none when there was no request.
    fn render(&self, operation: &str, text: &mut String) {
        let name = "kaisatsu_http_request_seconds";
        let seconds = |micros: u64| Duration::from_micros(micros).as_secs_f64();
        let mut count = 0;
        let mut lines = String::new();
        for (at, class) in self.classes.iter().enumerate() {
            count += class.load(Ordering::Relaxed);
            let bound = CLASSES.get(at).map_or_else(|| "+Inf".to_owned(), |bound| seconds(*bound).to_string());
            let _ = writeln!(lines, "{name}_bucket{{operation=\"{operation}\",le=\"{bound}\"}} {count}");
        }
        if count > 0 {
            let total = seconds(self.total_micros.load(Ordering::Relaxed));
            let _ = writeln!(lines, "{name}_sum{{operation=\"{operation}\"}} {total}");
            let _ = writeln!(lines, "{name}_count{{operation=\"{operation}\"}} {count}");
            text.push_str(&lines);
        }
    }
}

/// A request being answered, also when its caller hangs up.
pub(crate) struct Busy<'a>(&'a Gauge);

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        self.0.decrement(1.0);
    }
}

/// A count as a gauge takes it.
fn small(count: usize) -> f64 {
    u32::try_from(count).map_or(f64::from(u32::MAX), f64::from)
}

/// Linux tells it in pages of 4 KiB; elsewhere the figure is left out.
fn resident_bytes() -> Option<f64> {
    let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u32 = statm.split_whitespace().nth(1)?.parse().ok()?;
    Some(f64::from(pages) * 4096.0)
}
