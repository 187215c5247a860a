//! Schedules by a clock that the test sets: what changes of the clocks in Berlin and jumps do to real runs.

use std::path::PathBuf;

use jiff::Timestamp;

use super::restore::reboot;
use super::{Project, has};
use crate::support::{Home, Ran, eventually};

/// A project whose daemon has a wall clock of its own.
struct Timed {
    shop: Project,
    /// How far that clock is ahead, in milliseconds.
    clock: PathBuf,
}

/// A job that runs each second, whatever the wall clock says.
const TICK: &str = "[jobs.tick]\nrun = \"echo >> ticks\"\nschedule = { every = \"1s\" }\n";

impl Timed {
    /// Brings a project up at a time.
    fn up(at: &str, jobs: &str) -> Self {
        let home = Home::new();
        let clock = home.scratch("clock");
        let shop = Project::in_home(home, "shop", &format!("version = 1\n{jobs}{TICK}"));
        let timed = Self { shop, clock };
        timed.write(at);
        let mut command = timed.shop.home.command(&["up"]);
        command.current_dir(&timed.shop.dir);
        command.env("BGPROC_CLOCK", &timed.clock);
        let ran: Ran = timed.shop.home.run_command(command, &["up"]);
        ran.expect_code(0);
        timed
    }

    fn write(&self, at: &str) {
        let wanted: Timestamp = at.parse().unwrap();
        let ahead = wanted.as_millisecond() - Timestamp::now().as_millisecond();
        std::fs::write(&self.clock, ahead.to_string()).unwrap();
    }

    /// Sets the clock. The next daemon sees it as the kernel would tell this one.
    fn set(&self, at: &str) {
        self.write(at);
        self.shop.home.kill_daemon();
        // The schedules have been looked at since: this job has run by a clock that does not jump.
        let ticks = self.ticks();
        eventually("the schedules are followed", || {
            (self.ticks() >= ticks + 2).then_some(())
        });
    }

    fn ticks(&self) -> usize {
        let text = std::fs::read_to_string(self.shop.dir.join("ticks")).unwrap_or_default();
        text.lines().count()
    }

    /// The minutes at which a job was started.
    fn runs(&self, job: &str) -> Vec<String> {
        let mut command = self.shop.home.command(&["--json", "status", job]);
        command.current_dir(&self.shop.dir);
        let ran = self.shop.home.run_command(command, &["status", job]);
        let status: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
        let runs = status["detail"]["runs"].as_array().unwrap().iter();
        let minute = |run: &serde_json::Value| run["startedAt"].as_str().unwrap()[..16].to_owned();
        runs.map(minute).collect()
    }

    #[track_caller]
    fn until_runs(&self, job: &str, runs: &[&str]) {
        let mut seen = Vec::new();
        eventually(&format!("{job} has run"), || {
            seen = self.runs(job);
            (seen.len() >= runs.len()).then_some(())
        });
        assert_eq!(seen, runs, "{job}");
    }

    fn next(&self, job: &str) -> String {
        let next = &self.shop.job(job)["project"]["nextRun"];
        next.as_str().unwrap_or("never")[..16].to_owned()
    }
}

fn night(cron: &str) -> String {
    format!(
        "[jobs.night]\nrun = \"true\"\nschedule = {{ cron = \"{cron}\", tz = \"Europe/Berlin\" }}\n\
         [jobs.half]\nrun = \"true\"\nschedule = {{ cron = \"*/30 * * * *\", tz = \"Europe/Berlin\" }}\n"
    )
}

#[test]
fn a_time_that_is_skipped_in_spring_comes_once_at_three() {
    // Two seconds before two o'clock becomes three o'clock.
    let timed = Timed::up("2026-03-29T00:59:58Z", &night("30 2 * * *"));
    assert_eq!(timed.next("night"), "2026-03-29T01:00");
    timed.until_runs("night", &["2026-03-29T01:00"]);
    timed.until_runs("half", &["2026-03-29T01:00"]);
    timed.shop.until("night", "scheduled");
    assert_eq!(timed.next("night"), "2026-03-30T00:30");
    timed.set("2026-03-29T01:29:58Z");
    timed.until_runs("half", &["2026-03-29T01:00", "2026-03-29T01:30"]);
    assert_eq!(timed.runs("night"), ["2026-03-29T01:00"]);
}

#[test]
fn an_hour_that_comes_twice_in_autumn_has_one_fixed_time_and_four_half_hours() {
    let half = [
        "2026-10-25T00:00",
        "2026-10-25T00:30",
        "2026-10-25T01:00",
        "2026-10-25T01:30",
    ];
    let timed = Timed::up("2026-10-24T23:59:58Z", &night("30 2 * * *"));
    timed.until_runs("half", &half[..1]);
    for (n, before) in [
        "2026-10-25T00:29:58Z",
        "2026-10-25T00:59:58Z",
        "2026-10-25T01:29:58Z",
    ]
    .iter()
    .enumerate()
    {
        timed.set(before);
        timed.until_runs("half", &half[..n + 2]);
        // The first 02:30 only.
        timed.until_runs("night", &half[1..2]);
    }
    assert_eq!(timed.next("night"), "2026-10-26T01:30");
}

#[test]
fn a_clock_that_is_set_on_misses_and_one_that_is_set_back_repeats_nothing() {
    let job = |name: &str, missed: &str| {
        format!(
            "[jobs.{name}]\nrun = \"true\"\nschedule = {{ cron = \"0 2 * * *\", tz = \"UTC\", missed = \"{missed}\" }}\n"
        )
    };
    let jobs = format!("{}{}", job("skip", "skip"), job("once", "once"));
    let timed = Timed::up("2026-06-01T01:30:00Z", &jobs);
    timed.set("2026-06-01T03:30:00Z");
    timed.until_runs("once", &["2026-06-01T03:30"]);
    assert_eq!(timed.runs("skip"), Vec::<String>::new());
    let why = timed.shop.ok(&["why", "skip"]).join("\n");
    assert!(why.contains("; missed 1"), "{why}");
    let status = timed.shop.run(&["status", "skip"]).stdout;
    assert!(status.contains("; missed 1"), "{status}");
    timed.shop.until("once", "scheduled");
    // Back, so that the time comes again.
    timed.set("2026-06-01T01:59:58Z");
    timed.set("2026-06-01T02:30:00Z");
    assert_eq!(timed.runs("once"), ["2026-06-01T03:30"]);
    assert_eq!(timed.runs("skip"), Vec::<String>::new());
    assert_eq!(timed.next("once"), "2026-06-02T02:00");
    has(&timed.shop.ok(&["up", "-n"]), "= skip (scheduled)");
    timed.set("2026-06-02T01:59:58Z");
    timed.until_runs("skip", &["2026-06-02T02:00"]);
}

#[test]
fn a_time_that_was_missed_while_the_machine_was_off_is_made_up() {
    let job = "[jobs.once]\nrun = \"true\"\nschedule = { cron = \"0 2 * * *\", tz = \"UTC\", missed = \"once\" }\n";
    let timed = Timed::up("2026-06-01T01:30:00Z", job);
    reboot(&timed.shop);
    timed.write("2026-06-01T03:30:00Z");
    for args in [&["ls"][..], &["up"]] {
        let mut command = timed.shop.home.command(args);
        command.current_dir(&timed.shop.dir);
        command.env("BGPROC_CLOCK", &timed.clock);
        timed.shop.home.run_command(command, args).expect_code(0);
    }
    timed.until_runs("once", &["2026-06-01T03:30"]);
}
