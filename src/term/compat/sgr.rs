//! Drawing attributes (SGR), including those that the emulator would misread.

use super::simple::odd;
use super::{Core, State};
use crate::term::scan::Csi;

impl State {
    /// SGR. Most sequences are passed on unchanged. One with sub-parameters, an underline colour or
    /// a double underline is rewritten, because the emulator would read `58;5;1` as three
    /// attributes, the last of them bold.
    pub(super) fn sgr(&mut self, core: &mut Core<'_>, csi: Csi<'_>) {
        if odd(csi.params) {
            core.put_csi(rewritten(csi.params).as_bytes());
        } else {
            core.keep_csi(csi);
        }
    }
}

/// The same attributes in the form that the emulator supports, followed by `m`.
fn rewritten(params: &[u8]) -> String {
    let text = String::from_utf8_lossy(params);
    let mut all = text.split(';');
    let mut out: Vec<String> = Vec::new();
    while let Some(param) = all.next() {
        let mut parts = param.split(':');
        let number = parts.next().unwrap_or_default();
        let rest: Vec<&str> = parts.collect();
        match (number, rest.as_slice()) {
            ("4", ["0"]) => out.push("24".into()),
            ("4", _) | ("21", _) => out.push("4".into()),
            ("38" | "48", ["5", index, ..]) => out.push(format!("{number};5;{index}")),
            // The colour space between `2` and red is often omitted, against the standard.
            ("38" | "48", ["2", _, r, g, b, ..] | ["2", r, g, b]) => {
                out.push(format!("{number};2;{r};{g};{b}"));
            }
            ("38" | "48", []) => {
                let color: Vec<&str> = color(&mut all).collect();
                out.push(format!("{number};{}", color.join(";")));
            }
            ("58", []) => color(&mut all).for_each(drop),
            (_, []) => out.push(number.to_string()),
            _ => {}
        }
    }
    // If no parameter is left, the sequence must not become a reset.
    if out.is_empty() {
        "10m".to_string()
    } else {
        out.join(";") + "m"
    }
}

/// Takes the parameters of a colour in semicolon notation.
fn color<'a>(all: &mut std::str::Split<'a, char>) -> impl Iterator<Item = &'a str> {
    let kind = all.next();
    let count = match kind {
        Some("5") => 1,
        Some("2") => 3,
        _ => 0,
    };
    let rest: Vec<&str> = all.by_ref().take(count).collect();
    kind.into_iter().chain(rest)
}

#[cfg(test)]
mod tests {
    use super::rewritten;

    #[test]
    fn attributes_are_rewritten_for_the_emulator() {
        assert_eq!(rewritten(b"1;4:3;31"), "1;4;31m");
        assert_eq!(rewritten(b"4:0"), "24m");
        assert_eq!(rewritten(b"38:2::1:2:3;48:5:7"), "38;2;1;2;3;48;5;7m");
        assert_eq!(rewritten(b"38:2:1:2:3"), "38;2;1;2;3m");
        assert_eq!(rewritten(b"58;5;1"), "10m");
        assert_eq!(rewritten(b"58;2;1;2;3;4"), "4m");
        assert_eq!(rewritten(b"58:5:1;38;5;21"), "38;5;21m");
    }
}
