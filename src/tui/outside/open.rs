//! Opens URLs in the browser.

use std::borrow::Cow;
use std::process::Command;

use super::program;
use crate::tui::message::Done;

/// Opens a URL with `$BROWSER`, or else with the desktop's default. Reports if neither is possible,
/// for instance over ssh.
pub(super) fn open(url: &str) -> Option<Done> {
    let url = &*reachable(url);
    Some(if in_browser(url) {
        Done::Note(format!("Opened {url}"))
    } else {
        Done::NoBrowser(url.to_owned())
    })
}

/// A URL as a browser opens it. A server that listens at all addresses says so by `0.0.0.0` or `[::]`, which names none
/// of them; it is reached at `localhost`.
pub fn reachable(url: &str) -> Cow<'_, str> {
    let local = || {
        let (scheme, rest) = url.split_once("://")?;
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (place, path) = rest.split_at(end);
        let all = ["0.0.0.0", "[::]"];
        let port = all.iter().find_map(|all| place.strip_prefix(all))?;
        let is_port = port.is_empty() || port.starts_with(':');
        is_port.then(|| format!("{scheme}://localhost{port}{path}"))
    };
    local().map_or(Cow::Borrowed(url), Cow::Owned)
}

/// Opens a URL with `$BROWSER`, or else with the desktop's default. Returns false if neither is possible.
pub fn in_browser(url: &str) -> bool {
    let var = |name: &str| std::env::var(name).unwrap_or_default();
    let remote = !var("SSH_CONNECTION").is_empty();
    let screen = !var("DISPLAY").is_empty() || !var("WAYLAND_DISPLAY").is_empty();
    let desktop = if cfg!(target_os = "macos") {
        (!remote).then_some("open")
    } else {
        (!remote && screen).then_some("xdg-open")
    };
    let browsers = var("BROWSER");
    let chosen = browsers.split(':').filter_map(|words| browser(words, url));
    let usual = desktop.map(|program| vec![program.to_owned(), url.to_owned()]);
    for words in chosen.chain(usual) {
        if let [program, arguments @ ..] = words.as_slice()
            && program::start(Command::new(program).args(arguments)).is_ok()
        {
            return true;
        }
    }
    false
}

/// A browser from `$BROWSER`: a program and its arguments. The URL replaces `%s` or is appended.
fn browser(words: &str, url: &str) -> Option<Vec<String>> {
    let mut words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
    if words.is_empty() {
        return None;
    }
    let mut placed = false;
    for word in &mut words {
        placed |= word.contains("%s");
        *word = word.replace("%s", url);
    }
    if !placed {
        words.push(url.to_owned());
    }
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_addresses_are_reached_at_localhost() {
        for (url, expected) in [
            ("http://0.0.0.0:8080/a?b", "http://localhost:8080/a?b"),
            ("https://[::]:8443", "https://localhost:8443"),
            ("http://0.0.0.0", "http://localhost"),
            ("http://0.0.0.0.nip.io/", "http://0.0.0.0.nip.io/"),
            ("http://[::1]:80/", "http://[::1]:80/"),
            ("http://a/?to=//0.0.0.0", "http://a/?to=//0.0.0.0"),
            ("x", "x"),
        ] {
            assert_eq!(reachable(url), expected);
        }
    }

    #[test]
    fn substitutes_or_appends_the_url() {
        let words = |text| browser(text, "http://x").unwrap_or_default();
        assert_eq!(words("firefox"), ["firefox", "http://x"]);
        assert_eq!(words("lynx -url=%s -x"), ["lynx", "-url=http://x", "-x"]);
        assert_eq!(words(" "), [""; 0]);
    }
}
