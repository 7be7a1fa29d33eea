//! `/metrics`: the metrics of this process in Prometheus' text format.

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
use metrics::{counter, describe_counter, describe_gauge, gauge};
use metrics_exporter_prometheus::PrometheusHandle;

use crate::{Gateway, Section};

/// What `/metrics` is rendered from.
pub(crate) struct Exporter {
    gateway: Arc<Gateway>,
    handle: PrometheusHandle,
    requests: Arc<RequestMetrics>,
    /// The maps exported so far. A map that has been removed is exported with no stations from then on.
    maps: Mutex<BTreeSet<String>>,
}

impl Exporter {
    pub(crate) fn new(gateway: Arc<Gateway>, handle: PrometheusHandle, requests: Arc<RequestMetrics>) -> Arc<Self> {
        Arc::new(Self { gateway, handle, requests, maps: Mutex::default() })
    }
}

pub(crate) async fn metrics(State(exporter): State<Arc<Exporter>>) -> Response {
    let Exporter { gateway, handle, requests, maps } = &*exporter;
    gauge!("kaisatsu_keys_known").set(small(gateway.key_cache.key_count()));
    gauge!("kaisatsu_ready").set(if gateway.not_ready().is_none() { 1.0 } else { 0.0 });
    let mut exported = maps.lock().unwrap_or_else(PoisonError::into_inner);
    for id in &*exported {
        gauge!("kaisatsu_map_stations", "map" => id.clone()).set(0.0);
    }
    for loaded in gateway.maps.all() {
        let id = loaded.map.id.as_str().to_owned();
        gauge!("kaisatsu_map_stations", "map" => id.clone()).set(small(loaded.map.stations().len()));
        exported.insert(id);
    }
    drop(exported);
    measure_status(gateway);
    if let Some(seconds) = cpu_seconds() {
        counter!("process_cpu_seconds_total").absolute(seconds);
    }
    if let Some(bytes) = resident_bytes() {
        gauge!("process_resident_memory_bytes").set(bytes);
    }
    let text = handle.render() + &requests.render();
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text).into_response()
}

/// How the parts of the server are, the disks and the database.
fn measure_status(gateway: &Gateway) {
    for part in gateway.parts() {
        let good = if part.state.needs_attention() { 0.0 } else { 1.0 };
        gauge!("kaisatsu_part_ok", "part" => part.name).set(good);
    }
    for disk in gateway.monitor.disks() {
        if let Some(space) = disk.space {
            gauge!("kaisatsu_disk_free_bytes", "disk" => disk.role.part()).set(bytes(space.free));
            gauge!("kaisatsu_disk_size_bytes", "disk" => disk.role.part()).set(bytes(space.total));
        }
    }
    if let Some(took) = gateway.monitor.database().took {
        gauge!("kaisatsu_database_write_seconds").set(took.as_secs_f64());
    }
}

/// Bytes as the value of a gauge: exact up to 2^53.
#[allow(clippy::cast_precision_loss, reason = "no disk is so large that the error matters")]
fn bytes(count: u64) -> f64 {
    count as f64
}

/// Describes the metrics of this crate; called once, when the server starts.
pub(crate) fn describe() {
    describe_gauge!("kaisatsu_keys_known", "API keys known to the gate, disabled ones included");
    describe_gauge!("kaisatsu_ready", "Whether /readyz says yes");
    describe_gauge!("kaisatsu_map_stations", "Stations of each route map in force");
    describe_counter!("kaisatsu_pictures_refused_total", "Pictures of maps refused because every place was taken");
    describe_gauge!("kaisatsu_build_info", "Always 1; the labels name the build");
    describe_gauge!("process_resident_memory_bytes", "Resident memory");
    describe_counter!("process_cpu_seconds_total", "Processor time of the process, in whole seconds");
    describe_gauge!("kaisatsu_part_ok", "Whether a part of the server needs no attention, as /readyz lists it");
    describe_gauge!("kaisatsu_disk_free_bytes", "Room on the disks that the server writes to");
    describe_gauge!("kaisatsu_disk_size_bytes", "Size of the disks that the server writes to");
    describe_gauge!("kaisatsu_database_write_seconds", "How long the last trial write to the database took");
    gauge!("kaisatsu_build_info", "version" => env!("CARGO_PKG_VERSION")).set(1.0);
}

/// Counts and times of requests. They are plain atomics, rendered on demand: the exporter's own metrics cost a lookup
/// or a loop for every request, and its histogram keeps every single time until it is rendered.
pub(crate) struct RequestMetrics {
    /// In the order of their paths.
    operations: Vec<LabelMetrics>,
    /// The index of each path in `operations`.
    indices: HashMap<String, usize>,
    /// The paths with a parameter: what comes before and after it, and their index.
    templates: Vec<(String, String, usize)>,
    sections: Vec<SectionMetrics>,
    /// Everything else. Paths that do not exist must not become labels.
    others: LabelMetrics,
    in_flight: AtomicU64,
}

struct SectionMetrics {
    label: fn(&str) -> Option<&'static str>,
    labels: Vec<LabelMetrics>,
}

/// The metrics of one value of the label `operation`.
struct LabelMetrics {
    name: String,
    times: Histogram,
    /// One for each status from 100 to 599.
    statuses: Vec<AtomicU64>,
}

impl RequestMetrics {
    pub(crate) fn new<'a>(operations: impl Iterator<Item = &'a str>, sections: &[Section]) -> Self {
        let paths: BTreeSet<&str> = operations.collect();
        let section = |section: &Section| SectionMetrics {
            label: section.label,
            labels: section.labels.iter().map(|label| LabelMetrics::new(label)).collect(),
        };
        Self {
            operations: paths.iter().map(|path| LabelMetrics::new(path)).collect(),
            indices: paths.iter().enumerate().map(|(index, path)| ((*path).to_owned(), index)).collect(),
            templates: paths.iter().enumerate().filter_map(|(index, path)| template(path, index)).collect(),
            sections: sections.iter().map(section).collect(),
            others: LabelMetrics::new("other"),
            in_flight: AtomicU64::new(0),
        }
    }

    /// Counts a request as in flight until the guard is dropped.
    pub(crate) fn in_flight(&self) -> InFlight<'_> {
        self.in_flight.fetch_add(1, Ordering::Relaxed);
        InFlight(&self.in_flight)
    }

    /// All of them in Prometheus' text format.
    fn render(&self) -> String {
        let sections = || self.sections.iter().flat_map(|section| &section.labels);
        let all = || self.operations.iter().chain(sections()).chain([&self.others]);
        let mut text = "# HELP kaisatsu_http_requests_total Requests answered, by operation and status\n\
                        # TYPE kaisatsu_http_requests_total counter\n"
            .to_owned();
        all().for_each(|label| label.render_statuses(&mut text));
        text += "\n# HELP kaisatsu_http_request_seconds Time to answer, by operation\n\
                 # TYPE kaisatsu_http_request_seconds histogram\n";
        all().for_each(|label| label.times.render(&label.name, &mut text));
        text += "\n# HELP kaisatsu_http_requests_in_flight Requests being answered\n\
                 # TYPE kaisatsu_http_requests_in_flight gauge\n";
        let _ = writeln!(text, "kaisatsu_http_requests_in_flight {}", self.in_flight.load(Ordering::Relaxed));
        text
    }

    /// Counts a response. Returns the index of its operation in the order of their paths.
    pub(crate) fn count(&self, path: &str, status: StatusCode, took: Duration) -> Option<usize> {
        let fits = |(before, after, _): &&(String, String, usize)| {
            path.strip_prefix(before.as_str())
                .and_then(|rest| rest.strip_suffix(after.as_str()))
                .is_some_and(|value| !value.is_empty() && !value.contains('/'))
        };
        let index = self.indices.get(path).copied();
        let index = index.or_else(|| self.templates.iter().find(fits).map(|(.., index)| *index));
        let metrics = match index {
            Some(index) => &self.operations[index],
            None => self.sections.iter().find_map(|section| section.of(path)).unwrap_or(&self.others),
        };
        metrics.count(status, took);
        index
    }
}

/// What comes before and after the parameter of a path, if it has one.
fn template(path: &str, index: usize) -> Option<(String, String, usize)> {
    let (before, rest) = path.split_once('{')?;
    let (_, after) = rest.split_once('}')?;
    Some((before.to_owned(), after.to_owned(), index))
}

impl SectionMetrics {
    fn of(&self, path: &str) -> Option<&LabelMetrics> {
        let label = (self.label)(path)?;
        self.labels.iter().find(|metrics| metrics.name == label)
    }
}

impl LabelMetrics {
    fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            times: Histogram::default(),
            statuses: (100..600).map(|_| AtomicU64::new(0)).collect(),
        }
    }

    fn count(&self, status: StatusCode, took: Duration) {
        self.times.record(took);
        if let Some(counter) = self.statuses.get(usize::from(status.as_u16()) - 100) {
            counter.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// A line for each status that has occurred.
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

/// How many requests took how long, by class.
#[derive(Default)]
struct Histogram {
    /// One for each class, and one for longer times.
    classes: [AtomicU64; CLASSES.len() + 1],
    total_micros: AtomicU64,
}

impl Histogram {
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

/// A request in flight. It is no longer counted when its client disconnects.
pub(crate) struct InFlight<'a>(&'a AtomicU64);

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A count as the value of a gauge.
fn small(count: usize) -> f64 {
    u32::try_from(count).map_or(f64::from(u32::MAX), f64::from)
}

/// User and system time. Linux counts it in hundredths of a second; elsewhere the metric is left out.
fn cpu_seconds() -> Option<u64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the program may have spaces and ends with the last parenthesis.
    let (_, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_whitespace().skip(11);
    let (user, system): (u64, u64) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    Some((user + system) / 100)
}

/// Linux reports it in pages of 4 KiB; elsewhere the metric is left out.
fn resident_bytes() -> Option<f64> {
    let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u32 = statm.split_whitespace().nth(1)?.parse().ok()?;
    Some(f64::from(pages) * 4096.0)
}
