//! Tests of how a chapter looks on a terminal.

use unicode_width::UnicodeWidthStr;

use super::{markdown, topics};
use crate::cli::output::style::Paint;

fn plain(markdown: &str, width: usize) -> String {
    markdown::render(markdown, width, Paint::Plain)
}

#[test]
fn headings_are_bold_and_code_has_a_colour() {
    let markdown = "# Title\n\nType `bgproc ls`,\nthen **wait**.\n";
    assert_eq!(
        markdown::render(markdown, 80, Paint::Colour),
        "\x1b[1mTitle\x1b[0m\n\nType \x1b[36mbgproc ls\x1b[0m, then \x1b[1mwait\x1b[0m.\n"
    );
    assert_eq!(
        plain(markdown, 80),
        "# Title\n\nType `bgproc ls`, then wait.\n"
    );
}

#[test]
fn text_wraps_and_code_blocks_do_not() {
    let markdown = "one two three\n\n```console\n$ one two three\n\n$ four\n```\n";
    assert_eq!(
        plain(markdown, 9),
        "one two\nthree\n\n    $ one two three\n\n    $ four\n"
    );
}

#[test]
fn list_items_hang_behind_their_bullets() {
    assert_eq!(
        plain("- one two\n- three\n  - four\n\n1. five six\n", 8),
        "- one\n  two\n- three\n  - four\n\n1. five\n   six\n"
    );
}

#[test]
fn columns_are_aligned() {
    let markdown = "| key | n |\n|---|---:|\n| `a` | 1 |\n| b | 200 |\n";
    assert_eq!(
        plain(markdown, 80),
        "key    n\n---  ---\n`a`    1\nb    200\n"
    );
}

#[test]
fn a_wide_table_wraps_within_its_cells() {
    let markdown = "| key | what it does |\n|---|---|\n| `a` | one two three |\n| b | four |\n";
    assert_eq!(
        plain(markdown, 14),
        "key  what it\n     does\n---  ---------\n`a`  one two\n     three\nb    four\n"
    );
}

#[test]
fn a_table_without_room_for_its_words_becomes_paragraphs() {
    let markdown = "| key | effect |\n|---|---|\n| a | one two |\n| b | threefold |\n";
    assert_eq!(
        plain(markdown, 13),
        "a\n    effect:\n    one two\n\nb\n    effect:\n    threefold\n"
    );
    for width in 1..20 {
        assert!(plain(markdown, width).contains('h'), "{width}");
    }
}

#[test]
fn links_say_where_they_lead_and_pictures_and_comments_are_left_out() {
    let markdown = "<!-- mark -->\n\n![A picture](a.svg)\n\nSee [the keys](keys.md#names), [below](#below) \
                    and [Rust](https://rust-lang.org).\n";
    assert_eq!(
        plain(markdown, 200),
        "See the keys (bgproc help keys), below and Rust (https://rust-lang.org).\n"
    );
}

#[test]
fn every_chapter_fits_a_terminal_of_80_columns() {
    for name in topics::names() {
        let text = topics::find(name)
            .map(|topic| topic.text)
            .unwrap_or_default();
        let page = plain(text, 80);
        // The longest line outside of code blocks.
        for line in page.lines().filter(|line| !line.starts_with("    ")) {
            let wide = line.width();
            assert!(wide <= 80, "{name}: {line}");
        }
    }
}
