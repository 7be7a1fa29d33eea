//! `/metrics`: the figures of this process in Prometheus' text format.

use std::{
    collections::{BTreeSet, HashMap},
    fmt::Write as _,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use axum::{
    extract::State,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use metrics::{describe_counter, describe_gauge, gauge};
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
    let text = handle.render() + &meters.render();
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text).into_response()
}

/// What the figures mean; read once, when the server starts.
pub(crate) fn describe() {
    describe_gauge!("kaisatsu_keys_known", "API keys known to the gate, disabled ones included");
    describe_gauge!("kaisatsu_ready", "Whether /readyz says yes");
    describe_gauge!("kaisatsu_map_stations", "Stations of each route map in force");
    describe_counter!("kaisatsu_pictures_refused_total", "Pictures of maps refused because every place was taken");
    describe_gauge!("kaisatsu_build_info", "Always 1; the labels name the build");
    describe_gauge!("process_resident_memory_bytes", "Resident memory");
    gauge!("kaisatsu_build_info", "version" => env!("CARGO_PKG_VERSION")).set(1.0);
}

/// The meters of the busiest path. Plain counters, written out here when somebody asks: the exporter's own cost a
/// look-up or a loop for every request, and its histogram keeps every single time until then.
pub(crate) struct Meters {
    /// In the order of their paths.
    operations: Vec<OperationMeters>,
    /// The place of each path among them.
    numbers: HashMap<String, usize>,
    /// The console, whatever of it.
    console: OperationMeters,
    /// The pages of maps, whatever the map.
    pages: OperationMeters,
    /// Their tiles, whichever they are.
    tiles: OperationMeters,
    /// Everything else: other pages, and paths that do not exist, which must not become labels.
    others: OperationMeters,
    in_flight: AtomicU64,
}

struct OperationMeters {
    name: String,
    times: Times,
    /// One for each status from 100 to 599.
    statuses: Vec<AtomicU64>,
}

impl Meters {
    pub(crate) fn new<'a>(operations: impl Iterator<Item = &'a str>) -> Self {
        let paths: BTreeSet<&str> = operations.collect();
        Self {
            operations: paths.iter().map(|path| OperationMeters::new(path)).collect(),
            numbers: paths.iter().enumerate().map(|(at, path)| ((*path).to_owned(), at)).collect(),
            console: OperationMeters::new("/console"),
            pages: OperationMeters::new("/map"),
            tiles: OperationMeters::new("/map/tiles"),
            others: OperationMeters::new("other"),
            in_flight: AtomicU64::new(0),
        }
    }

    /// Counts a request as being answered until the result is dropped.
    pub(crate) fn busy(&self) -> Busy<'_> {
        self.in_flight.fetch_add(1, Ordering::Relaxed);
        Busy(&self.in_flight)
    }

    /// All of them in Prometheus' text format.
    fn render(&self) -> String {
        let all = || self.operations.iter().chain([&self.console, &self.pages, &self.tiles, &self.others]);
        let mut text = "# HELP kaisatsu_http_requests_total Requests answered, by operation and status\n\
                        # TYPE kaisatsu_http_requests_total counter\n"
            .to_owned();
        all().for_each(|meters| meters.render_statuses(&mut text));
        text += "\n# HELP kaisatsu_http_request_seconds Time to answer, by operation\n\
                 # TYPE kaisatsu_http_request_seconds histogram\n";
        all().for_each(|meters| meters.times.render(&meters.name, &mut text));
        text += "\n# HELP kaisatsu_http_requests_in_flight Requests being answered\n\
                 # TYPE kaisatsu_http_requests_in_flight gauge\n";
        let _ = writeln!(text, "kaisatsu_http_requests_in_flight {}", self.in_flight.load(Ordering::Relaxed));
        text
    }

    /// Counts an answer, and says which operation it was: its number in the order of their paths.
    pub(crate) fn count(&self, path: &str, status: StatusCode, took: Duration) -> Option<usize> {
        let number = self.numbers.get(path).copied();
        let meters = match number {
            Some(number) => &self.operations[number],
            None => match map_page::label(path) {
                Some(Label::Page) => &self.pages,
                Some(Label::Tile) => &self.tiles,
                None if path.starts_with("/console") => &self.console,
                None => &self.others,
            },
        };
        meters.count(status, took);
        number
    }
}

impl OperationMeters {
    fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            times: Times::default(),
            statuses: (100..600).map(|_| AtomicU64::new(0)).collect(),
        }
    }

    fn count(&self, status: StatusCode, took: Duration) {
        self.times.record(took);
        if let Some(counter) = self.statuses.get(usize::from(status.as_u16()) - 100) {
            counter.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// A line for each status that occurred.
    fn render_statuses(&self, text: &mut String) {
        let Self { name, statuses, .. } = self;
        for (status, counter) in (100..).zip(statuses) {
            let count = counter.load(Ordering::Relaxed);
            if count > 0 {
                let _ =
                    writeln!(text, "kaisatsu_http_requests_total{{operation=\"{name}\",status=\"{status}\"}} {count}");
            }
        }
    }
}

/// Upper bounds of the classes of times, in microseconds.
const CLASSES: [u64; 12] = [50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 50_000, 100_000, 500_000, 1_000_000];

/// How many requests took how long.
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
pub(crate) struct Busy<'a>(&'a AtomicU64);

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
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
