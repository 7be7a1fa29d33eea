//! Text as a tie-breaker: when features leave it open which item an image shows, the text on it decides.
//!
//! Two editions in one design share most of their features, and a plain cover has few. Reading text takes longer than
//! all other steps, so it is done in these cases only.

use kaisatsu_vision::{
    Area,
    text::{Line, letters, support},
};

/// From this score on features alone are enough.
const ENOUGH: f32 = 0.5;

/// One of two items in one area is a rival when it has this share of the other's inliers.
const RIVAL: f32 = 0.4;

/// Two areas are the same when their intersection is this share of their union.
const SAME_AREA: f32 = 0.5;

/// How much more of one name than of the other must be read to decide between them.
const CLEARER: f32 = 0.1;

/// How much must be read of the name of an item whose features are not enough, and how many letters such a name needs.
const SUPPORTED: f32 = 0.8;
const LETTERS: usize = 3;

/// An item that competes with others for an area.
pub(crate) struct Contender {
    pub(crate) name: String,
    pub(crate) inliers: u32,
    pub(crate) area: Area,
    pub(crate) score: f32,
    /// The lines that match its name.
    pub(crate) text: Option<String>,
}

/// The part of the picture that has to be read for a decision; `None` when there is nothing to decide.
pub(crate) fn undecided(contenders: &[Contender]) -> Option<Area> {
    let open = |one: &Contender| {
        let rival = |other: &Contender| !std::ptr::eq(one, other) && are_rivals(one, other);
        one.score < ENOUGH || contenders.iter().any(rival)
    };
    contenders.iter().filter(|one| open(one)).map(|one| one.area).reduce(Area::around)
}

/// Changes scores by the lines that were read. An item that stays below [`ENOUGH`] is no candidate.
pub(crate) fn decide(contenders: &mut [Contender], lines: &[Line]) {
    let read: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
    let page = read.join("\n");
    let support: Vec<f32> = contenders.iter().map(|one| support(&one.name, &page)).collect();
    for (one, support) in contenders.iter_mut().zip(&support) {
        let of_name = |line: &&&str| matches_name(&one.name, line);
        let matching: Vec<&str> = read.iter().filter(of_name).copied().collect();
        one.text = (*support >= ENOUGH && !matching.is_empty()).then(|| matching.join(" "));
        if one.score < ENOUGH && *support >= SUPPORTED && letters(&one.name) >= LETTERS {
            one.score = f32::midpoint(ENOUGH, *support);
        }
    }
    let before: Vec<f32> = contenders.iter().map(|one| one.score).collect();
    for (at, mine) in support.iter().enumerate() {
        for (other, theirs) in support.iter().enumerate() {
            if *theirs < mine + CLEARER || before[other] < ENOUGH || !are_rivals(&contenders[at], &contenders[other]) {
                continue;
            }
            let weight = |which: usize, support: f32| to_float(contenders[which].inliers) * (1.0 + support);
            let share = weight(at, *mine) / weight(other, *theirs);
            if share < 1.0 {
                // The winner gets the better score of the two; the loser stays a candidate.
                contenders[other].score = contenders[other].score.max(before[at]);
                contenders[at].score = contenders[at].score.min(before[at] * f32::midpoint(1.0, share));
            }
        }
    }
}

/// Whether a line is a part of the name, or the name a part of the line. A single letter is a part of everything.
fn matches_name(name: &str, line: &str) -> bool {
    letters(line) > 1 && support(name, line).max(support(line, name)) >= ENOUGH
}

fn are_rivals(a: &Contender, b: &Contender) -> bool {
    let (fewer, more) = (a.inliers.min(b.inliers), a.inliers.max(b.inliers));
    to_float(fewer) >= RIVAL * to_float(more) && a.area.overlap(b.area) >= SAME_AREA
}

#[allow(clippy::cast_precision_loss, reason = "a few thousand inliers")]
fn to_float(inliers: u32) -> f32 {
    inliers as f32
}

#[cfg(test)]
mod tests {
    use kaisatsu_vision::{Area, text::Line};

    use super::{Contender, ENOUGH, decide, undecided};

    const LEFT: Area = Area { x_min: 0.0, y_min: 0.1, x_max: 0.4, y_max: 0.9 };
    const RIGHT: Area = Area { x_min: 0.5, y_min: 0.1, x_max: 0.9, y_max: 0.9 };

    fn contender(name: &str, inliers: u32, area: Area, score: f32) -> Contender {
        Contender { name: name.to_owned(), inliers, area, score, text: None }
    }

    fn lines(texts: &[&str]) -> Vec<Line> {
        let line = |text: &&str| Line { text: (*text).to_owned(), score: 0.9, quad: [(0.0, 0.0); 4], vertical: false };
        texts.iter().map(line).collect()
    }

    #[test]
    fn nothing_is_read_when_features_decide() {
        assert_eq!(undecided(&[]), None);
        let sure = contender("吾輩は猫である", 90, LEFT, 1.0);
        let beside = contender("こころ", 80, RIGHT, 1.0);
        let far_behind = contender("三四郎", 20, LEFT, 0.95);
        assert_eq!(undecided(&[sure, beside, far_behind]), None, "books side by side are no rivals");
    }

    #[test]
    fn of_two_editions_in_one_design_the_one_that_is_read_wins() {
        let mut both = [contender("こころ", 60, LEFT, 0.99), contender("吾輩は猫である", 50, LEFT, 0.98)];
        assert_eq!(undecided(&both), Some(LEFT));
        decide(&mut both, &lines(&["吾輩は猫である", "夏目漱石"]));
        assert!(both[1].score >= 0.99 && both[0].score < 0.85, "{} {}", both[0].score, both[1].score);
        assert_eq!((both[0].text.as_deref(), both[1].text.as_deref()), (None, Some("吾輩は猫である")));
    }

    #[test]
    fn what_cannot_be_read_changes_nothing() {
        let mut both = [contender("こころ", 60, LEFT, 0.99), contender("吾輩は猫である", 50, LEFT, 0.98)];
        decide(&mut both, &lines(&["新潮文庫"]));
        assert!(both[0].score > 0.985 && both[1].score > 0.975 && both[1].score < 0.985);
    }

    #[test]
    fn a_letter_decides_nothing() {
        let mut both = [contender("こころ", 60, LEFT, 0.99), contender("吾輩は猫である", 50, LEFT, 0.98)];
        decide(&mut both, &lines(&["猫"]));
        assert!(both[0].score > both[1].score && both[1].score > 0.975);
        let mut coincidence = [contender("日本の歴史", 16, LEFT, 0.08)];
        decide(&mut coincidence, &lines(&["本"]));
        assert!(coincidence[0].score < ENOUGH && coincidence[0].text.is_none());
    }

    #[test]
    fn a_plain_cover_needs_its_name() {
        let mut plain = [contender("人間失格", 11, LEFT, 0.1), contender("斜陽", 11, RIGHT, 0.1)];
        assert!(undecided(&plain).is_some());
        decide(&mut plain, &lines(&["人間失格", "斜陽", "太宰治"]));
        assert!(plain[0].score > ENOUGH);
        assert!(plain[1].score < ENOUGH, "two letters are found anywhere");
    }
}
