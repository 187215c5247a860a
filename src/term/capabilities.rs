//! The terminfo capabilities that the terminal reports (XTGETTCAP). Only those are asked for that the entry of
//! `xterm-256color` lacks, or that programs do not trust it to have.

/// The value of a capability, empty for a flag; `None`: the terminal does not have it. `name` is that of terminfo,
/// of termcap, or of the extensions of tmux and kitty.
pub fn capability(name: &str) -> Option<&'static str> {
    Some(match name {
        "TN" | "name" => "xterm-256color",
        "Co" | "colors" => "256",
        "RGB" => "8/8/8",
        // Flags: direct colours, and kinds of underlines.
        "Tc" | "Su" => "",
        "Smulx" => "\x1b[4:%p1%dm",
        "Setulc" => "\x1b[58:2::%p1%{65536}%/%d:%p1%{256}%/%{255}%&%d:%p1%{255}%&%dm",
        "Ss" => "\x1b[%p1%d q",
        "Se" => "\x1b[2 q",
        "smxx" => "\x1b[9m",
        "rmxx" => "\x1b[29m",
        "Smol" => "\x1b[53m",
        "Rmol" => "\x1b[55m",
        "Sync" => "\x1b[?2026%?%p1%{1}%-%tl%eh%;",
        _ => return None,
    })
}

/// The answers to a query: one for each name, because a single answer ends at the first unknown name. Names and
/// values are in hexadecimal.
pub fn answers(names: &[u8]) -> String {
    let Ok(names) = std::str::from_utf8(names) else {
        return "\x1bP0+r\x1b\\".to_owned();
    };
    names.split(';').map(answer).collect()
}

fn answer(name: &str) -> String {
    let known = decoded(name);
    match known.as_deref().and_then(capability) {
        Some("") => format!("\x1bP1+r{name}\x1b\\"),
        Some(value) => format!("\x1bP1+r{name}={}\x1b\\", encoded(value)),
        None if known.is_some() => format!("\x1bP0+r{name}\x1b\\"),
        // What is no name is not repeated.
        None => "\x1bP0+r\x1b\\".to_owned(),
    }
}

fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("{byte:02X}")).collect()
}

/// The text that hexadecimal digits stand for.
fn decoded(hex: &str) -> Option<String> {
    let is_hex = !hex.is_empty() && hex.bytes().all(|byte| byte.is_ascii_hexdigit());
    let pairs = hex.as_bytes().chunks_exact(2);
    if !is_hex || !pairs.remainder().is_empty() {
        return None;
    }
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    String::from_utf8(pairs.map(byte).collect::<Option<_>>()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capabilities_are_answered_one_by_one() {
        // Smulx, x, TN.
        assert_eq!(
            answers(b"536d756c78;78;544e"),
            "\x1bP1+r536d756c78=1B5B343A25703125646D\x1b\\\x1bP0+r78\x1b\\\
             \x1bP1+r544e=787465726D2D323536636F6C6F72\x1b\\"
        );
        assert_eq!(answers(b"5463"), "\x1bP1+r5463\x1b\\");
    }

    #[test]
    fn what_is_no_name_is_not_repeated() {
        for names in [&b""[..], b"zz", b"123", b"\x1b]", b"\xff"] {
            assert_eq!(answers(names), "\x1bP0+r\x1b\\", "{names:?}");
        }
    }
}
