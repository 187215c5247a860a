//! The URL of a job. Output of a job is not trusted: only well-formed web addresses are accepted.

use crate::protocol::Record;
use crate::term::sanitize::clean;

/// The web address of a project's job, or the first one in the output of a job.
pub fn shown(record: &Record) -> Option<&str> {
    let detail = record.detail.as_ref();
    let urls = record.summary.urls.iter().flatten();
    let given = record
        .summary
        .project
        .iter()
        .filter_map(|of| of.url.as_ref());
    let mut urls = given
        .chain(urls)
        .chain(detail.iter().flat_map(|detail| &detail.urls));
    urls.find(|url| is_web(url)).map(String::as_str)
}

/// The first web address in the output, or else the address of its first port.
pub fn served(record: &Record) -> Option<String> {
    let detail = record.detail.as_ref();
    let ports = record.summary.ports.iter().flatten();
    let mut ports = ports.chain(detail.iter().flat_map(|detail| &detail.ports));
    let of_port = |port: &u16| format!("http://localhost:{port}");
    let shown = shown(record).map(str::to_owned);
    shown.or_else(|| ports.next().map(of_port))
}

/// Whether a text is a web address without odd characters.
pub fn is_web(url: &str) -> bool {
    let web = url.starts_with("http://") || url.starts_with("https://");
    web && clean(url) == url && !url.contains(char::is_whitespace)
}

/// The last web address in a text.
pub fn last_in(text: &str) -> Option<&str> {
    let starts = text.rmatch_indices("http").map(|(at, _)| &text[at..]);
    let ends = |c: char| c.is_whitespace() || "\"'<>|\\^`{}".contains(c);
    let mut urls = starts.map(|rest| {
        let url = rest.split(ends).next().unwrap_or_default();
        // Punctuation after it belongs to the text.
        url.trim_end_matches(['.', ',', ';', ':', ')', ']', '!', '?'])
    });
    urls.find(|url| is_web(url) && !url.ends_with("//"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::tests::jobs::record;

    #[test]
    fn finds_the_last_address_of_a_text() {
        for (text, expected) in [
            (
                "see https://example.com/docs for more",
                Some("https://example.com/docs"),
            ),
            (
                "(http://a/1), then http://b:80/x?y=1.",
                Some("http://b:80/x?y=1"),
            ),
            ("\"https://a/\" and http:// and https", Some("https://a/")),
            ("ftp://a nothttp", None),
        ] {
            assert_eq!(last_in(text), expected, "{text}");
        }
    }

    #[test]
    fn accepts_only_well_formed_web_addresses() {
        let mut web = record("web");
        assert_eq!(served(&web), None);
        web.summary.ports = Some(vec![3000]);
        let urls = ["file:///etc/passwd", "http://a/\u{1b}[2J", "http://a b"];
        web.summary.urls = Some(urls.map(str::to_owned).into());
        assert_eq!(shown(&web), None);
        assert_eq!(served(&web).as_deref(), Some("http://localhost:3000"));
        let urls = ["javascript:x", "https://shop.test/"];
        web.summary.urls = Some(urls.map(str::to_owned).into());
        assert_eq!(served(&web).as_deref(), Some("https://shop.test/"));
    }
}
