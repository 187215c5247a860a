//! Tests of typing into jobs: INSERT, the keys that leave it, and pasted text.

use serde_json::json;

use super::behaviour::shop;
use super::harness::Dash;
use super::jobs::{ended, id, record, shop_records};
use crate::protocol::{Action, Error, ErrorCode, EventKind, Mode, Status};
use crate::tui::message::{Cmd, Event, Keys, LinkEvent, RequestKind};
use crate::tui::model::mode::Frame;
use crate::tui::modes::confirm::Confirm;
use crate::tui::modes::insert::Insert;
use crate::tui::options::Options;

#[test]
fn insert_sends_bytes_unchanged() {
    let mut dash = shop();
    dash.press("i");
    let sent = "ls -l\r\x1b[A\x1bOP\x1b[1;5C\x03é日\x1b[27;5;9~";
    dash.press(sent);
    dash.press("\x1b");
    assert_eq!(dash.typed("web"), format!("{sent}\x1b"));
}

#[test]
fn a_character_split_between_two_reads_arrives_whole() {
    let mut dash = shop();
    dash.press("i");
    for byte in "é".as_bytes() {
        dash.happen(Event::Input(vec![*byte]));
    }
    assert_eq!(dash.typed("web"), "é");
}

#[test]
fn bytes_of_one_read_become_one_request() {
    let mut dash = shop();
    dash.press("i");
    dash.asked();
    dash.press("hello\r");
    let types = dash
        .asked()
        .into_iter()
        .filter(|cmd| matches!(cmd, Cmd::Type(..)))
        .count();
    assert_eq!(types, 1);
}

/// The sizes requested since the last call.
fn resizes(dash: &mut Dash) -> Vec<(u16, u16)> {
    let cmds = dash.asked().into_iter();
    let sizes = cmds.filter_map(|cmd| match cmd {
        Cmd::Request(RequestKind::Resize(_), Action::Resize(size)) => Some((size.rows, size.cols)),
        _ => None,
    });
    sizes.collect()
}

fn resized(dash: &mut Dash, rows: u16, cols: u16) {
    let size = json!({ "rows": rows, "cols": cols });
    dash.link(LinkEvent::Reply(RequestKind::Resize(id("web")), Ok(size)));
}

#[test]
fn resizes_a_job_when_somebody_begins_to_type_and_not_before() {
    let mut dash = shop();
    dash.press("z").press("z");
    assert_eq!(resizes(&mut dash), [], "looking resizes nothing");
    dash.press("i");
    assert_eq!(resizes(&mut dash), [(20, 52)]);
    dash.press("b");
    assert_eq!(resizes(&mut dash), [], "once is enough");
    resized(&mut dash, 20, 52);
    dash.press("c");
    assert_eq!(resizes(&mut dash), []);
    // Somebody else types in a window of another size, each time before the next key here.
    for _ in 0..2 {
        dash.screen("web", 50, 100, "");
        assert_eq!(resizes(&mut dash), [], "who typed last");
        dash.press("d");
        assert_eq!(resizes(&mut dash), [(20, 52)]);
        resized(&mut dash, 20, 52);
    }
}

/// The daemon refuses to give web another size.
fn not_resized(dash: &mut Dash) {
    let error = Error::new(ErrorCode::Internal, "no");
    dash.link(LinkEvent::Reply(RequestKind::Resize(id("web")), Err(error)));
}

#[test]
fn the_next_key_requests_a_size_that_was_refused() {
    let mut dash = shop();
    dash.settles_late = true;
    dash.read(b"i").read(b"a");
    assert_eq!(resizes(&mut dash), [(20, 52)]);
    not_resized(&mut dash);
    assert!(
        dash.text().contains("web keeps its size"),
        "{}",
        dash.text()
    );
    dash.settles_late = false;
    assert_eq!(dash.typed("web"), "a", "there is nothing to wait for");
    dash.later(5000);
    assert_eq!(resizes(&mut dash), [], "only a key asks again");
    dash.press("b");
    assert_eq!(resizes(&mut dash), [(20, 52)]);
    // The window of a job that had its size from here changes.
    resized(&mut dash, 20, 52);
    dash.happen(Event::Window(90, 24));
    assert_eq!(resizes(&mut dash).len(), 1);
    not_resized(&mut dash);
    dash.later(5000);
    assert_eq!(resizes(&mut dash), [], "only a key asks again");
}

#[test]
fn a_size_that_was_answered_while_another_mode_was_open_is_requested_again() {
    let six = "1\n2\n3\n4\n5\n6";
    for refused in [true, false] {
        let mut dash = shop();
        dash.press("i").press(&format!("\x1b[200~{six}\x1b[201~"));
        assert!(dash.model.state::<Confirm>().is_some());
        assert_eq!(resizes(&mut dash), [(20, 52)]);
        if refused {
            not_resized(&mut dash);
        } else {
            resized(&mut dash, 20, 52);
        }
        dash.press("n");
        assert!(dash.model.state::<Insert>().is_some());
        let again: &[(u16, u16)] = if refused { &[(20, 52)] } else { &[] };
        assert_eq!(resizes(&mut dash), again);
        // It follows the window as if the question had not been asked.
        resized(&mut dash, 20, 52);
        dash.happen(Event::Window(90, 24));
        assert_eq!(resizes(&mut dash).len(), 1, "refused: {refused}");
    }
}

#[test]
fn a_job_that_got_its_size_here_follows_the_window() {
    let mut dash = shop();
    dash.press("i");
    resized(&mut dash, 20, 52);
    dash.asked();
    dash.happen(Event::Window(100, 24));
    let (rows, cols) = dash
        .model
        .pane_size()
        .map(|it| (it.rows(), it.cols()))
        .unwrap();
    assert_eq!(resizes(&mut dash), [(rows, cols)]);
    resized(&mut dash, rows, cols);
    dash.screen("web", 50, 100, "");
    dash.happen(Event::Window(80, 24));
    assert_eq!(resizes(&mut dash), [], "it has got another size elsewhere");
    dash.press("x");
    assert_eq!(resizes(&mut dash), [(20, 52)]);
}

#[test]
fn what_is_typed_after_a_resize_waits_for_the_program() {
    let written = |bytes: u64| json!({ "outputBytes": bytes });
    let mut dash = shop();
    dash.settles_late = true;
    dash.read(b"iab");
    assert_eq!(dash.typed("web"), "");
    // What the job had written before says nothing.
    dash.event(EventKind::Output, "web", written(1_300_000));
    assert_eq!(dash.typed("web"), "");
    resized(&mut dash, 20, 52);
    dash.read(b"c");
    assert_eq!(dash.typed("web"), "");
    dash.event(EventKind::Output, "web", written(1_400_000));
    assert_eq!(dash.typed("web"), "abc");
    dash.read(b"d");
    assert_eq!(dash.typed("web"), "d");
    // A program that writes nothing gets the bytes a moment later, and so does one that is left.
    let mut dash = shop();
    dash.settles_late = true;
    dash.read(b"ia").read(b"\x1d").later(99);
    assert_eq!(dash.typed("web"), "");
    assert!(dash.model.is_normal());
    dash.later(1);
    assert_eq!(dash.typed("web"), "a");
    let mut dash = shop();
    dash.settles_late = true;
    dash.read(b"ia").happen(Event::Terminate);
    assert_eq!(dash.typed("web"), "a", "before the view closes");
}

#[test]
fn an_escape_before_a_key_is_alt_for_a_program_that_tells_them_apart() {
    let mut dash = shop();
    dash.press("i").read(b"\x1bx");
    assert_eq!(dash.typed("web"), "\x1bx", "as it came");
    dash.screen("web", 40, 120, "\x1b[>1u");
    dash.read(b"\x1bx");
    assert_eq!(dash.typed("web"), "\x1b[120;3u");
    dash.read(b"\x1b").read(b"x");
    assert_eq!(dash.typed("web"), "\x1b[27ux", "two reads are two keys");
    dash.read(b"a\x1b\x1d");
    assert_eq!(dash.typed("web"), "a\x1b[27u");
    assert!(dash.model.is_normal(), "the leave key leaves");
}

#[test]
fn leaving_goes_back_to_where_it_was_entered() {
    let mut dash = shop();
    dash.press("i\x1d");
    assert_eq!(dash.model.frame, Frame::default());
    dash.press("\r");
    assert!(dash.model.frame.zoom);
    dash.press("\x1d");
    assert_eq!(dash.model.frame, Frame::default());
    dash.press("zi\x1d");
    assert!(dash.model.frame.zoom, "it was zoomed before");
}

#[test]
fn pressing_the_leave_key_twice_sends_it() {
    let mut dash = shop();
    dash.press("\r\x1d\x1d");
    assert_eq!(dash.typed("web"), "\x1d");
    assert!(dash.model.state::<Insert>().is_some());
    assert!(dash.model.frame.zoom);
    dash.press("\x1d").press("j").press("\x1d");
    assert_eq!(dash.typed("web"), "", "only straight after leaving");
    assert!(dash.model.is_normal());
}

#[test]
fn the_leave_key_pressed_long_after_leaving_says_that_it_was_sent() {
    let mut dash = shop();
    dash.press("i\x1d").later(900).press("\x1d");
    assert_eq!(dash.typed("web"), "\x1d");
    assert!(!dash.text().contains("was sent"), "{}", dash.text());
    dash.press("\x1d").later(60_000).press("\x1d");
    assert_eq!(dash.typed("web"), "\x1d");
    let text = dash.text();
    assert!(
        text.contains("ctrl-] was sent to web: this is INSERT again."),
        "{text}"
    );
}

#[test]
fn other_leave_keys_can_be_chosen() {
    let options = Options {
        leave_keys: vec!["F12".to_owned(), "C-g".to_owned()],
        ..Options::default()
    };
    let mut dash = Dash::with(options, 80, 24, shop_records());
    dash.press("ji\x1d");
    assert!(dash.model.state::<Insert>().is_some());
    assert!(dash.status().contains("f12 leave"), "{}", dash.status());
    dash.press("\x07");
    assert!(dash.model.is_normal());
    dash.press("i\x1b[24~");
    assert!(dash.model.is_normal());
}

#[test]
fn an_ended_job_takes_no_input_and_is_restarted_after_a_second() {
    let mut dash = shop();
    dash.press("i");
    let mut web = ended("web", Status::Error, Some(1), 0);
    web.summary.group = Some("shop".to_owned());
    dash.record(&web);
    assert!(dash.status().contains("web has ended: exit 1."));
    dash.asked();
    // The rest of a word that was being typed when the job ended.
    dash.press("r");
    assert!(dash.actions().is_empty());
    assert!(
        dash.text().contains("web has ended; r runs it again"),
        "{}",
        dash.text()
    );
    // Nor does a letter of a text that is typed later.
    dash.later(1500).press("x").press("r");
    assert!(dash.asked().is_empty());
    dash.later(1500).press("r");
    assert_eq!(dash.actions(), ["restart"]);
    assert_eq!(dash.model.mode().name(), "INSERT");
    // One that had ended before can be restarted at once, and it takes no input either.
    let mut dash = Dash::new(80, 24, vec![ended("web", Status::Error, Some(1), 60_000)]);
    dash.press("i");
    dash.asked();
    dash.press("r");
    assert_eq!(dash.actions(), ["restart"]);
}

#[test]
fn pipes_get_newlines_and_end_of_input() {
    let mut pipe = record("cat");
    pipe.summary.mode = Mode::Pipe;
    let mut dash = Dash::new(80, 24, vec![pipe]);
    dash.press("i");
    dash.asked();
    dash.press("one\r\x04");
    let cmds = dash.asked();
    assert_eq!(cmds[0], Cmd::Type(id("cat"), b"one\n".to_vec()));
    let Cmd::Request(_, Action::Write(write)) = &cmds[1] else {
        panic!("{cmds:?}");
    };
    assert_eq!(write.eof, Some(true));
}

#[test]
fn programs_that_ask_are_told_of_the_focus_while_somebody_types() {
    let mut dash = shop();
    dash.press("i").read(b"\x1b[O\x1b[I");
    assert_eq!(dash.typed("web"), "", "not asked");
    dash.screen("web", 40, 120, "\x1b[?1004h");
    assert_eq!(dash.typed("web"), "\x1b[I");
    dash.read(b"\x1b[O");
    assert_eq!(dash.typed("web"), "\x1b[O");
    dash.read(b"\x1b[Ix");
    assert_eq!(dash.typed("web"), "\x1b[Ix");
    dash.press("\x1d");
    assert_eq!(dash.typed("web"), "\x1b[O");
    dash.read(b"\x1b[O\x1b[I");
    assert_eq!(dash.typed("web"), "", "not typed into");
    dash.press("i");
    assert_eq!(dash.typed("web"), "\x1b[I");
    dash.happen(Event::HangUp);
    assert_eq!(dash.typed("web"), "\x1b[O");
}

#[test]
fn confirms_a_paste_with_control_characters() {
    let long = "1\r2\r3\r4\r5\r6";
    let mut dash = shop();
    dash.press("i").press(&format!("\x1b[200~{long}\x1b[201~"));
    assert!(dash.status().contains("6 lines into web?"));
    assert!(!dash.status().contains("control"), "{}", dash.status());
    assert_eq!(dash.typed("web"), "");
    dash.press("y");
    assert_eq!(dash.typed("web"), long);
    assert!(dash.model.state::<Insert>().is_some());
    dash.press("\x1b[200~a\x03\x1b[201~");
    assert!(dash.model.state::<Confirm>().is_some());
    let status = dash.status();
    assert!(
        status.contains("1 line with 1 control character into web?"),
        "{status}"
    );
    dash.press("\r");
    assert_eq!(dash.typed("web"), "", "Enter never confirms");
    assert!(
        dash.text().contains("Nothing was pasted."),
        "{}",
        dash.text()
    );
    // The key that leaves is no answer, and leaves all the same.
    dash.press("\x1b[200~a\x03\x1b[201~").press("\x1d");
    assert!(dash.model.is_normal(), "{}", dash.status());
    assert_eq!(dash.typed("web"), "");
    dash.press("i");
    dash.press("\x1b[200~short\rpaste\x1b[201~");
    assert_eq!(dash.typed("web"), "short\rpaste");
    dash.press("\x1b[200~a\n\nb\r\nc\n\x1b[201~");
    assert_eq!(dash.typed("web"), "a\r\rb\rc\r", "Enter, not Ctrl-J");
    // A program that enabled bracketed paste gets the brackets.
    dash.screen("web", 40, 120, "\x1b[?2004h");
    dash.press(&format!("\x1b[200~{long}\n\x1b[201~"));
    assert_eq!(dash.typed("web"), format!("\x1b[200~{long}\n\x1b[201~"));
}

#[test]
fn keys_behind_lost_ones_are_held_back_until_a_person_says_so() {
    let mut dash = shop();
    dash.press("i").press("rm ");
    assert_eq!(dash.typed("web"), "rm ");
    let error = Error::new(ErrorCode::HostUnreachable, "no answer");
    let lost = RequestKind::Type(id("web"), Keys::Part);
    dash.link(LinkEvent::Reply(lost, Err(error)));
    // `i` in a row with other keys is a part of the text.
    dash.types(100, "-rfi x").press("\r");
    assert_eq!(dash.typed("web"), "");
    dash.snapshot("insert-lost-80x24");
    dash.later(1000).read(b"x");
    assert_eq!(dash.typed("web"), "", "it is no answer");
    dash.later(1000).press("i").press("ls\r");
    assert_eq!(dash.typed("web"), "ls\r");
    // A program that refuses is not a connection that loses.
    let error = Error::new(ErrorCode::PermissionDenied, "held");
    let refused = RequestKind::Type(id("web"), Keys::Part);
    dash.link(LinkEvent::Reply(refused, Err(error)));
    dash.press("ls");
    assert_eq!(dash.typed("web"), "ls");
    // It can be left as always.
    let error = Error::new(ErrorCode::HostUnreachable, "no answer");
    let lost = RequestKind::Type(id("web"), Keys::Part);
    dash.link(LinkEvent::Reply(lost, Err(error)));
    dash.press("\x1d");
    assert!(dash.model.is_normal());
}
