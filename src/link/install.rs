//! Copies bgproc to a host: through the command that reaches it, checked by its hash, and renamed into place only
//! after it has run there.

use std::io::{Read, Write};

use sha2::{Digest, Sha256};

use super::Host;
use super::fault;
use super::script::quoted;
use super::spawn::{Begun, Running, begin};
use crate::protocol::{Error, ErrorCode};

/// The directory on the host, in the words of a shell.
pub const DIRECTORY: &str = "~/.local/bin";

/// A host that waits for the program.
pub struct Copy {
    running: Running,
    rest: Vec<u8>,
    /// System and processor of the host, such as `Linux-x86_64`.
    pub system: String,
    /// The first line of its `ldd --version`; empty if it has none.
    pub libc: String,
}

/// Why a program cannot run on a host.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Misfit {
    /// It is for another system or processor; the text names the program's.
    System(String),
    /// It needs a newer glibc: the needed version, and the one there.
    Libc((u32, u32), (u32, u32)),
}

impl Copy {
    /// Reaches a host and asks what it is. Nothing is changed there.
    pub fn begin(host: &Host, program: &[u8]) -> Result<Self, Error> {
        let (running, Begun { program, rest }) = begin(host, &script(program))?;
        let (system, libc) = program.split_once(' ').unwrap_or((&program, ""));
        Ok(Self {
            running,
            rest,
            system: system.to_owned(),
            libc: libc.to_owned(),
        })
    }

    /// Gives up before anything was sent.
    pub fn cancel(mut self) {
        self.running.give_up();
    }

    /// Says that the program is wanted. Returns whether the host waits for it; if not, it has said why.
    fn is_ready(&mut self) -> std::io::Result<bool> {
        let stream = &mut self.running.stream;
        stream.write_all(CONSENT.as_bytes())?;
        let mut piece = [0; 1024];
        while !self.rest.contains(&b'\n') {
            match stream.read(&mut piece)? {
                0 => break,
                bytes => self.rest.extend(&piece[..bytes]),
            }
        }
        Ok(self.rest == READY)
    }

    /// Sends the program. Returns what it says about its version on the host.
    pub fn send(mut self, host: &Host, program: &[u8]) -> Result<String, Error> {
        // If the other end is gone, its last words say why.
        let (sent, read) = match self.is_ready() {
            Ok(true) => {
                let stream = &mut self.running.stream;
                let sent = stream
                    .write_all(program)
                    .and_then(|()| stream.shutdown(std::net::Shutdown::Write));
                self.rest.clear();
                (sent, stream.read_to_end(&mut self.rest))
            }
            Ok(false) => (Ok(()), Ok(0)),
            Err(error) => (Err(error), Ok(0)),
        };
        let said = String::from_utf8_lossy(&self.rest).trim().to_owned();
        if let Some(version) = said.strip_prefix("installed ") {
            return Ok(version.to_owned());
        }
        let words = self.running.last_words();
        if sent.is_err() || read.is_err() || said.is_empty() {
            let words = words.trim();
            let why = if words.is_empty() {
                "the connection ended during the copy"
            } else {
                words
            };
            return Err(fault::unreachable(host, why));
        }
        let name = &host.name;
        Err(Error::new(
            ErrorCode::HostNotInstalled,
            format!("bgproc was not installed on {name}: {said}"),
        )
        .hint("nothing was changed there; `--from FILE` names a program that fits, such as a static build"))
    }
}

/// The line after which the script changes something, and the one with which it says that it waits for the program.
const CONSENT: &str = "install\n";
const READY: &[u8] = b"ready\n";

/// The script that takes the program from standard input, behind [`CONSENT`].
fn script(program: &[u8]) -> String {
    let hash = hex(&Sha256::digest(program));
    let (size, hash) = (program.len(), quoted(&hash));
    format!(
        "{{ d=\"$HOME/.local/bin\"; t=\"$d/.bgproc-new.$$\"\n\
         printf '\\001bgproc-link\\001 run %s %s\\n' \"$(uname -s)-$(uname -m)\" \
         \"$( (ldd --version 2>&1 || true) | head -n 1)\"\n\
         read -r consent || exit 1\n\
         e=$(mkdir -p \"$d\" 2>&1) || {{ echo \"$e\"; exit 1; }}; rm -f \"$d\"/.bgproc-new.*; echo ready\n\
         head -c {size} > \"$t\" || {{ rm -f \"$t\"; exit 1; }}\n\
         s=$(sha256sum \"$t\" 2>/dev/null || shasum -a 256 \"$t\"); s=${{s%% *}}\n\
         if [ \"$s\" != {hash} ]; then rm -f \"$t\"; echo 'what arrived is not what was sent'; exit 1; fi\n\
         chmod 755 \"$t\"\n\
         v=$(\"$t\" --version 2>&1) || {{ rm -f \"$t\"; echo \"it does not run there: $v\"; exit 1; }}\n\
         case $v in 'bgproc '*) ;; *) rm -f \"$t\"; echo \"it is not bgproc: $v\" | head -n 1; exit 1 ;; esac\n\
         e=$(mv -f \"$t\" \"$d/bgproc\" 2>&1) || {{ rm -f \"$t\"; echo \"$e\"; exit 1; }}\n\
         echo \"installed $v\"; exit 0; }}\n"
    )
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Why a program of this system, `ours`, cannot run on a host; `None` if nothing speaks against it.
pub fn misfit(program: &[u8], ours: &str, system: &str, libc: &str) -> Option<Misfit> {
    if system != ours {
        return Some(Misfit::System(ours.to_owned()));
    }
    let there = glibc(libc)?;
    let needed = needed_glibc(program)?;
    (needed > there).then_some(Misfit::Libc(needed, there))
}

/// The version in the first line of glibc's `ldd --version`.
fn glibc(libc: &str) -> Option<(u32, u32)> {
    if !libc.contains("GLIBC") && !libc.contains("GNU libc") {
        return None;
    }
    version(libc.rsplit(' ').next()?)
}

/// The newest glibc that a program names among the symbols that it needs; `None` if it needs none.
fn needed_glibc(program: &[u8]) -> Option<(u32, u32)> {
    const MARK: &[u8] = b"GLIBC_";
    let found = memchr::memmem::find_iter(program, MARK).filter_map(|at| {
        let rest = program.get(at + MARK.len()..)?;
        let rest = rest.get(..rest.len().min(16))?;
        let length = rest
            .iter()
            .position(|byte| !byte.is_ascii_digit() && *byte != b'.');
        version(std::str::from_utf8(&rest[..length?]).ok()?)
    });
    found.max()
}

fn version(text: &str) -> Option<(u32, u32)> {
    let mut parts = text.split('.');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const DEBIAN: &str = "ldd (Debian GLIBC 2.36-9+deb12u14) 2.36";

    #[test]
    fn what_does_not_fit_is_known_before_it_is_copied() {
        let program = b"..GLIBC_2.17\0GLIBC_2.39\0GLIBC_PRIVATE\0GLIBC_2.4\0";
        let fits = |system: &str, libc: &str| misfit(program, "Linux-x86_64", system, libc);
        assert_eq!(
            fits("Linux-aarch64", DEBIAN),
            Some(Misfit::System("Linux-x86_64".to_owned()))
        );
        assert_eq!(
            fits("Linux-x86_64", DEBIAN),
            Some(Misfit::Libc((2, 39), (2, 36)))
        );
        assert_eq!(fits("Linux-x86_64", "ldd (GNU libc) 2.39"), None);
        // What cannot be known is found out by running it.
        assert_eq!(fits("Linux-x86_64", "musl libc (x86_64)"), None);
        assert_eq!(
            misfit(b"static", "Linux-x86_64", "Linux-x86_64", DEBIAN),
            None
        );
    }

    /// What the script says when it gets this program, and what is in place afterwards.
    fn installed(home: &std::path::Path, program: &str) -> (String, String) {
        let place = home.join(".local/bin/bgproc");
        std::fs::create_dir_all(place.parent().unwrap()).unwrap();
        std::fs::write(&place, "the old one").unwrap();
        let mut shell = std::process::Command::new("sh")
            .args(["-c", &script(program.as_bytes())])
            .env("HOME", home)
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = shell.stdin.take().unwrap();
        stdin.write_all(CONSENT.as_bytes()).unwrap();
        stdin.write_all(program.as_bytes()).unwrap();
        drop(stdin);
        let said = shell.wait_with_output().unwrap().stdout;
        let said = String::from_utf8(said).unwrap();
        let (_, said) = said.split_once("ready\n").unwrap();
        let files = std::fs::read_dir(place.parent().unwrap()).unwrap();
        assert_eq!(files.count(), 1, "nothing is left behind");
        (said.to_owned(), std::fs::read_to_string(place).unwrap())
    }

    #[test]
    fn only_bgproc_takes_the_place_of_bgproc() {
        let home = tempfile::tempdir().unwrap();
        for (program, said) in [
            ("#!/bin/sh\necho true 9.4\n", "it is not bgproc: true 9.4\n"),
            ("#!/bin/sh\n", "it is not bgproc: \n"),
            (
                "#!/bin/sh\necho no; exit 1\n",
                "it does not run there: no\n",
            ),
        ] {
            let kept = (said.to_owned(), "the old one".to_owned());
            assert_eq!(installed(home.path(), program), kept);
        }
        let program = "#!/bin/sh\necho bgproc 9.9.9\n";
        let new = ("installed bgproc 9.9.9\n".to_owned(), program.to_owned());
        assert_eq!(installed(home.path(), program), new);
    }

    #[test]
    fn the_needs_of_this_program_are_found() {
        let own = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        let needed = needed_glibc(&own);
        assert!(needed.is_none_or(|version| version >= (2, 2)), "{needed:?}");
    }
}
