//! What a shell reports to its terminal: where its prompts and the outputs of its commands are (OSC 133), and its
//! directory (OSC 7).
//!
//! OSC 133 is described in the "semantic prompts" proposal of Per Bothner; FinalTerm had it first. OSC 7 is a
//! `file:` URL with the name of the machine, as macOS Terminal and VTE have it.

use percent_encoding::percent_decode;

use super::sanitize::clean;
use crate::protocol::shell_state::{ShellActivity, ShellState};

/// Maximum length of a directory in bytes, as the system limits it (`PATH_MAX`).
const MAX_PATH: usize = 4096;

/// A mark of OSC 133.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mark {
    /// `A`: a prompt begins.
    Prompt,
    /// `B`: the prompt ends, and what is typed begins.
    Input,
    /// `C`: the output of a command begins.
    Output,
    /// `D`: a command has ended, with this exit code if the shell reports it.
    End(Option<i32>),
}

impl Mark {
    /// The mark with these parameters (what follows `133;`).
    pub fn of(params: &[u8]) -> Option<Self> {
        let mut params = params.split(|&b| b == b';');
        Some(match params.next()? {
            b"A" | b"P" => Self::Prompt,
            b"B" => Self::Input,
            b"C" => Self::Output,
            b"D" => {
                let code = params
                    .next()
                    .and_then(|code| std::str::from_utf8(code).ok());
                Self::End(code.and_then(|code| code.parse().ok()))
            }
            _ => return None,
        })
    }

    /// The state of the shell after this mark.
    pub fn after(self, before: Option<ShellState>) -> ShellState {
        let last = before.and_then(|before| before.exit_code);
        let (activity, exit_code) = match self {
            Self::Prompt | Self::Input => (Some(ShellActivity::Prompt), last),
            Self::Output => (Some(ShellActivity::Command), last),
            Self::End(code) => (None, code),
        };
        ShellState {
            activity,
            exit_code,
        }
    }
}

/// What the marks have in their parameters that `exec` writes around its command.
const OF_EXEC: &[u8] = b";bgproc=";

/// What a shell has reported so far.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ShellReport {
    /// What it does, if it marks its prompts.
    pub state: Option<ShellState>,
    /// Its directory.
    pub directory: Option<Directory>,
}

impl ShellReport {
    /// Records the mark with these parameters, if it is one of the shell. The marks of `exec` are about one command: those
    /// that follow it would seem to have its end, since the shell itself has none.
    pub fn mark(&mut self, params: &[u8]) {
        let is_of_exec = memchr::memmem::find(params, OF_EXEC).is_some();
        if let Some(mark) = Mark::of(params).filter(|_| !is_of_exec) {
            self.state = Some(mark.after(self.state));
        }
    }

    /// Records the directory of a URL, if it is one.
    pub fn enter(&mut self, url: &[u8]) {
        if let Some(directory) = Directory::of_url(url) {
            self.directory = Some(directory);
        }
    }
}

/// A directory, and the machine that it is on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Directory {
    /// Name of the machine; empty if it was not reported.
    pub host: String,
    /// Absolute path.
    pub path: String,
}

impl Directory {
    /// The directory of a `file:` URL; `None` if it is not one.
    pub fn of_url(url: &[u8]) -> Option<Self> {
        let rest = url.strip_prefix(b"file://")?;
        let slash = rest.iter().position(|&b| b == b'/')?;
        let (host, path) = rest.split_at(slash);
        let path: Vec<u8> = percent_decode(path).take(MAX_PATH + 1).collect();
        let path = String::from_utf8(path).ok()?;
        let host = std::str::from_utf8(host).ok()?;
        let is_plain = clean(&path) == path && clean(host) == host && path.len() <= MAX_PATH;
        is_plain.then(|| Self {
            host: host.to_ascii_lowercase(),
            path,
        })
    }

    /// The directory as text for a reader on the machine `here`: the path, after the name of its machine and a
    /// colon if that is another one.
    pub fn seen_from(&self, here: &str) -> String {
        let short = |name: &str| {
            name.split('.')
                .next()
                .unwrap_or_default()
                .to_ascii_lowercase()
        };
        let is_here = matches!(self.host.as_str(), "" | "localhost" | "127.0.0.1" | "::1")
            || short(&self.host) == short(here);
        if is_here {
            self.path.clone()
        } else {
            format!("{}:{}", self.host, self.path)
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn marks_tell_what_the_shell_does() {
        use ShellActivity::*;
        let mut now = None;
        let mut told = |params: &str| {
            now = Mark::of(params.as_bytes())
                .map(|mark| mark.after(now))
                .or(now);
            now.map(|now| (now.activity, now.exit_code))
        };
        assert_eq!(told("x"), None);
        assert_eq!(told("A;cl=m"), Some((Some(Prompt), None)));
        assert_eq!(told("B"), Some((Some(Prompt), None)));
        assert_eq!(told("C;cmdline_url=ls"), Some((Some(Command), None)));
        assert_eq!(told("D;2;aid=7"), Some((None, Some(2))));
        assert_eq!(told("P;k=s"), Some((Some(Prompt), Some(2))));
        assert_eq!(told("C"), Some((Some(Command), Some(2))));
        assert_eq!(told("D"), Some((None, None)));
    }

    #[test]
    fn a_directory_is_a_file_url() {
        let dir = |url: &[u8]| Directory::of_url(url).map(|dir| dir.seen_from("box.example.org"));
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(dir(b"file:///srv/a%20b"), text("/srv/a b"));
        assert_eq!(dir(b"file://BOX/srv"), text("/srv"));
        assert_eq!(dir(b"file://localhost/"), text("/"));
        assert_eq!(
            dir(b"file://db1.example.org/srv"),
            text("db1.example.org:/srv")
        );
        for not_one in [
            &b"/srv"[..],
            b"file://box",
            b"http://box/srv",
            b"file:///a%1bb",
            b"file:///a%ffb",
            b"",
        ] {
            assert_eq!(dir(not_one), None, "{}", not_one.escape_ascii());
        }
        let long = format!("file:///{}", "a".repeat(MAX_PATH));
        assert_eq!(dir(long.as_bytes()), None);
    }
}
