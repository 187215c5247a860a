//! Jobs with a schedule.

use std::time::Duration;

use super::{Project, has};
use crate::support::{Terminal, eventually, eventually_within};

/// How often a job has begun: each run of these jobs adds a line to a file.
fn begun(shop: &Project, file: &str) -> usize {
    let text = std::fs::read_to_string(shop.dir.join(file)).unwrap_or_default();
    text.lines().count()
}

/// Waits until a file has that many lines.
#[track_caller]
fn until_begun(shop: &Project, file: &str, times: usize) {
    eventually(&format!("{file} has {times} lines"), || {
        (begun(shop, file) >= times).then_some(())
    });
}

/// A job that runs every second beside others, so that its runs show how much time has passed.
const TICK: &str =
    "version = 1\n[jobs.tick]\nrun = \"echo >> ticks\"\nschedule = { every = \"1s\" }\n";

#[test]
fn it_runs_again_and_again_and_says_when_next() {
    let shop = Project::new(&format!(
        "{TICK}[jobs.night]\nrun = \"true\"\nschedule = {{ cron = \"0 2 * * *\", tz = \"Europe/Berlin\" }}\n"
    ));
    let lines = shop.ok(&["up"]);
    let night = lines.iter().find(|line| line.starts_with("night "));
    assert!(
        night.unwrap().starts_with("night scheduled: next 20"),
        "{lines:?}"
    );
    until_begun(&shop, "ticks", 3);
    shop.until("tick", "scheduled");
    let next = shop.job("tick")["project"]["nextRun"].clone();
    assert!(next.is_string(), "{next}");
    let listed = shop.ok(&["ls"]).join("\n");
    assert!(
        listed.contains("scheduled") && listed.contains("in 0s"),
        "{listed}"
    );
    let status = shop.run(&["status", "tick"]).stdout;
    assert!(
        status.contains(" next run  20") && status.contains(" run  3  "),
        "{status}"
    );
    assert!(!status.contains("restarts"), "{status}");
    let tick = shop.job("tick");
    let (created, started) = (tick["createdAt"].as_str(), tick["startedAt"].as_str());
    assert!(created < started, "{tick}");
    assert!(shop.job("night")["startedAt"].is_null());
    let why = shop.ok(&["why", "night"]).join("\n");
    assert!(
        why.contains("it has not run yet; it runs next at 20"),
        "{why}"
    );
    let again = shop.ok(&["up", "-n"]);
    has(&again, "= night (scheduled)");
    has(&again, "= tick (ok)");
}

#[test]
fn a_run_that_fails_is_told_beside_the_time_of_the_next() {
    let shop = Project::new(
        "[jobs.once]\nrun = \"exit 3\"\nschedule = { cron = \"0 2 1 1 *\", at_start = true }\n",
    );
    shop.ok(&["up"]);
    eventually("the run at the start has failed", || {
        let why = shop.job("once")["project"]["why"].clone();
        (why == "its last run failed").then_some(())
    });
    let up = shop.ok(&["up"]).join("\n");
    assert!(
        up.contains("once scheduled: next 20") && up.contains("its last run failed"),
        "{up}"
    );
}

#[test]
fn a_plan_names_a_renamed_job_that_waits_for_its_schedule() {
    let file = |name: &str| {
        format!(
            "version = 1\n[jobs.{name}]\nrun = \"true\"\nschedule = {{ cron = \"0 2 1 1 *\" }}\n"
        )
    };
    let shop = Project::new(&file("nightly2"));
    shop.ok(&["up"]);
    shop.write(&file("nightly3"));
    let plan = shop.ok(&["reload", "-n"]);
    has(&plan, "> nightly3 (was nightly2)");
    shop.ok(&["reload"]);
    shop.until("nightly3", "scheduled");
}

#[test]
fn it_goes_on_after_the_death_of_the_daemon_and_no_time_comes_twice() {
    let shop = Project::new(TICK);
    shop.ok(&["up"]);
    let began = std::time::Instant::now();
    for times in 1..4 {
        until_begun(&shop, "ticks", times);
        shop.home.kill_daemon();
    }
    until_begun(&shop, "ticks", 5);
    let passed = began.elapsed().as_secs() as usize + 1;
    let ran = begun(&shop, "ticks");
    assert!(ran <= passed, "{ran} runs in {passed} s");
}

#[test]
fn a_run_that_has_not_ended_is_left_alone_waited_for_or_stopped() {
    let slow = |name: &str, overlap: &str| {
        format!(
            "[jobs.{name}]\nrun = \"echo >> {name}; while [ ! -e go ]; do sleep 0.05; done\"\nschedule = {{ every = \"1s\", overlap = \"{overlap}\" }}\n"
        )
    };
    let shop = Project::new(&format!(
        "{TICK}{}{}{}",
        slow("skip", "skip"),
        slow("queue", "queue"),
        slow("restart", "restart")
    ));
    shop.ok(&["up"]);
    until_begun(&shop, "restart", 3);
    until_begun(&shop, "ticks", 3);
    assert_eq!((begun(&shop, "skip"), begun(&shop, "queue")), (1, 1));
    std::fs::write(shop.dir.join("go"), "").unwrap();
    until_begun(&shop, "queue", 2);
    until_begun(&shop, "skip", 2);
}

#[test]
fn a_stop_by_hand_holds_against_the_schedule_and_down_turns_it_off() {
    let shop = Project::new(&format!(
        "{TICK}[jobs.other]\nrun = \"echo >> others\"\nschedule = {{ every = \"1s\" }}\n"
    ));
    shop.ok(&["up"]);
    until_begun(&shop, "others", 1);
    shop.until("other", "scheduled");
    let said = shop.ok(&["stop", "other"]);
    has(
        &said,
        "other  its schedule is off; bgproc up other switches it on",
    );
    let why = shop.ok(&["why", "other"]).join("\n");
    assert!(
        why.contains("stopped it; its schedule is off; bgproc up other switches it on"),
        "{why}"
    );
    has(&shop.ok(&["up", "-n"]), "+ other");
    let (held, ticks) = (begun(&shop, "others"), begun(&shop, "ticks"));
    until_begun(&shop, "ticks", ticks + 2);
    assert_eq!(begun(&shop, "others"), held);
    // `start` runs it now, and puts it on its schedule again.
    shop.ok(&["start", "other"]);
    until_begun(&shop, "others", held + 2);
    shop.ok(&["stop", "tick"]);
    shop.until("other", "scheduled");
    has(&shop.ok(&["down"]), "shop is down: its schedules are off");
    let (others, ticks) = (begun(&shop, "others"), begun(&shop, "ticks"));
    shop.ok(&["up", "tick"]);
    until_begun(&shop, "ticks", ticks + 2);
    assert_eq!(begun(&shop, "others"), others);
}

#[test]
fn a_stop_during_a_run_says_that_the_schedule_is_off() {
    let shop = Project::new(
        "version = 1\n[jobs.long]\nrun = \"exec sleep 1000\"\nschedule = { every = \"1h\" }\n",
    );
    shop.ok(&["up"]);
    let paused = shop.run(&["pause", "long"]).expect_code(3);
    let paused = paused.expect_said("long does not run now: it waits for its schedule");
    paused.expect_said("bgproc stop long switches its schedule off");
    shop.ok(&["start", "long"]);
    let off = "its schedule is off; bgproc up long switches it on";
    let said = shop.ok(&["stop", "long"]).join("\n");
    assert!(said.starts_with("long  stopped (SIGTERM, "), "{said}");
    assert!(said.ends_with(&format!("s); {off}")), "{said}");
    let why = shop.ok(&["why", "long"]).join("\n");
    assert!(why.ends_with(&format!("; {off}")), "{why}");
    // It is off already.
    let said = shop.ok(&["stop", "long"]).join("\n");
    assert_eq!(said, "long  had already ended (SIGTERM)");
    let said = shop.ok(&["up", "long"]).join("\n");
    assert!(said.contains("long scheduled: next "), "{said}");
    assert!(shop.job("long")["pid"].is_null(), "it does not run now");
}

#[test]
fn a_changed_schedule_is_applied_without_a_run() {
    let shop = Project::new(&TICK.replace("1s", "1h"));
    shop.ok(&["up"]);
    assert_eq!(begun(&shop, "ticks"), 0);
    shop.write(TICK);
    has(&shop.ok(&["reload"]), "* tick (schedule changed)");
    until_begun(&shop, "ticks", 2);
    shop.write(&TICK.replace("\"1s\"", "\"1h\", at_start = true"));
    shop.ok(&["reload"]);
    shop.ok(&["down"]);
    let before = begun(&shop, "ticks");
    shop.ok(&["up"]);
    until_begun(&shop, "ticks", before + 1);
    shop.until("tick", "scheduled");
    has(&shop.ok(&["up"]), "= tick (ok)");
    assert_eq!(begun(&shop, "ticks"), before + 1);
}

#[test]
fn a_cron_line_runs_at_the_full_minute() {
    let shop = Project::new(
        "version = 1\n[jobs.minute]\nrun = \"date +%s >> minutes\"\nschedule = { cron = \"* * * * *\" }\n",
    );
    shop.ok(&["up"]);
    let text = eventually_within(Duration::from_secs(80), "the minute has come", || {
        let text = std::fs::read_to_string(shop.dir.join("minutes")).unwrap_or_default();
        text.contains('\n').then_some(text)
    });
    let at: u64 = text.trim().parse().unwrap();
    assert!(at % 60 < 5, "{} s after the minute", at % 60);
}

#[test]
fn a_schedule_that_leaves_the_file_is_told() {
    let web = "version = 1\n[jobs.web]\nrun = \"exec sleep 1000\"\n";
    let shop = Project::new(&format!(
        "{web}[jobs.night]\nrun = \"true\"\nschedule = {{ cron = \"0 2 1 1 *\" }}\n"
    ));
    shop.ok(&["up"]);
    shop.write(web);
    has(
        &shop.ok(&["reload"]),
        "? night is not in the file; its schedule ends",
    );
    assert_eq!(shop.phase("night"), "none");
    // Nothing starts it any more, so nobody has to wait for it.
    let listed = shop.ok(&["ls"]);
    assert!(
        !listed.iter().any(|line| line.contains("queued")),
        "{listed:?}"
    );
    let said = shop.run(&["wait", "--timeout", "10s", "night"]);
    assert_ne!(said.code, Some(124), "{said}");
}

#[test]
fn it_goes_on_when_its_record_was_removed() {
    let shop = Project::new(TICK);
    shop.ok(&["up"]);
    until_begun(&shop, "ticks", 1);
    let first = shop.job("tick")["sessionId"].clone();
    eventually("its record is removed", || {
        shop.run(&["rm", "tick"]);
        (shop.job("tick")["sessionId"] != first).then_some(())
    });
    until_begun(&shop, "ticks", begun(&shop, "ticks") + 2);
    shop.until("tick", "scheduled");
}

#[test]
fn a_run_that_cannot_be_started_is_said_at_once() {
    let shop = Project::new(
        "version = 1\n[jobs.night]\nrun = \"true\"\ncwd = \"sub\"\nschedule = { every = \"1h\", at_start = true }\n",
    );
    let sub = shop.dir.join("sub");
    std::fs::create_dir(&sub).unwrap();
    shop.ok(&["up"]);
    std::fs::remove_dir(&sub).unwrap();
    let began = std::time::Instant::now();
    let refused = shop.run(&["restart", "night"]).expect_code(1);
    refused.expect_said("night not started: ");
    assert!(began.elapsed() < Duration::from_secs(8), "it has waited");
    // That one did not ask for the run.
    shop.run(&["up"]).expect_code(0);
    shop.ok(&["down"]);
    shop.run(&["up"]).expect_code(1);
}

#[test]
fn events_say_who_has_started_a_run() {
    let shop = Project::new(&format!("{TICK}[jobs.web]\nrun = \"exec sleep 1000\"\n"));
    shop.ok(&["up"]);
    until_begun(&shop, "ticks", 2);
    shop.ok(&["down"]);
    shop.ok(&["up", "web"]);
    let events = shop.ok(&["events", "--json"]);
    let by = |name: &str, event: &str| {
        let events = events
            .iter()
            .map(|line| serde_json::from_str(line).unwrap());
        let mut found = events.filter(|one: &serde_json::Value| {
            one["event"] == event && one["data"]["label"] == name
        });
        found.next().unwrap_or_default()["data"]["by"]["kind"].clone()
    };
    assert_eq!(by("web", "started"), "human", "{events:?}");
    assert_eq!(by("web", "restarted"), "human", "{events:?}");
    assert_eq!(by("tick", "started"), "schedule", "{events:?}");
    assert_eq!(by("tick", "restarted"), "schedule", "{events:?}");
}

#[test]
fn clean_keeps_a_job_that_its_schedule_starts_again() {
    let shop = Project::new(&TICK.replace("\"1s\"", "\"1h\", at_start = true"));
    shop.ok(&["up"]);
    until_begun(&shop, "ticks", 1);
    shop.until("tick", "scheduled");
    shop.ok(&["clean"]);
    assert_eq!(shop.phase("tick"), "scheduled");
    shop.ok(&["stop", "tick"]);
    shop.ok(&["clean"]);
    assert_eq!(shop.phase("tick"), "none");
}

#[test]
fn following_a_job_follows_its_later_runs() {
    let shop = Project::new(
        "version = 1\n[jobs.tick]\nrun = \"echo >> ticks; echo run $(wc -l < ticks)\"\nschedule = { every = \"1s\" }\n",
    );
    shop.ok(&["up"]);
    let mut view = Terminal::in_dir(&shop.home, &shop.dir, &["logs", "-f", "tick"], (80, 24));
    view.wait_for_text("run 3");
    assert!(!view.text().contains("(run 1)"), "{}", view.text());
    shop.ok(&["down"]);
    assert_eq!(view.exit_code(), 0);
}

#[test]
fn following_several_jobs_goes_on_until_their_schedules_are_off() {
    let job = |name: &str| {
        format!(
            "[jobs.{name}]\nrun = \"echo >> {name}s; echo run $(wc -l < {name}s)\"\nschedule = {{ every = \"1s\" }}\n"
        )
    };
    let shop = Project::new(&format!("version = 1\n{}{}", job("tick"), job("tock")));
    shop.ok(&["up"]);
    let args = ["logs", "-f", "tick", "tock"];
    let mut view = Terminal::in_dir(&shop.home, &shop.dir, &args, (80, 40));
    view.wait_for_text("tick | run 3");
    view.wait_for_text("tock | run 3");
    assert!(!view.text().contains("has ended"), "{}", view.text());
    shop.ok(&["down"]);
    assert_eq!(view.exit_code(), 0);
}

#[test]
fn the_end_of_bgproc_stops_schedules_that_have_run_and_others_alike() {
    let shop = Project::new(
        "[jobs.once]\nrun = \"true\"\nschedule = { cron = \"0 2 1 1 *\", at_start = true }\n\
         [jobs.never]\nrun = \"true\"\nschedule = { cron = \"0 2 1 1 *\" }\n",
    );
    shop.ok(&["up"]);
    eventually("the run at the start has ended", || {
        (shop.job("once")["status"] == "done").then_some(())
    });
    shop.until("once", "scheduled");
    shop.home.ok(&["daemon", "stop", "--kill"]);
    shop.home.ok(&["ls"]);
    shop.until("once", "stopped");
    shop.until("never", "stopped");
}
