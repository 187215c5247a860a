//! Verbs that are about a machine, with `-H`: they are run on that machine, by its own bgproc.

use std::ffi::OsString;
use std::io::Write;

use crate::cli::exit::{Exit, Failure};
use crate::link::Host;
use crate::link::spawn::run_there;

/// Runs the same command line on a host, without what names the host.
pub(super) fn run(host: &Host, args: &[OsString]) -> Result<Exit, Failure> {
    let mut words = Vec::new();
    for arg in args.iter().skip(1) {
        let word = arg
            .to_str()
            .ok_or_else(|| Failure::Usage(format!("{} is not UTF-8", arg.display())))?;
        words.push(word.to_owned());
    }
    run_words(host, &without_host(words), &mut std::io::stdout().lock())
}

/// Runs a command line on a host, and writes its output to `out`.
pub(super) fn run_words(
    host: &Host,
    words: &[String],
    out: &mut impl Write,
) -> Result<Exit, Failure> {
    let code = run_there(host, words, out)?;
    Ok(code
        .and_then(|code| u8::try_from(code).ok())
        .map_or(Exit::FAILED, Exit))
}

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
            "-H" | "--host" => drop(words.next()),
            _ if word.starts_with("-H") || word.starts_with("--host=") => {}
            _ => kept.push(word),
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let words = ["doctor", "--", "-H"].map(str::to_owned).to_vec();
        assert_eq!(without_host(words.clone()), words);
    }
}
