//! Keys in INSERT, for programs that want them reported in another way.

use super::harness::Dash;
use super::jobs::record;
use crate::term::keyboard::{KeyProtocol, KittyFlags};
use crate::tui::modes::insert;

/// A view in a terminal that answers `answers`, typing into a job that has printed `output`.
fn typing(answers: &str, output: &str) -> Dash {
    let mut dash = Dash::new(80, 24, vec![record("web")]);
    dash.model.answers.are_pending = true;
    dash.read(answers.as_bytes());
    dash.screen("web", 22, 53, output).press("i");
    dash.typed("web");
    dash
}

fn kitty(bits: u16) -> KeyProtocol {
    KeyProtocol {
        kitty: KittyFlags::new(bits),
        other_keys: 0,
    }
}

const HAS_KITTY: &str = "\x1b[?0u\x1b[?62c";
const HAS_NOTHING: &str = "\x1b[?62c";

#[test]
fn the_terminal_is_switched_to_what_the_program_wants_while_one_types() {
    let mut dash = typing(HAS_KITTY, "\x1b[>5u");
    assert_eq!(insert::keys(&dash.model), kitty(5));
    dash.press("\x1b[27;2;13~\x1b[13;2u\x1b[93;6u");
    assert_eq!(dash.typed("web"), "\x1b[13;2u\x1b[13;2u\x1b[93;6u");
    // The leave key in the form of the protocol.
    dash.press("\x1b[93;5u");
    assert_eq!(insert::keys(&dash.model), kitty(0));
    assert!(dash.status().starts_with(" NORMAL "), "{}", dash.status());
    // Once more, the terminal no longer reports it so, and the program gets it so.
    dash.press("\x1d");
    assert_eq!(dash.typed("web"), "\x1b[93;5u");
    // A program that wants nothing gets what terminals always sent.
    dash.screen("web", 22, 53, "").press("\x1b[13;2u");
    assert_eq!(dash.typed("web"), "\r");
    assert_eq!(insert::keys(&dash.model), kitty(0));
}

#[test]
fn a_terminal_without_the_protocol_gets_its_keys_encoded() {
    let mut dash = typing(HAS_NOTHING, "\x1b[>1u");
    assert_eq!(insert::keys(&dash.model), kitty(0));
    dash.press("a\r\x03\x1b");
    assert_eq!(dash.typed("web"), "a\r\x1b[99;5u\x1b[27u");
    dash.press("\x1b[53;5u");
    assert!(dash.status().starts_with(" NORMAL "), "ctrl-5 leaves too");
    let mut dash = typing(HAS_NOTHING, "\x1b[?1h");
    dash.press("\x1b[A\x1b[1;5A");
    assert_eq!(dash.typed("web"), "\x1bOA\x1b[1;5A");
}

#[test]
fn keys_of_other_terminals_become_those_of_xterm() {
    let mut dash = typing(HAS_NOTHING, "");
    dash.press("\x1b[1~\x1b[4~\x1b[8;5~\x1b[[A\x1b[[E\x1b[12~\x1bOd\x1b[b\x1b[3~");
    assert_eq!(
        dash.typed("web"),
        "\x1b[H\x1b[F\x1b[1;5F\x1bOP\x1b[15~\x1bOQ\x1b[1;5D\x1b[1;2B\x1b[3~"
    );
    let mut dash = typing(HAS_NOTHING, "\x1b[?1h");
    dash.press("\x1b[4~");
    assert_eq!(dash.typed("web"), "\x1bOF");
}

#[test]
fn releases_and_modifiers_reach_only_programs_that_asked() {
    let mut dash = typing(HAS_KITTY, "\x1b[=31;1u");
    dash.read(b"\x1b[97;1:3u\x1b[57441;2u");
    assert_eq!(dash.typed("web"), "\x1b[97;1:3u\x1b[57441;2u");
    let mut dash = typing(HAS_KITTY, "");
    dash.read(b"\x1b[97;1:3u\x1b[57441;2u");
    assert_eq!(dash.typed("web"), "");
    dash.press("\x1d").read(b"\x1b[97;1:3u");
    assert_eq!(dash.typed("web"), "");
}

#[test]
fn a_release_is_reported_once() {
    let mut dash = typing(HAS_KITTY, "\x1b[=3;1u");
    dash.press("a\x1b[A\x1b[97;1:3u\x1b[1;1:3A");
    assert_eq!(dash.typed("web"), "a\x1b[A\x1b[97;1:3u\x1b[1;1:3A");
    let mut dash = typing(HAS_NOTHING, "\x1b[=3;1u");
    dash.press("a");
    assert_eq!(dash.typed("web"), "a\x1b[97;1:3u");
}

#[test]
fn programs_are_told_the_colours_of_the_terminal() {
    let mut dash = Dash::new(80, 24, vec![record("web")]);
    dash.model.answers.are_pending = true;
    dash.press("gg").asked();
    dash.read(b"\x1b]11;rgb:fdfd/f6f6/e3e3\x1b\\");
    assert!(!dash.actions().contains(&"watch"), "more may come");
    dash.read(b"\x1b[?62c");
    assert!(dash.actions().contains(&"watch"));
    let colors = dash.model.watches[0].colors.clone().unwrap();
    assert_eq!(colors.background.as_deref(), Some("#fdf6e3"));
}
