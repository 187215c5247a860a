//! The progress that a program reports (OSC 9;4, of ConEmu and Windows Terminal).

use crate::protocol::terminal_progress::{ProgressState, TerminalProgress};

/// The progress after a report with these parameters (what follows `9;4;`). `before` is what was reported
/// before. A report that is not one changes nothing.
pub fn after(before: Option<TerminalProgress>, params: &[u8]) -> Option<TerminalProgress> {
    let mut numbers = params.split(|&b| b == b';').map(number);
    let state = numbers.next().flatten();
    let percent = numbers.next().flatten().map(|percent| percent.min(100));
    // The last figure remains while there is an error or a pause without one.
    let last = || percent.or(before.and_then(|before| before.percent));
    let (state, percent) = match state {
        Some(0) => return None,
        Some(1) => (ProgressState::Running, Some(percent.unwrap_or(0))),
        Some(2) => (ProgressState::Error, last()),
        Some(3) => (ProgressState::Running, None),
        Some(4) => (ProgressState::Paused, last()),
        _ => return before,
    };
    Some(TerminalProgress { state, percent })
}

fn number(digits: &[u8]) -> Option<u8> {
    let text = std::str::from_utf8(digits).ok()?;
    text.parse::<u32>()
        .ok()
        .map(|number| u8::try_from(number).unwrap_or(u8::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_follow_each_other() {
        let mut now = None;
        let mut told = |params: &str| {
            now = after(now, params.as_bytes());
            now.map(|now| (now.state, now.percent))
        };
        use ProgressState::*;
        assert_eq!(told("1;50"), Some((Running, Some(50))));
        assert_eq!(told("2"), Some((Error, Some(50))));
        assert_eq!(told("4;60"), Some((Paused, Some(60))));
        assert_eq!(told("3"), Some((Running, None)));
        assert_eq!(told("1;999"), Some((Running, Some(100))));
        assert_eq!(told("7;1"), Some((Running, Some(100))), "unknown");
        assert_eq!(told("x"), Some((Running, Some(100))));
        assert_eq!(told(""), Some((Running, Some(100))));
        assert_eq!(told("0;0"), None);
        assert_eq!(told("1"), Some((Running, Some(0))));
        assert_eq!(told("0"), None);
    }
}
