//! Training a dataset's classifier, and the report on it: how well it tells the tags apart, and which images to check.

use std::collections::BTreeMap;

use cosine_index::{Settings, VectorIndex};
use kaisatsu_store::BuiltImage;
use kaisatsu_vision::probe::{Kind, LabelledVector, LeftOut, Probe, Report, TrainError, train};
use serde_json::{Value, json};

use crate::indexes::{class_of_each, distinct_tags};

/// A tag with fewer images is listed as having few.
const FEW: usize = 5;

/// The cosine from which on two images are near-duplicates.
const DUPLICATE: f32 = 0.97;

/// An image is listed as likely mislabelled when another tag is ahead of its own by more than its own is ahead for this
/// share of the images that are answered right. Of sets without mistakes, at most 2% of the images are listed.
const SURE: f64 = 0.85;

/// The most entries of each list in the report.
const LISTED: usize = 100;

/// A trained dataset.
pub(super) struct Trained {
    /// Tells its tags apart; `None` when it has a single one.
    pub(super) probe: Option<Vec<u8>>,
    /// The report, in JSON.
    pub(super) report: String,
}

/// Trains a classifier on the images, and reports what it says of each without that image.
pub(super) fn train_and_report(images: &[BuiltImage]) -> Result<Trained, TrainError> {
    let tags = distinct_tags(images.iter().map(|image| image.tag.as_str()));
    let classes = class_of_each(&tags, images.iter().map(|image| image.tag.as_str()));
    let labelled: Vec<LabelledVector<'_>> = images
        .iter()
        .zip(&classes)
        .map(|(image, class)| LabelledVector { vector: &image.vector, class: *class })
        .collect();
    let trained = if tags.len() < 2 { None } else { Some(train(&labelled, tags.len())?) };
    let report = trained.as_ref().map(|(_, report)| report);
    let json = json!({
        "images": images.len(),
        "tags": tags.len(),
        "method": report.map(|report| method(report.kind)),
        "leaveOneOut": report.map(|report| json!({
            "accuracy": (report.judged > 0).then(|| report.accuracy()), "right": report.right, "judged": report.judged,
        })),
        "confusions": report.map_or_else(Vec::new, |report| confusions(report, &classes, &tags)),
        "likelyMislabelled": report.map_or_else(Vec::new, |report| mislabelled(report, images, &classes, &tags)),
        "nearDuplicates": duplicates(images),
        "tagsWithFewImages": few(&classes, &tags),
    });
    let probe = trained.map(|(probe, _): (Probe, Report)| probe.to_bytes());
    Ok(Trained { probe, report: json.to_string() })
}

fn method(kind: Kind) -> &'static str {
    match kind {
        Kind::Means => "nearestMean",
        Kind::Ridge => "linearProbe",
    }
}

/// Which tags are confused with which, the most frequent first.
fn confusions(report: &Report, classes: &[usize], tags: &[String]) -> Vec<Value> {
    let mut counts: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for (class, judged) in classes.iter().zip(&report.left_out) {
        if let Some(LeftOut { class: taken, .. }) = judged
            && taken != class
        {
            *counts.entry((*class, *taken)).or_default() += 1;
        }
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(pair, count)| (std::cmp::Reverse(*count), *pair));
    let confusion = |((class, taken), count): &((usize, usize), usize)| {
        let (tag, taken) = (&tags[*class], &tags[*taken]);
        json!({"tag": tag, "takenFor": taken, "images": count})
    };
    counts.iter().take(LISTED).map(confusion).collect()
}

/// Images that a classifier trained on the others puts under another tag, the surest first.
fn mislabelled(report: &Report, images: &[BuiltImage], classes: &[usize], tags: &[String]) -> Vec<Value> {
    // A tag with few images loses much with each that is left out: too many of its images would be listed.
    let sizes = sizes(classes, tags);
    let mut ahead: Vec<f32> = report.left_out.iter().flatten().map(|out| out.margin).filter(|m| *m > 0.0).collect();
    ahead.sort_by(f32::total_cmp);
    #[allow(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of a count of images"
    )]
    let Some(sure) = ahead.get((ahead.len() as f64 * SURE) as usize).copied() else { return Vec::new() };
    let mut found: Vec<(f32, usize, usize)> = report
        .left_out
        .iter()
        .enumerate()
        .filter_map(|(at, judged)| Some((at, judged.filter(|out| -out.margin >= sure)?)))
        .filter(|(at, _)| sizes[classes[*at]] >= FEW && !images[*at].confirmed)
        .map(|(at, out)| (out.score, at, out.class))
        .collect();
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let image_of = |(score, at, taken): &(f32, usize, usize)| {
        let image = &images[*at];
        json!({"imageId": image.image_id.as_str(), "tag": image.tag, "looksLike": tags[*taken], "score": score})
    };
    found.iter().take(LISTED).map(image_of).collect()
}

/// Pairs of near-duplicates, the most alike first.
fn duplicates(images: &[BuiltImage]) -> Vec<Value> {
    let dims = images.first().map_or(0, |image| image.vector.len());
    let vectors = images.iter().enumerate().map(|(at, image)| (at as u64, image.vector.as_slice()));
    let Ok(index) = VectorIndex::build(dims.max(1), Settings::default(), vectors) else { return Vec::new() };
    let mut pairs = Vec::new();
    for (at, image) in images.iter().enumerate() {
        for found in index.search(&image.vector, 4).unwrap_or_default() {
            let other = usize::try_from(found.id).unwrap_or(usize::MAX);
            if found.score >= DUPLICATE && other > at {
                pairs.push((found.score, at, other));
            }
        }
    }
    pairs.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let pair = |(score, one, two): &(f32, usize, usize)| {
        let (one, two) = (&images[*one], &images[*two]);
        json!({
            "imageIds": [one.image_id.as_str(), two.image_id.as_str()],
            "tags": [one.tag, two.tag],
            "score": score.min(1.0),
            "sameBytes": one.sha256 == two.sha256,
        })
    };
    pairs.iter().take(LISTED).map(pair).collect()
}

fn few(classes: &[usize], tags: &[String]) -> Vec<Value> {
    let counted = tags.iter().zip(sizes(classes, tags));
    counted
        .filter(|(_, count)| *count < FEW)
        .take(LISTED)
        .map(|(tag, count)| json!({"tag": tag, "images": count}))
        .collect()
}

/// The number of images of each tag.
fn sizes(classes: &[usize], tags: &[String]) -> Vec<usize> {
    let mut sizes = vec![0; tags.len()];
    for class in classes {
        sizes[*class] += 1;
    }
    sizes
}

#[cfg(test)]
mod tests {
    use kaisatsu_model::ImageId;
    use kaisatsu_store::BuiltImage;
    use serde_json::Value;

    use super::train_and_report;

    /// Two clear classes, with one picture under the wrong tag and one there twice.
    #[test]
    fn the_report_finds_what_is_wrong() {
        // Pictures of one tag differ more than near-duplicates do.
        let noise = |seed: u8, d: usize| {
            let mixed = (u32::from(seed) * 64 + u32::try_from(d).unwrap_or(0) + 1).wrapping_mul(2_654_435_761) >> 24;
            (f32::from(u8::try_from(mixed).unwrap_or(0)) / 255.0 - 0.5) * 0.8
        };
        let image = |number: u8, class: usize, tag: &str| {
            let mut vector: Vec<f32> = (0..16).map(|d| noise(number, d)).collect();
            vector[class] += 1.0;
            kaisatsu_vision::vector::normalise(&mut vector);
            BuiltImage {
                position: number.into(),
                image_id: ImageId::from_text(format!("img_{number}")),
                url: None,
                tag: tag.to_owned(),
                sha256: vec![number],
                vector,
                confirmed: false,
            }
        };
        // The one under the wrong tag is a picture of the other, the clearer the larger the number.
        let trained_with = |clear: f32, confirmed: bool| {
            let mut images: Vec<BuiltImage> =
                (0..8).map(|n| image(n, 0, "cat")).chain((8..16).map(|n| image(n, 1, "dog"))).collect();
            let mut wrong = image(99, 1, "cat");
            wrong.vector[1] += clear;
            kaisatsu_vision::vector::normalise(&mut wrong.vector);
            wrong.confirmed = confirmed;
            images.push(wrong);
            images.push(BuiltImage { image_id: ImageId::from_text("img_copy"), ..images[3].clone() });
            let Ok(trained) = train_and_report(&images) else { unreachable!() };
            let report: Value = serde_json::from_str(&trained.report).unwrap_or_default();
            (trained, report)
        };
        let (_, unclear) = trained_with(0.3, false);
        assert_eq!(unclear["likelyMislabelled"], serde_json::json!([]), "most right ones are clearer than that");
        let (trained, report) = trained_with(3.0, false);
        assert!(trained.probe.is_some());
        assert_eq!(report["leaveOneOut"]["judged"], 18);
        assert_eq!(report["likelyMislabelled"].as_array().map(Vec::len), Some(1), "{report}");
        assert_eq!(report["confusions"][0], serde_json::json!({"tag": "cat", "takenFor": "dog", "images": 1}));
        assert_eq!(report["likelyMislabelled"][0]["imageId"], "img_99", "{report}");
        assert_eq!(report["likelyMislabelled"][0]["looksLike"], "dog");
        assert_eq!(report["nearDuplicates"][0]["imageIds"], serde_json::json!(["img_3", "img_copy"]));
        assert_eq!(report["nearDuplicates"][0]["sameBytes"], true);
        assert_eq!(report["tagsWithFewImages"], serde_json::json!([]));
        let (_, confirmed) = trained_with(3.0, true);
        assert_eq!(confirmed["likelyMislabelled"], serde_json::json!([]), "the user has said that its tag is right");
    }

    #[test]
    fn few_images_say_little() {
        let image = BuiltImage {
            position: 0,
            image_id: ImageId::from_text("img_1"),
            url: None,
            tag: "cat".to_owned(),
            sha256: Vec::new(),
            vector: vec![1.0, 0.0],
            confirmed: false,
        };
        let other = BuiltImage { tag: "dog".to_owned(), vector: vec![0.0, 1.0], ..image.clone() };
        let Ok(trained) = train_and_report(&[image.clone(), other]) else { unreachable!() };
        let report: Value = serde_json::from_str(&trained.report).unwrap_or_default();
        assert_eq!(report["leaveOneOut"], serde_json::json!({"accuracy": null, "right": 0, "judged": 0}));
        // A single tag is for searching only.
        let Ok(trained) = train_and_report(&[image]) else { unreachable!() };
        assert!(trained.probe.is_none());
        let report: Value = serde_json::from_str(&trained.report).unwrap_or_default();
        assert_eq!(report["leaveOneOut"], Value::Null);
        assert_eq!(report["tagsWithFewImages"][0]["tag"], "cat");
    }
}
