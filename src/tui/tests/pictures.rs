//! Snapshots of each layout, mode and theme, as text.

use serde_json::json;

use super::harness::{Dash, compare, theme};
use super::jobs::{NOW, ended, id, record, shop_records};
use crate::protocol;
use crate::protocol::record::Asked;
use crate::protocol::{Action, EventKind, Mode};
use crate::protocol::{Scope, Status, Timestamp};
use crate::tui::message::{Cmd, Effect, Event, LinkEvent, RequestKind};
use crate::tui::options::Options;
use crate::tui::scrollback::Part;
use crate::tui::state::State;
use crate::tui::theme::Appearance;
use crate::tui::theme::Depth;

/// The screen of the job `web`.
const WEB: &str = "> shop@1.4.0 dev\r\n> vite --port 3000\r\n\r\n  VITE v7.1.2  ready in 412 ms\r\n\r\n  \
    ➜  Local:   http://localhost:3000/\r\n\r\n\
    12:44:52 GET /api/cart        500  87 ms\r\n12:44:52 \x1b[31mTypeError\x1b[m: cart.items is undefined\r\n\
    \x20   at total (src/cart.ts:41:18)\r\n12:45:03 GET /api/cart        200   9 ms\r\n";

fn shop(width: u16, height: u16) -> Dash {
    let mut dash = Dash::new(width, height, shop_records());
    dash.press("j").screen("web", 40, 120, WEB);
    dash
}

#[test]
fn layouts() {
    shop(120, 40).snapshot("split-120x40");
    shop(80, 24).snapshot("split-80x24");
    shop(60, 12).snapshot("split-60x12");
    shop(40, 12).snapshot("stack-list-40x12");
    let mut dash = shop(40, 12);
    dash.press("\r").screen("web", 40, 120, WEB);
    dash.snapshot("stack-pane-40x12");
    shop(20, 5).snapshot("stack-20x5");
    shop(50, 4).snapshot("too-small-50x4");
}

#[test]
fn a_first_run() {
    for (width, height) in [(120, 40), (80, 24), (40, 12)] {
        Dash::new(width, height, Vec::new()).snapshot(&format!("empty-{width}x{height}"));
    }
}

#[test]
fn zoom_and_insert() {
    let mut dash = Dash::new(80, 24, shop_records());
    dash.press("\r").screen(
        "migrate",
        40,
        120,
        "$ ./migrate.sh --target prod\r\nApplying 0042_add_cart_index.sql ... ok\r\n\
         This migration rewrites 1 204 117 rows.\r\n\r\nPassword for migrate (db.prod): ",
    );
    dash.snapshot("insert-zoom-80x24");
    let (_, cursor) = dash.paint();
    assert_eq!(cursor, Some((32, 4).into()));
    dash.press("\x1d").snapshot("normal-after-insert-80x24");
    dash.press("z").snapshot("zoom-80x24");
}

#[test]
fn an_agent_asks() {
    let mut records = shop_records();
    let web = records
        .iter_mut()
        .find(|one| one.summary.session_id == id("web"));
    let asked = |message: &str| Asked {
        message: message.to_owned(),
        by: Scope::named("builder").unwrap(),
        at: Timestamp(NOW),
        until: Timestamp(NOW + 300_000),
    };
    web.unwrap().asked = vec![asked("Please type the\npassphrase\x1b[2J"), asked("again")];
    let mut dash = Dash::new(80, 24, records);
    dash.screen("web", 40, 120, WEB);
    dash.snapshot("asked-80x24");
    dash.press("i").snapshot("asked-insert-80x24");
    dash.press("\x1dz").snapshot("asked-zoom-80x24");
    // The reply shows the whole question above it.
    dash.press("z\t").snapshot("asked-reply-80x24");
}

#[test]
fn insert_in_place() {
    let mut dash = shop(80, 24);
    dash.press("i").snapshot("insert-80x24");
    let mut dash = shop(40, 12);
    dash.press("i").screen("web", 40, 120, WEB);
    dash.snapshot("insert-40x12");
}

#[test]
fn insert_after_the_end() {
    let mut dash = shop(80, 24);
    dash.press("i");
    let mut web = ended("web", Status::Error, Some(1), 0);
    web.summary.group = Some("shop".to_owned());
    dash.record(&web).snapshot("insert-ended-80x24");
}

#[test]
fn scrolled_back() {
    let log: String = (1..=200)
        .map(|n| format!("12:44:{:02} line {n} \x1b[32mok\x1b[m\r\n", n % 60))
        .collect();
    for (width, height) in [(80, 24), (40, 12)] {
        let mut dash = shop(width, height);
        dash.press("s").log("web", Part::First, log.as_bytes(), 0);
        dash.press("\x15\x15kk/line .?7\r");
        let data = serde_json::json!({ "outputBytes": 9_000_000, "outputLines": 1266 });
        dash.event(EventKind::Output, "web", data);
        dash.snapshot(&format!("scroll-{width}x{height}"));
    }
}

#[test]
fn questions() {
    let mut dash = shop(80, 24);
    dash.press("x").snapshot("confirm-stop-80x24");
    dash.press("nX").snapshot("confirm-kill-80x24");
    dash.press("ngx").snapshot("confirm-stop-group-80x24");
    let mut dash = shop(80, 24);
    dash.press("8d").snapshot("remove-done-asks-nothing-80x24");
    dash.press("7d").snapshot("confirm-remove-80x24");
    let mut dash = shop(40, 12);
    dash.press("x").snapshot("confirm-stop-40x12");
    let mut dash = shop(80, 24);
    dash.press("i\x1b[200~1\r2\r3\r4\r5\r6\r7\x1b[201~");
    dash.snapshot("confirm-paste-80x24");
}

#[test]
fn the_form() {
    for (width, height) in [(120, 40), (80, 24), (40, 12)] {
        let mut dash = shop(width, height);
        dash.press("nnpm run dev\tweb2");
        dash.snapshot(&format!("prompt-{width}x{height}"));
    }
}

#[test]
fn help() {
    for (width, height) in [(120, 40), (80, 24), (40, 12)] {
        let mut dash = shop(width, height);
        dash.press("?").snapshot(&format!("help-{width}x{height}"));
    }
    let mut dash = shop(80, 24);
    dash.press("?kill").snapshot("help-narrowed-80x24");
}

#[test]
fn the_filter() {
    for (width, height) in [(80, 24), (40, 12)] {
        let mut dash = shop(width, height);
        dash.press("/a")
            .snapshot(&format!("filter-{width}x{height}"));
    }
    let mut dash = shop(80, 24);
    dash.press("/nothing like it")
        .snapshot("filter-nothing-80x24");
}

#[test]
fn groups() {
    let mut dash = shop(80, 24);
    dash.press("h").snapshot("folded-80x24");
}

#[test]
fn toasts() {
    let mut dash = shop(80, 24);
    dash.press("%").press("%").press("\x03");
    let error = crate::protocol::Error::internal("port 8080 is used by job web (pid 48213)");
    dash.link(LinkEvent::Reply(
        crate::tui::message::RequestKind::Restart(id("api")),
        Err(error.hint("! goes to web")),
    ));
    dash.snapshot("toasts-80x24");
    dash.press("\x1b").later(6000);
    assert!(dash.model.toasts.shown().is_empty());
}

#[test]
fn the_daemon_is_away() {
    let mut dash = shop(80, 24);
    dash.link(LinkEvent::Down).snapshot("daemon-away-80x24");
    dash.link(LinkEvent::Up);
    assert!(dash.actions().contains(&"subscribe"));
    assert!(!dash.text().contains("restarting"));
}

#[test]
fn names_that_are_too_long_or_wide() {
    let mut records = shop_records();
    records[0].summary.label = Some("my-very-long-background-worker-name".to_owned());
    records[1].summary.label = Some("日本語の名前がここにあります".to_owned());
    records[2].summary.label = Some("evil\x1b[2Jname\u{202e}".to_owned());
    records[4].summary.restarts = 3;
    records[6].summary.exit_code = Some(127);
    records.push({
        let mut killed = ended("old", Status::Killed, None, 120_000);
        killed.summary.mode = Mode::Pipe;
        killed
    });
    for (width, height) in [(120, 16), (80, 16), (40, 14)] {
        let mut dash = Dash::new(width, height, records.clone());
        dash.snapshot(&format!("names-{width}x{height}"));
    }
}

#[test]
fn ascii() {
    let options = Options {
        appearance: Appearance {
            ascii: true,
            ..Appearance::default()
        },
        ..Options::default()
    };
    let mut dash = Dash::with(options, 120, 24, shop_records());
    dash.press("j").screen("web", 40, 120, "plain\r\n");
    dash.snapshot("ascii-120x24");
    assert!(dash.text().is_ascii(), "{}", dash.text());
}

#[test]
fn the_window_changes() {
    let mut dash = shop(120, 40);
    dash.happen(Event::Window(40, 12));
    assert!(dash.text().lines().all(|line| line.chars().count() <= 40));
}

/// Each state by glyph, word and style, in each theme, as specified in the design.
#[test]
fn states_in_each_theme() {
    let mut text = String::new();
    for (title, depth, ascii) in [
        ("truecolour", Depth::True, false),
        ("sixteen colours", Depth::Ansi, false),
        ("NO_COLOR", Depth::None, false),
        ("ascii", Depth::Ansi, true),
    ] {
        text.push_str(&format!("{title}\n"));
        let theme = theme(depth, ascii);
        for state in State::examples() {
            let style = theme.state(&state);
            let fg = style.fg.map(|fg| fg.to_string()).unwrap_or_default();
            let modifiers = format!("{:?}", style.add_modifier);
            text.push_str(&format!(
                "  {} {:<16} {fg:<10} {modifiers}\n",
                state.glyph(ascii),
                state.word()
            ));
        }
    }
    compare("states", &text);
}

#[test]
fn a_pane_of_a_job_that_fits() {
    let mut dash = Dash::new(80, 24, vec![record("web")]);
    dash.screen("web", 20, 50, WEB).snapshot("flat-80x24");
}

/// Two hosts with jobs beside those of this machine, and one without: one is connected, the others are not.
fn hosts(width: u16, height: u16) -> Dash {
    hosts_with(Options::default(), width, height)
}

/// [`hosts`] in a view opened with options.
fn hosts_with(options: Options, width: u16, height: u16) -> Dash {
    let mut dash = Dash::with(options, width, height, shop_records());
    let at = |name: &str, host: &str, seen: Option<i64>| {
        let mut record = record(name);
        record.summary.session_id = id(name).at(host).unwrap();
        record.summary.host = Some(host.to_owned());
        record.summary.seen_at = seen.map(Timestamp);
        record.summary.cwd = "/scratch/me".to_owned();
        record
    };
    let mut train = at("train", "gpu1", None);
    train.summary.group = Some("ml".to_owned());
    let records = shop_records().into_iter();
    let old = Some(NOW - 6 * 60_000);
    let records: Vec<_> = records
        .chain([train, at("eval", "gpu2", old), at("sweep", "gpu2", old)])
        .collect();
    let host = |name: &str, state: &str, error: serde_json::Value, seen: Option<i64>| {
        json!({ "name": name, "state": state, "since": Timestamp(NOW), "error": error, "retryAt": null,
            "lastSeen": seen.map(Timestamp), "connect": "demand", "agents": false, "version": null,
            "sessions": 0 })
    };
    let gone = json!({ "code": "host_unreachable",
        "message": "host gpu2 cannot be reached: ssh: connect to host gpu2 port 22: No route to host" });
    let login = json!({ "code": "auth_required", "message": "host box wants a login: x" });
    let listed = json!({ "sessions": records, "counts": {}, "hosts": [
        host("box", "down", login, None),
        host("gpu1", "up", json!(null), None),
        host("gpu2", "down", gone, old),
    ]});
    dash.link(LinkEvent::Reply(RequestKind::List, Ok(listed)));
    dash
}

#[test]
fn other_hosts() {
    for (width, height) in [(120, 40), (80, 24), (40, 12)] {
        let mut dash = hosts(width, height);
        while !dash.status().contains("box: 0 jobs") {
            dash.press("j");
        }
        dash.snapshot(&format!("hosts-{width}x{height}"));
    }
}

#[test]
fn a_command_for_a_job_names_its_host() {
    let mut dash = hosts(120, 40);
    dash.press("/train\r").press(":stop train");
    assert!(
        dash.text().contains("bgproc stop train@gpu1"),
        "{}",
        dash.text()
    );
}

#[test]
fn the_palette_has_the_hosts() {
    let mut dash = hosts(120, 40);
    dash.press(":gpu1").snapshot("palette-hosts-120x40");
    dash.press("\x1b").press(":show gpu1\r");
    assert!(
        dash.status().contains("gpu1 ml: 1 job"),
        "{}",
        dash.status()
    );
    dash.press(":disconnect gpu1\r");
    let asked = dash.asked();
    let ends =
        |cmd: &Cmd| matches!(cmd, Cmd::Request(RequestKind::Disconnect(host), _) if host == "gpu1");
    assert!(asked.iter().any(ends), "{asked:?}");
    dash.press(":log in to gpu1\r");
    assert!(
        dash.text().contains("gpu1 is connected."),
        "{}",
        dash.text()
    );
    dash.press(":new job on gpu2\r").press("make eval\r");
    let asked = dash.asked();
    let on = |cmd: &Cmd| match cmd {
        Cmd::Request(RequestKind::Start(_), Action::Start(start)) => {
            start.host.as_deref() == Some("gpu2")
        }
        _ => false,
    };
    assert!(asked.iter().any(on), "{asked:?}");
}

#[test]
fn a_search_is_not_made_on_hosts_that_are_not_connected() {
    let mut dash = hosts(80, 24);
    dash.asked();
    dash.press("Ferror").later(200);
    let mut searched = Vec::new();
    for _ in 0..shop_records().len() + 3 {
        for cmd in dash.asked() {
            if let Cmd::Request(RequestKind::Found(id, round), _) = cmd {
                searched.push(id.to_string());
                let found =
                    json!({ "matches": [], "firstLine": 1, "totalLines": 9, "truncated": false });
                dash.link(LinkEvent::Reply(RequestKind::Found(id, round), Ok(found)));
            }
        }
    }
    let on = |host: &str| searched.iter().filter(|id| id.ends_with(host)).count();
    assert_eq!((on("@gpu1"), on("@gpu2")), (1, 0), "{searched:?}");
    assert!(dash.status().contains("not on gpu2"), "{}", dash.status());
}

#[test]
fn a_host_that_is_not_connected_is_logged_in_to() {
    let mut dash = hosts(80, 24);
    let login = |dash: &mut Dash| {
        let login = Cmd::Effect(Effect::Login("box".to_owned()));
        dash.asked().contains(&login)
    };
    dash.press("gg").press("l");
    assert!(!login(&mut dash));
    while !dash.status().contains("box: 0 jobs") {
        assert!(!dash.status().contains("sweep"));
        dash.press("j");
    }
    dash.press("l");
    assert!(login(&mut dash));
    dash.press("/h:gpu2\r");
    let shown = dash.text();
    assert!(
        shown.contains("eval") && !shown.contains("train"),
        "{shown}"
    );
}

#[test]
fn what_is_said_of_a_host_goes_when_it_is_connected_again() {
    let mut dash = hosts(120, 40);
    dash.press("/train\r");
    let host = |kind| protocol::Event {
        host: Some("gpu1".into()),
        data: json!({"error": {"code": "host_unreachable", "message": "the connection ended"}}),
        ..protocol::Event::of(kind)
    };
    dash.link(LinkEvent::Event(host(EventKind::HostDown)));
    assert!(
        dash.text().contains("gpu1 is not connected:"),
        "{}",
        dash.text()
    );
    dash.link(LinkEvent::Event(host(EventKind::HostUp)));
    assert!(
        !dash.text().contains("is not connected:"),
        "{}",
        dash.text()
    );
    // A new job there begins in its own home directory.
    dash.press("n");
    assert!(dash.text().contains("on: gpu1"), "{}", dash.text());
    assert!(!dash.text().contains("dir: ~"), "{}", dash.text());
}

#[test]
fn a_read_only_view_only_looks_at_hosts() {
    let options = Options {
        read_only: true,
        ..Options::default()
    };
    let mut dash = hosts_with(options, 120, 40);
    let changes = |cmd: &Cmd| match cmd {
        Cmd::Request(_, action) => !action.reads(),
        Cmd::Effect(Effect::Login(_)) => true,
        _ => false,
    };
    let refused = |dash: &mut Dash, keys: &str| {
        dash.press(keys);
        assert!(dash.text().contains("read-only"), "{keys}: {}", dash.text());
        assert!(dash.model.is_normal(), "{keys}");
        let asked = dash.later(6000).asked();
        assert!(!asked.iter().any(changes), "{keys}: {asked:?}");
    };
    refused(&mut dash, ":disconnect gpu1\r");
    refused(&mut dash, ":log in to box\r");
    refused(&mut dash, ":new job on gpu1\r");
    dash.press(":show gpu1\r");
    let status = dash.status();
    assert!(status.contains("gpu1 ml: 1 job"), "{status}");

    dash.press("gg");
    while !dash.status().contains("box: 0 jobs") {
        dash.press("j");
    }
    assert!(!dash.text().contains("logs in"), "{}", dash.text());
    refused(&mut dash, "l");
    dash.press("h");
    assert_eq!(dash.model.list.folded.len(), 1);
    dash.press("l");
    assert!(dash.model.list.folded.is_empty(), "it unfolds");
    assert!(!dash.asked().iter().any(changes));
}
