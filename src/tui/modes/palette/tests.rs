//! Tests of the palette, the message history, and the equivalent shell commands.

use serde_json::json;

use crate::protocol::record::Share;
use crate::protocol::{Action, Timestamp};
use crate::tui::keymap::KeyAction;
use crate::tui::message::{Cmd, Effect, LinkEvent, RequestKind};
use crate::tui::modes::normal::Action as Key;
use crate::tui::modes::page::Page;
use crate::tui::modes::palette::Palette;
use crate::tui::shell::{self, Verb};
use crate::tui::tests::harness::Dash;
use crate::tui::tests::jobs::{NOW, id, record, shop_records};

fn shop(width: u16, height: u16) -> Dash {
    let mut dash = Dash::new(width, height, shop_records());
    dash.press("2");
    dash.asked();
    dash
}

#[test]
fn shows_the_key_and_the_shell_command() {
    for (width, height) in [(120, 40), (80, 24), (40, 12), (20, 5)] {
        let mut dash = shop(width, height);
        dash.press(":stop");
        dash.snapshot(&format!("palette-{width}x{height}"));
    }
    shop(80, 24).press(":").snapshot("palette-all-80x24");
    shop(80, 24)
        .press(":xyzzy")
        .snapshot("palette-nothing-80x24");
}

#[test]
fn enter_acts_like_the_key() {
    let mut dash = shop(80, 24);
    dash.press(":stop\r");
    assert!(dash.status().starts_with(" STOP "), "it asks as `x` does");
    dash.press("y");
    let cmds = dash.asked();
    assert!(
        matches!(&cmds[..], [Cmd::Request(RequestKind::Kill(web, _), Action::Kill(_))] if *web == id("web")),
        "{cmds:?}"
    );
    dash.press(":mess\r");
    assert!(dash.model.state::<Page>().is_some());
    dash.press("q").press(":zoom\r");
    assert!(dash.model.frame.zoom);
    dash.press(":xyzzy\r");
    assert!(dash.model.state::<Palette>().is_some(), "it stays");
}

#[test]
fn exact_names_rank_first_and_arrows_select() {
    let mut dash = shop(80, 24);
    for (typed, wanted) in [
        ("kill", Key::Kill),
        ("restart-group", Key::RestartGroup),
        ("quit", Key::Quit),
    ] {
        dash.press(":").press(typed);
        let Some(palette) = dash.model.state::<Palette>() else {
            panic!();
        };
        let found = palette.found(&dash.model);
        assert_eq!(found[0].index, wanted.index(), "{typed}");
        dash.press("\x1b");
    }
    dash.press(":stop\x1b[B\t");
    assert!(dash.text().contains("> stop group"), "{}", dash.text());
    // A paste finds other commands, as typed letters do.
    dash.press("\x1b")
        .press(":\x1b[B\x1b[B")
        .press("\x1b[200~messages\x1b[201~")
        .press("\r");
    assert!(dash.model.state::<Page>().is_some(), "{}", dash.text());
}

/// Titles of the commands that are found, best first.
fn titles(dash: &mut Dash, typed: &str) -> Vec<String> {
    dash.press(":").press(typed);
    let Some(palette) = dash.model.state::<Palette>() else {
        panic!("{typed}");
    };
    let found = palette.found(&dash.model).into_iter();
    let titles = found.map(|entry| entry.title).collect();
    dash.press("\x1b");
    titles
}

#[test]
fn synonyms_find_commands() {
    let mut dash = shop(80, 24);
    for (typed, title) in [
        ("resume", "pause web"),
        ("rename", "rename web"),
        ("delete", "remove all ended jobs"),
        ("clear", "remove all ended jobs"),
        ("share", "let agents see web, or not"),
        ("export", "copy the export command of web"),
        ("replay", "replay web from the beginning"),
        ("log output", "scroll back through web"),
        ("process tree", "details of web"),
    ] {
        let found = titles(&mut dash, typed);
        let is_strong = found.iter().take(3).any(|one| one == title);
        assert!(is_strong, "{typed}: {found:?}");
    }
}

#[test]
fn what_fits_the_selection_is_first_and_the_impossible_last() {
    let mut dash = shop(80, 24);
    let all = titles(&mut dash, "");
    assert_eq!(all[..3], ["attach to web", "type into web", "stop web"]);
    let last = all.last().unwrap();
    assert_eq!(last, "undo the removal");
    // A group.
    dash.press("g");
    let all = titles(&mut dash, "");
    assert_eq!(all[..2], ["fold or unfold group shop", "stop 5 jobs"]);
    // The job that waits for a password.
    dash.press("1");
    assert_eq!(titles(&mut dash, "")[0], "answer migrate");
    // The job that has failed.
    dash.press("7");
    let all = titles(&mut dash, "");
    assert_eq!(all[..2], ["restart lint", "remove lint"]);
    let place = |title: &str| all.iter().position(|one| one == title).unwrap();
    assert!(place("stop lint") > place("suspend this view"), "{all:?}");
}

#[test]
fn what_is_impossible_says_why_and_does_nothing() {
    let mut dash = shop(80, 24);
    dash.press("7");
    dash.press(":pause");
    assert!(dash.status().contains("lint has ended already (exit 1)"));
    dash.press("\r");
    let text = dash.text();
    assert!(text.contains("lint has ended already"), "{text}");
    assert!(dash.model.is_normal());
    assert!(!dash.actions().contains(&"pause"));
    // Letters that occur in another name do not start that command instead.
    assert_eq!(titles(&mut dash, "undo")[0], "undo the removal");
}

#[test]
fn shares_and_hides_a_job() {
    let mut dash = shop(80, 24);
    dash.press(":share\r");
    let cmds = dash.asked();
    let shared = |cmds: &[Cmd]| {
        cmds.iter().find_map(|cmd| match cmd {
            Cmd::Request(RequestKind::Set(web, _), Action::Set(set)) if *web == id("web") => {
                set.share
            }
            _ => None,
        })
    };
    assert_eq!(shared(&cmds), Some(Share::Read));
    let mut web = record("web");
    web.summary.share = Share::Read;
    dash.link(LinkEvent::Reply(
        RequestKind::Set(id("web"), None),
        Ok(json!(web)),
    ));
    let text = dash.text();
    assert!(text.contains("every agent may read web"), "{text}");
    assert_eq!(titles(&mut dash, "unshare")[0], "hide web from agents");
    dash.press(":unshare\r");
    assert_eq!(shared(&dash.asked()), Some(Share::None));
}

#[test]
fn plays_the_recording_from_the_palette() {
    let mut dash = shop(80, 24);
    dash.press(":replay\r");
    let cmds = dash.asked();
    let Some(Cmd::Request(RequestKind::Past(web), Action::Capture(_))) = cmds.last() else {
        panic!("{cmds:?}");
    };
    assert_eq!(*web, id("web"));
    dash.press("\x1b\x1b");
    assert!(dash.model.is_normal());
}

#[test]
fn the_shell_command_can_be_copied() {
    let mut dash = shop(80, 24);
    dash.press(":restart\x19");
    let copied = Cmd::Effect(Effect::Copy(
        "bgproc restart web".to_owned(),
        "the shell command".to_owned(),
    ));
    assert_eq!(dash.asked(), [copied]);
    dash.press("\x15redraw\x19");
    assert!(dash.text().contains("The shell has no command"));
}

#[test]
fn shell_commands_name_the_job_unambiguously() {
    let names = [
        ("web", "web"),
        ("my job", "'my job'"),
        ("it's", r#""it's""#),
        ("*", "odd000000000"),
        ("-x", "odd000000000"),
        ("g:x", "odd000000000"),
        ("\u{1b}[2J", "odd000000000"),
        ("", "odd000000000"),
    ];
    for (label, word) in names {
        let mut odd = record("odd");
        odd.summary.label = Some(label.to_owned());
        let dash = Dash::new(80, 24, vec![odd]);
        assert_eq!(shell::name(&dash.model, &id("odd")), word, "{label}");
    }
    let mut twin = record("twin");
    twin.summary.label = Some("web".to_owned());
    twin.summary.created_at = Timestamp(NOW);
    let dash = Dash::new(80, 24, vec![record("web"), twin]);
    assert_eq!(shell::name(&dash.model, &id("web")), id("web").to_string());
}

#[test]
fn names_a_whole_group_as_one_word() {
    let mut dash = shop(80, 24);
    dash.press("g");
    let stop = |dash: &Dash| shell::on_selected(Verb::Stop, &dash.model);
    assert_eq!(stop(&dash), Some("bgproc stop g:shop".to_owned()));
    dash.press("/web\r");
    dash.press("g");
    assert_eq!(stop(&dash), Some("bgproc stop web".to_owned()));
    let resume = shell::on_group(Verb::Restart, &dash.model);
    assert_eq!(resume, Some("bgproc restart g:shop".to_owned()));
}

#[test]
fn shows_the_message_history() {
    for (width, height) in [(80, 24), (40, 12)] {
        let mut dash = shop(width, height);
        dash.model
            .fail("api did not start: port 8080 is used by job web (pid 48213).  ! go to web");
        dash.press("%").later(6000).press("%%").later(6000);
        dash.press("\x1b:messages\r")
            .snapshot(&format!("messages-{width}x{height}"));
        dash.press("G").press("g").press("q");
        assert!(dash.model.is_normal());
    }
}

#[test]
fn a_toast_shows_the_shell_command_if_it_fits() {
    let mut dash = shop(80, 24);
    dash.model
        .note_done("web stopped (exit 143)", Some("bgproc stop web".to_owned()));
    let text = dash.text();
    assert!(
        text.contains("web stopped (exit 143)   bgproc stop web"),
        "{text}"
    );
    let mut dash = shop(40, 12);
    dash.model.note_done(
        "web stopped (exit 143)",
        Some("bgproc stop ".to_owned() + &"x".repeat(40)),
    );
    assert!(!dash.text().contains("bgproc stop"));
}

#[test]
fn folding_a_group_says_what_it_does() {
    let mut dash = Dash::new(80, 24, shop_records());
    dash.press("g:fold or");
    let text = dash.text();
    assert!(text.contains("fold or unfold group shop"), "{text}");
    assert!(text.contains("- only in this view"), "{text}");
    assert!(!text.contains("no job is selected"), "{text}");
    let status = dash.status();
    assert!(status.contains("Fold the group, or unfold it"), "{status}");
}

#[test]
fn a_wide_window_shows_whole_commands_and_a_narrow_one_that_of_the_selected_row() {
    let long = "a-name-of-a-job-that-is-rather-long";
    let named = || {
        let mut web = record("web");
        web.summary.label = Some(long.to_owned());
        web
    };
    let mut dash = Dash::new(160, 40, vec![named()]);
    dash.press(":stop");
    let text = dash.text();
    assert!(text.contains(&format!("stop {long} ")), "{text}");
    assert!(text.contains(&format!("bgproc stop {long} ")), "{text}");
    let mut dash = Dash::new(50, 12, vec![record("web")]);
    dash.press(":stop");
    assert!(
        dash.status().contains("bgproc stop web"),
        "{}",
        dash.status()
    );
}

#[test]
fn a_group_is_named_as_a_group() {
    let mut dash = Dash::new(120, 40, shop_records());
    dash.press("2:stop group");
    assert!(
        dash.text().contains("bgproc stop g:shop"),
        "{}",
        dash.text()
    );
}

#[test]
fn messages_are_below_the_box() {
    for (width, height) in [(120, 40), (80, 24), (60, 16)] {
        let mut dash = shop(width, height);
        dash.press(":");
        let before = dash.text();
        dash.model
            .note("Somebody has done something, and that is said at some length here.");
        let rows = |text: &str| {
            let rows = text.lines().skip_while(|row| !row.contains('╭'));
            let rows: Vec<String> = rows.map(str::to_owned).collect();
            let end = rows.iter().position(|row| row.contains('╰')).unwrap();
            rows[..=end].to_vec()
        };
        assert_eq!(rows(&dash.text()), rows(&before));
        if height > 16 {
            assert!(
                dash.text().contains("Somebody has done something"),
                "{}",
                dash.text()
            );
        }
    }
}

#[test]
fn a_name_may_follow_rename() {
    let mut dash = shop(120, 40);
    dash.press(":rename shop-front\r");
    assert!(
        dash.status().contains("name: shop-front"),
        "{}",
        dash.status()
    );
    let sent = dash.press("\r").asked();
    let renames = |cmd: &Cmd| matches!(cmd, Cmd::Request(_, Action::Set(set)) if set.label.as_deref() == Some("shop-front"));
    assert!(sent.iter().any(renames), "{sent:?}");
}

#[test]
fn words_of_other_programs_find_their_command() {
    for (typed, wanted) in [
        ("q!", "close this view"),
        ("wq", "close this view"),
        ("pin", "edit web"),
        ("notify", "edit web"),
        ("group", "edit web"),
        ("delete", "remove "),
    ] {
        let mut dash = shop(120, 40);
        dash.press(&format!(":{typed}"));
        let text = dash.text();
        let first = text
            .lines()
            .find(|line| line.contains('▌') && line.contains("│ ▌"));
        assert!(
            first.is_some_and(|line| line.contains(wanted)),
            "{typed}: {text}"
        );
    }
}
