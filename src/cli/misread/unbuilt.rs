//! Verbs and options that are planned but not supported yet, and what to use instead.

/// Verbs, and what to use instead.
const VERBS: [(&str, &str); 3] = [
    ("tag", "bgproc group JOB GROUP puts a job into a group"),
    ("move", ""),
    ("report", "use bgproc status JOB and bgproc logs JOB"),
];

/// Options of verbs, and what to use instead.
const FLAGS: [(&[&str], &str, &str); 3] = [
    (
        &["run", "add"],
        "--after",
        "use bgproc wait JOB && bgproc run …",
    ),
    (&["run", "add"], "--tag", "use -g to put it into a group"),
    (&["run", "add"], "--notify", ""),
];

/// What to use instead of a verb that is not supported yet. Empty if there is nothing.
pub(crate) fn verb(word: &str) -> Option<&'static str> {
    let found = VERBS.iter().find(|(verb, _)| *verb == word);
    found.map(|(_, instead)| *instead)
}

/// What to use instead of an option that is not supported yet. Empty if there is nothing.
pub(crate) fn flag(verb: &str, flag: &str) -> Option<&'static str> {
    let found = FLAGS
        .iter()
        .find(|(verbs, known, _)| *known == flag && verbs.contains(&verb));
    found.map(|(.., instead)| *instead)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::verb::Verb;

    #[test]
    fn supported_verbs_are_not_listed() {
        for (verb, _) in VERBS {
            assert!(Verb::grammar(verb).is_none(), "{verb} is supported");
        }
    }
}
