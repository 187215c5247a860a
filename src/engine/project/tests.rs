//! A project beside sessions that start, become ready, fail, recover and die in any order.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::*;

/// A job that needs others.
fn job(needs: &[(&str, Level)]) -> JobWish {
    JobWish {
        needs: needs
            .iter()
            .map(|(job, is)| Need {
                job: (*job).to_owned(),
                is: *is,
                restart: false,
            })
            .collect(),
        autostart: true,
        ..JobWish::default()
    }
}

fn task(needs: &[(&str, Level)]) -> JobWish {
    JobWish {
        is_task: true,
        ..job(needs)
    }
}

/// A wish and the sessions of its jobs.
#[derive(Clone, Default)]
struct World {
    wish: Wish,
    seen: BTreeMap<String, Seen>,
    /// The steps that were taken, in order.
    steps: Vec<Step>,
}

impl World {
    fn new(jobs: &[(&str, JobWish)]) -> Self {
        let jobs = jobs.iter().cloned();
        let jobs = jobs.map(|(name, job)| (name.to_owned(), job)).collect();
        Self {
            wish: Wish {
                jobs,
                ..Wish::default()
            },
            ..Self::default()
        }
    }

    fn at(&self, name: &str) -> Seen {
        self.seen.get(name).copied().unwrap_or(Seen::NEVER)
    }

    fn set(&mut self, name: &str, state: SeenState) {
        let run = self.at(name).run;
        self.seen.insert(name.to_owned(), Seen { run, state });
        self.go();
    }

    fn up(&mut self, names: &[&str]) {
        let names = self.wish.with_needs(names.iter().copied(), true);
        let seen = self.seen.clone();
        self.wish.up(&names, |name| look(&seen, name));
        self.go();
    }

    fn all_up(&mut self) {
        let names: BTreeSet<String> = self.wish.jobs.keys().cloned().collect();
        let seen = self.seen.clone();
        self.wish.up(&names, |name| look(&seen, name));
        self.go();
    }

    fn down(&mut self) {
        let seen = self.seen.clone();
        self.wish.down(|name| look(&seen, name));
        self.go();
    }

    fn restart(&mut self, name: &str) {
        let seen = self.seen.clone();
        self.wish.restart(name, |name| look(&seen, name));
        self.go();
    }

    /// Takes all steps, as the daemon does, and checks each.
    fn go(&mut self) {
        loop {
            let seen = self.seen.clone();
            self.wish.settle(|name| look(&seen, name));
            let decision = self.decide();
            if decision.steps.is_empty() {
                return;
            }
            for step in decision.steps {
                self.take(&step);
                self.steps.push(step);
            }
        }
    }

    fn take(&mut self, step: &Step) {
        match step {
            Step::Start(name) => {
                let now = self.at(name);
                assert!(
                    !now.state.is_alive() || now.state == SeenState::Retrying,
                    "{name} is started twice: {now:?}"
                );
                let run = now.run + 1;
                let state = SeenState::Starting;
                self.seen.insert(name.clone(), Seen { run, state });
            }
            Step::Stop(name) => {
                let now = self.at(name);
                assert!(now.state.is_alive(), "{name} is stopped: {now:?}");
                let state = SeenState::Stopping;
                self.seen.insert(name.clone(), Seen { state, ..now });
            }
        }
    }

    fn decide(&self) -> Decision {
        decide(&self.wish, |name| self.at(name))
    }

    fn phase(&self, name: &str) -> Phase {
        self.decide().phases[name].clone()
    }

    fn words(&self) -> Vec<String> {
        let phases = self.decide().phases.into_iter();
        phases
            .map(|(name, phase)| format!("{name} {}", phase.as_str()))
            .collect()
    }
}

fn look(seen: &BTreeMap<String, Seen>, name: &str) -> Seen {
    seen.get(name).copied().unwrap_or(Seen::NEVER)
}

const READY: SeenState = SeenState::Running { ready: true };
const BUSY: SeenState = SeenState::Running { ready: false };
const OK: SeenState = SeenState::Ended { ok: true };
const BAD: SeenState = SeenState::Ended { ok: false };

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
    let queue = wish::Queue {
        parallel: 1,
        paused: false,
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
    assert_eq!(world.phase("c"), Phase::Queued(Why::Paused));
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

/// Something that happens to a project.
#[derive(Clone, Copy, Debug)]
enum Happens {
    Up(usize),
    AllUp,
    Down,
    Restart(usize),
    Hold(usize),
    /// The start that is under way fails: there is no process.
    StartFails(usize),
    /// A session takes its next state; the number selects among those that are possible.
    Session(usize, u8),
}

fn happens() -> impl Strategy<Value = Happens> {
    prop_oneof![
        1 => (0..8usize).prop_map(Happens::Up),
        1 => Just(Happens::AllUp),
        1 => Just(Happens::Down),
        1 => (0..8usize).prop_map(Happens::Restart),
        1 => (0..8usize).prop_map(Happens::Hold),
        1 => (0..8usize).prop_map(Happens::StartFails),
        12 => (0..8usize, any::<u8>()).prop_map(|(job, next)| Happens::Session(job, next)),
    ]
}

/// A job of a generated graph: whether it is a task, whether it is in the queue, and its needs as the number of
/// the other job, a level and whether it is restarted with it.
type Node = (bool, bool, Vec<(usize, u8, bool)>);

/// A graph of eight jobs without a cycle: each needs some of those after it.
fn graph() -> impl Strategy<Value = Vec<Node>> {
    let needs = prop::collection::vec((0..8usize, 0..4u8, any::<bool>()), 0..4);
    prop::collection::vec((any::<bool>(), any::<bool>(), needs), 8)
}

fn world_of(graph: &[Node], parallel: u32) -> World {
    let name = |n: usize| format!("j{n}");
    let mut world = World::default();
    let queue = wish::Queue {
        parallel,
        paused: false,
    };
    world.wish.queues.insert("q".to_owned(), queue);
    for (n, (is_task, in_queue, needs)) in graph.iter().enumerate() {
        let later = needs
            .iter()
            .filter(|(other, ..)| *other > n && *other < graph.len());
        let needs = later.map(|(other, level, restart)| Need {
            job: name(*other),
            is: [Level::Started, Level::Ready, Level::Ok, Level::Done][usize::from(*level)],
            restart: *restart,
        });
        let job = JobWish {
            needs: needs.collect(),
            is_task: *is_task,
            autostart: true,
            queue: in_queue.then(|| "q".to_owned()),
            ..JobWish::default()
        };
        world.wish.jobs.insert(name(n), job);
    }
    world
}

/// What can follow in a session.
fn next(state: SeenState, choice: u8) -> Option<SeenState> {
    let among: &[SeenState] = match state {
        SeenState::Never | SeenState::Ended { .. } => return None,
        SeenState::Starting => &[BUSY, READY, BAD, OK],
        SeenState::Running { .. } => &[BUSY, READY, OK, BAD, SeenState::Retrying],
        SeenState::Stopping => &[OK, BAD],
        SeenState::Retrying => &[SeenState::Starting, BAD],
    };
    Some(among[usize::from(choice) % among.len()])
}

/// Checks that each start had its needs, which [`World::take`] does not know, and that no stop was early.
fn checked_step(world: &mut World) {
    loop {
        let seen = world.seen.clone();
        world.wish.settle(|name| look(&seen, name));
        let decision = world.decide();
        if decision.steps.is_empty() {
            return;
        }
        for step in &decision.steps {
            if let Step::Start(name) = step {
                for need in &world.wish.jobs[name].needs {
                    let other = &world.wish.jobs[&need.job];
                    assert!(
                        seen::holds(need.is, other, look(&seen, &need.job)),
                        "{step:?}"
                    );
                }
                assert_eq!(world.wish.standing, Standing::Up, "{step:?}");
                assert!(world.wish.jobs[name].hold.is_none(), "{step:?}");
            }
            world.take(step);
        }
        let in_queue = |(name, job): (&String, &JobWish)| {
            let state = world.at(name).state;
            job.queue.is_some() && state.is_alive() && state != SeenState::Retrying
        };
        let limit = world.wish.queues["q"].parallel;
        let started = decision
            .steps
            .iter()
            .any(|step| matches!(step, Step::Start(name) if world.wish.jobs[name].queue.is_some()));
        if limit > 0 && started {
            let count = world.wish.jobs.iter().filter(|job| in_queue(*job)).count();
            assert!(count <= limit as usize, "{count} run in the queue");
        }
    }
}

fn act(world: &mut World, happens: Happens) {
    let name = |n: usize| format!("j{}", n % 8);
    let seen = world.seen.clone();
    let at = |name: &str| look(&seen, name);
    match happens {
        Happens::Up(n) => {
            let names = world.wish.with_needs([name(n).as_str()], true);
            world.wish.up(&names, at);
        }
        Happens::AllUp => {
            let names = world.wish.jobs.keys().cloned().collect();
            world.wish.up(&names, at);
        }
        Happens::Down => world.wish.down(at),
        Happens::Restart(n) => world.wish.restart(&name(n), at),
        Happens::Hold(n) => world.wish.hold(&name(n), "ann"),
        Happens::StartFails(n) => {
            let now = at(&name(n));
            if now.state == SeenState::Starting {
                let run = now.run - 1;
                let state = if run == 0 { SeenState::Never } else { BAD };
                world.seen.insert(name(n), Seen { run, state });
                world.wish.start_failed(&name(n), "no such program");
            }
        }
        Happens::Session(n, choice) => {
            let now = at(&name(n));
            if let Some(state) = next(now.state, choice) {
                let is_new = now.state == SeenState::Retrying && state == SeenState::Starting;
                let run = now.run + u32::from(is_new);
                world.seen.insert(name(n), Seen { run, state });
            }
        }
    }
    checked_step(world);
}

proptest! {
    /// Whatever happens in whatever order, no job starts twice or before its needs, and a copy of the wish that
    /// was read again from a file decides the same.
    #[test]
    fn no_order_of_events_breaks_a_rule(
        graph in graph(),
        parallel in 0..3u32,
        events in prop::collection::vec(happens(), 1..80),
    ) {
        let mut world = world_of(&graph, parallel);
        for event in events {
            act(&mut world, event);
            let stored = serde_json::to_string(&world.wish).unwrap();
            let again: Wish = serde_json::from_str(&stored).unwrap();
            prop_assert_eq!(decide(&again, |name| world.at(name)), world.decide());
        }
    }

    /// When every program has started and every end has come, nothing waits that could go on.
    #[test]
    fn a_project_settles(
        graph in graph(),
        parallel in 0..3u32,
        events in prop::collection::vec(happens(), 1..40),
        end_well in any::<u8>(),
    ) {
        let mut world = world_of(&graph, parallel);
        for event in events {
            act(&mut world, event);
        }
        act(&mut world, Happens::AllUp);
        let mut rounds = 0;
        loop {
            let seen = world.seen.clone();
            let mut changed = false;
            for (n, (name, now)) in seen.iter().enumerate() {
                let ok = end_well >> (n % 8) & 1 == 1;
                let is_task = world.wish.jobs[name].is_task;
                let state = match now.state {
                    SeenState::Starting | BUSY => READY,
                    // Tasks end, and so does what waits for its next run.
                    SeenState::Stopping | SeenState::Retrying => SeenState::Ended { ok },
                    READY if is_task => SeenState::Ended { ok },
                    _ => continue,
                };
                changed = true;
                world.seen.insert(name.clone(), Seen { state, ..*now });
                checked_step(&mut world);
            }
            if !changed {
                break;
            }
            rounds += 1;
            prop_assert!(rounds < 200, "it goes on and on: {:?}", world.words());
        }
        for (name, phase) in world.decide().phases {
            let waits_in_queue = matches!(phase, Phase::Queued(Why::Queue(_)));
            // A need of a level that a running service never reaches is waited for, as is said.
            let waits_for_end = matches!(&phase, Phase::Queued(Why::Needs(need))
                if matches!(need.is, Level::Ok | Level::Done));
            let follows = matches!(&phase, Phase::Queued(Why::Needs(need))
                if !world.decide().phases[&need.job].is_settled());
            prop_assert!(
                phase.is_settled() || waits_in_queue || waits_for_end || follows,
                "{name}: {phase:?} in {:?}", world.words()
            );
        }
        act(&mut world, Happens::Down);
        for _ in 0..20 {
            let seen = world.seen.clone();
            for (name, now) in seen {
                if now.state == SeenState::Stopping {
                    world.seen.insert(name, Seen { state: OK, ..now });
                    checked_step(&mut world);
                }
            }
        }
        prop_assert!(world.seen.values().all(|now| !now.state.is_alive()), "{:?}", world.words());
    }

    /// In `down`, a job ends only after those that need it.
    #[test]
    fn down_keeps_the_order(graph in graph()) {
        let mut world = world_of(&graph, 0);
        let names: Vec<String> = world.wish.jobs.keys().cloned().collect();
        for name in &names {
            world.seen.insert(name.clone(), Seen { run: 1, state: READY });
        }
        act(&mut world, Happens::Down);
        loop {
            let ending: Vec<String> = names
                .iter()
                .filter(|name| world.at(name).state == SeenState::Stopping)
                .cloned()
                .collect();
            for name in &ending {
                for (user, job) in &world.wish.jobs {
                    let needs = job.needs.iter().any(|need| need.job == *name);
                    prop_assert!(!needs || !world.at(user).state.is_alive(), "{name} before {user}");
                }
            }
            let Some(name) = ending.first() else { break };
            world.seen.insert(name.clone(), Seen { run: 1, state: OK });
            checked_step(&mut world);
        }
        prop_assert!(world.seen.values().all(|now| !now.state.is_alive()));
    }
}
