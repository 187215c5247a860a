//! The inputs kept for the fuzz targets, and changes of them, against the same checks.

use std::path::Path;

use proptest::prelude::*;
use proptest::sample::select;

#[path = "../check/request.rs"]
mod request_check;
#[path = "../check/screen.rs"]
mod screen_check;

/// The kept inputs of a target.
fn corpus(target: &str) -> Vec<Vec<u8>> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fuzz/corpus")
        .join(target);
    let files = std::fs::read_dir(&dir)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let kept: Vec<_> = files.map(|file| std::fs::read(file).unwrap()).collect();
    assert!(
        kept.len() >= 12,
        "{} has {} files",
        dir.display(),
        kept.len()
    );
    kept
}

/// Inputs that were cut, joined, and had bytes changed, as a fuzzer does it.
fn mutated(target: &str) -> impl Strategy<Value = Vec<u8>> {
    let kept = corpus(target);
    let place = any::<prop::sample::Index>();
    let change = (place.clone(), any::<u8>());
    let changes = prop::collection::vec(change, 0..6);
    (
        select(kept.clone()),
        select(kept),
        place.clone(),
        place,
        changes,
    )
        .prop_map(|(first, second, cut, from, changes)| {
            let mut input = first[..cut.index(first.len() + 1)].to_vec();
            input.extend(&second[from.index(second.len() + 1)..]);
            input.truncate(2048);
            for (place, byte) in changes {
                if !input.is_empty() {
                    let at = place.index(input.len());
                    input[at] = byte;
                }
            }
            input
        })
}

#[test]
fn what_was_kept_for_the_screen_holds() {
    for input in corpus("screen") {
        screen_check::screen(&input);
    }
}

#[test]
fn what_was_kept_for_requests_holds() {
    for input in corpus("request") {
        request_check::request(&input);
    }
}

/// Cases of a property: seconds as a rule; `BGPROC_CASES` makes it as many as wanted.
fn cases(usual: u32) -> ProptestConfig {
    let wanted = std::env::var("BGPROC_CASES").ok();
    let cases = wanted.and_then(|cases| cases.parse().ok()).unwrap_or(usual);
    ProptestConfig {
        cases,
        failure_persistence: None,
        max_shrink_iters: 2000,
        ..ProptestConfig::default()
    }
}

#[test]
fn changed_output_holds_too() {
    proptest!(cases(100), |(input in mutated("screen"))| screen_check::screen(&input));
}

#[test]
fn changed_requests_hold_too() {
    proptest!(cases(2000), |(input in mutated("request"))| request_check::request(&input));
}
