//! Which networks are in memory, and why some cannot be. The threads of the engine share this.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use crate::manifest::Fault;

/// What is known of the networks of all threads.
#[derive(Debug, Default)]
pub struct Residency {
    /// On how many threads a network is that is loaded when first asked for.
    threads: Mutex<BTreeMap<String, usize>>,
    faults: Mutex<Vec<(String, Fault)>>,
}

impl Residency {
    /// Notes why a model cannot be used, and logs it once however many threads say so.
    pub(crate) fn add_fault(&self, name: &str, fault: &Fault) {
        let mut known = lock(&self.faults);
        if !known.iter().any(|(model, of)| model == name && of == fault) {
            tracing::error!(model = name, "cannot be used: {fault}");
            known.push((name.to_owned(), fault.clone()));
        }
    }

    /// Why a model cannot be used, if it cannot.
    pub(crate) fn fault(&self, name: &str) -> Option<Fault> {
        lock(&self.faults).iter().find(|(model, _)| model == name).map(|(_, fault)| fault.clone())
    }

    pub(crate) fn loaded(&self, name: &str) {
        *lock(&self.threads).entry(name.to_owned()).or_default() += 1;
    }

    pub(crate) fn unloaded(&self, name: &str) {
        if let Some(threads) = lock(&self.threads).get_mut(name) {
            *threads = threads.saturating_sub(1);
        }
    }

    /// Whether a network that is loaded when first asked for is on any thread.
    pub(crate) fn is_resident(&self, name: &str) -> bool {
        lock(&self.threads).get(name).is_some_and(|threads| *threads > 0)
    }
}

fn lock<T>(values: &Mutex<T>) -> MutexGuard<'_, T> {
    values.lock().unwrap_or_else(PoisonError::into_inner)
}
