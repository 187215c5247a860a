//! Queues, and sessions that wait in them although no file defines them.

use proptest::prelude::*;

use super::*;

/// A world with the queue `q`.
fn queue(parallel: u32) -> World {
    let mut world = World::default();
    world.wish.standing = Standing::Up;
    let queue = Queue {
        parallel,
        ..Queue::default()
    };
    world.wish.queues.insert("q".to_owned(), queue);
    world
}

fn need(job: &str, is: Level) -> Need {
    Need {
        job: job.to_owned(),
        is,
        restart: false,
    }
}

impl World {
    fn invite(&mut self, name: &str, needs: &[Need]) {
        let queue = Some("q".to_owned());
        self.wish.invite(name, queue, needs.to_vec(), 0);
        self.go();
    }

    fn line(&self) -> queue::Line {
        self.wish.line("q", |name| self.at(name))
    }
}

#[test]
fn guests_run_in_the_order_in_which_they_came_and_leave() {
    let mut world = queue(1);
    for name in ["a", "b", "c"] {
        world.invite(name, &[]);
    }
    assert_eq!(world.words(), ["a starting", "b queued", "c queued"]);
    assert_eq!(world.phase("c"), Phase::Queued(Why::Queue(1)));
    assert_eq!(world.line().running, ["a"]);
    assert_eq!(world.line().waiting, ["b", "c"]);
    world.set("a", READY);
    world.set("a", BAD);
    assert_eq!(world.words(), ["b starting", "c queued"]);
    world.set("b", OK);
    world.set("c", OK);
    assert!(world.wish.jobs.is_empty(), "{:?}", world.wish.jobs);
}

#[test]
fn the_place_can_be_changed_and_the_turn_skipped() {
    let mut world = queue(1);
    for name in ["a", "b", "c", "d"] {
        world.invite(name, &[]);
    }
    let seen = world.seen.clone();
    let look = |name: &str| look(&seen, name);
    assert!(world.wish.move_to("d", 1, look));
    assert_eq!(world.line().waiting, ["d", "b", "c"]);
    assert!(world.wish.move_to("b", 99, look));
    assert_eq!(world.line().waiting, ["d", "c", "b"]);
    assert!(!world.wish.move_to("a", 1, look), "it runs");
    assert!(world.wish.start_out_of_turn("b"));
    world.go();
    assert_eq!(world.line().running, ["a", "b"]);
    world.set("a", OK);
    // The place of `b` is taken until it ends.
    assert_eq!(world.line().waiting, ["d", "c"]);
    world.set("b", OK);
    assert_eq!(world.line().running, ["d"]);
}

#[test]
fn a_guest_that_is_held_does_not_wait() {
    let mut world = queue(1);
    for name in ["a", "b", "c"] {
        world.invite(name, &[]);
    }
    assert!(world.wish.jobs["b"].waits_as_guest());
    world.wish.hold("b", "ann");
    assert!(!world.wish.jobs["b"].waits_as_guest());
    assert_eq!(world.line().waiting, ["c"]);
    world.wish.owe("b", 0);
    assert!(!world.wish.jobs["b"].waits_as_guest());
    assert_eq!(world.line().waiting, ["c"]);
    world.go();
    assert!(!world.wish.jobs.contains_key("b"), "it has left");
}

#[test]
fn a_failure_pauses_the_queue_that_is_to_be_paused() {
    let mut world = queue(1);
    world.wish.queues.get_mut("q").unwrap().pauses_on_failure = true;
    for name in ["a", "b", "c"] {
        world.invite(name, &[]);
    }
    world.set("a", BAD);
    assert_eq!(world.phase("b"), Phase::Queued(Why::Paused(0)));
    assert_eq!(world.wish.queues["q"].failed.as_deref(), Some("a"));
    world.wish.queues.get_mut("q").unwrap().resume();
    world.go();
    world.set("b", OK);
    assert_eq!(world.line().running, ["c"]);
    // What cannot be started has failed as well.
    world.seen.remove("c");
    world.wish.start_failed("c", "no such program");
    assert!(world.wish.queues["q"].paused);
}

#[test]
fn a_job_keeps_its_place_while_its_restart_policy_waits() {
    let mut world = queue(1);
    world.wish.queues.get_mut("q").unwrap().pauses_on_failure = true;
    for name in ["a", "b"] {
        world.invite(name, &[]);
    }
    world.set("a", SeenState::Retrying);
    assert_eq!(world.phase("b"), Phase::Queued(Why::Queue(0)));
    assert_eq!(world.line().running, ["a"]);
    let second = |state| Seen { run: 2, state };
    world.seen.insert("a".to_owned(), second(BUSY));
    world.go();
    assert_eq!(world.phase("b"), Phase::Queued(Why::Queue(0)));
    // The end of the last run is the end of its turn.
    world.seen.insert("a".to_owned(), second(BAD));
    world.go();
    assert_eq!(world.phase("b"), Phase::Queued(Why::Paused(0)));
    assert_eq!(world.wish.queues["q"].failed.as_deref(), Some("a"));
}

#[test]
fn a_guest_waits_for_others_and_what_was_met_stays_met() {
    let mut world = queue(0);
    world.seen.insert(
        "web".to_owned(),
        Seen {
            run: 2,
            state: BUSY,
        },
    );
    world
        .seen
        .insert("db".to_owned(), Seen { run: 1, state: OK });
    let needs = [need("web", Level::Ready), need("db", Level::Ok)];
    world.invite("a", &needs);
    assert_eq!(
        world.phase("a"),
        Phase::Queued(Why::Needs(needs[0].clone()))
    );
    // `db` is not needed any more, and may be removed.
    assert!(!world.wish.jobs.contains_key("db"));
    world.seen.remove("db");
    world.set("web", READY);
    assert_eq!(world.phase("a"), Phase::Starting);
    assert_eq!(world.steps, [Step::Start("a".into())]);

    let mut world = queue(0);
    world
        .seen
        .insert("web".to_owned(), Seen { run: 1, state: BAD });
    world.invite("a", &[need("web", Level::Ok)]);
    assert_eq!(world.phase("a").as_str(), "skipped");
    world.set("web", OK);
    assert_eq!(world.phase("a"), Phase::Starting);
    assert!(!world.steps.contains(&Step::Stop("web".into())));
}

#[test]
fn a_guest_of_a_project_that_is_down_waits_and_goes_on_when_it_runs() {
    let mut world = queue(1);
    world.invite("a", &[]);
    world.invite("b", &[]);
    world.set("a", READY);
    world.down();
    assert_eq!(world.phase("b"), Phase::Queued(Why::Down));
    assert_eq!(world.phase("a"), Phase::Running);
    world.set("a", OK);
    assert_eq!(world.phase("b"), Phase::Queued(Why::Down));
    world.wish.standing = Standing::Up;
    world.go();
    assert_eq!(world.phase("b"), Phase::Starting);
}

#[test]
fn a_guest_of_a_project_that_is_down_can_be_started_out_of_turn() {
    let mut world = queue(1);
    world.down();
    world.invite("a", &[]);
    assert_eq!(world.phase("a"), Phase::Queued(Why::Down));
    assert!(world.wish.start_out_of_turn("a"));
    world.go();
    assert_eq!(world.phase("a"), Phase::Starting);
}

/// Something that happens to a queue.
#[derive(Clone, Copy, Debug)]
enum Happens {
    /// A session comes, which may need another one.
    Comes(Option<(usize, u8)>),
    Hold(usize),
    OutOfTurn(usize),
    Move(usize, u32),
    Paused(bool),
    Parallel(u32),
    /// A program starts or ends.
    Session(usize, bool),
}

fn happens() -> impl Strategy<Value = Happens> {
    let need = prop::option::of((0..12usize, 0..4u8));
    prop_oneof![
        4 => need.prop_map(Happens::Comes),
        1 => (0..12usize).prop_map(Happens::Hold),
        1 => (0..12usize).prop_map(Happens::OutOfTurn),
        1 => (0..12usize, 1..5u32).prop_map(|(n, to)| Happens::Move(n, to)),
        1 => any::<bool>().prop_map(Happens::Paused),
        1 => (1..4u32).prop_map(Happens::Parallel),
        6 => (0..12usize, any::<bool>()).prop_map(|(n, ok)| Happens::Session(n, ok)),
    ]
}

proptest! {
    /// Whatever happens in whatever order, no session starts twice, no more run than may, unless they were started
    /// out of turn, and when all have ended nothing is left.
    #[test]
    fn a_queue_works_itself_off(
        pauses_on_failure: bool,
        events in prop::collection::vec(happens(), 1..120),
    ) {
        let mut world = queue(2);
        world.wish.queues.get_mut("q").unwrap().pauses_on_failure = pauses_on_failure;
        let mut names = 0;
        let mut out_of_turn = BTreeSet::new();
        let name = |n: usize| format!("s{n:02}");
        for event in events {
            let before = world.line().running.len();
            let limit = world.wish.queues["q"].parallel as usize;
            match event {
                Happens::Comes(other) if names < 12 => {
                    let levels = [Level::Started, Level::Ready, Level::Ok, Level::Done];
                    let needs = other.filter(|(n, _)| *n < names);
                    let needs = needs.map(|(n, level)| need(&name(n), levels[usize::from(level)]));
                    let own = name(names);
                    names += 1;
                    world.invite(&own, needs.as_slice());
                }
                Happens::Comes(_) => {}
                Happens::Hold(n) => world.wish.hold(&name(n), "ann"),
                Happens::OutOfTurn(n) => {
                    if world.wish.start_out_of_turn(&name(n)) {
                        out_of_turn.insert(name(n));
                    }
                }
                Happens::Move(n, to) => {
                    let seen = world.seen.clone();
                    let waits = world.line().waiting.contains(&name(n));
                    let moved = world.wish.move_to(&name(n), to, |name| look(&seen, name));
                    prop_assert_eq!(moved, waits);
                    if moved {
                        let line = world.line().waiting;
                        let at = line.iter().position(|other| *other == name(n)).unwrap();
                        prop_assert_eq!(at, (to as usize - 1).min(line.len() - 1));
                    }
                }
                Happens::Paused(paused) => world.wish.queues.get_mut("q").unwrap().paused = paused,
                Happens::Parallel(parallel) => {
                    world.wish.queues.get_mut("q").unwrap().parallel = parallel;
                }
                Happens::Session(n, ok) => {
                    let state = match world.at(&name(n)).state {
                        SeenState::Starting => READY,
                        READY => SeenState::Ended { ok },
                        state => state,
                    };
                    if world.seen.contains_key(&name(n)) {
                        world.set(&name(n), state);
                    }
                }
            }
            world.go();
            let line = world.line().running;
            let now = world.wish.queues["q"].parallel as usize;
            let extra = line.iter().filter(|name| out_of_turn.contains(*name)).count();
            prop_assert!(line.len() <= before.max(now.max(limit)) + extra, "{line:?}");
        }
        world.wish.queues.get_mut("q").unwrap().pauses_on_failure = false;
        world.wish.queues.get_mut("q").unwrap().resume();
        world.go();
        for _ in 0..100 {
            let running = world.line().running;
            let Some(name) = running.first() else { break };
            world.set(name, READY);
            world.set(name, OK);
        }
        // What is left needs what has failed or was stopped.
        for (name, phase) in world.decide().phases {
            let is_left = matches!(phase, Phase::Skipped(_) | Phase::Stopped | Phase::Failed | Phase::Done);
            prop_assert!(is_left, "{name}: {phase:?}");
        }
    }
}

/// A world with the queue `q` and these jobs in it.
fn jobs_in_queue(names: &[&str]) -> World {
    let mut world = queue(1);
    for name in names {
        let queued = JobWish {
            queue: Some("q".to_owned()),
            ..task(&[])
        };
        world.wish.jobs.insert((*name).to_owned(), queued);
    }
    world
}

#[test]
fn a_queue_starts_jobs_in_the_order_of_the_request() {
    let names = ["zeta", "mid", "alpha"];
    let mut world = jobs_in_queue(&names);
    world.wish.up(&names.map(str::to_owned), |_| Seen::NEVER);
    world.go();
    assert_eq!(world.line().running, ["zeta"]);
    assert_eq!(world.line().waiting, ["mid", "alpha"]);
}

#[test]
fn a_paused_queue_has_settled_and_down_forgets_the_failure() {
    let mut world = jobs_in_queue(&["a", "b"]);
    world.wish.queues.get_mut("q").unwrap().pauses_on_failure = true;
    world.all_up();
    world.set("a", BAD);
    let paused = world.phase("b");
    assert_eq!(paused, Phase::Queued(Why::Paused(0)));
    assert!(paused.is_settled() && paused.is_bad());
    world.down();
    world.all_up();
    assert_eq!(world.line().running, ["a"]);
    // The pause of a person stays.
    world.wish.queues.get_mut("q").unwrap().paused = true;
    world.down();
    assert!(world.wish.queues["q"].paused);
}

#[test]
fn a_run_is_owed_until_it_has_begun() {
    let mut world = jobs_in_queue(&["a", "b"]);
    world
        .wish
        .up(&["a", "b"].map(str::to_owned), |_| Seen::NEVER);
    world.go();
    // A daemon that takes over now starts it.
    assert!(world.wish.jobs["a"].owed.is_some());
    assert_eq!(world.line().running, ["a"]);
    // Asked for again meanwhile, it comes last.
    let seen = world.at("a");
    world.wish.owe("a", seen.run);
    assert_eq!(world.line().waiting, ["b", "a"]);
    world.set("a", READY);
    world.set("a", BAD);
    world.set("b", READY);
    assert!(world.wish.jobs["b"].owed.is_none());
    assert_eq!(world.wish.jobs["b"].turn, Some(1));
}

#[test]
fn a_queue_does_not_start_more_than_may_run_at_all() {
    let mut world = queue(5);
    world.room = 0;
    for name in ["a", "b"] {
        world.invite(name, &[]);
    }
    assert_eq!(world.phase("a"), Phase::Queued(Why::Limit));
    world.room = 1;
    let decision = world.decide();
    assert_eq!(decision.steps, [Step::Start("a".into())]);
    assert_eq!(decision.phases["b"], Phase::Queued(Why::Limit));
}
