//! Finds URLs of this machine in a job's output.

use std::collections::BTreeSet;

use regex::Regex;

/// Maximum number of URLs returned.
const MOST: usize = 20;

/// The URLs in `text` that name this machine and one of `ports`, in order of first appearance.
pub fn urls(text: &str, ports: &[u16]) -> Vec<String> {
    let hosts = r"(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1?\])";
    let pattern = format!(r#"(?i)\b(https?)://{hosts}(?::(\d+))?(?:/[^\s"'<>|\\^`{{}}]*)?"#);
    let Ok(pattern) = Regex::new(&pattern) else {
        return Vec::new();
    };
    let mut seen = BTreeSet::new();
    let found = pattern.captures_iter(text).filter_map(|captures| {
        let end = captures.get(0)?.end();
        // It is the beginning of another host's name, or a user's name before it.
        let rest = &text[end..];
        let rest = rest.strip_prefix('.').unwrap_or(rest);
        if rest.starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '@')) {
            return None;
        }
        let port = match captures.get(2) {
            Some(port) => port.as_str().parse().ok()?,
            None if captures[1].eq_ignore_ascii_case("https") => 443,
            None => 80,
        };
        // Punctuation after the URL belongs to the surrounding text.
        let url = captures[0].trim_end_matches(['.', ',', ';', ':', ')', '!', '?']);
        let is_new = ports.contains(&port) && seen.insert(url.to_owned());
        is_new.then(|| url.to_owned())
    });
    found.take(MOST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_local_urls_with_a_listening_port() {
        let text = "  Local: http://localhost:5173/\n  Network: http://192.168.1.5:5173/\n\
            (see http://127.0.0.1:5173/a?b=1). again http://localhost:5173/ \
            http://[::1]:8080 https://localhost/x http://localhost:9/ \"http://0.0.0.0:8080\"";
        let found = urls(text, &[5173, 8080, 443]);
        let expected = [
            "http://localhost:5173/",
            "http://127.0.0.1:5173/a?b=1",
            "http://[::1]:8080",
            "https://localhost/x",
            "http://0.0.0.0:8080",
        ];
        assert_eq!(found, expected);
        assert!(urls(text, &[]).is_empty());
        assert!(urls("http://localhost:99999/", &[80]).is_empty());
        let others =
            "http://localhost.example.com/ http://localhost-1 http://localhost:80@example.com/";
        assert!(urls(others, &[80]).is_empty());
        let followed = "http://localhost:3000\u{3067}\u{8d77}\u{52d5} http://127.0.0.1:80...ready";
        assert_eq!(
            urls(followed, &[80, 3000]),
            ["http://localhost:3000", "http://127.0.0.1:80"]
        );
        assert_eq!(urls("It is http://localhost.", &[80]), ["http://localhost"]);
    }
}
