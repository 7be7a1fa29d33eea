//! An ensemble: one vector joined from those of other models, which see different things in a picture.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{Fault, Fit, fault};
use crate::{digest::hexadecimal, vector::normalise};

/// The most members: each is one more run of a network for every picture.
const MOST_MEMBERS: usize = 8;

/// The parts of an ensemble.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Ensemble {
    kind: Kind,
    /// The models, in the order of their parts in the vector.
    pub members: Vec<Member>,
    #[serde(skip)]
    sha256: String,
}

/// The only kind so far. It is named so that others can be added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    Ensemble,
}

/// A model of an ensemble.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Member {
    /// Its name. It has an embedding of its own.
    pub model: String,
    /// The hash of its weights: other weights make other vectors.
    pub sha256: String,
    /// How it sees a picture, where that is not what its manifest says.
    pub fit: Option<Fit>,
    /// What is done to its vector first.
    #[serde(default)]
    pub normalise: Normalise,
    /// The length of its part. The longer a part, the more it decides.
    #[serde(default = "one")]
    pub weight: f32,
}

/// What is done to the vector of a member before it is joined.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Normalise {
    /// It is scaled to length one.
    #[default]
    Unit,
    /// The square root of each component first: a few large components then decide less.
    Root,
}

fn one() -> f32 {
    1.0
}

impl Ensemble {
    /// Checks what can be checked without the members, and computes the hash.
    pub(super) fn checked(mut self) -> Result<Self, Fault> {
        if !(2..=MOST_MEMBERS).contains(&self.members.len()) {
            return Err(fault(format!("an ensemble has 2 to {MOST_MEMBERS} [[members]]")));
        }
        for (at, member) in self.members.iter().enumerate() {
            if self.members[..at].iter().any(|other| (&other.model, other.fit) == (&member.model, member.fit)) {
                return Err(fault(format!("'{}' is a member twice with the same fit", member.model)));
            }
            if !(member.weight > 0.0 && member.weight.is_finite()) {
                return Err(fault(format!("the weight of member '{}' must be above 0", member.model)));
            }
        }
        self.sha256 = self.hash();
        Ok(self)
    }

    /// The hash of everything that decides what the vectors are. The names of the members are no part of it.
    fn hash(&self) -> String {
        let mut hash = Sha256::new();
        for Member { sha256, fit, normalise, weight, .. } in &self.members {
            let fit = fit.map(|fit| format!(" {fit:?}")).unwrap_or_default();
            hash.update(format!("{} {normalise:?} {weight}{fit}\n", sha256.to_ascii_lowercase()));
        }
        hexadecimal(&hash.finalize())
    }

    /// What identifies the vectors.
    #[must_use]
    pub fn sha256(&self) -> &str {
        &self.sha256
    }
}

impl Member {
    /// Appends the vector of this member to those of the members before it.
    pub(crate) fn append(&self, joined: &mut Vec<f32>, mut vector: Vec<f32>) {
        if self.normalise == Normalise::Root {
            for value in &mut vector {
                *value = value.abs().sqrt().copysign(*value);
            }
        }
        normalise(&mut vector);
        joined.extend(vector.into_iter().map(|value| value * self.weight));
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Manifest, Parts};

    const JOINED: &str = r#"
        name = "joined"
        task = "embed"
        kind = "ensemble"
        title = "t"
        licence = "l"
        source = { registry = "local", package = "p", version = "1" }
        [[members]]
        model = "one"
        sha256 = "aa"
        normalise = "root"
        [[members]]
        model = "two"
        sha256 = "bb"
        weight = 2.0
    "#;

    fn sha256(text: &str) -> String {
        Manifest::parse(text).unwrap().embedding_sha256().unwrap().to_owned()
    }

    #[test]
    fn what_changes_the_vectors_changes_the_hash() {
        let known = sha256(JOINED);
        assert_eq!(known.len(), 64);
        for (from, to) in [("\"aa\"", "\"ac\""), ("2.0", "1.0"), ("\"root\"", "\"unit\"")] {
            assert_ne!(sha256(&JOINED.replace(from, to)), known, "{from}");
        }
        for (from, to) in [("\"one\"", "\"renamed\""), ("\"aa\"", "\"AA\""), ("title = \"t\"", "title = \"u\"")] {
            assert_eq!(sha256(&JOINED.replace(from, to)), known, "{from}");
        }
    }

    #[test]
    fn a_wrong_ensemble_says_what_is_wrong() {
        let one = &JOINED[..JOINED.rfind("[[members]]").unwrap()];
        for (text, told) in [
            (one.to_owned(), "model.toml: an ensemble has 2 to 8 [[members]]"),
            (JOINED.replace("two", "one"), "model.toml: 'one' is a member twice with the same fit"),
            (JOINED.replace("weight = 2.0", "fit = \"fill\""), "model.toml: task embed: unknown variant `fill`"),
            (JOINED.replace("2.0", "0.0"), "model.toml: the weight of member 'two' must be above 0"),
            (JOINED.replace("weight", "weigth"), "model.toml: task embed: unknown field `weigth`"),
            (JOINED.replace("kind = \"ensemble\"", ""), "model.toml: task embed: missing field `kind`"),
        ] {
            let fault = Manifest::parse(&text).err().map(|fault| fault.0).unwrap_or_default();
            assert!(fault.starts_with(told), "{fault}");
        }
    }

    #[test]
    fn a_model_may_be_a_member_with_two_fits() {
        let seen = |fit: &str| JOINED.replace("two", "one").replace("\"bb\"", "\"aa\"").replace("weight = 2.0", fit);
        let (stretched, padded) = (sha256(&seen("fit = \"stretch\"")), sha256(&seen("fit = \"pad\"")));
        assert_ne!(stretched, padded, "a fit makes other vectors");
        assert_ne!(sha256(&JOINED.replace("weight = 2.0", "weight = 2.0\nfit = \"stretch\"")), sha256(JOINED));
    }

    /// Roots keep their signs, and each part has the length of its weight.
    #[test]
    fn parts_are_normalised_and_weighted() {
        let manifest = Manifest::parse(JOINED).unwrap();
        let Parts::Ensemble(ensemble) = &manifest.parts else { unreachable!() };
        let mut joined = Vec::new();
        ensemble.members[0].append(&mut joined, vec![9.0, -16.0]);
        ensemble.members[1].append(&mut joined, vec![0.0, 3.0]);
        for (value, expected) in joined.iter().zip([0.6, -0.8, 0.0, 2.0]) {
            assert!((value - expected).abs() < 1e-6, "{joined:?}");
        }
    }
}
