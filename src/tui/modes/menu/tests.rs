//! Tests of COPY: what is copied of jobs.

use serde_json::json;

use crate::protocol::Action;
use crate::tui::message::{Cmd, CopyFrom, LinkEvent, RequestKind};
use crate::tui::tests::harness::Dash;
use crate::tui::tests::jobs::{id, record, shop_records};

fn shop(width: u16, height: u16) -> Dash {
    let mut dash = Dash::new(width, height, shop_records());
    dash.press("j").screen("web", 40, 120, "hello");
    dash.asked();
    dash
}

/// Replies to the request for the details of which the command is copied.
fn told(dash: &mut Dash, record: &serde_json::Value) {
    let cmds = dash.asked();
    let Some(Cmd::Request(tag, Action::Status(params))) = cmds.first() else {
        panic!("{cmds:?}");
    };
    assert_eq!(params.detail, Some(true));
    dash.link(LinkEvent::Reply(tag.clone(), Ok(record.clone())));
}

#[test]
fn the_copy_menu() {
    let mut dash = shop(80, 24);
    dash.press("yc");
    let mut detailed = json!(record("web"));
    detailed["detail"] = json!({"processes": [], "ports": [], "urls": [], "runs": [],
        "envNames": ["PORT", "TOKEN"], "env": {"PORT": "3000", "TOKEN": "***"}});
    told(&mut dash, &detailed);
    let (text, what) = dash.copied().unwrap();
    assert_eq!(text, "cd ~/shop && PORT=3000 TOKEN='***' npm run web");
    assert_eq!(what, "the command; *** stands for TOKEN");
    dash.press("yi");
    assert_eq!(dash.copied().unwrap().0, id("web").to_string());
    dash.press("ys");
    assert_eq!(
        dash.copied().unwrap(),
        ("hello".to_owned(), "1 line".to_owned())
    );
    dash.press("yl");
    let cmds = dash.asked();
    let Some(Cmd::Request(tag, Action::Log(params))) = cmds.first() else {
        panic!("{cmds:?}");
    };
    assert_eq!(params.tail, Some(100));
    let line = |n: u64| json!({"n": n, "at": null, "stream": "stdout", "text": format!("l{n}")});
    let lines = json!({"lines": [line(1), line(2)], "firstLine": 1, "totalLines": 2});
    dash.link(LinkEvent::Reply(tag.clone(), Ok(lines)));
    assert_eq!(
        dash.copied().unwrap(),
        ("l1\nl2".to_owned(), "2 lines".to_owned())
    );
    dash.press("yu");
    let tag = RequestKind::Copy(id("web"), CopyFrom::Url);
    let mut detailed = json!(record("web"));
    detailed["detail"] =
        json!({"processes": [], "ports": [3000], "urls": [], "envNames": [], "runs": []});
    dash.link(LinkEvent::Reply(tag, Ok(detailed)));
    assert_eq!(dash.copied().unwrap().0, "http://localhost:3000");
    dash.press("yx");
    assert!(dash.model.is_normal(), "every other key is none");
    assert_eq!(dash.asked(), []);
    // For a group, one line per job.
    dash.press("hyi");
    let (text, what) = dash.copied().unwrap();
    assert_eq!((text.lines().count(), what.as_str()), (5, "5 ids"));
}

#[test]
fn copies_the_commands_of_several_jobs_with_their_variables() {
    let mut dash = shop(80, 24);
    let ask = |dash: &mut Dash| -> Vec<RequestKind> {
        let cmds = dash.press("hyc").asked().into_iter();
        let tags = cmds.filter_map(|cmd| match cmd {
            Cmd::Request(tag, Action::Status(_)) => Some(tag),
            _ => None,
        });
        tags.collect()
    };
    let answer = |dash: &mut Dash, tag: &RequestKind| {
        let RequestKind::Copy(id, CopyFrom::Commands) = tag else {
            panic!("{tag:?}");
        };
        let name = dash.model.name_of(id);
        let mut detailed = json!(record(&name));
        detailed["detail"] = json!({"processes": [], "ports": [], "urls": [], "runs": [],
            "envNames": ["NAME", "TOKEN"], "env": {"NAME": format!("a {name}"), "TOKEN": "***"}});
        dash.link(LinkEvent::Reply(tag.clone(), Ok(detailed)));
    };
    let tags = ask(&mut dash);
    assert_eq!(tags.len(), 5);
    // The answers may come in any order.
    for tag in tags[1..].iter().rev() {
        answer(&mut dash, tag);
        assert_eq!(dash.copied(), None);
    }
    answer(&mut dash, &tags[0]);
    let (text, what) = dash.copied().unwrap();
    assert_eq!(text.lines().count(), 5);
    assert_eq!(
        text.lines().nth(1),
        Some("cd ~/shop && NAME='a web' TOKEN='***' npm run web")
    );
    assert_eq!(what, "5 commands; *** stands for TOKEN");
    // A job that is gone is left out.
    let tags = ask(&mut dash);
    for tag in &tags[1..] {
        answer(&mut dash, tag);
    }
    let gone = crate::protocol::Error::new(crate::protocol::ErrorCode::SessionNotFound, "gone");
    dash.link(LinkEvent::Reply(tags[0].clone(), Err(gone)));
    assert_eq!(dash.copied().unwrap().0.lines().count(), 4);
}

#[test]
fn says_that_the_daemon_restarts_if_it_has_to_be_asked() {
    let copies = |cmd: &Cmd| matches!(cmd, Cmd::Request(RequestKind::Copy(..), _));
    for keys in ["yc", "yl", "yu", "hyc"] {
        let mut dash = shop(120, 40);
        dash.link(LinkEvent::Down).asked();
        dash.press(keys);
        assert!(!dash.asked().iter().any(copies), "{keys}");
        let text = dash.text();
        let told = "Not done: the daemon is restarting.";
        assert!(text.contains(told), "{keys}: {text}");
        assert!(dash.model.commands.is_none(), "{keys}");
        // What is known is copied.
        dash.press("yi");
        assert!(dash.copied().is_some(), "{keys}");
    }
}

#[test]
fn every_signal_is_shown_at_40_columns() {
    for name in ["web", "a-job-with-a-long-name"] {
        let mut records = shop_records();
        records[0].summary.label = Some(name.to_owned());
        let mut dash = Dash::new(40, 12, records);
        crate::tui::list::select::job(&mut dash.model, &id("web"));
        dash.later(50).press("K");
        let text = dash.text();
        for signal in [
            "i int", "t term", "h hup", "q quit", "1 usr1", "2 usr2", "w winch", "K kill",
        ] {
            assert!(text.contains(signal), "{signal}: {text}");
        }
        assert!(dash.status().contains("esc"), "{text}");
    }
}

#[test]
fn quotes_a_directory_if_necessary() {
    let mut odd = record("web");
    odd.summary.cwd = "/home/me/my shop".to_owned();
    odd.summary.args = Some(vec!["run dev".to_owned()]);
    odd.summary.command = "npm".to_owned();
    let mut dash = Dash::new(80, 24, vec![odd.clone()]);
    dash.asked();
    dash.press("yc");
    told(&mut dash, &json!(odd));
    assert_eq!(dash.copied().unwrap().0, "cd ~/'my shop' && npm 'run dev'");
}

#[test]
fn says_that_nothing_was_copied_when_the_daemon_dies_before_its_reply() {
    for (keys, marked) in [("yl", 0), ("yc", 0), ("yc", 2)] {
        let mut dash = shop(120, 24);
        let marks = ["web", "api"].into_iter().take(marked);
        dash.model.list.marked.extend(marks.map(id));
        dash.press(keys);
        let asked = dash.asked().into_iter().filter_map(|cmd| match cmd {
            Cmd::Request(tag @ RequestKind::Copy(..), _) => Some(tag),
            _ => None,
        });
        let asked: Vec<RequestKind> = asked.collect();
        assert_eq!(asked.len(), marked.max(1));
        dash.link(LinkEvent::Down);
        for tag in asked {
            assert!(tag.is_awaited());
            dash.link(LinkEvent::Dropped(tag));
        }
        let text = dash.text();
        let said = "Nothing was copied: the daemon is restarting.";
        assert_eq!(text.matches(said).count(), 1, "{keys}: {text}");
        assert!(!text.contains("×2"), "once for all of them: {text}");
        assert!(dash.model.commands.is_none());
    }
}
