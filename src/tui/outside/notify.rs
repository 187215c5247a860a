//! Notifications for a person who is looking at something else.

use std::io;
use std::process::Command;

use super::program;
use crate::tui::message::Done;
use crate::tui::terminal::Terminal;

/// Notifies through the terminal and rings its bell.
pub(super) fn notify(title: &str, text: &str, terminal: &mut Terminal) -> io::Result<Option<Done>> {
    let var = |name: &str| std::env::var(name).unwrap_or_default();
    let sequence = sequence(title, text, &var("TERM"), !var("VTE_VERSION").is_empty());
    let sequence = if var("TMUX").is_empty() {
        sequence
    } else {
        passed_through(&sequence)
    };
    terminal.send(&format!("{sequence}\x07"))?;
    Ok(None)
}

/// Notifies through the desktop.
pub(super) fn desktop(title: &str, text: &str) -> Option<Done> {
    let mut command = Command::new("notify-send");
    command.args(["-a", "bgproc", "--", title, text]);
    let error = program::start(&mut command).err()?;
    Some(Done::Failed(format!(
        "Nobody was notified: notify-send: {error}.  notify = \"terminal\" needs no program"
    )))
}

/// OSC 777 for terminals that only know that, OSC 9 for the others. Sending both would notify twice
/// on terminals that know both.
fn sequence(title: &str, text: &str, term: &str, is_vte: bool) -> String {
    if is_vte || term.starts_with("rxvt") || term.starts_with("foot") {
        let title = title.replace(';', ",");
        format!("\x1b]777;notify;{title};{text}\x07")
    } else {
        format!("\x1b]9;{title}: {text}\x07")
    }
}

/// Wraps a sequence for tmux, which forwards it to its terminal if `allow-passthrough` is on.
fn passed_through(sequence: &str) -> String {
    format!("\x1bPtmux;{}\x1b\\", sequence.replace('\x1b', "\x1b\x1b"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_terminal_gets_one_supported_sequence() {
        let xterm = sequence("bgproc", "web failed", "xterm-256color", false);
        assert_eq!(xterm, "\x1b]9;bgproc: web failed\x07");
        let foot = sequence("a;b", "web failed", "foot", false);
        assert_eq!(foot, "\x1b]777;notify;a,b;web failed\x07");
        assert_eq!(
            passed_through("\x1b]9;x\x07"),
            "\x1bPtmux;\x1b\x1b]9;x\x07\x1b\\"
        );
    }
}
