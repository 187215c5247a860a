//! What the manual of the whole command line has and this version has not, and what does nearly the same.

/// Verbs, and what to do instead.
const VERBS: [(&str, &str); 19] = [
    (
        "top",
        "bgproc ls shows CPU and memory, bgproc status JOB the processes",
    ),
    (
        "start",
        "bgproc restart runs an ended job again, bgproc run COMMAND a new one",
    ),
    ("tag", "bgproc run -g puts a job into a group"),
    ("group", "bgproc run -g puts a job into a group"),
    ("pin", ""),
    ("up", "bgproc run starts one job"),
    ("down", "bgproc stop g:GROUP ends a group"),
    (
        "reload",
        "bgproc signal JOB HUP tells a program to read its files again",
    ),
    ("exec", "bgproc run -C DIR COMMAND runs beside a job"),
    ("env", ""),
    ("move", ""),
    (
        "report",
        "bgproc status JOB and bgproc logs JOB say how it went",
    ),
    ("ports", "bgproc ls shows them"),
    (
        "open",
        "bgproc ls shows the port; o in the dashboard opens it",
    ),
    ("why", "bgproc status JOB says how it ended"),
    ("diff", ""),
    ("init", ""),
    ("completions", ""),
    ("man", "bgproc help VERB has the same text"),
];

/// Options of verbs, and what to do instead.
const FLAGS: [(&[&str], &str, &str); 14] = [
    (
        &["run", "add"],
        "--env-file",
        "run it under: env $(cat FILE) bgproc run …",
    ),
    (
        &["run", "add"],
        "--ready-cmd",
        "--ready-log and --ready-port are there",
    ),
    (
        &["run", "add"],
        "--after",
        "bgproc wait JOB && bgproc run …",
    ),
    (&["run", "add"], "--tag", "-g puts it into a group"),
    (&["run", "add"], "--notify", ""),
    (&["ls", "ps"], "--all-projects", "all jobs are listed"),
    (&["ls", "ps"], "--sort", ""),
    (
        &["status", "inspect", "show"],
        "--env",
        "bgproc --json status JOB has the names of its variables",
    ),
    (&["logs", "log", "follow", "tail"], "--until", ""),
    (&["logs", "log", "follow", "tail"], "--run", ""),
    (
        &["logs", "log", "follow", "tail"],
        "--grep",
        "bgproc find RE --jobs JOB",
    ),
    (
        &["logs", "log", "follow", "tail"],
        "-C",
        "bgproc find RE --jobs JOB -C N",
    ),
    (&["send"], "--wait-quiet", "bgproc wait JOB --for quiet"),
    (&["rm", "clean", "prune"], "--older", ""),
];

/// What to do instead of a verb that is not built; empty: nothing.
pub(crate) fn verb(word: &str) -> Option<&'static str> {
    let found = VERBS.iter().find(|(verb, _)| *verb == word);
    found.map(|(_, instead)| *instead)
}

/// What to do instead of an option that is not built; empty: nothing.
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
    fn what_is_built_is_not_listed() {
        for (verb, _) in VERBS {
            assert!(Verb::grammar(verb).is_none(), "{verb} is built");
        }
    }
}
