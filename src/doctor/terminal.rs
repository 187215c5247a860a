//! Checks the environment of the dashboard: terminal, character set, clipboard.

use std::path::Path;

use super::Finding;

const SUBJECT: &str = "terminal";

/// Programs that write to a clipboard.
const CLIPBOARD: [&str; 4] = ["wl-copy", "xclip", "xsel", "pbcopy"];

pub(super) fn check(var: impl Fn(&str) -> Option<String>) -> Vec<Finding> {
    let set = |name: &str| var(name).filter(|value| !value.is_empty());
    let term = match set("TERM") {
        Some(term) if term != "dumb" => Finding::ok(SUBJECT, format!("TERM is {term}")),
        Some(term) => Finding::warning(SUBJECT, format!("TERM is {term}"))
            .advise("the dashboard needs a terminal that can move its cursor; the verbs do not"),
        None => Finding::warning(SUBJECT, "TERM is not set")
            .advise("the dashboard needs it, for example TERM=xterm-256color; the verbs do not"),
    };
    // The first variable that is set takes precedence; see locale(7).
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(|name| {
        let value = set(name)?;
        Some(format!("{name}={value}"))
    });
    let locale = match locale {
        Some(locale) if is_utf8(&locale) => Finding::ok(SUBJECT, format!("{locale} is UTF-8")),
        other => {
            let what = other.map_or("no locale is set".to_owned(), |it| {
                format!("{it} is not UTF-8")
            });
            Finding::warning(SUBJECT, what)
                .advise("if lines and marks look wrong: bgproc --ascii, or LC_ALL=C.UTF-8")
        }
    };
    let path = set("PATH").unwrap_or_default();
    let mut tools = CLIPBOARD.into_iter().filter(|tool| is_on(&path, tool));
    let clipboard = match tools.next() {
        Some(tool) => format!("{tool} is available for the clipboard"),
        None => format!(
            "none of {} is available for the clipboard",
            CLIPBOARD.join(", ")
        ),
    };
    vec![term, locale, Finding::ok(SUBJECT, clipboard)]
}

fn is_utf8(locale: &str) -> bool {
    let locale = locale.to_ascii_lowercase();
    locale.contains("utf-8") || locale.contains("utf8")
}

fn is_on(path: &str, tool: &str) -> bool {
    path.split(':')
        .any(|dir| Path::new(dir).join(tool).is_file())
}

#[cfg(test)]
mod tests {
    use super::super::Verdict;
    use super::*;

    fn verdicts(vars: &[(&str, &str)]) -> Vec<Verdict> {
        let found = check(|name| {
            let found = vars.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| (*value).to_owned())
        });
        found.iter().map(|finding| finding.verdict).collect()
    }

    #[test]
    fn the_first_locale_variable_takes_precedence() {
        use Verdict::{Ok, Warning};
        let term = ("TERM", "xterm");
        assert_eq!(verdicts(&[term, ("LANG", "de_DE.UTF-8")]), [Ok, Ok, Ok]);
        let both = [term, ("LC_ALL", "C"), ("LANG", "de_DE.utf8")];
        assert_eq!(verdicts(&both), [Ok, Warning, Ok]);
        let dumb = [("TERM", "dumb"), ("LC_ALL", "")];
        assert_eq!(verdicts(&dumb), [Warning, Warning, Ok]);
    }
}
