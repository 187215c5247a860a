//! Runs that start at a time, and not before.

use super::*;
use crate::protocol::Timestamp;

fn at(ms: i64) -> Timestamp {
    Timestamp(ms)
}

/// A world with a session that is to start at 500.
fn delayed(needs: Vec<Need>) -> World {
    let mut world = World::default();
    world.wish.standing = Standing::Up;
    world.wish.invite("a", None, needs, 0);
    world.wish.delay("a", at(500));
    world.go();
    world
}

#[test]
fn it_starts_when_its_time_has_come() {
    let mut world = delayed(Vec::new());
    assert_eq!(world.phase("a"), Phase::Queued(Why::Time(at(500))));
    assert_eq!(world.wish.next_time(), Some(at(500)));
    assert!(!world.wish.time_passes(at(499)));
    assert!(world.wish.time_passes(at(500)));
    assert_eq!(world.wish.next_time(), None);
    world.go();
    assert_eq!(world.words(), ["a starting"]);
}

#[test]
fn it_still_waits_for_what_it_needs() {
    let need = Need {
        job: "db".to_owned(),
        is: Level::Ok,
        restart: false,
    };
    let mut world = delayed(vec![need.clone()]);
    world.set("db", READY);
    assert!(world.wish.time_passes(at(600)));
    world.go();
    assert_eq!(world.phase("a"), Phase::Queued(Why::Needs(need.clone())));
    // What cannot come does not come at that time either.
    let mut world = delayed(vec![need.clone()]);
    world.set("db", BAD);
    world.go();
    assert_eq!(world.phase("a"), Phase::Skipped(Why::Needs(need)));
}

#[test]
fn a_request_starts_it_at_once() {
    let mut world = delayed(Vec::new());
    assert!(world.wish.start_out_of_turn("a"));
    world.go();
    assert_eq!(world.words(), ["a starting"]);
}

#[test]
fn it_holds_up_nobody_in_its_queue() {
    let mut world = World::default();
    world.wish.standing = Standing::Up;
    let queue = Queue {
        parallel: 1,
        ..Queue::default()
    };
    world.wish.queues.insert("q".to_owned(), queue);
    for name in ["a", "b"] {
        let queue = Some("q".to_owned());
        world.wish.invite(name, queue, Vec::new(), 0);
    }
    world.wish.delay("a", at(500));
    world.go();
    assert_eq!(world.words(), ["a queued", "b starting"]);
    world.set("b", READY);
    world.wish.time_passes(at(500));
    world.go();
    assert_eq!(world.phase("a"), Phase::Queued(Why::Queue(0)));
}
