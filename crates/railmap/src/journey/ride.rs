//! How long rides and walks typically take. Decision 30 has the reasons and a comparison with real rides.

use kaisatsu_model::{Position, TransportKind};

use crate::Line;

/// Seconds of a change: to the other platform, and until a train leaves.
pub const CHANGE: u32 = 300;

/// How far people walk between any two stations, in metres of a straight line.
const WALK: f64 = 500.0;

/// How far they walk between stations of the same name or of one group.
const KNOWN_WALK: f64 = 1000.0;

/// Streets are longer than a straight line.
const STREETS: f64 = 1.25;

/// Seconds per metre on foot: 75 metres in a minute.
const STEP: f64 = 60.0 / 75.0;

/// Tracks are longer than the straight lines between neighbouring stations.
const TRACKS: f64 = 1.05;

/// The pace of a kind of line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pace {
    /// Seconds that a stop adds: braking, standing, accelerating.
    stop: f64,
    /// Seconds per metre between stops.
    near: f64,
    /// Seconds per metre beyond [`FAST_BEYOND`] metres.
    far: f64,
}

/// Where stops are further apart than this, trains run faster.
const FAST_BEYOND: f64 = 3000.0;

const fn pace(stop: f64, seconds_per_km: f64) -> Pace {
    Pace { stop, near: seconds_per_km / 1000.0, far: seconds_per_km / 1000.0 }
}

const RAILWAY: Pace = Pace { stop: 60.0, near: 0.062, far: 0.040 };
const HIGH_SPEED: Pace = pace(240.0, 16.0);
const GUIDEWAY: Pace = pace(50.0, 70.0);
const TRAM: Pace = pace(60.0, 120.0);
const CABLE: Pace = pace(30.0, 300.0);
const BUS: Pace = pace(40.0, 180.0);
const SHIP: Pace = pace(300.0, 120.0);
const PLANE: Pace = pace(1800.0, 5.0);

/// Parts of the names of lines that tell their kind; the first that occurs decides.
const WORDS: [(&[&str], Pace); 4] = [
    (&["新幹線", "shinkansen", "high speed rail", "high-speed rail", "tgv"], HIGH_SPEED),
    (&["ケーブル", "ロープウェイ", "cable car", "funicular", "ropeway", "鋼索"], CABLE),
    (
        &[
            "モノレール",
            "ライナー",
            "ゆりかもめ",
            "ニュートラム",
            "新交通",
            "シーサイドライン",
            "ニューシャトル",
            "リニモ",
            "アストラム",
            "monorail",
            "people mover",
            "airtrain",
        ],
        GUIDEWAY,
    ),
    (
        &[
            "都電",
            "市電",
            "電車",
            "嵐電",
            "世田谷線",
            "路面",
            "軌道線",
            "ライトレール",
            "lrt",
            "tram",
            "streetcar",
            "light rail",
        ],
        TRAM,
    ),
];

/// The pace of a line that serves stations of this kind.
#[must_use]
pub fn pace_of(line: &Line, kind: TransportKind) -> Pace {
    match kind {
        TransportKind::Bus => return BUS,
        TransportKind::Ship => return SHIP,
        TransportKind::Plane => return PLANE,
        TransportKind::Train | TransportKind::Walk | TransportKind::Strange => {}
    }
    let names = format!("{} {}", line.name, line.translation).to_lowercase();
    let known = WORDS.iter().find(|(words, _)| words.iter().any(|word| names.contains(word)));
    known.map_or(RAILWAY, |(_, pace)| *pace)
}

/// Seconds and metres of a ride from one stop to the next.
#[must_use]
pub fn ride(pace: Pace, from: Position, to: Position) -> (u32, u32) {
    let metres = from.metres_to(to) * TRACKS;
    let moving = metres.min(FAST_BEYOND) * pace.near + (metres - FAST_BEYOND).max(0.0) * pace.far;
    (whole(pace.stop + moving), whole(metres))
}

/// Seconds and metres of the way on foot from one station to another; `None` if nobody walks that far. The way is known
/// between stations of the same name or of one group.
#[must_use]
pub fn walk(from: Position, to: Position, is_known: bool) -> Option<(u32, u32)> {
    let straight = from.metres_to(to);
    let metres = straight * STREETS;
    (straight <= if is_known { KNOWN_WALK } else { WALK }).then(|| (whole(metres * STEP).max(60), whole(metres)))
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the earth is small: below 2^32, never less \
    than zero"
)]
fn whole(number: f64) -> u32 {
    number.round() as u32
}
