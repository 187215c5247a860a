//! The interpreter of a script that could not be started. `execve(2)` reports the same error (ENOENT) for a file that
//! does not exist and for one whose interpreter does not.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::term::sanitize::clean;

/// Bytes at the beginning of a script in which the kernel looks for the interpreter (`BINPRM_BUF_SIZE`).
const FIRST_BYTES: u64 = 256;

/// That the first line of a script names an interpreter that does not exist, for people.
pub(crate) fn missing(script: &Path) -> Option<String> {
    if !std::fs::metadata(script).ok()?.is_file() {
        return None;
    }
    let mut first = Vec::new();
    let file = File::open(script).ok()?;
    file.take(FIRST_BYTES).read_to_end(&mut first).ok()?;
    let line = first
        .strip_prefix(b"#!")?
        .split(|&byte| byte == b'\n')
        .next()?;
    let line = String::from_utf8_lossy(line);
    let path = line
        .trim_start_matches([' ', '\t'])
        .split([' ', '\t'])
        .next()?;
    if !path.starts_with('/') || Path::new(path).exists() {
        return None;
    }
    let name = clean(path.trim_end_matches('\r'));
    Some(if path.ends_with('\r') {
        format!("its first line ends with CR LF, so that its interpreter {name} is not found")
    } else {
        format!("its interpreter {name} does not exist")
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn an_interpreter_that_does_not_exist_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let script = dir.path().join("script");
        let of = |text: &str| {
            std::fs::write(&script, text).unwrap();
            missing(&script)
        };
        let nowhere = Some("its interpreter /nowhere/python does not exist".to_owned());
        assert_eq!(of("#! /nowhere/python -u\nprint()\n"), nowhere);
        assert!(of("#!/bin/sh\r\necho\r\n").unwrap().contains("CR LF"));
        for text in ["#!/bin/sh\n", "", "#!", "\x7fELF", "#!python\n"] {
            assert_eq!(of(text), None, "{text:?}");
        }
        assert_eq!(missing(dir.path()), None);
    }
}
