//! Work that is done on all processors.

use std::{
    collections::BTreeMap,
    num::NonZero,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

/// Does something with each of several things on all processors, and returns the results in the order of the things.
/// `tell` is called with the number of results so far.
pub(crate) fn side_by_side<T: Sync, R: Send>(
    things: &[T],
    work: impl Fn(&T) -> R + Sync,
    tell: impl FnMut(usize) + Send,
) -> impl Iterator<Item = R> {
    let threads = thread::available_parallelism().map_or(1, NonZero::get).min(things.len());
    let next = AtomicUsize::new(0);
    let done = Mutex::new((BTreeMap::new(), tell));
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(thing) = things.get(at) else { return };
                    let result = work(thing);
                    let (results, tell) = &mut *done.lock().unwrap_or_else(PoisonError::into_inner);
                    results.insert(at, result);
                    tell(results.len());
                }
            });
        }
    });
    done.into_inner().unwrap_or_else(PoisonError::into_inner).0.into_values()
}

#[cfg(test)]
mod tests {
    use std::{thread::sleep, time::Duration};

    use super::side_by_side;

    #[test]
    fn results_are_in_the_order_of_the_things_and_counted_as_they_are_made() {
        let things: Vec<u64> = (0..9).collect();
        let mut counted = Vec::new();
        let work = |thing: &u64| {
            sleep(Duration::from_millis(9 - thing));
            thing * thing
        };
        let results: Vec<u64> = side_by_side(&things, work, |done| counted.push(done)).collect();
        assert_eq!(results, [0, 1, 4, 9, 16, 25, 36, 49, 64]);
        assert_eq!(counted, (1..=9).collect::<Vec<_>>());
        assert_eq!(side_by_side(&[] as &[u64], |thing| *thing, |_| ()).count(), 0);
    }
}
