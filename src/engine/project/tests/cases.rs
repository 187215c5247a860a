//! What happens to a project, case by case.

use super::*;

/// web needs api, which needs db ready and migrate done well.
fn shop() -> World {
    World::new(&[
        ("db", job(&[])),
        ("migrate", task(&[("db", Level::Ready)])),
        ("api", job(&[("db", Level::Ready), ("migrate", Level::Ok)])),
        ("web", job(&[("api", Level::Started)])),
        ("docs", job(&[])),
    ])
}

#[test]
fn jobs_start_in_the_order_of_their_needs() {
    let mut shop = shop();
    shop.up(&["web"]);
    assert_eq!(
        shop.words(),
        [
            "api queued",
            "db starting",
            "docs stopped",
            "migrate queued",
            "web queued"
        ]
    );
    shop.set("db", BUSY);
    assert_eq!(shop.steps, [Step::Start("db".into())]);
    shop.set("db", READY);
    shop.set("migrate", READY);
    shop.set("migrate", OK);
    shop.set("api", READY);
    shop.set("web", READY);
    let order = ["db", "migrate", "api", "web"].map(|name| Step::Start(name.into()));
    assert_eq!(shop.steps, order);
    assert_eq!(
        shop.words(),
        [
            "api running",
            "db running",
            "docs stopped",
            "migrate done",
            "web running"
        ]
    );
    // Once more changes nothing.
    shop.up(&["web"]);
    assert_eq!(shop.steps.len(), 4);
}

#[test]
fn after_a_reboot_what_was_wanted_runs_again_in_order() {
    let mut shop = shop();
    shop.up(&["web"]);
    for (name, state) in [("db", READY), ("migrate", READY), ("migrate", OK)] {
        shop.set(name, state);
    }
    shop.set("api", READY);
    shop.set("web", READY);
    shop.wish.hold("web", "you");
    for name in ["db", "api", "web"] {
        // How they ended does not count: a server may end well when the machine goes down.
        shop.seen.insert(
            name.to_owned(),
            Seen {
                run: shop.at(name).run,
                state: if name == "db" { OK } else { BAD },
            },
        );
    }
    let seen = shop.seen.clone();
    let names: Vec<String> = shop.wish.lost().into_iter().collect();
    assert_eq!(names, ["api", "db", "migrate"]);
    shop.wish.up(&names, |name| look(&seen, name));
    shop.steps.clear();
    shop.go();
    assert_eq!(shop.steps, [Step::Start("db".into())], "in order");
    shop.set("db", READY);
    let order = ["db", "api"].map(|name| Step::Start(name.into()));
    assert_eq!(shop.steps, order, "not the task, and not what is held");
    shop.down();
    assert!(shop.wish.lost().is_empty());
}

#[test]
fn a_failed_need_skips_all_that_wait_for_it_and_names_the_root() {
    let mut shop = shop();
    shop.all_up();
    shop.set("db", READY);
    shop.set("docs", READY);
    shop.set("migrate", BAD);
    let root = Need {
        job: "migrate".into(),
        is: Level::Ok,
        restart: false,
    };
    let skipped = Phase::Skipped(Why::Needs(root));
    assert_eq!(shop.phase("api"), skipped);
    assert_eq!(shop.phase("web"), skipped);
    assert_eq!(shop.phase("docs"), Phase::Running);
    assert!(shop.decide().phases.values().all(Phase::is_settled));
    // When it has recovered, they start by themselves.
    shop.restart("migrate");
    assert_eq!(shop.phase("api").as_str(), "queued");
    shop.set("migrate", OK);
    assert_eq!(shop.phase("api"), Phase::Starting);
    shop.set("api", READY);
    assert_eq!(shop.phase("web"), Phase::Starting);
}

#[test]
fn a_need_that_ends_before_it_is_ready_cannot_come() {
    let mut shop = shop();
    shop.up(&["api"]);
    shop.set("db", BUSY);
    // Its policy runs it again: it may come.
    shop.set("db", SeenState::Retrying);
    assert_eq!(shop.phase("api").as_str(), "queued");
    shop.set("db", BAD);
    assert_eq!(shop.phase("api").as_str(), "skipped");
    assert_eq!(shop.phase("db"), Phase::Failed);
    // A second `up` tries again.
    shop.up(&["api"]);
    assert_eq!(shop.phase("db"), Phase::Starting);
    assert_eq!(shop.phase("api").as_str(), "queued");
}

#[test]
fn readiness_that_is_lost_stops_nobody_and_who_comes_late_waits() {
    let mut shop = shop();
    shop.up(&["migrate"]);
    shop.set("db", READY);
    shop.set("migrate", OK);
    shop.set("db", BUSY);
    shop.up(&["api"]);
    assert_eq!(shop.phase("api").as_str(), "queued");
    shop.set("db", READY);
    assert_eq!(shop.phase("api"), Phase::Starting);
    shop.set("api", READY);
    shop.set("db", BUSY);
    assert_eq!(shop.phase("api"), Phase::Running);
}

#[test]
fn down_stops_level_by_level_and_forgets_what_was_done() {
    let mut shop = shop();
    shop.up(&["web"]);
    for name in ["db", "migrate", "api", "web"] {
        shop.set(name, if name == "migrate" { OK } else { READY });
    }
    shop.steps.clear();
    shop.down();
    assert_eq!(shop.steps, [Step::Stop("web".into())]);
    shop.set("web", OK);
    shop.set("api", BAD);
    shop.set("db", OK);
    let order = ["web", "api", "db"].map(|name| Step::Stop(name.into()));
    assert_eq!(shop.steps, order);
    assert!(
        shop.decide()
            .phases
            .values()
            .all(|phase| *phase == Phase::Stopped)
    );
    shop.up(&["migrate"]);
    shop.set("db", READY);
    assert_eq!(shop.phase("migrate"), Phase::Starting, "it is run again");
}

#[test]
fn a_job_that_is_being_stopped_starts_again_if_it_is_wanted_again() {
    let mut shop = shop();
    shop.up(&["docs"]);
    shop.set("docs", READY);
    shop.down();
    assert_eq!(shop.phase("docs"), Phase::Stopping);
    shop.up(&["docs"]);
    assert_eq!(shop.phase("docs"), Phase::Stopping);
    shop.set("docs", OK);
    assert_eq!(shop.phase("docs"), Phase::Starting);
    assert_eq!(shop.at("docs").run, 2);
}

#[test]
fn a_persons_stop_holds() {
    let mut shop = shop();
    shop.up(&["api"]);
    shop.set("db", BUSY);
    shop.wish.hold("db", "ann");
    shop.go();
    assert_eq!(shop.phase("db"), Phase::Stopping);
    assert_eq!(shop.phase("api").as_str(), "skipped");
    shop.set("db", BAD);
    assert_eq!(shop.phase("db"), Phase::Stopped);
    assert_eq!(shop.phase("api").as_str(), "skipped");
    // Also against a policy that would run it again.
    shop.set("db", SeenState::Retrying);
    assert_eq!(shop.steps.last(), Some(&Step::Stop("db".into())));
    shop.set("db", BAD);
    shop.restart("db");
    shop.set("db", READY);
    assert_eq!(shop.phase("migrate"), Phase::Starting);
}

#[test]
fn a_restart_ends_the_run_first_and_takes_along_those_that_ask_for_it() {
    let mut shop = shop();
    if let Some(web) = shop.wish.jobs.get_mut("web") {
        web.needs[0].restart = true;
    }
    shop.up(&["web"]);
    for name in ["db", "migrate", "api", "web"] {
        shop.set(name, if name == "migrate" { OK } else { READY });
    }
    shop.steps.clear();
    shop.restart("api");
    assert_eq!(shop.steps, [Step::Stop("web".into())]);
    shop.set("web", OK);
    assert_eq!(shop.phase("web").as_str(), "queued");
    shop.set("api", OK);
    shop.set("api", READY);
    let expected = [
        Step::Stop("web".into()),
        Step::Stop("api".into()),
        Step::Start("api".into()),
        Step::Start("web".into()),
    ];
    assert_eq!(shop.steps, expected);
}

#[test]
fn while_a_task_runs_again_its_former_result_does_not_count() {
    let mut shop = shop();
    shop.up(&["migrate"]);
    shop.set("db", READY);
    shop.set("migrate", OK);
    shop.restart("migrate");
    shop.up(&["api"]);
    assert_eq!(shop.phase("api").as_str(), "queued");
    shop.set("migrate", BAD);
    assert_eq!(shop.phase("api").as_str(), "skipped");
}

#[test]
fn a_queue_runs_its_jobs_in_turn_and_is_not_blocked_by_needs() {
    let queued = |needs: &[(&str, Level)]| JobWish {
        queue: Some("q".to_owned()),
        ..task(needs)
    };
    let mut world = World::new(&[
        ("a", queued(&[("b", Level::Ok)])),
        ("b", queued(&[])),
        ("c", queued(&[])),
    ]);
    let queue = Queue {
        parallel: 1,
        ..Queue::default()
    };
    world.wish.queues.insert("q".to_owned(), queue);
    world.all_up();
    assert_eq!(world.words(), ["a queued", "b starting", "c queued"]);
    assert_eq!(world.phase("c"), Phase::Queued(Why::Queue(0)));
    world.set("b", OK);
    // It was asked for before.
    assert_eq!(world.words(), ["a starting", "b done", "c queued"]);
    world.wish.queues.get_mut("q").unwrap().paused = true;
    world.set("a", OK);
    assert_eq!(world.phase("c"), Phase::Queued(Why::Paused(0)));
    world.wish.queues.get_mut("q").unwrap().paused = false;
    world.go();
    assert_eq!(world.phase("c"), Phase::Starting);
}

#[test]
fn a_job_that_cannot_be_started_has_failed_until_it_is_asked_for_again() {
    let mut shop = shop();
    shop.up(&["api"]);
    shop.seen.remove("db");
    shop.wish.start_failed("db", "port 5432 is used by pid 7");
    shop.go();
    assert_eq!(shop.phase("db"), Phase::Failed);
    assert_eq!(shop.phase("api").as_str(), "skipped");
    assert_eq!(shop.at("db").run, 0, "it is not tried again and again");
    shop.up(&["api"]);
    assert_eq!(shop.phase("db"), Phase::Starting);
    assert_eq!(shop.phase("api").as_str(), "queued");
}

#[test]
fn a_scheduled_job_waits_for_its_time() {
    let mut world = World::new(&[(
        "backup",
        JobWish {
            is_scheduled: true,
            ..task(&[])
        },
    )]);
    world.all_up();
    assert_eq!(world.phase("backup"), Phase::Scheduled);
    world.wish.owe("backup", 0);
    world.go();
    assert_eq!(world.phase("backup"), Phase::Starting);
    world.set("backup", BAD);
    assert_eq!(world.phase("backup"), Phase::Scheduled);
    world.down();
    assert_eq!(world.phase("backup"), Phase::Stopped);
}

#[test]
fn a_long_chain_needs_no_stack() {
    let names: Vec<String> = (0..20_000).map(|n| format!("job{n:05}")).collect();
    let mut jobs = BTreeMap::new();
    for (n, name) in names.iter().enumerate() {
        let need = names.get(n + 1).map(|next| (next.as_str(), Level::Started));
        jobs.insert(name.clone(), job(need.as_slice()));
    }
    let mut world = World {
        wish: Wish {
            jobs,
            ..Wish::default()
        },
        ..World::default()
    };
    world.up(&["job00000"]);
    assert_eq!(world.steps, [Step::Start("job19999".into())]);
}

#[test]
fn a_time_that_comes_while_the_last_run_goes_on_is_dealt_with_as_the_file_says() {
    let scheduled = JobWish {
        is_scheduled: true,
        ..task(&[])
    };
    let mut world = World::new(&[("backup", scheduled)]);
    world.up(&["backup"]);
    let come = |world: &mut World, overlap: Overlap| {
        world.steps.clear();
        let now = world.at("backup");
        let came = world.wish.come("backup", overlap, now);
        world.go();
        (came, world.steps.clone())
    };
    let start = vec![Step::Start("backup".into())];
    assert_eq!(come(&mut world, Overlap::Skip), (true, start.clone()));
    world.set("backup", READY);
    assert_eq!(come(&mut world, Overlap::Skip), (false, vec![]));
    // It runs on, and the next run follows its end.
    assert_eq!(come(&mut world, Overlap::Queue), (true, vec![]));
    assert_eq!(come(&mut world, Overlap::Queue), (false, vec![]));
    world.steps.clear();
    world.set("backup", OK);
    assert_eq!(world.steps, start);
    world.set("backup", READY);
    let stop = vec![Step::Stop("backup".into())];
    assert_eq!(come(&mut world, Overlap::Restart), (true, stop));
    world.steps.clear();
    world.set("backup", BAD);
    assert_eq!(world.steps, start);
}

#[test]
fn a_job_with_a_schedule_runs_at_the_start_once() {
    let scheduled = JobWish {
        is_scheduled: true,
        at_start: true,
        ..task(&[])
    };
    let mut world = World::new(&[("warm", scheduled)]);
    world.up(&["warm"]);
    assert_eq!(world.steps, [Step::Start("warm".into())]);
    world.set("warm", OK);
    world.steps.clear();
    world.up(&["warm"]);
    assert_eq!(world.steps, []);
    world.down();
    world.up(&["warm"]);
    assert_eq!(world.steps, [Step::Start("warm".into())]);
}

#[test]
fn a_task_has_settled_when_it_has_ended() {
    let (service, task) = (job(&[]), task(&[]));
    for phase in [Phase::Running, Phase::Ready] {
        assert!(
            service.has_settled(&phase) && !task.has_settled(&phase),
            "{phase:?}"
        );
    }
    assert!(task.has_settled(&Phase::Done) && task.has_settled(&Phase::Failed));
    // `up` is not about the next time of a schedule.
    let scheduled = JobWish {
        is_scheduled: true,
        ..task
    };
    assert!(scheduled.has_settled(&Phase::Running));
}

#[test]
fn a_job_that_is_started_alone_does_not_wait_for_its_needs() {
    let mut shop = shop();
    let names = ["api".to_owned()];
    shop.wish.up(&names, |_| Seen::NEVER);
    assert_eq!(shop.phase("api").as_str(), "skipped", "nobody wants db");
    shop.wish.start_alone(&names);
    shop.go();
    assert_eq!(shop.steps, [Step::Start("api".into())]);
    shop.set("api", READY);
    // The next run waits again.
    shop.restart("api");
    shop.set("api", OK);
    assert_eq!(shop.phase("api").as_str(), "skipped");
}

#[test]
fn all_or_none_ends_with_the_first_service_that_ends() {
    let ends_all = |world: &World| {
        let ended = world.wish.ends_all(|name| world.at(name));
        ended.map(str::to_owned)
    };
    let mut shop = World::new(&[
        ("web", job(&[])),
        ("worker", job(&[])),
        ("migrate", task(&[])),
    ]);
    shop.all_up();
    shop.set("worker", OK);
    assert_eq!(ends_all(&shop), None, "nobody has asked for it");
    shop.wish.all_or_none = true;
    assert_eq!(ends_all(&shop).as_deref(), Some("worker"));
    shop.restart("worker");
    assert_eq!(ends_all(&shop), None, "it runs again");
    shop.set("migrate", OK);
    assert_eq!(ends_all(&shop), None, "a task is to end");
    shop.set("migrate", BAD);
    assert_eq!(ends_all(&shop).as_deref(), Some("migrate"));
    shop.set("migrate", OK);
    shop.wish.hold("web", "a person");
    shop.set("web", BAD);
    assert_eq!(ends_all(&shop), None, "a person has stopped it");
    shop.down();
    assert!(!shop.wish.all_or_none, "it holds until down");
}

#[test]
fn a_task_stays_done_when_its_session_is_removed() {
    let mut world = World::new(&[
        ("migrate", task(&[])),
        ("api", job(&[("migrate", Level::Ok)])),
    ]);
    world.all_up();
    world.set("migrate", READY);
    world.set("migrate", OK);
    world.set("api", READY);
    let before = world.at("migrate");
    world.wish.session_removed("migrate", before);
    world.seen.remove("migrate");
    assert_eq!(world.phase("migrate"), Phase::Done);
    world.steps.clear();
    world.all_up();
    world.set("api", OK);
    world.all_up();
    assert_eq!(world.steps, [Step::Start("api".to_owned())]);
    // A new run, and the next `up` after `down`, are not done.
    let mut again = world.clone();
    again.restart("migrate");
    assert_eq!(again.phase("migrate"), Phase::Starting);
    world.down();
    world.set("api", OK);
    world.all_up();
    assert_eq!(world.phase("migrate"), Phase::Starting);
}

#[test]
fn a_start_that_was_called_off_takes_no_number_from_the_run_that_counts() {
    let mut shop = World::new(&[
        ("build", task(&[])),
        ("deploy", task(&[("build", Level::Ok)])),
    ]);
    shop.up(&["deploy"]);
    shop.down();
    assert_eq!(shop.at("build").run, 1);
    // It never began, so that the next start has the same number.
    shop.seen.remove("build");
    shop.go();
    shop.up(&["deploy"]);
    shop.set("build", OK);
    assert_eq!(shop.at("build").run, 1);
    assert_eq!(shop.words(), ["build done", "deploy starting"]);
}

#[test]
fn a_restart_leaves_a_dependent_alone_that_a_person_has_just_stopped() {
    let mut api = job(&[("db", Level::Ready)]);
    api.needs[0].restart = true;
    let mut shop = World::new(&[("api", api), ("db", job(&[]))]);
    shop.up(&["api"]);
    shop.set("db", READY);
    shop.set("api", READY);
    shop.wish.hold("api", "you");
    shop.go();
    assert_eq!(shop.words(), ["api stopping", "db running"]);
    shop.restart("db");
    shop.set("api", BAD);
    shop.set("db", BAD);
    shop.set("db", READY);
    assert_eq!(shop.words(), ["api stopped", "db running"]);
}

#[test]
fn a_run_that_is_owed_starts_when_the_session_was_removed() {
    let mut shop = World::new(&[("night", task(&[]))]);
    shop.up(&["night"]);
    shop.set("night", OK);
    shop.restart("night");
    shop.set("night", OK);
    shop.wish.owe("night", 2);
    shop.wish.session_removed("night", shop.at("night"));
    shop.seen.remove("night");
    shop.go();
    shop.set("night", OK);
    assert_eq!(shop.at("night").run, 1);
    assert_eq!(shop.words(), ["night done"]);
}
