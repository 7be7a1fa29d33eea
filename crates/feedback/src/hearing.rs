//! How near exemplars are to a picture, and what they say of its candidates together.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use crate::{
    book::{Book, FINE},
    code::{Code, Sketch},
};

/// The cosine, around the centre of the exemplars, from which an exemplar has something to say; it grows from nothing
/// there to all at one. Unrelated photographs lie around nought, a twentieth of them above this.
const FLOOR: f32 = 0.2;

/// Exemplars of nothing in the centre: with few real ones it stays where it is without any.
const CENTRE_PRIOR: f32 = 8.0;

/// What silence weighs: this much of an exemplar that is the picture itself.
const SILENCE: f32 = 0.6;

/// How little has to be heard for items to be standardised.
const HUSH: f32 = 0.05;

/// A whole weight.
const WHOLE: f32 = 65_536.0;

/// A verdict that has been heard, and by how much it moved its candidate.
#[derive(Debug, Clone, PartialEq)]
pub struct Said {
    /// The exemplar: the picture that was rated. `None` when another application rated it.
    pub exemplar: Option<Arc<str>>,
    /// What was said.
    pub valid: bool,
    /// Its part in the leaning.
    pub by: f32,
}

/// What the exemplars near a picture say of a candidate.
#[derive(Debug, Clone, PartialEq)]
pub struct Leaning {
    /// -1 to 1, neither of them reached.
    pub lean: f32,
    /// The verdicts behind it, the weightiest first.
    pub said: Vec<Said>,
}

/// A near exemplar.
pub(crate) struct Voice<'a> {
    pub(crate) key: &'a Arc<str>,
    pub(crate) application: u32,
    pub(crate) weight: u32,
    pub(crate) verdicts: &'a [(u32, bool)],
}

/// A picture that asks.
pub(crate) struct Query {
    pub(crate) code: Code,
    pub(crate) sketch: Sketch,
    pub(crate) wide: Vec<i16>,
}

impl Query {
    pub(crate) fn new(code: Code) -> Self {
        let wide = code.parts().iter().map(|part| i16::from(*part)).collect();
        Self { sketch: code.sketch(), wide, code }
    }
}

/// The middle of the exemplars, around which nearness is measured: what all of them share tells nothing apart.
pub(crate) struct Centre {
    pub(crate) parts: Vec<i16>,
    step: f32,
    square: f32,
    with_query: f32,
}

impl Centre {
    #[allow(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        reason = "rounded to eleven bits on purpose"
    )]
    pub(crate) fn of(books: &[&Book], query: &Query) -> Self {
        let mut sum = vec![0i64; query.code.dims()];
        let mut count = CENTRE_PRIOR;
        let dims = sum.len();
        for book in books.iter().filter(|book| book.dims() == dims) {
            sum.iter_mut().zip(book.sum()).for_each(|(sum, more)| *sum += more);
            count += book.len() as f32;
        }
        let middle: Vec<f32> = sum.iter().map(|sum| *sum as f32 / (FINE * count)).collect();
        let widest = middle.iter().map(|value| value.abs()).fold(1e-9, f32::max);
        let step = widest / 2047.0;
        let parts: Vec<i16> = middle.iter().map(|value| (value / step).round() as i16).collect();
        let square: i64 = parts.iter().map(|part| i64::from(*part).pow(2)).sum();
        let dot: i64 = parts.iter().zip(&query.wide).map(|(a, b)| i64::from(*a) * i64::from(*b)).sum();
        let with_query = dot as f32 * step * query.code.scale();
        Self { parts, step, square: square as f32 * step * step, with_query }
    }

    #[allow(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "at most a whole weight"
    )]
    pub(crate) fn weight(&self, query: &Query, (with_query, with_centre): (i32, i32), scale: f32) -> u32 {
        let near = with_query as f32 * scale * query.code.scale();
        let middle = with_centre as f32 * scale * self.step;
        let from_centre = |dot: f32| (1.0 - 2.0 * dot + self.square).max(1e-6);
        let length = (from_centre(self.with_query) * from_centre(middle)).sqrt();
        let cosine = (near - self.with_query - middle + self.square) / length;
        let share = ((cosine - FLOOR) / (1.0 - FLOOR)).clamp(0.0, 1.0);
        (share * share * WHOLE) as u32
    }
}

/// What is said of each subject, summed up.
#[derive(Default)]
pub(crate) struct Chorus {
    subjects: HashMap<u32, Heard>,
    /// The weight of all that speak.
    total: i64,
}

#[derive(Default)]
struct Heard {
    /// What is for it less what is against it, and all of it.
    balance: i64,
    total: i64,
    voices: Vec<(Option<Arc<str>>, bool, u32)>,
}

impl Chorus {
    /// Hears the books on a picture. Exemplars of the application `own` speak for themselves and are named; of any other
    /// application only the nearest one is heard on each subject, so that none speaks louder for having said it often.
    pub(crate) fn of(
        books: &[&Book],
        query: &Query,
        own: Option<u32>,
        deaf: impl Fn(usize, u32, &str) -> bool,
    ) -> Self {
        let centre = Centre::of(books, query);
        let mut chorus = Self::default();
        let mut others: BTreeMap<(u32, u32, bool), u32> = BTreeMap::new();
        for (at, book) in books.iter().enumerate() {
            let mut hear = |voice: Voice<'_>| {
                chorus.total += i64::from(voice.weight);
                for (subject, valid) in voice.verdicts {
                    if own == Some(voice.application) {
                        chorus.take(*subject, *valid, voice.weight, Some(Arc::clone(voice.key)));
                    } else {
                        let loudest = others.entry((*subject, voice.application, *valid)).or_default();
                        *loudest = voice.weight.max(*loudest);
                    }
                }
            };
            book.hear(query, &centre, |application, key| deaf(at, application, key), &mut hear);
        }
        for ((subject, _, valid), weight) in others {
            chorus.take(subject, valid, weight, None);
        }
        chorus
    }

    fn take(&mut self, subject: u32, valid: bool, weight: u32, name: Option<Arc<str>>) {
        let heard = self.subjects.entry(subject).or_default();
        heard.balance += if valid { i64::from(weight) } else { -i64::from(weight) };
        heard.total += i64::from(weight);
        heard.voices.push((name, valid, weight));
    }

    /// How much of what is heard is more than silence, 0 to 1: it rises quickly from where the first is heard.
    #[allow(clippy::cast_precision_loss, reason = "weights")]
    pub(crate) fn presence(&self) -> f32 {
        let total = self.total as f32;
        total / (HUSH * WHOLE + total)
    }

    /// The subjects of which something is said.
    pub(crate) fn subjects(&self) -> impl Iterator<Item = u32> {
        self.subjects.keys().copied()
    }

    /// How a subject stands, -1 to 1: the average of what is said and of silence.
    #[allow(clippy::cast_precision_loss, reason = "weights")]
    pub(crate) fn lean(&self, subject: u32) -> f32 {
        self.subjects.get(&subject).map_or(0.0, |heard| heard.balance as f32 / heard.whole())
    }

    /// The same with the verdicts behind it.
    #[allow(clippy::cast_precision_loss, reason = "weights")]
    pub(crate) fn leaning(&self, subject: u32) -> Leaning {
        let Some(heard) = self.subjects.get(&subject) else { return Leaning { lean: 0.0, said: Vec::new() } };
        let part = |valid: bool, weight: u32| weight as f32 / heard.whole() * if valid { 1.0 } else { -1.0 };
        let mut voices: Vec<_> = heard.voices.iter().collect();
        voices.sort_by(|a, b| b.2.cmp(&a.2).then(a.0.cmp(&b.0)).then(a.1.cmp(&b.1)));
        let said = |(exemplar, valid, weight): &(Option<Arc<str>>, bool, u32)| Said {
            exemplar: exemplar.clone(),
            valid: *valid,
            by: part(*valid, *weight),
        };
        Leaning { lean: self.lean(subject), said: voices.into_iter().map(said).collect() }
    }
}

impl Heard {
    #[allow(clippy::cast_precision_loss, reason = "weights")]
    fn whole(&self) -> f32 {
        SILENCE * WHOLE + self.total as f32
    }
}
