//! Verbs that are about a machine, with `-H`: they are run on that machine, by its own bgproc.

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};

use crate::cli::exit::{Exit, Failure};
use crate::link::Host;
use crate::link::spawn::{Broken, run_there};
use crate::term::sanitize::clean;

/// Runs the same command line on a host, without what names the host. An export is data, and comes as it is.
pub(super) fn run(host: &Host, args: &[OsString], is_export: bool) -> Result<Exit, Failure> {
    let mut words = Vec::new();
    for arg in args.iter().skip(1) {
        let word = arg
            .to_str()
            .ok_or_else(|| Failure::Usage(format!("{} is not UTF-8", arg.display())))?;
        words.push(word.to_owned());
    }
    let (words, mut out) = (without_host(words), std::io::stdout().lock());
    if out.is_terminal() && !is_export {
        return run_words(host, &words, &mut CleanLines::new(out));
    }
    run_words(host, &words, &mut out)
}

/// Runs a command line on a host, and writes its output to `out`.
pub(super) fn run_words(
    host: &Host,
    words: &[String],
    out: &mut impl Write,
) -> Result<Exit, Failure> {
    let ran = run_there(host, words, out);
    let (code, said) = ran.map_err(|broken| match broken {
        Broken::Link(error) => Failure::Refused(error),
        Broken::Output(error) => Failure::Output(error),
    })?;
    for line in said.lines() {
        eprintln!("{}", clean(line));
    }
    Ok(code
        .and_then(|code| u8::try_from(code).ok())
        .map_or(Exit::FAILED, Exit))
}

/// Longest line of another host that is cleaned as one.
const LONGEST_LINE: usize = 64 * 1024;

/// Writes what another host says to a terminal: each line when it is complete, without control characters.
struct CleanLines<W> {
    out: W,
    line: Vec<u8>,
}

impl<W: Write> CleanLines<W> {
    fn new(out: W) -> Self {
        Self {
            out,
            line: Vec::new(),
        }
    }

    fn write_line(&mut self) -> io::Result<()> {
        let line = std::mem::take(&mut self.line);
        let text = String::from_utf8_lossy(&line);
        self.out.write_all(clean(&text).as_bytes())
    }
}

impl<W: Write> Write for CleanLines<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for &byte in bytes {
            if byte == b'\n' {
                self.write_line()?;
                self.out.write_all(b"\n")?;
            } else {
                self.line.push(byte);
                if self.line.len() == LONGEST_LINE {
                    self.write_line()?;
                }
            }
        }
        self.out.flush()?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.write_line()?;
        self.out.flush()
    }
}

/// The short options without values of the verbs that are run on a host.
const SWITCHES: &str = "fhqyV";

/// The words without `-H NAME`. Behind `--` they are not options.
fn without_host(words: Vec<String>) -> Vec<String> {
    let mut kept = Vec::new();
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--" => {
                kept.push(word);
                kept.extend(words.by_ref());
            }
            "--host" => drop(words.next()),
            _ if word.starts_with("--host=") => {}
            // A bundle such as `-yH gpu1` or `-yHgpu1`.
            _ => match word.split_once('H').filter(|(flags, _)| is_bundle(flags)) {
                Some((flags, value)) => {
                    if value.is_empty() {
                        drop(words.next());
                    }
                    kept.extend(Some(flags.to_owned()).filter(|flags| flags != "-"));
                }
                None => kept.push(word),
            },
        }
    }
    kept
}

/// Whether these are the short options before `H` in one word. An option with a value, such as `-o`, takes the rest of
/// the word.
fn is_bundle(flags: &str) -> bool {
    flags
        .strip_prefix('-')
        .is_some_and(|flags| flags.chars().all(|flag| SWITCHES.contains(flag)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_another_host_says_has_no_effect_on_the_terminal() {
        let mut shown = CleanLines::new(Vec::new());
        for piece in ["ok\n\x1b]0;OW", "NED\x07daem", "on\n\x1b[2Jend"] {
            assert_eq!(shown.write(piece.as_bytes()).ok(), Some(piece.len()));
        }
        assert!(shown.flush().is_ok());
        assert_eq!(String::from_utf8_lossy(&shown.out), "ok\ndaemon\nend");
    }

    #[test]
    fn the_other_machine_is_not_told_its_name() {
        for line in [
            "-H gpu1 daemon stop --kill",
            "daemon --host gpu1 stop --kill",
            "daemon stop -Hgpu1 --kill",
            "daemon stop --kill --host=gpu1",
        ] {
            let words = line.split(' ').map(str::to_owned).collect();
            assert_eq!(without_host(words), ["daemon", "stop", "--kill"], "{line}");
        }
        for line in ["doctor -yH gpu1", "doctor -yHgpu1"] {
            let words = line.split(' ').map(str::to_owned).collect();
            assert_eq!(without_host(words), ["doctor", "-y"], "{line}");
        }
        let words = ["export", "-oHOST", "web"].map(str::to_owned).to_vec();
        assert_eq!(without_host(words.clone()), words);
        let words = ["doctor", "--", "-H"].map(str::to_owned).to_vec();
        assert_eq!(without_host(words.clone()), words);
    }
}
