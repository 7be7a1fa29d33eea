//! Tests that need their own resolver and certificate authority.

mod rebinding;
mod secure;

use std::{
    io,
    net::IpAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use rustls::RootCertStore;

use crate::{
    Fetcher, Policy,
    resolver::{Resolution, Resolver},
    tls,
};

/// A resolver that gives one answer after the other, and repeats the last one.
struct ScriptedResolver {
    answers: Mutex<Vec<Vec<IpAddr>>>,
    asked: Arc<AtomicUsize>,
}

impl Resolver for ScriptedResolver {
    fn resolve<'a>(&'a self, _: &'a str) -> Resolution<'a> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        let mut answers = self.answers.lock().unwrap();
        let answer = if answers.len() > 1 { answers.remove(0) } else { answers[0].clone() };
        let answer = if answer.is_empty() { Err(io::Error::other("no such name")) } else { Ok(answer) };
        Box::pin(std::future::ready(answer))
    }
}

/// A fetcher with a scripted resolver, and the number of resolutions. An answer is written as addresses separated by
/// spaces.
fn fetcher(allowed: &str, answers: &[&str], roots: RootCertStore) -> (Fetcher, Arc<AtomicUsize>) {
    let allowed = allowed.split_whitespace().map(|text| text.parse().unwrap()).collect();
    let policy = Policy { allowed, max_bytes: 1000, timeout: Duration::from_secs(20) };
    let addresses = |text: &&str| text.split_whitespace().map(|word| word.parse().unwrap()).collect();
    let asked = Arc::<AtomicUsize>::default();
    let resolver =
        ScriptedResolver { answers: Mutex::new(answers.iter().map(addresses).collect()), asked: Arc::clone(&asked) };
    (Fetcher::with(policy, tls::trusting(roots).unwrap(), Box::new(resolver)), asked)
}
