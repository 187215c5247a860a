//! A project to which anything happens in any order.

use proptest::prelude::*;

use super::*;
use crate::protocol::cause::Files;

/// Something that happens to a project.
#[derive(Clone, Copy, Debug)]
enum Happens {
    Up(usize),
    AllUp,
    Down,
    Restart(usize),
    Hold(usize),
    /// A time of a schedule comes; the number selects what happens if the last run has not ended.
    Come(usize, u8),
    /// Files of a job change; whether the jobs that need it are restarted, too.
    Change(usize, bool),
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
        1 => (0..8usize, 0..3u8).prop_map(|(job, overlap)| Happens::Come(job, overlap)),
        1 => (0..8usize, any::<bool>()).prop_map(|(job, all)| Happens::Change(job, all)),
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
    let queue = Queue {
        parallel,
        ..Queue::default()
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
            world.steps.push(step.clone());
        }
        let in_queue =
            |(name, job): (&String, &JobWish)| job.queue.is_some() && job.has_place(world.at(name));
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
            let names: Vec<String> = world.wish.jobs.keys().cloned().collect();
            world.wish.up(&names, at);
        }
        Happens::Change(n, all) => {
            let state = |wish: &Wish| {
                let jobs = wish.jobs.values();
                let jobs = jobs.map(|job| (job.wanted, job.hold.clone()));
                (wish.standing, jobs.collect::<Vec<_>>())
            };
            let before = state(&world.wish);
            let files = Files::one("a".to_owned());
            let reacts = world.wish.change(&name(n), all, &files, at, |_| false);
            assert_eq!(
                state(&world.wish),
                before,
                "a change wants and holds nothing"
            );
            assert!(!reacts || world.wish.jobs[&name(n)].is_owed(at(&name(n))));
        }
        Happens::Down => world.wish.down(at),
        Happens::Restart(n) => world.wish.restart(&name(n), at),
        Happens::Hold(n) => world.wish.hold(&name(n), "ann"),
        Happens::Come(n, overlap) => {
            let overlap = [Overlap::Skip, Overlap::Queue, Overlap::Restart][usize::from(overlap)];
            let job = &world.wish.jobs[&name(n)];
            // Others have no schedule that is followed.
            if world.wish.standing == Standing::Up && job.wanted && job.hold.is_none() {
                let now = at(&name(n));
                let before = world.steps.len();
                world.wish.come(&name(n), overlap, now);
                checked_step(world);
                let ends = world.steps[before..].contains(&Step::Stop(name(n)));
                assert!(
                    !ends || overlap == Overlap::Restart,
                    "{overlap:?} of {now:?}"
                );
            }
        }
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
            let decided = decide(&again, |name| world.at(name), world.room);
            prop_assert_eq!(decided, world.decide());
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
