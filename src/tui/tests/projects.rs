//! Tests of projects: their jobs in the list, what is told of them, and the keys that bring them up, down and reload
//! them.

use serde_json::{Value, json};

use super::harness::Dash;
use super::jobs::{HOME, NOW, ended, id, record};
use crate::protocol::params::{Project, ProjectOp};
use crate::protocol::project::{Level, Need, PhaseName, ProjectName, ProjectRole};
use crate::protocol::record::Record;
use crate::protocol::status::InputState;
use crate::protocol::{Action, Error, ErrorCode, EventKind, Status, Timestamp};
use crate::tui::message::{CardPart, Cmd, Effect, LinkEvent, ProjectRequest, RequestKind};
use crate::tui::model::Selected;
use crate::tui::model::group_key::GroupKey;
use crate::tui::modes::form::fields::Form;

const MINUTE: i64 = 60_000;

fn dir() -> String {
    format!("{HOME}/shop")
}

/// Makes a record that of a job of `shop`.
fn of_shop(mut record: Record, place: u32, phase: PhaseName, why: Option<&str>) -> Record {
    let name = record.summary.label.clone().unwrap();
    record.summary.created_at = Timestamp(NOW - 20 * MINUTE);
    record.summary.project = Some(ProjectRole {
        confirm: false,
        watch: None,
        project: ProjectName {
            name: "shop".to_owned(),
            dir: dir(),
        },
        job: name,
        phase,
        why: why.map(str::to_owned),
        next_run: None,
        place,
        needs: Vec::new(),
        ports: Vec::new(),
        url: None,
    });
    record
}

fn waiting(name: &str, place: u32, phase: PhaseName, why: &str) -> Record {
    let mut waiting = record(name);
    let summary = &mut waiting.summary;
    (summary.status, summary.pid, summary.runtime_ms) = (Status::Queued, None, 0);
    (summary.output_bytes, summary.output_lines) = (0, 0);
    summary.last_output_at = None;
    of_shop(waiting, place, phase, Some(why))
}

fn needs(record: &mut Record, needs: &[(&str, Level)]) {
    let needs = needs.iter().map(|(job, is)| Need {
        job: (*job).to_owned(),
        is: *is,
        restart: false,
    });
    record.summary.project.as_mut().unwrap().needs = needs.collect();
}

/// A project of eight jobs, and a job beside it.
pub(crate) fn records() -> Vec<Record> {
    let mut api = waiting("api", 4, PhaseName::Skipped, "needs migrate ok");
    needs(&mut api, &[("migrate", Level::Ok), ("db", Level::Ready)]);
    let mut web = of_shop(record("web"), 5, PhaseName::Ready, None);
    web.summary.ready = Some(true);
    web.summary.ports = Some(vec![3000]);
    let role = web.summary.project.as_mut().unwrap();
    (role.ports, role.url) = (vec![3000], Some("http://localhost:3000".to_owned()));
    let migrate = ended("migrate", Status::Error, Some(1), 3 * MINUTE);
    let migrate = of_shop(migrate, 1, PhaseName::Failed, None);
    let mut backup = waiting("backup", 2, PhaseName::Scheduled, "missed 1");
    let role = backup.summary.project.as_mut().unwrap();
    role.next_run = Some(Timestamp(NOW + 516 * MINUTE));
    let mut ask = of_shop(record("ask"), 6, PhaseName::Running, None);
    ask.summary.input_state = InputState::Line;
    let mut notes = record("notes");
    notes.summary.cwd = format!("{HOME}/notes");
    vec![
        web,
        api,
        migrate,
        of_shop(record("db"), 0, PhaseName::Running, None),
        backup,
        of_shop(record("build"), 3, PhaseName::Running, None),
        waiting("lint", 7, PhaseName::Queued, "next in its queue"),
        ask,
        notes,
    ]
}

fn shop(width: u16, height: u16) -> Dash {
    let mut dash = Dash::new(width, height, records());
    dash.asked();
    dash
}

/// The requests about projects since the last call.
fn asked(dash: &mut Dash) -> Vec<(ProjectRequest, Project)> {
    let cmds = dash.asked().into_iter();
    let asked = cmds.filter_map(|cmd| match cmd {
        Cmd::Request(RequestKind::Project(request), Action::Project(params)) => {
            Some((request, params))
        }
        _ => None,
    });
    asked.collect()
}

fn state(jobs: Value, plan: Value) -> Value {
    json!({
        "name": "shop", "dir": dir(), "up": true, "files": [], "seq": 4, "settled": true,
        "failed": false, "jobs": jobs, "plan": plan,
    })
}

/// The request that waits until these jobs have settled.
fn settle(jobs: &[&str]) -> ProjectRequest {
    let jobs = jobs.iter().map(|job| (*job).to_owned()).collect();
    ProjectRequest::Settle {
        dir: dir(),
        jobs: Some(jobs),
    }
}

fn reply(dash: &mut Dash, request: ProjectRequest, value: Value) {
    dash.link(LinkEvent::Reply(RequestKind::Project(request), Ok(value)));
}

fn refuse(dash: &mut Dash, request: ProjectRequest, error: Error) {
    dash.link(LinkEvent::Reply(RequestKind::Project(request), Err(error)));
}

#[test]
fn a_project_stands_under_its_heading_in_order_of_need() {
    for (width, height) in [(120, 40), (80, 24), (40, 12)] {
        let mut dash = shop(width, height);
        dash.press("g")
            .snapshot(&format!("project-{width}x{height}"));
        let rows: Vec<String> = dash
            .model
            .list
            .rows
            .iter()
            .map(|row| match row {
                crate::tui::model::rows::Row::Group(group) => format!("[{}]", group.title),
                crate::tui::model::rows::Row::Job(at) => dash.model.jobs[*at].name.clone(),
            })
            .collect();
        let expected = [
            "[shop]",
            "db",
            "migrate",
            "backup",
            "build",
            "api",
            "web",
            "ask",
            "lint",
            "[~/notes]",
            "notes",
        ];
        assert_eq!(rows, expected);
    }
    let mut dash = shop(40, 12);
    dash.press("h");
    assert_eq!(dash.model.list.rows.len(), 3, "{}", dash.text());
}

#[test]
fn projects_of_the_same_name_are_told_apart() {
    let mut records = records();
    let role = records[0].summary.project.as_mut().unwrap();
    role.project.dir = "/srv/shop".to_owned();
    let dash = Dash::new(120, 40, records);
    let text = dash.text();
    assert!(text.contains("shop /srv/shop"), "{text}");
}

#[test]
fn a_job_that_waits_has_a_card() {
    let cards = [
        ("api", "skipped"),
        ("lint", "queued"),
        ("backup", "scheduled"),
    ];
    for (name, phase) in cards {
        for (width, height) in [(80, 24), (40, 12)] {
            let mut dash = shop(width, height);
            crate::tui::list::select::job(&mut dash.model, &id(name));
            if width < 60 {
                dash.press("\r");
            }
            dash.later(0)
                .snapshot(&format!("project-{phase}-{width}x{height}"));
        }
    }
    // With the output of an earlier run, the card is below it.
    let mut dash = shop(80, 24);
    crate::tui::list::select::job(&mut dash.model, &id("api"));
    dash.later(0).screen("api", 40, 120, "listening\r\n");
    let text = dash.text();
    let line = |word: &str| text.lines().position(|line| line.contains(word));
    assert!(
        line("listening").unwrap() < line("needs migrate ok").unwrap(),
        "{text}"
    );
}

#[test]
fn u_brings_up_what_is_selected_with_what_it_needs() {
    let mut dash = shop(120, 40);
    let ups = |dash: &mut Dash| {
        let asked = asked(dash).into_iter();
        let ups = asked.filter(|(_, params)| params.op == Some(ProjectOp::Up));
        ups.map(|(_, params)| (params.dir.unwrap(), params.jobs))
            .collect::<Vec<_>>()
    };
    crate::tui::list::select::job(&mut dash.model, &id("api"));
    dash.press("u");
    assert_eq!(ups(&mut dash), [(dir(), Some(vec!["api".to_owned()]))]);
    dash.press("gu");
    assert_eq!(ups(&mut dash), [(dir(), None)]);
    // Another job: the project of the directory in which the view was opened.
    dash.press("Gu");
    assert_eq!(ups(&mut dash), [(dir(), None)]);
    let mut empty = Dash::new(80, 24, Vec::new());
    empty.asked();
    empty.press("u");
    assert_eq!(ups(&mut empty), [(dir(), None)]);
    let mut marked = shop(80, 24);
    crate::tui::list::select::job(&mut marked.model, &id("notes"));
    marked.press(" u");
    assert_eq!(ups(&mut marked), []);
    assert!(
        marked.text().contains("None of the marked"),
        "{}",
        marked.text()
    );
}

/// The same project in the same directory of another machine, and a job there that belongs to none.
fn two_machines(width: u16, height: u16) -> Dash {
    let far = |record: &mut Record| {
        let summary = &mut record.summary;
        summary.session_id = summary.session_id.at("gpu1").unwrap();
        summary.host = Some("gpu1".to_owned());
    };
    let mut there: Vec<Record> = records()
        .into_iter()
        .filter(|one| one.summary.label.as_deref() != Some("db"))
        .collect();
    there.iter_mut().for_each(far);
    let mut dash = Dash::new(width, height, records().into_iter().chain(there).collect());
    dash.asked();
    dash
}

#[test]
fn projects_of_another_machine_are_left_to_it() {
    let far = |name: &str| Selected::Job(id(name).at("gpu1").unwrap());
    let heading =
        |inner: &str| Selected::Group(GroupKey::parse(&format!("h:gpu1{inner}")).unwrap());
    let whole = heading(&format!("/p:{}", dir()));
    for (selected, name) in [
        (far("api"), "shop on gpu1"),
        (whole, "shop on gpu1"),
        (far("notes"), "a project on gpu1"),
        (heading(""), "a project on gpu1"),
    ] {
        for keys in ["u", "U", "\x12", ":bring up\r", ":bring down\r"] {
            let mut dash = two_machines(120, 40);
            dash.model.list.selected = selected.clone();
            dash.later(0).press(keys).press("y");
            assert_eq!(asked(&mut dash), [], "{selected:?} {keys}");
            let text = dash.text();
            assert!(
                text.contains(&format!("Not done with {name}: ")),
                "{keys}: {text}"
            );
        }
    }
    let mut dash = two_machines(120, 40);
    dash.model.list.selected = far("api");
    dash.later(0).press(":exec\r");
    assert!(
        !dash
            .asked()
            .iter()
            .any(|cmd| matches!(cmd, Cmd::Effect(Effect::Exec(..))))
    );
    assert!(
        dash.text().contains("Not done with shop on gpu1"),
        "{}",
        dash.text()
    );
    // Of two marked jobs, one is there.
    let mut dash = two_machines(120, 40);
    dash.model
        .list
        .marked
        .extend([id("api"), id("api").at("gpu1").unwrap()]);
    dash.later(0).press("u");
    assert_eq!(asked(&mut dash), []);
}

#[test]
fn a_project_has_only_the_jobs_of_its_own_machine() {
    let mut dash = two_machines(80, 24);
    crate::tui::list::select::job(&mut dash.model, &id("api"));
    dash.press("U");
    let own = dash.status();
    let mut alone = shop(80, 24);
    crate::tui::list::select::job(&mut alone.model, &id("api"));
    alone.press("U");
    assert_eq!(own.split('?').next(), alone.status().split('?').next());
    // What a job needs is beside it.
    dash.press("n");
    crate::tui::list::select::job(&mut dash.model, &id("api").at("gpu1").unwrap());
    let text = dash.later(0).text();
    assert!(
        text.contains("needs db ready    was never started"),
        "{text}"
    );
    assert!(
        !text.contains("bring up") && !text.contains("u up"),
        "{text}"
    );
    // What happens there does not settle the project here.
    let plan = json!([{"change": "start", "job": "lint"}]);
    let up = ProjectRequest::Up {
        dir: dir(),
        jobs: Vec::new(),
    };
    reply(&mut dash, up, state(json!([]), plan));
    asked(&mut dash);
    let mut lint = of_shop(record("lint"), 7, PhaseName::Running, None);
    lint.summary.session_id = id("lint").at("gpu1").unwrap();
    dash.record(&lint);
    assert_eq!(asked(&mut dash), []);
}

#[test]
fn what_became_of_it_is_told_once() {
    let mut dash = shop(120, 40);
    dash.press("gu");
    asked(&mut dash);
    let plan = json!([{"change": "start", "job": "db"}, {"change": "start", "job": "web"}]);
    let up = ProjectRequest::Up {
        dir: dir(),
        jobs: Vec::new(),
    };
    reply(&mut dash, up.clone(), state(json!([]), plan.clone()));
    let text = dash.text();
    assert!(
        text.contains("Bringing up shop: db, web.") && text.contains("bgproc up"),
        "{text}"
    );
    let settle = settle(&["db", "web"]);
    let (request, params) = asked(&mut dash).remove(0);
    assert_eq!(request, settle);
    let names = ["db", "web"].map(str::to_owned).to_vec();
    assert_eq!((params.jobs, params.no_deps), (Some(names), Some(true)));
    // Not settled within a minute: the next request goes on.
    let starting = json!([{"job": "web", "phase": "starting", "wanted": true}]);
    let mut unsettled = state(starting, json!([]));
    unsettled["settled"] = json!(false);
    reply(&mut dash, settle.clone(), unsettled);
    assert_eq!(asked(&mut dash)[0].0, settle);
    let jobs = json!([
        {"job": "db", "phase": "ready", "wanted": true},
        {"job": "web", "phase": "failed", "wanted": true, "why": "port 3000 is used by blog/web (pid 7)"},
        {"job": "old", "phase": "failed", "wanted": true, "exitCode": 3},
    ]);
    reply(&mut dash, settle.clone(), state(jobs, json!([])));
    let text = dash.text().replace('\n', " ");
    assert!(text.contains("web not started"), "{text}");
    assert!(!text.contains("Bringing up"), "it is over: {text}");
    assert!(
        !text.contains("old failed"),
        "it was not brought up: {text}"
    );
    assert_eq!(asked(&mut dash), []);
    dash.press("\x1b");
    reply(&mut dash, up, state(json!([]), plan));
    let jobs = json!([
        {"job": "db", "phase": "ready", "wanted": true},
        {"job": "web", "phase": "done", "wanted": true},
    ]);
    reply(&mut dash, settle, state(jobs, json!([])));
    let text = dash.text();
    assert!(text.contains("shop is up: 1 ready, 1 done."), "{text}");
}

#[test]
fn what_became_of_the_named_jobs_is_told_when_they_have_settled() {
    let begin = |job: &str| {
        let mut dash = shop(120, 40);
        crate::tui::list::select::job(&mut dash.model, &id(job));
        dash.press("u");
        let (up, _) = asked(&mut dash).remove(0);
        let plan = json!([{"change": "start", "job": job}]);
        reply(&mut dash, up, state(json!([]), plan));
        dash
    };
    // A task that runs has not settled, which only the daemon knows.
    let mut dash = begin("migrate");
    let mut runs = state(
        json!([{"job": "migrate", "phase": "running", "wanted": true}]),
        json!([]),
    );
    runs["settled"] = json!(false);
    reply(&mut dash, settle(&["migrate"]), runs);
    assert!(!dash.text().contains("migrate is running"));
    let jobs = json!([
        {"job": "migrate", "phase": "failed", "wanted": true, "exitCode": 3},
        {"job": "api", "phase": "failed", "wanted": true, "exitCode": 1},
    ]);
    reply(&mut dash, settle(&["migrate"]), state(jobs, json!([])));
    let text = dash.text();
    assert!(text.contains("migrate failed (exit 3)."), "{text}");
    assert!(!text.contains("all up"), "{text}");

    let mut dash = begin("db");
    let jobs = json!([{"job": "db", "phase": "ready", "wanted": true}]);
    reply(&mut dash, settle(&["db"]), state(jobs, json!([])));
    let text = dash.text();
    assert!(
        text.contains("db is ready.") && text.contains("bgproc up db"),
        "{text}"
    );
}

#[test]
fn jobs_that_are_brought_up_meanwhile_are_waited_for_too() {
    let mut dash = shop(120, 40);
    for job in ["db", "web"] {
        crate::tui::list::select::job(&mut dash.model, &id(job));
        asked(&mut dash);
        dash.press("u");
        let (up, _) = asked(&mut dash).remove(0);
        let plan = json!([{"change": "start", "job": job}]);
        reply(&mut dash, up, state(json!([]), plan));
    }
    let jobs = json!([
        {"job": "db", "phase": "ready", "wanted": true},
        {"job": "web", "phase": "ready", "wanted": true},
    ]);
    reply(&mut dash, settle(&["db"]), state(jobs.clone(), json!([])));
    assert!(!dash.text().contains("is ready"), "{}", dash.text());
    reply(&mut dash, settle(&["db", "web"]), state(jobs, json!([])));
    let text = dash.text();
    assert!(text.contains("db, web are up: 2 ready."), "{text}");
}

#[test]
fn after_a_reconnect_it_is_asked_for_again() {
    let mut dash = shop(80, 24);
    let plan = json!([{"change": "start", "job": "db"}]);
    let up = ProjectRequest::Up {
        dir: dir(),
        jobs: Vec::new(),
    };
    reply(&mut dash, up, state(json!([]), plan));
    assert_eq!(asked(&mut dash).len(), 1);
    dash.link(LinkEvent::Down).link(LinkEvent::Up);
    assert_eq!(asked(&mut dash).len(), 1);
}

#[test]
fn down_asks_and_names_the_number_of_jobs() {
    for (width, height) in [(120, 40), (80, 24), (40, 12)] {
        let mut dash = shop(width, height);
        dash.press("gU")
            .snapshot(&format!("project-down-{width}x{height}"));
        dash.press("\r");
        assert_eq!(asked(&mut dash), [], "Enter never confirms");
    }
    let mut dash = shop(80, 24);
    dash.press("gUy");
    let (request, params) = asked(&mut dash).remove(0);
    assert_eq!((params.op, params.now), (Some(ProjectOp::Down), None));
    let mut ended = state(json!([]), json!([]));
    ended["up"] = json!(false);
    reply(&mut dash, request, ended);
    let text = dash.text();
    assert!(text.contains("shop is down (4 jobs stopped)."), "{text}");
    dash.press("gUX");
    assert_eq!(asked(&mut dash)[0].1.now, Some(true));
    let mut none = Dash::new(80, 24, vec![record("notes")]);
    none.press("U");
    assert!(
        none.text().contains("No job of the project of"),
        "{}",
        none.text()
    );
}

/// A dashboard that shows a plan.
fn reloading(width: u16, height: u16) -> Dash {
    let mut dash = shop(width, height);
    dash.press("g\x12");
    let (request, params) = asked(&mut dash).remove(0);
    assert_eq!(
        (params.op, params.reload),
        (Some(ProjectOp::Plan), Some(true))
    );
    let plan = json!([
        {"change": "keep", "job": "db", "note": "ready"},
        {"change": "restart", "job": "api", "note": "run changed"},
        {"change": "apply", "job": "web", "note": "notify changed"},
        {"change": "start", "job": "docs"},
        {"change": "rename", "job": "front", "note": "was ui"},
        {"change": "gone", "job": "worker", "fate": "goesOn"},
    ]);
    reply(&mut dash, request, state(json!([]), plan));
    dash
}

#[test]
fn a_reload_shows_its_plan_first() {
    for (width, height) in [(120, 40), (80, 24), (40, 12)] {
        let mut dash = reloading(width, height);
        dash.snapshot(&format!("project-reload-{width}x{height}"));
        dash.press("\r");
        assert_eq!(asked(&mut dash), [], "Enter never confirms");
        dash.press("n");
        assert!(dash.model.is_normal());
        assert_eq!(asked(&mut dash), []);
    }
    for (key, prune) in [("y", None), ("P", Some(true))] {
        let mut dash = reloading(80, 24);
        dash.press(key);
        let (_, params) = asked(&mut dash).remove(0);
        assert_eq!((params.op, params.prune), (Some(ProjectOp::Reload), prune));
    }
    let mut dash = shop(80, 24);
    let plan = ProjectRequest::Plan { dir: dir() };
    let same = json!([{"change": "keep", "job": "db", "note": "ready"}]);
    reply(&mut dash, plan, state(json!([]), same));
    assert!(dash.model.is_normal());
    assert!(dash.text().contains("nothing to reload"), "{}", dash.text());
}

#[test]
fn a_job_whose_schedule_ends_does_not_go_on() {
    let mut dash = shop(80, 24);
    let plan = ProjectRequest::Plan { dir: dir() };
    let night = json!({"change": "gone", "job": "night", "fate": "scheduleEnds"});
    reply(&mut dash, plan.clone(), state(json!([]), json!([night])));
    let text = dash.text();
    assert!(
        text.contains("night (is not in the file; its schedule ends)"),
        "{text}"
    );
    assert!(!text.contains("also stop"), "{text}");
    dash.press("P");
    assert_eq!(asked(&mut dash), []);
    dash.press("\x1b");
    let web = json!({"change": "gone", "job": "web", "fate": "goesOn"});
    reply(&mut dash, plan, state(json!([]), json!([night, web])));
    let text = dash.text();
    assert!(
        text.contains("web (is not in the file, and goes on)"),
        "{text}"
    );
    assert!(dash.status().contains("P also stop 1"), "{}", dash.status());
}

#[test]
fn mistakes_of_a_file_are_a_page() {
    let faults = "bgproc.toml:14:1: unknown key \"comand\" in [jobs.web]. Did you mean \"cmd\"?\n\
                  bgproc.toml:20:9: [jobs.api] needs \"bd\", which is not a job. Did you mean \"db\"?";
    for (width, height) in [(80, 24), (40, 12)] {
        let mut dash = shop(width, height);
        let up = ProjectRequest::Up {
            dir: dir(),
            jobs: Vec::new(),
        };
        refuse(&mut dash, up, Error::new(ErrorCode::InvalidProject, faults));
        dash.snapshot(&format!("project-mistakes-{width}x{height}"));
        dash.press("\x1b");
        assert!(dash.model.is_normal());
    }
    // Nothing opens over what a person types.
    let mut dash = shop(80, 24);
    dash.press("/web");
    let up = ProjectRequest::Up {
        dir: dir(),
        jobs: Vec::new(),
    };
    refuse(&mut dash, up, Error::new(ErrorCode::InvalidProject, faults));
    assert_eq!(dash.model.mode().name(), "FILTER");
    assert!(dash.text().contains("bgproc.toml:14:1"), "{}", dash.text());
}

#[test]
fn the_form_offers_the_jobs_of_the_file_first() {
    let mut dash = shop(80, 24);
    dash.press("n");
    let (request, _) = asked(&mut dash).remove(0);
    let jobs = json!([
        {"job": "db", "phase": "running", "wanted": true, "pid": 9},
        {"job": "worker", "phase": "stopped", "wanted": false},
    ]);
    let plan = json!([{"change": "start", "job": "docs"}, {"change": "keep", "job": "db"}]);
    reply(&mut dash, request, state(jobs, plan));
    let offered: Vec<String> = dash.model.state::<Form>().unwrap().picks()[..2]
        .iter()
        .map(|pick| format!("{} {}", pick.command, pick.source.word()))
        .collect();
    assert_eq!(
        offered,
        ["bgproc up worker project", "bgproc up docs project"]
    );
    dash.snapshot("project-offered-80x24");
    dash.press("\x1b[A\r");
    let (_, params) = asked(&mut dash).remove(0);
    assert_eq!(params.jobs, Some(vec!["worker".to_owned()]));
    assert!(dash.model.is_normal());
}

#[test]
fn a_changed_phase_is_asked_for() {
    let mut dash = shop(80, 24);
    dash.event(EventKind::Phase, "api", json!({}));
    assert_eq!(dash.actions(), ["status"]);
    let mut api = of_shop(record("api"), 4, PhaseName::Ready, None);
    api.summary.ready = Some(true);
    dash.record(&api);
    let text = dash.text();
    assert!(!text.contains("skipped"), "{text}");
}

#[test]
fn exec_opens_a_shell_in_the_environment_of_the_job() {
    let mut dash = shop(80, 24);
    crate::tui::list::select::job(&mut dash.model, &id("db"));
    dash.press(":exec\r");
    let expected = Cmd::Effect(Effect::Exec(dir(), "db".to_owned()));
    assert!(dash.asked().contains(&expected));
    assert_eq!(dash.model.list.selected, Selected::Job(id("db")));
}

#[test]
fn a_job_that_has_left_the_file_is_looked_at_again() {
    let asks = |dash: &mut Dash| {
        let asked = dash.asked().into_iter();
        let ids = asked.filter_map(|cmd| match cmd {
            Cmd::Request(RequestKind::Record(id), _) => Some(id),
            _ => None,
        });
        ids.collect::<Vec<_>>()
    };
    let mut dash = Dash::new(120, 40, records());
    dash.asked();
    dash.usage(records());
    assert_eq!(asks(&mut dash), []);
    let mut left = records();
    let backup = left
        .iter_mut()
        .find(|one| one.summary.session_id == id("backup"));
    backup.unwrap().summary.project = None;
    dash.usage(left);
    assert_eq!(asks(&mut dash), [id("backup")]);
    // A reload of this view tells it at once.
    let mut dash = Dash::new(120, 40, records());
    dash.asked();
    let roles = records().into_iter().filter_map(|one| one.summary.project);
    let names = roles.map(|role| role.job).filter(|name| name != "backup");
    let jobs = names.map(|job| json!({"job": job, "phase": "ready", "wanted": true}));
    let state = json!({
        "name": "shop", "dir": dir(), "up": true, "files": [], "seq": 1, "settled": true, "failed": false,
        "jobs": jobs.collect::<Vec<Value>>(),
    });
    let tag = RequestKind::Project(ProjectRequest::Reload { dir: dir() });
    dash.link(LinkEvent::Reply(tag, Ok(state)));
    assert_eq!(asks(&mut dash), [id("backup")]);
}

#[test]
fn an_empty_list_offers_the_project_that_is_here() {
    let mut dash = Dash::new(80, 24, Vec::new());
    let asks = |cmd: &Cmd| {
        matches!(
            cmd,
            Cmd::Request(RequestKind::Project(ProjectRequest::Here), _)
        )
    };
    assert_eq!(dash.asked().iter().filter(|cmd| asks(cmd)).count(), 1);
    assert!(!dash.later(1000).asked().iter().any(asks), "asked for once");
    assert!(!dash.text().contains("bring up"), "{}", dash.text());
    let tag = RequestKind::Project(ProjectRequest::Here);
    let none = Error::new(ErrorCode::InvalidParams, "no project file");
    dash.link(LinkEvent::Reply(tag.clone(), Err(none)));
    assert!(
        dash.model
            .toasts
            .said()
            .all(|said| !said.text.contains("no project file"))
    );
    let state = json!({
        "name": "shop", "dir": dir(), "up": false, "files": ["/home/ada/shop/Procfile"],
        "seq": 1, "settled": true, "failed": false, "jobs": [
            {"job": "web", "phase": "stopped", "wanted": false},
            {"job": "worker", "phase": "stopped", "wanted": false},
        ],
    });
    dash.link(LinkEvent::Reply(tag, Ok(state)));
    assert!(
        dash.text().contains("bring up the project shop"),
        "{}",
        dash.text()
    );
    assert!(dash.text().contains("start ./Procfile: web, worker"));
    assert!(
        dash.text().contains("n new  u up (Procfile found)"),
        "{}",
        dash.text()
    );
    dash.later(10_000).snapshot("empty-project-80x24");
}

#[test]
fn a_service_that_ended_before_it_was_ready_has_failed() {
    let web = ended("web", Status::Done, Some(0), MINUTE);
    let web = of_shop(web, 0, PhaseName::Failed, Some("ended before it was ready"));
    let mut dash = Dash::new(120, 40, vec![web.clone(), record("notes")]);
    let counts = dash.model.counts();
    assert_eq!((counts.failed, counts.done), (1, 0));
    dash.press("/!failed\r").screen("web", 40, 120, "bye\r\n");
    let card = RequestKind::Card(id("web"), CardPart::Runs);
    dash.link(LinkEvent::Reply(card, Ok(json!(web))));
    let text = dash.text();
    assert!(text.contains("✗ web"), "{text}");
    assert!(!text.contains("● notes"), "{text}");
    assert!(text.contains("failed: ended before it was ready"), "{text}");
}
