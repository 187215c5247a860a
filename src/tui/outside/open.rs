//! Opens URLs in the browser.

use std::process::Command;

use super::program;
use crate::tui::message::Done;

/// Opens a URL with `$BROWSER`, or else with the desktop's default. Reports if neither is possible,
/// for instance over ssh.
pub(super) fn open(url: &str) -> Option<Done> {
    Some(if in_browser(url) {
        Done::Note(format!("Opened {url}"))
    } else {
        Done::NoBrowser(url.to_owned())
    })
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
    fn substitutes_or_appends_the_url() {
        let words = |text| browser(text, "http://x").unwrap_or_default();
        assert_eq!(words("firefox"), ["firefox", "http://x"]);
        assert_eq!(words("lynx -url=%s -x"), ["lynx", "-url=http://x", "-x"]);
        assert_eq!(words(" "), [""; 0]);
    }
}
