//! Each key, its default and its forms.

use std::path::Path;

use super::super::job::{Per, PortBusy, Program};
use super::super::memory::Memory;
use super::super::ready::Check;
use super::super::schedule::{Missed, Overlap, When};
use super::super::stop::StopHow;
use super::super::watch::WatchDo;
use super::super::{AgentAccess, Job, OnFailure};
use super::{load_files, project};
use crate::protocol::Notice;
use crate::protocol::policy::RestartWhen;

fn job(text: &str) -> Job {
    project(&format!("[jobs.a]\n{text}\n"))
        .jobs
        .remove("a")
        .unwrap()
}

#[test]
fn the_file_of_the_contract() {
    let text = include_str!("contract.toml");
    let files = Memory::with(&[
        ("/p/bgproc.toml", text),
        ("/p/.env", ""),
        ("/p/apps/web/bgproc.toml", "[jobs.dev]\nrun = \"x\"\n"),
    ]);
    let project = load_files(&files).unwrap();
    assert_eq!(project.name, "shop");
    assert_eq!(project.agents, AgentAccess::Read);
    assert_eq!(project.order, ["db", "api", "web/dev"]);
    assert_eq!(project.paths, [Path::new("/p/bgproc.toml")]);
    let back = &project.groups["back"];
    assert_eq!(back.jobs, ["db", "api"]);
    assert_eq!((back.parallel, back.on_failure), (0, OnFailure::Continue));
    let api = &project.jobs["api"];
    let argv = ["x", "${PORT}"].map(str::to_owned).to_vec();
    assert_eq!(api.program, Program::Argv(argv));
    assert!(api.is_task);
    assert_eq!(api.limits.memory_bytes, Some(2 << 30));
    assert_eq!(api.limits.processes, None);
    let json = serde_json::to_string(&project).unwrap();
    let again: super::Project = serde_json::from_str(&json).unwrap();
    assert_eq!(again, project);
}

#[test]
fn defaults() {
    let job = job("run = \"x\"");
    assert_eq!(job.env_files.len(), 1);
    assert!(job.env_files[0].may_be_missing);
    assert_eq!(job.env_files[0].path, Path::new("/p/.env"));
    let mut usual = Job::new(Path::new("/p"), Program::Line("x".to_owned()));
    usual.env_files = job.env_files.clone();
    assert_eq!(job, usual);
    assert_eq!(job.restart.when, RestartWhen::Never);
    assert_eq!(job.stop.how, StopHow::Signal("TERM".to_owned()));
    assert_eq!(job.stop.grace_ms, 10_000);
    assert_eq!(project("[jobs.a]\nrun = \"x\"\n").name, "p");
}

#[test]
fn forms_of_ready() {
    let ready = |text: &str| job(&format!("run = \"x\"\nready = {text}")).ready.unwrap();
    let one = ready("{ log = \"up at \\\\d+\" }");
    assert_eq!(one.check, Check::Log("up at \\d+".to_owned()));
    assert_eq!((one.timeout_ms, one.every_ms), (120_000, 500));
    assert_eq!(ready("{ port = 80 }").check, Check::Port("80".to_owned()));
    assert_eq!(
        ready("{ port = \"${PORT}\" }").check,
        Check::Port("${PORT}".to_owned())
    );
    assert_eq!(
        ready("{ tcp = \"h:1\" }").check,
        Check::Tcp("h:1".to_owned())
    );
    let http =
        ready("{ http = \"http://h/\", status = [200, 204], timeout = \"1m\", every = \"1s\" }");
    let url = "http://h/".to_owned();
    assert_eq!(
        http.check,
        Check::Http {
            url,
            status: vec![200, 204]
        }
    );
    assert_eq!((http.timeout_ms, http.every_ms), (60_000, 1000));
    assert_eq!(
        ready("{ exec = \"true ${X}\" }").check,
        Check::Exec("true ${X}".to_owned())
    );
    assert_eq!(ready("{ file = \"x\" }").check, Check::File("x".to_owned()));
    assert_eq!(ready("{ quiet = \"2s\" }").check, Check::Quiet(2000));
}

#[test]
fn forms_of_restart_and_stop() {
    let one = job(
        "run = \"x\"\nrestart = { when = \"always\", max = 3, backoff = \"2s..1m\", reset = \"5m\" }",
    );
    let restart = one.restart;
    assert_eq!((restart.when, restart.max), (RestartWhen::Always, 3));
    assert_eq!(
        (restart.first_ms, restart.longest_ms, restart.reset_ms),
        (2000, 60_000, 300_000)
    );
    let hangs = job(
        "run = \"x\"\nready = { port = 80 }\nrestart = { when = \"always\", unready = \"30s\" }",
    );
    assert_eq!(hangs.restart.unready_ms, Some(30_000));
    let fixed = job("run = \"x\"\nrestart = { backoff = \"2s\" }").restart;
    assert_eq!((fixed.first_ms, fixed.longest_ms), (2000, 2000));
    let stop = |text: &str| job(&format!("run = \"x\"\nstop = {text}")).stop;
    assert_eq!(
        stop("{ signal = \"sigint\", grace = \"1s\" }").how,
        StopHow::Signal("INT".to_owned())
    );
    assert_eq!(
        stop("{ keys = \"q\" }").how,
        StopHow::Keys(vec!["q".to_owned()])
    );
    let keys = vec!["C-c".to_owned(), "y".to_owned()];
    assert_eq!(
        stop("{ keys = [\"C-c\", \"y\"] }").how,
        StopHow::Keys(keys.clone())
    );
    assert_eq!(stop("{ keys = \"C-c y\" }").how, StopHow::Keys(keys));
    assert_eq!(
        stop("{ run = \"down\" }").how,
        StopHow::Run("down".to_owned())
    );
}

#[test]
fn forms_of_watch_and_schedule() {
    let watch = |text: &str| job(&format!("run = \"x\"\nwatch = {text}")).watch.unwrap();
    let usual = watch("{}");
    assert_eq!(usual.paths, [Path::new("/p")]);
    assert_eq!(
        (usual.gitignore, usual.debounce_ms, usual.cascade),
        (true, 300, false)
    );
    let one =
        watch("{ paths = [\"src\", \"../x\"], only = [\"*.{rs,toml}\"], do = \"signal:hup\" }");
    assert_eq!(one.paths, [Path::new("/p/src"), Path::new("/x")]);
    assert_eq!(one.what, WatchDo::Signal("HUP".to_owned()));
    assert_eq!(
        watch("{ do = \"keys:r\" }").what,
        WatchDo::Keys(vec!["r".to_owned()])
    );
    let nightly = job(
        "run = \"x\"\nschedule = { cron = \"@daily\", tz = \"Europe/Berlin\", missed = \"once\", overlap = \"queue\", jitter = \"5m\", at_start = true }",
    );
    assert!(nightly.is_task);
    let schedule = nightly.schedule.unwrap();
    assert_eq!(schedule.when, When::Cron("@daily".to_owned()));
    assert_eq!(schedule.tz.as_deref(), Some("Europe/Berlin"));
    assert_eq!(
        (schedule.missed, schedule.overlap),
        (Missed::Once, Overlap::Queue)
    );
    assert_eq!((schedule.jitter_ms, schedule.at_start), (300_000, true));
    let often =
        job("run = \"x\"\nkind = \"service\"\nschedule = { every = \"30m\", tz = \"local\" }");
    assert!(!often.is_task);
    assert_eq!(often.schedule.unwrap().tz, None);
}

#[test]
fn short_forms_of_restart_and_watch_are_tables() {
    let restart = |text: &str| job(&format!("run = \"x\"\nrestart = {text}")).restart;
    for (text, when, max) in [
        ("\"never\"", RestartWhen::Never, 5),
        ("\"no\"", RestartWhen::Never, 5),
        ("\"on-failure\"", RestartWhen::OnFailure, 5),
        ("\"on-failure:2\"", RestartWhen::OnFailure, 2),
        ("\"always\"", RestartWhen::Always, u32::MAX),
        ("\"always:3\"", RestartWhen::Always, 3),
    ] {
        let restart = restart(text);
        assert_eq!((restart.when, restart.max), (when, max), "{text}");
    }
    let watch = job("run = \"x\"\nwatch = [\"src\", \"Cargo.toml\"]").watch;
    let paths = [Path::new("/p/src"), Path::new("/p/Cargo.toml")];
    assert_eq!(watch.unwrap().paths, paths);
    // Both forms merge.
    let project = project(
        "[defaults]\nrestart = \"always\"\nwatch = { debounce = \"1s\" }\n\
         [jobs.a]\nrun = \"a\"\nrestart = { max = 7 }\nwatch = [\"src\"]\n",
    );
    let a = &project.jobs["a"];
    assert_eq!((a.restart.when, a.restart.max), (RestartWhen::Always, 7));
    let watch = a.watch.as_ref().unwrap();
    assert_eq!((watch.paths.len(), watch.debounce_ms), (1, 1000));
}

#[test]
fn simple_keys() {
    let one = job(
        "cmd = [\"x\"]\nport = { http = 1, admin = 2 }\nport_busy = \"next\"\nper = \"repo\"\n\
         tags = [\"t\", \"t\"]\nautostart = false\nconfirm = true\nsize = \"80x24\"\npty = false\n\
         ok_codes = [0, 143]\ntimeout = \"5m\"\nopen = \"http://x\"\nnotify = [\"done\", \"failed\"]\n\
         description = \"d\"\non = { exit = \"e\", ready = \"\" }\nenv = { A = \"\", B = false, C = 3 }",
    );
    assert_eq!(one.ports["admin"], 2);
    assert_eq!((one.port_busy, one.per), (PortBusy::Next, Per::Repo));
    assert_eq!(one.tags, ["t"]);
    assert!(!one.autostart && one.confirm && !one.pty);
    assert_eq!((one.cols, one.rows), (80, 24));
    assert_eq!(one.ok_codes, [0, 143]);
    assert_eq!(one.timeout_ms, 300_000);
    assert_eq!(one.notify, [Notice::Done, Notice::Failed]);
    assert_eq!((one.on.exit.as_deref(), one.on.ready), (Some("e"), None));
    let text = |name: &str| {
        one.own_env
            .iter()
            .find(|(known, _)| known == name)
            .unwrap()
            .1
            .clone()
    };
    assert_eq!(
        (text("A"), text("B"), text("C")),
        (Some(String::new()), None, Some("3".to_owned()))
    );
    for port in ["80", "8_0", "0x50", "0b1010000", "+80"] {
        assert_eq!(
            job(&format!("run = \"x\"\nport = {port}")).ports[""],
            80,
            "{port}"
        );
    }
    assert_eq!(job("run = \"x\"\ntimeout = \"none\"").timeout_ms, 0);
}

#[test]
fn every_form_survives_json() {
    for line in [
        "port = { a = 1 }\nport_busy = \"next\"\nper = \"repo\"\nsize = \"1x2\"\npty = false\ncwd = \"${X:-a}\"",
        "ready = { http = \"http://x\", status = [204], timeout = \"1s\", every = \"2s\" }\nkind = \"task\"",
        "ready = { quiet = \"1s\" }\nrestart = { when = \"on-failure\", max = 1 }\nnotify = [\"input\"]",
        "stop = { keys = \"q\" }\nwatch = { do = \"keys:r\", gitignore = false, debounce = \"1s\" }\ntags = [\"t\"]",
        "stop = { run = \"x\" }\nwatch = { do = \"signal:HUP\", cascade = true, only = [\"*\"] }\nopen = \"x\"",
        "schedule = { cron = \"@daily\", tz = \"UTC\", missed = \"once\", overlap = \"restart\", jitter = \"1s\" }",
        "schedule = { every = \"1h\" }\nlimits = { memory = \"1G\" }\non = { exit = \"x\" }\nok_codes = [1]",
        "env = { A = \"${X}\", B = false }\nenv_file = [\"?x\"]\ngroup = \"g\"\ndescription = \"d\"\ntimeout = \"1s\"",
    ] {
        let one = job(&format!("run = \"x\"\n{line}"));
        let json = serde_json::to_string(&one).unwrap();
        let again: Job = serde_json::from_str(&json).unwrap();
        assert_eq!(again, one, "{json}");
        assert_eq!(again.places.0, one.places.0);
        assert_eq!(serde_json::to_string(&again).unwrap(), json);
    }
}

#[test]
fn defaults_lie_below_each_job() {
    let project = project(
        "[defaults]\nrestart = { when = \"always\", max = 2 }\nenv = { A = \"1\", B = \"2\" }\n\
         ready = { port = 80, timeout = \"1m\" }\ntags = [\"x\"]\n\
         [jobs.a]\nrun = \"a\"\nrestart = { max = 7 }\nenv = { B = \"3\" }\nready = { quiet = \"1s\" }\ntags = []\n\
         [jobs.b]\nrun = \"b\"\n",
    );
    let (a, b) = (&project.jobs["a"], &project.jobs["b"]);
    assert_eq!((a.restart.when, a.restart.max), (RestartWhen::Always, 7));
    assert_eq!(b.restart.max, 2);
    let env = |job: &Job| {
        job.own_env
            .iter()
            .filter_map(|(_, text)| text.clone())
            .collect::<String>()
    };
    assert_eq!((env(a), env(b)), ("13".to_owned(), "12".to_owned()));
    let ready = a.ready.clone().unwrap();
    assert_eq!(
        (ready.check, ready.timeout_ms),
        (Check::Quiet(1000), 60_000)
    );
    assert_eq!((a.tags.len(), b.tags.len()), (0, 1));
}

#[test]
fn later_files_are_laid_over_earlier_ones() {
    let files = Memory::with(&[
        (
            "/p/bgproc.toml",
            "[jobs.a]\ncmd = [\"x\"]\nport = 1\n[jobs.b]\nrun = \"b\"\n",
        ),
        (
            "/p/sub/l.toml",
            "[jobs.a]\nrun = \"y\"\ncwd = \"here\"\nwatch = { paths = [\"w\"] }\n",
        ),
    ]);
    let project = super::load_with(&files, &["bgproc.toml", "sub/l.toml"]).unwrap();
    let a = &project.jobs["a"];
    assert_eq!(a.program, Program::Line("y".to_owned()));
    assert_eq!(a.ports[""], 1);
    // Paths are relative to the file that says them.
    assert_eq!(a.cwd, "/p/sub/here");
    assert_eq!(a.dir, Path::new("/p"));
    assert_eq!(a.watch.clone().unwrap().paths, [Path::new("/p/sub/w")]);
    assert_eq!(project.order, ["a", "b"]);
}

#[test]
fn env_files_of_the_file_and_of_the_job() {
    let files = Memory::with(&[
        (
            "/p/bgproc.toml",
            "env_file = [\".env\", \"?x\"]\n[jobs.a]\nrun = \"x\"\nenv_file = [\"c/y\"]\n",
        ),
        ("/p/.env", ""),
        ("/p/c/y", ""),
    ]);
    let project = load_files(&files).unwrap();
    let a = &project.jobs["a"];
    let of = |list: &[super::super::job::EnvFile]| {
        let files = list
            .iter()
            .map(|file| (file.path.display().to_string(), file.may_be_missing));
        files.collect::<Vec<_>>()
    };
    assert_eq!(
        of(&a.env_files),
        [("/p/.env".to_owned(), false), ("/p/x".to_owned(), true)]
    );
    assert_eq!(of(&a.own_env_files), [("/p/c/y".to_owned(), false)]);
}

#[test]
fn groups_have_the_jobs_that_they_list_and_those_that_name_them() {
    let project = project(
        "[jobs.a]\nrun = \"a\"\ngroup = \"q\"\n[jobs.b]\nrun = \"b\"\n[jobs.c]\nrun = \"c\"\ngroup = \"other\"\n\
         [groups.q]\njobs = [\"b\"]\nparallel = 2\non_failure = \"pause\"\n",
    );
    let q = &project.groups["q"];
    assert_eq!(
        (q.jobs.clone(), q.parallel),
        (vec!["b".to_owned(), "a".to_owned()], 2)
    );
    assert_eq!(q.on_failure, OnFailure::Pause);
    assert_eq!(project.groups["other"].jobs, ["c"]);
    assert_eq!(project.jobs["b"].group.as_deref(), Some("q"));
}
