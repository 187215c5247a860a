//! `dependsOrder: sequence`: what a task depends on runs one after the other.

use std::collections::BTreeSet;

use super::super::sketch::{Need, Sketch};

/// Makes the tasks of each sequence need the one before, unless they would wait for each other then. `sequences` are the
/// names of tasks with what they depend on.
pub(super) fn keep(jobs: &mut [Sketch], sequences: &[(String, Vec<String>)]) {
    for (of, names) in sequences {
        for pair in names.windows(2) {
            let [before, after] = pair else {
                continue;
            };
            let is_circle = reaches(jobs, before, after);
            let Some(job) = jobs.iter_mut().find(|job| job.name == *after) else {
                continue;
            };
            if is_circle {
                job.note(format!(
                    "It does not wait for {before:?} as in {of:?}: that waits for it."
                ));
            } else if !job.needs.iter().any(|need| need.name == *before) {
                job.note(format!(
                    "It needs {before:?} because {of:?} runs them in this order."
                ));
                job.needs.push(Need {
                    name: before.clone(),
                    is: None,
                });
            }
        }
    }
}

/// Whether a task waits for another one, directly or not.
fn reaches(jobs: &[Sketch], from: &str, to: &str) -> bool {
    let (mut open, mut seen) = (vec![from], BTreeSet::new());
    while let Some(name) = open.pop() {
        if name == to {
            return true;
        }
        if seen.insert(name) {
            let job = jobs.iter().find(|job| job.name == name);
            let needs = job.into_iter().flat_map(|job| &job.needs);
            open.extend(needs.map(|need| need.name.as_str()));
        }
    }
    false
}
