//! The bits of all answers to a fixed set of verdicts.
//!
//! Replicas of two versions run beside each other during an upgrade, and must agree. A change of this figure is a
//! change of every answer that feedback has moved.

use kaisatsu_feedback::{Change, FeedbackModel};
use kaisatsu_model::AccountId;

use crate::support::{QUORUM, app, candidates, picture, scope};

fn fill(model: &FeedbackModel) {
    for number in 0..1000u64 {
        // Seven applications of six owners, and one application with more exemplars than are compared one by one.
        let by = if number < 400 { u8::try_from(number * number % 7).unwrap() } else { 7 };
        let kind = number % 8;
        let subject = ["a", "b", "c"][usize::try_from(kind % 3).unwrap()];
        model.apply(&Change {
            scope: scope(),
            shared: true,
            application: app(by),
            owner: (by < 2).then(|| AccountId::from_random([9; 10])),
            exemplar: format!("r{number}"),
            verdict: (format!("r{number}"), if number % 11 == 0 { "" } else { "1" }.to_owned()),
            valid: if number % 13 == 0 { None } else { Some(number % 5 != 0) },
            candidates: candidates(&[(subject, 0.5), ("other", 0.3)]),
            named: None,
            descriptor: picture(kind, number),
        });
    }
}

#[test]
fn known_verdicts_give_known_bits() {
    let model = FeedbackModel::new(QUORUM);
    fill(&model);
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    let mut add = |bits: u32| hash = (hash ^ u64::from(bits)).wrapping_mul(0x0100_0000_01b3);
    for by in 0..9u8 {
        for kind in 0..8 {
            let Some(evidence) = model.evidence(&scope(), &app(by), &picture(kind, 5000 + kind)) else {
                add(7);
                continue;
            };
            add(evidence.coverage().to_bits());
            for subject in ["a", "b", "c", "other"] {
                add(evidence.value(subject).to_bits());
                for one in evidence.estimate(subject).iter().flat_map(|estimate| &estimate.contributions) {
                    add(one.amount.to_bits());
                    for byte in one.exemplar.iter().flat_map(|key| key.bytes()) {
                        add(byte.into());
                    }
                }
            }
        }
        for exemplar in model.sample(&scope(), &app(by), 20) {
            exemplar.vector.dequantise().iter().for_each(|value| add(value.to_bits()));
        }
    }
    assert_eq!(hash, GOLDEN, "{hash:#x}");
}

const GOLDEN: u64 = 0xdc44_e697_0675_ed28;
