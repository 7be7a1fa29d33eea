//! Fuzz targets: one function for every parser of outside bytes. A target panics when the parser breaks a promise.
//!
//! `make fuzz` runs each target under libFuzzer and the address sanitiser. `cargo test` replays the seeds in `corpus`.
#![allow(clippy::expect_used, clippy::panic, clippy::missing_panics_doc, reason = "a panic is how a target reports")]

mod catalogue_rows;
mod feeds;
mod image;
mod json_body;
mod map_file;
mod multipart_body;
mod network_file;
mod onnx_file;
mod query;
mod segment;

/// A parser under test.
#[derive(Debug)]
pub struct Target {
    /// The name of the target, and of its folder in `corpus`.
    pub name: &'static str,
    /// Parses one input.
    pub run: fn(&[u8]),
}

/// Every target.
pub const TARGETS: &[Target] = &[
    Target { name: "catalogue_rows", run: catalogue_rows::run },
    Target { name: "feeds", run: feeds::run },
    Target { name: "image", run: image::run },
    Target { name: "json_body", run: json_body::run },
    Target { name: "map_file", run: map_file::run },
    Target { name: "multipart_body", run: multipart_body::run },
    Target { name: "network_file", run: network_file::run },
    Target { name: "onnx_file", run: onnx_file::run },
    Target { name: "query", run: query::run },
    Target { name: "segment", run: segment::run },
];

/// The target with this name.
#[must_use]
pub fn target(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}

/// The bytes up to the first one that is not UTF-8.
fn text(bytes: &[u8]) -> &str {
    bytes.utf8_chunks().next().map_or("", |chunk| chunk.valid())
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, fs, path::Path};

    use super::TARGETS;

    const CORPUS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/corpus");

    #[test]
    #[allow(clippy::print_stdout, reason = "the output of a failed test names the seed that failed it")]
    fn every_target_survives_its_seeds() {
        for target in TARGETS {
            let folder = Path::new(CORPUS).join(target.name);
            let seeds: Vec<_> =
                fs::read_dir(&folder).expect("a folder of seeds").map(|seed| seed.unwrap().path()).collect();
            assert!(!seeds.is_empty(), "{} has no seed", target.name);
            for seed in seeds {
                println!("{}", seed.display());
                (target.run)(&fs::read(&seed).expect("a file"));
            }
        }
    }

    #[test]
    fn every_folder_of_seeds_belongs_to_a_target() {
        let names = |found: fs::ReadDir| found.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        let folders: BTreeSet<String> = names(fs::read_dir(CORPUS).expect("the corpus"));
        assert_eq!(folders, TARGETS.iter().map(|target| target.name.to_owned()).collect());
    }
}
