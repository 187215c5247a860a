//! Whether a command line leaves something running: models write `npm run dev &`, and the terminal hangs up when the
//! shell ends.

/// Whether a shell line runs something in the background with `&` and does not `wait` for it. Only a hint: quotes are
/// known, the rest of the language is not.
pub(super) fn leaves_running(line: &str) -> bool {
    let mut quote = None;
    let (mut before, mut is_escaped) = (' ', false);
    let mut chars = line.chars().peekable();
    let mut found = false;
    while let Some(char) = chars.next() {
        match (quote, char) {
            _ if is_escaped => {}
            (Some('\''), '\'') | (Some('"'), '"') => quote = None,
            (None, '\'' | '"') => quote = Some(char),
            (None, '&') => {
                // `&&`, `2>&1`, `<&3`, `|&` and `&>` are none.
                let follows = chars.peek().copied();
                let is_part = matches!(before, '&' | '>' | '<' | '|');
                found |= !is_part && !matches!(follows, Some('&' | '>'));
            }
            _ => {}
        }
        is_escaped = !is_escaped && char == '\\' && quote != Some('\'');
        before = char;
    }
    let mut words = line.split(|char: char| !char.is_alphanumeric() && char != '_');
    found && !words.any(|word| word == "wait")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_runs_in_the_background_is_found() {
        for line in [
            "npm run dev &",
            "nohup python3 -m http.server >/dev/null 2>&1 & echo $!",
            "(sleep 2; echo late) & echo started",
            "a && b & c",
        ] {
            assert!(leaves_running(line), "{line}");
        }
        for line in [
            "make && make test",
            "make 2>&1 | tail",
            "make &> log",
            "a |& b",
            "curl 'http://x/?a=1&b=2'",
            "curl \"http://x/?a=1&b=2\"",
            r"curl http://x/?a=1\&b=2",
            "a & b & wait",
        ] {
            assert!(!leaves_running(line), "{line}");
        }
    }
}
