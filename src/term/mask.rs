//! Replaces what differs between two runs of the same program: times, durations, process ids and
//! ports. Two logs whose masked lines are equal say the same.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Captures, Regex};

/// What is replaced. The group `keep` is text that shows what the number after it is; it stays. The
/// alternatives are tried in this order at each place.
const PATTERN: &str = r"(?x)
    (?<time> (?:
        \b\d{4}-\d{2}-\d{2} (?: [T\x20]\d{2}:\d{2} (?: :\d{2} (?:[.,]\d+)? )?
            (?: \x20?(?:Z\b|UTC\b|[+-]\d{2}:?\d{2}\b) )? )?
      | \b\d{2}/[A-Z][a-z]{2}/\d{4}:\d{2}:\d{2}:\d{2} (?:\x20[+-]\d{4}\b)?
      | \b(?: (?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),?\x20 )?
          (?: (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\x20{1,2}\d{1,2}
            | \d{1,2}\x20(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\x20\d{4} )
          \x20\d{2}:\d{2}:\d{2} (?:\x20GMT\b|\x20\d{4}\b)?
      | \b\d{1,2}:\d{2}:\d{2} (?:[.,]\d+)? (?:\x20?[AaPp][Mm]\b)?
      | \b\d{1,2}:\d{2}\x20?[AaPp][Mm]\b
      | \b1\d{9} (?:\d{3}|\.\d+)?
    ) \b )
  | (?<keep>
        (?<port> (?: \blocalhost | \b\d{1,3}(?:\.\d{1,3}){3} | \[[0-9A-Fa-f:]*:[0-9A-Fa-f:]*\]
                   | ://[A-Za-z0-9.-]+ | \x20\* ) :
               | \b[Pp]orts? (?:\x20is|\x20number)? [\x20:=\#]{1,3}
               | \b[Ll]isten(?:ing)? (?:\x20on|\x20at)? \x20:? )
      | \b(?:pid|PID|Pid|process|Process) (?:\x20id)? [\x20:=\#\[(]{1,3}
      | \b[A-Za-z_][\w.-]*\[
    ) (?<number>\d{1,10}) (?<after>\b\]?:?)
  | (?<duration>
      \b (?: \d+(?:\.\d+)?\x20?
        (?: ns|us|µs|μs|ms|milliseconds?|secs?|seconds?|mins?|minutes?|hours?|hrs?|s|m|h) \b\x20? )+
      | \b (?: \d+(?:\.\d+)?(?:h|ms|m|s) ){2,} \b
    )";

static WHAT: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(PATTERN).ok());

/// `line` with `<time>`, `<pid>`, `<port>` and `<duration>` in the place of what they name. What a number
/// means is guessed from the text around it; other numbers stay.
pub fn mask(line: &str) -> Cow<'_, str> {
    let Some(what) = WHAT.as_ref() else {
        return Cow::Borrowed(line);
    };
    what.replace_all(line, |found: &Captures<'_>| {
        let text = found.get(0).map_or("", |all| all.as_str());
        if found.name("time").is_some() {
            return "<time>".to_owned();
        }
        let Some(keep) = found.name("keep") else {
            // A blank after it belongs to what follows.
            let blank = if text.ends_with(' ') { " " } else { "" };
            return format!("<duration>{blank}");
        };
        let after = found.name("after").map_or("", |after| after.as_str());
        let keep = keep.as_str();
        if found.name("port").is_some() {
            return format!("{keep}<port>{after}");
        }
        // `name[123]:` is a program; `name[123]` without a colon may be an item of a list.
        let is_program = !keep.ends_with('[') || after == "]:" || keep.to_lowercase() == "pid[";
        if is_program {
            format!("{keep}<pid>{after}")
        } else {
            text.to_owned()
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_times_durations_pids_and_ports() {
        let cases = [
            ("2026-11-24T10:29:47.123Z up", "<time> up"),
            ("2026-11-24 10:29:47,123 +0100 up", "<time> up"),
            ("[2026-11-24] up", "[<time>] up"),
            ("12:44:52 GET /cart", "<time> GET /cart"),
            ("[9:05:01 PM] done", "[<time>] done"),
            (
                "10.0.0.1 - [24/Nov/2026:10:29:47 +0000] x",
                "10.0.0.1 - [<time>] x",
            ),
            (
                "Nov  4 10:29:47 host sshd[812]: hello",
                "<time> host sshd[<pid>]: hello",
            ),
            ("Date: Tue, 24 Nov 2026 10:29:47 GMT", "Date: <time>"),
            ("at 1795265100000 and 1795265100.5", "at <time> and <time>"),
            ("ready in 3.21s", "ready in <duration>"),
            (
                "ready in 1m 20s, or 340 ms.",
                "ready in <duration>, or <duration>.",
            ),
            ("took 1h2m3s or 12 seconds", "took <duration> or <duration>"),
            ("12µs per item", "<duration> per item"),
            ("started (pid 48213)", "started (pid <pid>)"),
            ("PID: 7, process id = 12", "PID: <pid>, process id = <pid>"),
            ("listening on port 3000", "listening on port <port>"),
            ("Listening on :4001", "Listening on :<port>"),
            ("listening at 4001.", "listening at <port>."),
            ("http://localhost:5173/app", "http://localhost:<port>/app"),
            (
                "https://shop.example.com:8443",
                "https://shop.example.com:<port>",
            ),
            (
                "0.0.0.0:80 and [::1]:8080",
                "0.0.0.0:<port> and [::1]:<port>",
            ),
        ];
        for (line, masked) in cases {
            assert_eq!(mask(line), masked, "{line}");
        }
    }

    #[test]
    fn leaves_other_numbers_alone() {
        let lines = [
            "",
            "src/main.rs:12:5: error",
            "items[3] = 12 of 40",
            "HTTP/1.1 200 512",
            "version 1.2.3, 3 msgs, 4 minors",
            "GET /cart/90",
            "100%",
            "ümläut 日本語",
        ];
        for line in lines {
            assert_eq!(mask(line), line);
        }
    }
}
