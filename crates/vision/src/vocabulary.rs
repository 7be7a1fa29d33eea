//! What a classifier can answer: its classes, those that mean "none of these", and groups of classes.

use std::{collections::HashMap, path::Path, sync::Arc};

use crate::{
    classify::{ClassScore, best},
    labels::{Label, Labels},
    manifest::{Fault, File, PictureParts},
};

/// The answers of a classifier. A class is a position of the network's output; groups come after the last class.
#[derive(Debug, Clone)]
pub struct Vocabulary {
    labels: Arc<Labels>,
    none: Vec<usize>,
    /// Which classes may be answered. A view has fewer than its network.
    shown: Vec<bool>,
    groups: Option<Groups>,
}

#[derive(Debug, Clone)]
struct Groups {
    names: Arc<Labels>,
    /// The classes of each group.
    members: Vec<Vec<usize>>,
    sure: f32,
}

impl Vocabulary {
    /// The vocabulary of a network.
    ///
    /// # Errors
    /// What does not fit the labels.
    pub(crate) fn read(folder: &Path, parts: &PictureParts, labels: Arc<Labels>) -> Result<Self, Fault> {
        let ids = parts.output.none.iter().map(String::as_str);
        let none = positions(ids, &labels).map_err(|id| Fault(format!("[output] none: there is no class '{id}'")))?;
        let mut shown = vec![true; labels.len()];
        for class in &none {
            shown[*class] = false;
        }
        let groups = match &parts.taxonomy {
            None => None,
            Some(taxonomy) => {
                let names = Labels::read(&folder.join(&taxonomy.groups.file))?;
                let members = members(folder, &taxonomy.members, &labels, &names)?;
                Some(Groups { names, members, sure: taxonomy.sure })
            }
        };
        Ok(Self { labels, none, shown, groups })
    }

    /// Every class of these labels.
    #[must_use]
    pub fn of(labels: Arc<Labels>) -> Self {
        let shown = vec![true; labels.len()];
        Self { labels, none: Vec::new(), shown, groups: None }
    }

    /// A view of these answers: only the classes with these ids, and the groups that are wholly among them.
    ///
    /// # Errors
    /// An id that is not here.
    pub(crate) fn only(&self, ids: &[String]) -> Result<Self, Fault> {
        let classes = positions(ids.iter().map(String::as_str), &self.labels)
            .map_err(|id| Fault(format!("there is no class '{id}' in the model that it is a view of")))?;
        let mut view = self.clone();
        view.shown = vec![false; self.shown.len()];
        for class in classes {
            view.shown[class] = self.shown[class];
        }
        if let Some(groups) = &mut view.groups {
            for members in &mut groups.members {
                if !members.iter().all(|class| view.shown[*class]) {
                    members.clear();
                }
            }
        }
        Ok(view)
    }

    /// These answers behind classes of one's own.
    pub(crate) fn preceded_by(&self, own: &Labels) -> Self {
        let count = own.len();
        let moved = |classes: &[usize]| classes.iter().map(|class| class + count).collect::<Vec<_>>();
        let groups = self.groups.as_ref().map(|groups| Groups {
            members: groups.members.iter().map(|members| moved(members)).collect(),
            ..groups.clone()
        });
        Self {
            labels: Arc::new(own.followed_by(&self.labels)),
            none: moved(&self.none),
            shown: std::iter::repeat_n(true, count).chain(self.shown.iter().copied()).collect(),
            groups,
        }
    }

    /// The candidates for the scores of all classes, best first. There are none if the picture more likely shows
    /// nothing of the vocabulary, or if even the best score is below `none_below`.
    ///
    /// Where no class is sure, the narrowest group that is joins them: the species of a genus share what the genus has.
    #[must_use]
    pub fn candidates(&self, scores: &[f32], most: usize, none_below: f32) -> Vec<ClassScore> {
        let score = |class: &usize| scores.get(*class).copied().unwrap_or_default();
        if self.none.iter().map(score).sum::<f32>() > 0.5 {
            return Vec::new();
        }
        let mut shown: Vec<f32> =
            scores.iter().zip(&self.shown).map(|(score, shown)| if *shown { *score } else { -1.0 }).collect();
        let first = shown.iter().copied().fold(0.0, f32::max);
        if let Some(groups) = self.groups.as_ref().filter(|groups| first < groups.sure) {
            shown.resize(self.labels.len(), -1.0);
            let sums = groups.members.iter().map(|members| members.iter().map(score).sum::<f32>());
            if let Some((group, sum)) = sums.enumerate().find(|(_, sum)| *sum >= groups.sure) {
                shown.resize(self.labels.len() + group, -1.0);
                shown.push(sum.min(1.0));
            }
        }
        let mut found = best(&shown, most, none_below);
        found.retain(|candidate| candidate.score >= 0.0);
        found
    }

    /// The class or the group at a position, and its name in a language.
    #[must_use]
    pub fn name(&self, class: usize, language: &str) -> Option<(&Label, &str)> {
        let (labels, at) = match class.checked_sub(self.labels.len()) {
            None => (&self.labels, class),
            Some(group) => (&self.groups.as_ref()?.names, group),
        };
        let label = labels.get(at)?;
        Some((label, labels.name(label, language)))
    }

    /// The names of all classes of the network, also of those that are not answered.
    #[must_use]
    pub fn labels(&self) -> &Arc<Labels> {
        &self.labels
    }

    /// The classes and the groups that may be answered.
    pub fn answers(&self) -> impl Iterator<Item = usize> {
        let classes = self.shown.iter().enumerate().filter(|(_, shown)| **shown).map(|(class, _)| class);
        let groups = self.groups.iter().flat_map(|groups| groups.members.iter().enumerate());
        let first = self.labels.len();
        classes.chain(groups.filter(|(_, members)| !members.is_empty()).map(move |(group, _)| first + group))
    }

    /// The classes that mean "none of these". The first takes the scores of what is nothing of the vocabulary.
    #[must_use]
    pub fn none(&self) -> &[usize] {
        &self.none
    }

    /// The groups, each with its classes.
    pub fn groups(&self) -> impl Iterator<Item = (&Label, &[usize])> {
        let groups =
            self.groups.iter().flat_map(|groups| groups.members.iter().enumerate().zip(std::iter::repeat(groups)));
        groups.filter_map(|((at, members), groups)| Some((groups.names.get(at)?, members.as_slice())))
    }
}

/// The positions of ids among labels, or the first id that is not there.
pub(crate) fn positions<'a>(ids: impl Iterator<Item = &'a str>, labels: &Labels) -> Result<Vec<usize>, String> {
    let known = Positions::of(labels);
    ids.map(|id| known.get(id)).collect()
}

/// Where each label is.
struct Positions<'a>(HashMap<&'a str, usize>);

impl<'a> Positions<'a> {
    fn of(labels: &'a Labels) -> Self {
        Self((0..labels.len()).filter_map(|class| Some((labels.get(class)?.id.as_str(), class))).collect())
    }

    /// The position of an id, or the id if it is not there.
    fn get(&self, id: &str) -> Result<usize, String> {
        self.0.get(id).copied().ok_or_else(|| id.to_owned())
    }
}

fn members(folder: &Path, file: &File, labels: &Labels, groups: &Labels) -> Result<Vec<Vec<usize>>, Fault> {
    let name = file.file.display();
    let text = std::fs::read_to_string(folder.join(&file.file))
        .map_err(|error| Fault(format!("{name} cannot be read: {error}")))?;
    let told = |id: String| Fault(format!("{name}: there is no class or group '{id}'"));
    let (classes, known_groups) = (Positions::of(labels), Positions::of(groups));
    let mut members = vec![Vec::new(); groups.len()];
    for line in text.lines() {
        let mut ids = line.split('\t').filter(|id| !id.is_empty());
        let Some(class) = ids.next() else { continue };
        let class = classes.get(class).map_err(told)?;
        for group in ids {
            members[known_groups.get(group).map_err(told)?].push(class);
        }
    }
    Ok(members)
}

/// Reads a list of ids, one a line.
pub(crate) fn read_ids(folder: &Path, file: &File) -> Result<Vec<String>, Fault> {
    let name = file.file.display();
    let text = std::fs::read_to_string(folder.join(&file.file))
        .map_err(|error| Fault(format!("{name} cannot be read: {error}")))?;
    let ids: Vec<String> = text.lines().map(str::trim).filter(|id| !id.is_empty()).map(str::to_owned).collect();
    if ids.is_empty() { Err(Fault(format!("{name} names no class"))) } else { Ok(ids) }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{Groups, Vocabulary};
    use crate::labels::Labels;

    /// Two oaks, a beech and "no plant"; the family holds all three.
    fn plants() -> Vocabulary {
        let mut plants = Vocabulary::of(Arc::new(Labels::plain(["red oak", "white oak", "beech", "None"])));
        plants.none = vec![3];
        plants.shown[3] = false;
        let names = Arc::new(Labels::plain(["Quercus", "Fagaceae"]));
        plants.groups = Some(Groups { names, members: vec![vec![0, 1], vec![0, 1, 2]], sure: 0.6 });
        plants
    }

    fn names(plants: &Vocabulary, scores: &[f32]) -> Vec<String> {
        let found = plants.candidates(scores, 5, 0.05);
        found.iter().map(|one| plants.name(one.class, "en").unwrap().1.to_owned()).collect()
    }

    #[test]
    fn the_narrowest_name_that_is_sure_comes_first() {
        assert_eq!(names(&plants(), &[0.7, 0.1, 0.1, 0.1]), ["red oak", "white oak", "beech"]);
        assert_eq!(names(&plants(), &[0.4, 0.3, 0.1, 0.2]), ["Quercus", "red oak", "white oak", "beech"]);
        assert_eq!(names(&plants(), &[0.3, 0.2, 0.3, 0.2]), ["Fagaceae", "red oak", "beech", "white oak"]);
        assert_eq!(names(&plants(), &[0.2, 0.2, 0.1, 0.5]), ["red oak", "white oak", "beech"]);
    }

    #[test]
    fn classes_of_ones_own_stand_before_the_others() {
        let both = plants().preceded_by(&Labels::plain(["our oak"]));
        assert_eq!(both.answers().collect::<Vec<_>>(), [0, 1, 2, 3, 5, 6]);
        assert_eq!(names(&both, &[0.7, 0.2, 0.0, 0.1, 0.0]), ["our oak", "red oak", "beech", "white oak"]);
        assert_eq!(names(&both, &[0.1, 0.4, 0.3, 0.1, 0.1])[0], "Quercus", "groups are those of the others");
        assert!(names(&both, &[0.3, 0.0, 0.0, 0.0, 0.7]).is_empty());
    }

    #[test]
    fn more_likely_nothing_than_something_is_no_candidate() {
        assert!(names(&plants(), &[0.3, 0.1, 0.0, 0.6]).is_empty());
        assert!(names(&plants(), &[0.04, 0.03, 0.02, 0.2]).is_empty());
    }

    #[test]
    fn a_view_answers_with_its_classes_alone_and_keeps_their_scores() {
        let view = plants().only(&["white oak".to_owned(), "beech".to_owned()]).unwrap();
        let found = view.candidates(&[0.7, 0.2, 0.1, 0.0], 5, 0.05);
        assert_eq!(found.iter().map(|one| (one.class, one.score)).collect::<Vec<_>>(), [(1, 0.2), (2, 0.1)]);
        assert_eq!(view.answers().collect::<Vec<_>>(), [1, 2]);
        assert_eq!(plants().answers().collect::<Vec<_>>(), [0, 1, 2, 4, 5]);
        let fault = plants().only(&["rose".to_owned()]).unwrap_err();
        assert_eq!(fault.0, "there is no class 'rose' in the model that it is a view of");
    }
}
