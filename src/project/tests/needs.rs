//! What jobs need of each other.

use super::{faults, project};
use crate::protocol::project::Level;

#[test]
fn the_natural_condition() {
    let project = project(
        "[jobs.task]\nrun = \"x\"\nkind = \"task\"\n[jobs.plain]\nrun = \"x\"\n\
         [jobs.checked]\nrun = \"x\"\nready = { port = 1 }\n\
         [jobs.web]\nrun = \"x\"\nneeds = [\"task\", \"plain\", \"checked\", \"task\"]\n\
         [jobs.two]\nrun = \"x\"\nneeds = { task = \"done\", plain = { is = \"started\", restart = true }, checked = {} }\n",
    );
    let of = |name: &str| {
        let needs = project.jobs[name].needs.iter();
        let needs = needs.map(|need| (need.job.as_str(), need.is, need.restart));
        needs.collect::<Vec<_>>()
    };
    assert_eq!(
        of("web"),
        [
            ("task", Level::Ok, false),
            ("plain", Level::Started, false),
            ("checked", Level::Ready, false)
        ]
    );
    assert_eq!(
        of("two"),
        [
            ("task", Level::Done, false),
            ("plain", Level::Started, true),
            ("checked", Level::Ready, false)
        ]
    );
}

#[test]
fn a_circle_is_one_fault_with_the_place_of_every_edge() {
    let text = "[jobs.a]\nrun = \"x\"\nneeds = [\"b\"]\n[jobs.b]\nrun = \"x\"\nneeds = [\"c\"]\n\
                [jobs.c]\nrun = \"x\"\nneeds = { d = \"started\", a = \"started\" }\n[jobs.d]\nrun = \"x\"\nneeds = [\"d\"]\n";
    assert_eq!(
        faults(text),
        "bgproc.toml:3:10: jobs need each other in a circle: a -> b -> c -> a\n  \
         bgproc.toml:6:10: \"b\" needs \"c\"\n  \
         bgproc.toml:9:26: \"c\" needs \"a\"\n\
         bgproc.toml:12:10: jobs need each other in a circle: d -> d"
    );
}

#[test]
fn a_long_chain_is_no_circle() {
    let jobs = (0..1999).map(|n| format!("[jobs.j{n}]\nrun = \"x\"\nneeds = [\"j{}\"]\n", n + 1));
    let mut text: String = jobs.collect();
    text.push_str("[jobs.j1999]\nrun = \"x\"\n");
    assert_eq!(project(&text).jobs.len(), 2000);
    let circle = text + "needs = [\"j0\"]\n";
    let said = faults(&circle);
    assert_eq!(said.lines().count(), 2000);
}

#[test]
fn needs_that_cannot_come() {
    let jobs = "[jobs.db]\nrun = \"x\"\n[jobs.backup]\nrun = \"x\"\nschedule = { every = \"1h\" }\n\
                [jobs.first]\nrun = \"x\"\nschedule = { every = \"1h\", at_start = true }\n[jobs.api]\nrun = \"x\"\n";
    for (needs, said) in [
        (
            "[\"dv\"]",
            "bgproc.toml:11:10: [jobs.api] needs \"dv\", which is not a job. Did you mean \"db\"?",
        ),
        (
            "[\"zebra\"]",
            "bgproc.toml:11:10: [jobs.api] needs \"zebra\", which is not a job",
        ),
        (
            "{ db = \"ready\" }",
            "bgproc.toml:11:11: [jobs.api] needs \"db\" to be ready, but [jobs.db] has no \"ready\"; add it, or need \"started\"",
        ),
        (
            "[\"backup\"]",
            "bgproc.toml:11:10: [jobs.api] needs \"backup\", which runs only at the times of its schedule; remove the need, or set at_start = true in the schedule",
        ),
        (
            "{ db = \"up\" }",
            "bgproc.toml:11:16: \"db\" in [jobs.api.needs] must be one of started, ready, ok, done, not \"up\"",
        ),
        (
            "{ db = { level = \"ok\" } }",
            "bgproc.toml:11:18: unknown key \"level\" in [jobs.api.needs.db]; known keys are is, restart",
        ),
        (
            "\"db\"",
            "bgproc.toml:11:9: \"needs\" in [jobs.api] must be a list of strings: [\"db\"]",
        ),
    ] {
        assert_eq!(faults(&format!("{jobs}needs = {needs}\n")), said);
    }
    project(&format!("{jobs}needs = [\"first\"]\n"));
}
