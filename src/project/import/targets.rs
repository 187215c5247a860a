//! Targets of makefiles and justfiles that start something, by their names.

use super::sketch::Part;
use super::source::Source;
use super::toml_text::Toml;

/// Names of targets that run until they are stopped, the one to start first.
const SERVICES: [&str; 7] = ["dev", "serve", "start", "run", "watch", "server", "worker"];

/// Reads the targets. `program` is make or just.
pub(super) fn read(source: &Source<'_>, program: &str) -> Part {
    let mut part = source.part();
    let mut found: Vec<(usize, &str, u32)> = Vec::new();
    for (number, line) in (1..).zip(source.text.lines()) {
        let Some(name) = target(line) else { continue };
        let rank = SERVICES.iter().position(|known| *known == name);
        let is_new = !found.iter().any(|(_, known, _)| *known == name);
        if let (Some(rank), true) = (rank, is_new) {
            found.push((rank, name, number));
        }
    }
    found.sort_unstable();
    for (at, (_, name, line)) in found.into_iter().enumerate() {
        let mut job = source.job(name, line);
        let words = [program, name].map(str::to_owned);
        job.set("cmd", words.into_iter().collect::<Toml>());
        if let Some(dir) = source.cwd(None) {
            job.set("cwd", dir);
        }
        if at > 0 {
            job.set("autostart", Toml::Bool(false));
        }
        part.jobs.push(job);
    }
    part
}

/// The name of the target or recipe whose line this is. `x := y`, `x ::= y` and `x = a:b` set a variable.
fn target(line: &str) -> Option<&str> {
    let (head, rest) = line.split_once(':')?;
    let mut words = head.split_whitespace();
    let name = words.next()?.trim_start_matches('@');
    // A recipe of just may have parameters with defaults: `serve port="3000":`.
    let is_value = |word: &str| word.trim_start_matches(['?', '+', '!']).starts_with('=');
    let sets = words.next().is_some_and(is_value) || rest.trim_start_matches(':').starts_with('=');
    let is_head = !line.starts_with([' ', '\t', '#']) && !sets;
    is_head.then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_no_targets() {
        for (line, name) in [
            ("dev: build", Some("dev")),
            ("serve port=\"3000\":", Some("serve")),
            ("serve +args: build", Some("serve")),
            ("@run:", Some("run")),
            ("start:: x", Some("start")),
            ("server = localhost:8080", None),
            ("server ?= localhost:8080", None),
            ("start := x", None),
            ("start ::= x", None),
            ("\tdev: x", None),
        ] {
            assert_eq!(target(line), name, "{line}");
        }
    }
}
