//! Jobs whose files change.

use super::*;
use crate::protocol::cause::{Cause, Files};

impl World {
    fn change(&mut self, name: &str, cascade: bool) -> bool {
        self.change_beside(name, cascade, None)
    }

    /// A change while the program of the job `paused` is paused.
    fn change_beside(&mut self, name: &str, cascade: bool, paused: Option<&str>) -> bool {
        let seen = self.seen.clone();
        let files = Files::one("src/main.rs".to_owned());
        let look = |name: &str| look(&seen, name);
        let is_paused = |name: &str| Some(name) == paused;
        let reacts = self.wish.change(name, cascade, &files, look, is_paused);
        self.go();
        reacts
    }

    /// The jobs that are being ended.
    fn stopping(&self) -> Vec<&str> {
        let seen = self.seen.iter();
        let stopping = seen.filter(|(_, seen)| seen.state == SeenState::Stopping);
        stopping.map(|(name, _)| name.as_str()).collect()
    }
}

/// db, api that needs it and is restarted with it, web that needs api, and a task.
fn shop() -> World {
    let mut api = job(&[("db", Level::Started)]);
    api.needs[0].restart = true;
    let mut shop = World::new(&[
        ("db", job(&[])),
        ("api", api),
        ("web", job(&[("api", Level::Started)])),
        ("tests", task(&[])),
    ]);
    shop.all_up();
    for name in ["db", "api", "web", "tests"] {
        shop.set(name, READY);
    }
    shop
}

#[test]
fn a_change_restarts_a_job_and_those_that_ask_for_it_or_all_that_need_it() {
    let mut one = shop();
    assert!(one.change("api", false));
    assert_eq!(one.stopping(), ["api"]);
    assert_eq!(
        one.wish.jobs["api"].because,
        Some(Cause::Changed(Files::one("src/main.rs".to_owned())))
    );
    assert!(!one.change("api", false), "it will see the files");
    let mut all = shop();
    assert!(all.change("db", false));
    // Those that need it first.
    assert_eq!(all.stopping(), ["api"]);
    all.set("api", OK);
    assert_eq!(all.stopping(), ["db"]);
    let mut cascade = shop();
    assert!(cascade.change("api", true));
    assert_eq!(cascade.stopping(), ["web"]);
    cascade.set("web", OK);
    assert_eq!(cascade.stopping(), ["api"]);
    cascade.set("api", OK);
    assert_eq!(cascade.phase("api"), Phase::Starting);
    cascade.set("api", READY);
    assert_eq!(cascade.phase("web"), Phase::Starting);
    let mut paused = shop();
    assert!(paused.change_beside("api", true, Some("web")));
    assert_eq!(paused.stopping(), ["api"], "what is paused stays so");
}

#[test]
fn a_change_runs_what_has_ended_and_leaves_alone_what_nobody_wants() {
    let mut shop = shop();
    shop.set("tests", OK);
    shop.set("web", BAD);
    for name in ["tests", "web"] {
        assert!(shop.change(name, true));
        assert_eq!(shop.phase(name), Phase::Starting, "{name}");
    }
    shop.wish.hold("api", "ada");
    shop.set("api", OK);
    assert!(!shop.change("api", false));
    // Nor is it taken along.
    assert!(shop.change("db", true));
    assert_eq!(shop.phase("api"), Phase::Stopped);
    shop.down();
    assert!(!shop.change("db", true));
    assert!(!shop.change("nobody", true));
}

#[test]
fn of_jobs_that_one_file_restarts_any_may_be_the_one_that_writes_it() {
    let mut shop = shop();
    let suspend = |shop: &mut World, name: &str, file: &str| {
        shop.wish.jobs.get_mut(name).unwrap().suspended = Some(file.to_owned());
    };
    suspend(&mut shop, "web", "src/gen.rs");
    suspend(&mut shop, "api", "build.log");
    assert!(!shop.wish.is_suspended_with_others("web"));
    suspend(&mut shop, "db", "src/gen.rs");
    for (name, with_others) in [
        ("web", true),
        ("db", true),
        ("api", false),
        ("tests", false),
    ] {
        assert_eq!(
            shop.wish.is_suspended_with_others(name),
            with_others,
            "{name}"
        );
    }
    // Once one of them is stopped, the others may be fine.
    shop.wish.hold("db", "ann");
    let suspended = |name: &str| shop.wish.jobs[name].suspended.as_deref();
    assert_eq!(suspended("web"), None);
    assert_eq!(suspended("api"), Some("build.log"));
    assert_eq!(suspended("db"), Some("src/gen.rs"));
    assert!(!shop.wish.is_suspended_with_others("db"));
}

#[test]
fn what_waits_for_its_turn_keeps_waiting() {
    let mut world = World::new(&[("a", task(&[])), ("b", job(&[("a", Level::Ok)]))]);
    world.all_up();
    assert!(!world.change("b", false));
    assert_eq!(world.phase("b").as_str(), "queued");
    world.set("a", READY);
    world.set("a", BAD);
    assert!(!world.change("b", false));
    assert_eq!(world.phase("b").as_str(), "skipped");
}

#[test]
fn a_restart_is_the_cause_of_the_restarts_that_follow_from_it() {
    let mut shop = shop();
    shop.restart("db");
    let because = |shop: &World, name: &str| shop.wish.jobs[name].because.clone();
    assert_eq!(because(&shop, "db"), None, "somebody has asked for it");
    assert_eq!(
        because(&shop, "api"),
        Some(Cause::Restarted("db".to_owned()))
    );
    assert_eq!(because(&shop, "web"), None, "it goes on");
    shop.restart("api");
    assert_eq!(because(&shop, "api"), None);
}
