//! What the shell of a host runs: it finds bgproc there and becomes it.
//!
//! Start-up files may print anything first. So before the program there comes a marker, and only then this side
//! sends anything but the script: a shell that reads ahead finds nothing that is not for it.

use super::Host;

/// The marker, at the start of a line.
const MARKER: &[u8] = b"\x01bgproc-link\x01 ";

/// Maximum number of bytes that a host may print before the marker.
pub const NOISE: usize = 64 * 1024;

/// The directories in which bgproc is looked for after the configured path and `PATH`: where `hosts install` puts it,
/// and where cargo does.
const USUAL: [&str; 2] = ["$HOME/.local/bin/bgproc", "$HOME/.cargo/bin/bgproc"];

/// The script that becomes `bgproc ARGS` on the host.
///
/// It is one compound command, so that the shell reads all of it before it runs any of it. Otherwise bash would hand
/// what follows to bgproc as input.
pub fn run(host: &Host, args: &[String]) -> String {
    let mut places: Vec<String> = Vec::new();
    places.extend(host.bgproc.as_deref().map(path));
    places.push("\"$(command -v bgproc)\"".to_owned());
    places.extend(USUAL.map(|place| format!("\"{place}\"")));
    let home = host.home.as_deref().map_or_else(String::new, |home| {
        format!("BGPROC_HOME={}; export BGPROC_HOME; ", path(home))
    });
    let args: Vec<_> = args.iter().map(|word| quoted(word)).collect();
    format!(
        "{{ for b in {}; do\n\
         if [ -n \"$b\" ] && [ -f \"$b\" ] && [ -x \"$b\" ]; then\n\
         {home}printf '\\001bgproc-link\\001 run %s\\n' \"$b\"; exec \"$b\" {}; fi; done\n\
         printf '\\001bgproc-link\\001 none %s %s\\n' \"$(uname -s)-$(uname -m)\" \
         \"$( (ldd --version 2>&1 || true) | head -n 1)\"; exit 127; }}\n",
        places.join(" "),
        args.join(" "),
    )
}

/// A path in the words of a shell; `~/` is the home directory.
fn path(path: &str) -> String {
    match path.strip_prefix("~/") {
        Some(rest) => format!("\"$HOME\"/{}", quoted(rest)),
        None => quoted(path),
    }
}

/// A word in single quotes.
pub fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// What the host says at the marker.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Said {
    /// This file is run.
    Runs(String),
    /// There is no bgproc. The system and its processor, such as `Linux-x86_64`, and the first line about its libc.
    None {
        /// System and processor.
        system: String,
        /// The first line of `ldd --version`.
        libc: String,
    },
}

/// Looks for the whole line of the marker. Returns what it says, and where the bytes after it begin.
pub fn marker(bytes: &[u8]) -> Option<(Said, usize)> {
    let at = memchr::memmem::find(bytes, MARKER)? + MARKER.len();
    let length = memchr::memchr(b'\n', &bytes[at..])?;
    let line = String::from_utf8_lossy(&bytes[at..at + length]);
    let (word, rest) = line.split_once(' ').unwrap_or((&line, ""));
    let said = match word {
        "run" => Said::Runs(rest.to_owned()),
        _ => {
            let (system, libc) = rest.split_once(' ').unwrap_or((rest, ""));
            Said::None {
                system: system.to_owned(),
                libc: libc.to_owned(),
            }
        }
    };
    Some((said, at + length + 1))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::io::{Read, Write};
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;
    use std::process::{Command, Stdio};

    use super::*;
    use crate::link::host::Reach;

    fn host(bgproc: Option<&str>) -> Host {
        Host {
            name: "h".to_owned(),
            reach: Reach::Command(Vec::new()),
            bgproc: bgproc.map(str::to_owned),
            home: Some("~/it's here".to_owned()),
            written: Some("config.toml".into()),
            control: "/run/ssh-h".into(),
            env: std::collections::BTreeMap::new(),
        }
    }

    /// Runs the script in a shell whose home is `home`, then sends `input`.
    fn shell(home: &Path, script: &str, input: &str) -> Vec<u8> {
        let mut child = Command::new("sh")
            .env_clear()
            .env("HOME", home)
            .env("PATH", "/usr/bin:/bin")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(script.as_bytes()).unwrap();
        let mut out = child.stdout.take().unwrap();
        let mut said = Vec::new();
        let mut byte = [0];
        while marker(&said).is_none() {
            out.read_exact(&mut byte).unwrap();
            said.push(byte[0]);
        }
        stdin.write_all(input.as_bytes()).unwrap();
        drop(stdin);
        out.read_to_end(&mut said).unwrap();
        child.wait().unwrap();
        said
    }

    #[test]
    fn a_real_shell_finds_the_program_and_leaves_the_rest_to_it() {
        let home = std::env::temp_dir().join(format!("bgproc-link-{}", std::process::id()));
        let file = home.join("my tools/bg proc");
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, "#!/bin/sh\necho \"$BGPROC_HOME\" \"$@\"; cat\n").unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
        let script = run(&host(Some("~/my tools/bg proc")), &["relay".to_owned()]);
        let said = shell(&home, &script, "frames\n");
        let (found, at) = marker(&said).unwrap();
        assert_eq!(found, Said::Runs(file.display().to_string()));
        let expected = format!("{}/it's here relay\nframes\n", home.display());
        assert_eq!(String::from_utf8_lossy(&said[at..]), expected);
        std::fs::remove_dir_all(&home).unwrap();
    }

    #[test]
    fn a_real_shell_says_what_the_system_is_if_there_is_no_program() {
        let script = run(&host(Some("/none/bgproc")), &[]);
        let said = shell(Path::new("/none"), &script, "");
        let (found, _) = marker(&said).unwrap();
        let is_told = matches!(&found, Said::None { system, libc } if system.starts_with("Linux-") && !libc.is_empty());
        assert!(is_told, "{found:?}");
    }

    #[test]
    fn the_marker_is_found_behind_noise_once_its_line_is_whole() {
        let said = b"Welcome!\r\n\x01bgproc-link\x01 run /bin/bgproc\nrest";
        let (found, at) = marker(said).unwrap();
        assert_eq!(found, Said::Runs("/bin/bgproc".to_owned()));
        assert_eq!(&said[at..], b"rest");
        assert_eq!(marker(&said[..at - 1]), None);
    }
}
