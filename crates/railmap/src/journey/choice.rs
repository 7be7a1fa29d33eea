//! Which stations are meant where several have one name: those between which the way is best.

use super::{Network, Order};

/// The most combinations of stations that are tried.
const MOST: usize = 100;

impl Network {
    /// One station of each place's candidates, no station twice, so that the way through them is the best one. `None`
    /// if there is no way through any.
    #[must_use]
    pub fn choose(&self, places: &[Vec<usize>], order: Order) -> Option<Vec<usize>> {
        // Most names are those of one station, and nothing has to be searched to choose it.
        if places.iter().all(|candidates| candidates.len() == 1) {
            return combinations(places).find(|stations| are_different(stations));
        }
        let mut best: Option<((u32, u32, u32), Vec<usize>)> = None;
        for stations in combinations(places).take(MOST).filter(|stations| are_different(stations)) {
            let rank = self.courses(&stations, order, 1).first().map(|course| course.rank(order));
            if let Some(rank) = rank
                && best.as_ref().is_none_or(|(known, _)| rank < *known)
            {
                best = Some((rank, stations));
            }
        }
        best.map(|(_, stations)| stations)
    }
}

/// Every way to take one of each list, the first ones first.
fn combinations(lists: &[Vec<usize>]) -> impl Iterator<Item = Vec<usize>> {
    let count = lists.iter().map(Vec::len).product();
    (0..count).map(|number: usize| {
        let mut rest = number;
        let pick = |list: &Vec<usize>| {
            let picked = list[rest % list.len()];
            rest /= list.len();
            picked
        };
        lists.iter().map(pick).collect()
    })
}

fn are_different(stations: &[usize]) -> bool {
    (1..stations.len()).all(|at| !stations[..at].contains(&stations[at]))
}

#[cfg(test)]
mod tests {
    use super::{are_different, combinations};

    #[test]
    fn one_of_each_list_is_taken_in_every_way() {
        let all: Vec<Vec<usize>> = combinations(&[vec![1, 2], vec![3], vec![4, 5]]).collect();
        assert_eq!(all, [[1, 3, 4], [2, 3, 4], [1, 3, 5], [2, 3, 5]]);
        assert_eq!(combinations(&[vec![1], vec![]]).count(), 0);
        assert!(are_different(&[1, 2, 3]) && !are_different(&[1, 2, 1]));
    }
}
