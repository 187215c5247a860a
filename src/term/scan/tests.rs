//! Tests of the tokens of streams, complete and split.

use proptest::prelude::*;

use super::{Scanner, Token, ascii_len, text_len};

/// The tokens of a stream that arrives in `reads`, as text. Adjacent text tokens are joined.
fn tokens<'a>(reads: impl IntoIterator<Item = &'a [u8]>) -> Vec<String> {
    let mut scanner = Scanner::default();
    let mut out: Vec<String> = Vec::new();
    for read in reads {
        let mut pos = 0;
        while let Some(token) = scanner.next(read, &mut pos) {
            match token {
                Token::Text(text) => match out.last_mut() {
                    Some(last) if last.starts_with("text ") => last.push_str(text),
                    _ => out.push(format!("text {text}")),
                },
                Token::Ignored => {}
                Token::Csi(csi) => out.push(format!("csi {}", String::from_utf8_lossy(csi.body))),
                Token::Osc(data, bell) => {
                    out.push(format!("osc {} {bell}", String::from_utf8_lossy(data)))
                }
                Token::Dcs(data) => out.push(format!("dcs {}", String::from_utf8_lossy(data))),
                Token::Apc(data) => out.push(format!("apc {}", String::from_utf8_lossy(data))),
                Token::LongOsc(data) => out.push(format!("long osc of {}", data.len())),
                Token::LongDcs(data) => out.push(format!("long dcs of {}", data.len())),
                Token::Escape(inter, last) => {
                    out.push(format!(
                        "esc {}{}",
                        String::from_utf8_lossy(inter),
                        char::from(last)
                    ));
                }
                other => out.push(format!("{other:?}")),
            }
        }
    }
    out
}

#[test]
fn sequences_are_distinguished() {
    let stream =
        b"a\x1b[1;31mb\r\n\x1b]0;t\x07\x1b]2;u\x1b\\\x1bP$qm\x1b\\\x1b(0\x1b7\x1b_apc\x1b\\c";
    assert_eq!(
        tokens([&stream[..]]),
        [
            "text a",
            "csi 1;31m",
            "text b",
            "Control(13)",
            "Control(10)",
            "osc 0;t true",
            "osc 2;u false",
            "esc \\",
            "dcs $qm",
            "esc \\",
            "esc (0",
            "esc 7",
            "apc apc",
            "esc \\",
            "text c",
        ]
    );
}

#[test]
fn broken_sequences_end_as_in_a_terminal() {
    assert_eq!(
        tokens([&b"\x1b[1\n2mx"[..]]),
        ["Control(10)", "csi 12m", "text x"]
    );
    assert_eq!(tokens([&b"\x1b[3\x1b[4mx"[..]]), ["csi 4m", "text x"]);
    assert_eq!(tokens([&b"\x1b[3\x18x"[..]]), ["text x"]);
    assert_eq!(tokens(["\x1b[3é".as_bytes()]), ["text é"]);
    assert_eq!(tokens([&b"\x1b[ 1mx"[..]]), ["text x"]);
    assert_eq!(tokens([&b"\x1b]never ends"[..]]), [] as [&str; 0]);
    assert_eq!(
        tokens([&b"\x1b]t\x1b\n[1mx"[..]]),
        ["osc t false", "Control(10)", "csi 1m", "text x"]
    );
}

#[test]
fn invalid_bytes_are_counted_as_in_the_standard() {
    assert_eq!(tokens([&b"a\xffb"[..]]), ["text a", "Invalid", "text b"]);
    // A truncated three-byte character is one replacement character, and the byte after it is kept.
    assert_eq!(tokens([&b"\xe2\x82x"[..]]), ["Invalid", "text x"]);
    assert_eq!(
        tokens([&b"\xe2"[..], &b"\x82"[..], &b"x"[..]]),
        ["Invalid", "text x"]
    );
    assert_eq!(
        tokens([&b"\xe2\x82"[..], &b"\x1b[m"[..]]),
        ["Invalid", "csi m"]
    );
    assert_eq!(
        tokens([&b"\xed\xa0\x80"[..]]),
        ["Invalid", "Invalid", "Invalid"]
    );
}

#[test]
fn a_sequence_that_is_too_long_is_skipped_completely() {
    let long = [b"\x1b[".to_vec(), vec![b'1'; 600], b"mx".to_vec()].concat();
    assert_eq!(tokens([&long[..]]), ["text x"]);
    // Only the beginning of a string is kept.
    let long = [b"\x1b]2;".to_vec(), vec![b't'; 5000], b"\x07x".to_vec()].concat();
    assert_eq!(tokens([&long[..]]), ["long osc of 4096", "text x"]);
    let long = [b"\x1bPq".to_vec(), vec![b't'; 5000], b"\x1b\\x".to_vec()].concat();
    assert_eq!(
        tokens(long.chunks(7)),
        ["long dcs of 4096", "esc \\", "text x"]
    );
    let long = [b"\x1b_G".to_vec(), vec![b't'; 5000], b"\x1b\\x".to_vec()].concat();
    let apc = format!("apc G{}", "t".repeat(511));
    assert_eq!(tokens(long.chunks(7)), [&apc, "esc \\", "text x"]);
}

#[test]
fn pending_counts_the_incomplete_bytes() {
    let mut scanner = Scanner::default();
    for (bytes, pending) in [
        (&b"abc"[..], 0),
        (b"\x1b", 1),
        (b"[1", 3),
        (b"m", 0),
        (b"\x1b]0;x\x1b", 1),
        (b"\\", 0),
        (b"\xf0\x9f", 2),
        (b"\x98\x80", 0),
    ] {
        let mut pos = 0;
        while scanner.next(bytes, &mut pos).is_some() {}
        assert_eq!(scanner.pending(), pending, "after {bytes:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_split_gives_the_same_tokens(
        pieces in prop::collection::vec(
            prop_oneof![
                "[ -~]{0,4}", Just("é€😀\u{fe0f}".to_string()), Just("\x1b[1;2H".into()), Just("\x1b".into()),
                Just("\x1b]0;t\x07".into()), Just("\x1bPq\x1b\\".into()), Just("\r\n".into()), Just("[".into()),
            ].prop_map(String::into_bytes).boxed().prop_union(prop::collection::vec(any::<u8>(), 0..4).boxed()),
            0..30,
        ),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
    ) {
        let bytes = pieces.concat();
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
        cuts.extend([0, bytes.len()]);
        cuts.sort_unstable();
        let reads = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]);
        prop_assert_eq!(tokens(reads), tokens([&bytes[..]]));
        prop_assert_eq!(tokens(bytes.chunks(1)), tokens([&bytes[..]]));
    }
}

proptest! {
    #[test]
    fn runs_end_at_the_first_byte_that_is_not_text(bytes in proptest::collection::vec(
        prop_oneof![20 => 0x20u8..0x7f, 1 => 0u8..0x20, 1 => 0x7fu8..=0xff], 0..40,
    )) {
        let first = |ends: fn(&u8) -> bool| bytes.iter().position(ends).unwrap_or(bytes.len());
        prop_assert_eq!(text_len(&bytes), first(|b| *b < 0x20 || *b == 0x7f));
        prop_assert_eq!(ascii_len(&bytes), first(|b| !(0x20..0x7f).contains(b)));
    }
}
