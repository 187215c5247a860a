//! The clipboard: the terminal's by OSC 52, the desktop's by its own tool, or a file if neither is
//! available.
//!
//! OSC 52 has no reply, so it counts as accepted unless the terminal is known not to support it or
//! the text exceeds the terminals' limit. Tools run in a thread of their own. If the message
//! depends on their result, another thread waits for it, so that the view does not block.

use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::tui::later::Later;
use crate::tui::message::{Done, Event};
use crate::tui::model::job::tilde;
use crate::tui::terminal::Terminal;

/// Maximum length of the base64 text in OSC 52, in bytes. hterm and others have a limit of 100,000
/// and truncate or drop longer sequences.
const MAX_OSC: usize = 100_000;

/// How long to wait for a tool if it is the only way.
const PATIENCE: Duration = Duration::from_secs(1);

/// How long tmux may take to report its settings.
const TMUX_PATIENCE: Duration = Duration::from_millis(300);

/// Set once tmux has been asked whether it keeps copied text to itself.
static ASKED_TMUX: AtomicBool = AtomicBool::new(false);

/// Puts text on the clipboard; `what` describes it in the toast. A result that depends on other
/// programs is sent to `later`.
pub(super) fn copy(
    text: &str,
    what: &str,
    terminal: &mut Terminal,
    later: &Later,
) -> io::Result<Option<Done>> {
    let encoded = STANDARD.encode(text);
    let by_terminal = encoded.len() <= MAX_OSC && takes_osc52();
    if by_terminal {
        terminal.send(&format!("\x1b]52;c;{encoded}\x07"))?;
    }
    let tools = tools();
    if tools.is_empty() && !by_terminal {
        return Ok(Some(save_instead(text)));
    }
    let told = (!tools.is_empty()).then(|| hand_over(tools, text));
    let asks_tmux = has("TMUX") && !ASKED_TMUX.swap(true, Ordering::Relaxed);
    if by_terminal && !asks_tmux {
        return Ok(Some(Done::Note(format!("Copied {what}"))));
    }
    let (text, what, later) = (text.to_owned(), what.to_owned(), later.clone());
    let waiting = std::thread::Builder::new()
        .name("copied".to_owned())
        .spawn(move || {
            let took = || told.is_some_and(|told| told.recv_timeout(PATIENCE) == Ok(true));
            let done = if by_terminal || took() {
                copied(&what, asks_tmux && is_kept_by_tmux())
            } else {
                save_instead(&text)
            };
            // The view may have closed in the meantime.
            later.send(Event::Done(done));
        });
    Ok(waiting.err().map(|error| {
        Done::Failed(format!(
            "Nobody can tell whether this was copied: there is no thread to wait in ({error})."
        ))
    }))
}

fn copied(what: &str, by_tmux_only: bool) -> Done {
    let but = if by_tmux_only {
        " to tmux only: its set-clipboard is off.  tmux set -s set-clipboard external"
    } else {
        ""
    };
    Done::Note(format!("Copied {what}{but}"))
}

fn save_instead(text: &str) -> Done {
    match save(text) {
        Ok(path) => Done::Note(format!("Saved to {path}")),
        Err(error) => Done::Failed(format!(
            "Nothing was copied: the terminal does not take it, and no file could be written ({error})."
        )),
    }
}

/// Whether the terminal can be expected to support OSC 52.
fn takes_osc52() -> bool {
    let var = |name: &str| std::env::var(name).unwrap_or_default();
    let poor = matches!(var("TERM").as_str(), "linux" | "dumb" | "");
    !poor && var("TERM_PROGRAM") != "Apple_Terminal"
}

/// The clipboard programs in order of preference, each with the fallbacks to try if it fails.
fn tools() -> Vec<&'static [&'static str]> {
    let mut tools: Vec<&[&str]> = Vec::new();
    if has("TMUX") {
        // `-w` also forwards the text to the outer terminal; the flag exists since tmux 3.2. tmux
        // accepts the OSC 52 that we write ourselves only if `set-clipboard` is `on`, which is not
        // the default.
        tools.push(&["tmux", "load-buffer", "-w", "-"]);
        tools.push(&["tmux", "load-buffer", "-"]);
    }
    // Over ssh, the desktop of this machine is not the one that the person uses.
    if has("SSH_CONNECTION") || has("SSH_TTY") {
        return tools;
    }
    if has("WAYLAND_DISPLAY") {
        tools.push(&["wl-copy"]);
    }
    if has("DISPLAY") {
        tools.push(&["xclip", "-selection", "clipboard"]);
        tools.push(&["xsel", "--clipboard", "--input"]);
    }
    if cfg!(target_os = "macos") {
        tools.push(&["pbcopy"]);
    }
    tools
}

/// Whether an environment variable is set and not empty.
fn has(name: &str) -> bool {
    std::env::var_os(name).is_some_and(|value| !value.is_empty())
}

/// Passes text to tmux and to the first desktop tool that accepts it; the receiver gets whether any
/// did.
fn hand_over(tools: Vec<&'static [&'static str]>, text: &str) -> std::sync::mpsc::Receiver<bool> {
    let (tell, told) = channel();
    let text = text.to_owned();
    // Without a thread no tool runs; the receiver learns that when the channel closes.
    let _ = std::thread::Builder::new()
        .name("clipboard".to_owned())
        .spawn(move || {
            let (tmux, desktop): (Vec<_>, Vec<_>) =
                tools.into_iter().partition(|tool| tool[0] == "tmux");
            let first = |tools: &[&'static [&'static str]]| {
                tools
                    .iter()
                    .any(|tool| give(tool, &text).is_ok_and(|took| took))
            };
            let taken = [first(&tmux), first(&desktop)];
            let _ = tell.send(taken.contains(&true));
        });
    told
}

/// Passes text to a program; returns whether it succeeded.
fn give(words: &[&str], text: &str) -> io::Result<bool> {
    let mut child = Command::new(words[0])
        .args(&words[1..])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        // The tool keeps running to serve the clipboard, even while the view is suspended and after
        // it closes.
        .process_group(0)
        .spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(text.as_bytes())?;
    }
    Ok(child.wait()?.success())
}

/// Whether the surrounding tmux does not forward copied text to its terminal.
fn is_kept_by_tmux() -> bool {
    let (tell, told) = channel();
    let _ = std::thread::Builder::new()
        .name("tmux".to_owned())
        .spawn(move || {
            let asked = Command::new("tmux")
                .args(["show-options", "-sv", "set-clipboard"])
                .stdin(Stdio::null())
                .stderr(Stdio::null())
                .output();
            let is_off = asked.is_ok_and(|asked| asked.stdout.trim_ascii() == b"off");
            let _ = tell.send(is_off);
        });
    told.recv_timeout(TMUX_PATIENCE) == Ok(true)
}

/// Writes text to the file that replaces the clipboard; returns its path for display.
fn save(text: &str) -> io::Result<String> {
    let dir = cache_dir().ok_or_else(|| io::Error::other("there is no home directory"))?;
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(&dir)?;
    let path = dir.join("copy.txt");
    // Create a new file each time, because an old one might be readable by others or be a symbolic
    // link.
    match std::fs::remove_file(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut options = std::fs::OpenOptions::new();
    let mut file = options
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&path)?;
    file.write_all(text.as_bytes())?;
    let home = std::env::var("HOME").ok();
    Ok(tilde(&path.display().to_string(), home.as_deref()))
}

fn cache_dir() -> Option<PathBuf> {
    if let Some(home) = std::env::var_os("BGPROC_HOME").filter(|home| !home.is_empty()) {
        return Some(PathBuf::from(home).join("cache"));
    }
    let dirs = directories::ProjectDirs::from("", "", "bgproc")?;
    Some(dirs.cache_dir().to_owned())
}
