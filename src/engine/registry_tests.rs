//! Tests of scopes, limits and retention.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::engine::life::Actor;
use crate::engine::meta::{Meta, Spec, TimeLimits};
use crate::protocol::keeper::Exit;
use crate::protocol::{ErrorCode, Timestamp};
use crate::term::size::Size;

const CAPS: Caps = Caps {
    total: 3,
    retention: Retention {
        people_ms: 0,
        people_count: 0,
        agents_ms: 0,
        agents_failed_ms: 0,
        agents_count: 1,
    },
};

fn now(boot: u64) -> Now {
    Now {
        boot,
        wall: Timestamp(boot.cast_signed()),
    }
}

fn agent(scope: &str) -> Principal {
    Principal {
        role: Role::Agent,
        scope: Scope::named(scope).unwrap(),
    }
}

fn start(registry: &mut Registry, scope: &str, boot: u64) -> SessionId {
    let id = SessionId::fresh();
    let time_limits = TimeLimits {
        timeout_ms: 100,
        timeout_grace_ms: 5,
        ttl_ms: 1000,
        failed_ttl_ms: None,
        until_room: None,
        keep: false,
    };
    let scope = Scope::named(scope).unwrap();
    let mut session = Session::new(
        id.clone(),
        scope,
        Spec::default(),
        Size::default(),
        time_limits,
        now(boot),
    );
    session.life.started(7, 0, now(boot));
    registry.insert(session);
    id
}

#[test]
fn sessions_of_one_millisecond_keep_their_order() {
    let mut registry = Registry::new(CAPS);
    assert_eq!(registry.after_newest(now(5)), now(5));
    start(&mut registry, "a", 5);
    assert_eq!(registry.after_newest(now(4)).wall, Timestamp(6));
    assert_eq!(registry.after_newest(now(5)).wall, Timestamp(6));
    assert_eq!(registry.after_newest(now(6)), now(6));
    start(&mut registry, "a", 1_000_000);
    assert_eq!(
        registry.after_newest(now(6)),
        now(6),
        "the clock was set back"
    );
}

fn end(registry: &mut Registry, id: &SessionId, boot: u64) {
    let exit = Exit {
        pid: 7,
        exit_code: Some(0),
        signal: None,
        core_dumped: false,
        ended_at: Timestamp(0),
        end_offset: 0,
        limit: None,
        out_of_memory: false,
    };
    let session = registry.get_mut(id).unwrap();
    session.life.ended(&exit, None, &[], now(boot));
    session.touch(now(boot));
}

#[test]
fn other_agents_get_the_shared_access_to_a_session_but_never_own_it() {
    let mut registry = Registry::new(CAPS);
    let id = start(&mut registry, "a", 0);
    let (owner, other) = (agent("a"), agent("b"));
    let person = Principal {
        role: Role::Human,
        scope: Scope::human(),
    };
    for (share, may) in [
        (Share::None, [false, false, false]),
        (Share::Read, [true, false, false]),
        (Share::Write, [true, true, false]),
    ] {
        registry.get_mut(&id).unwrap().share = share;
        let session = registry.get(&id).unwrap();
        let again = Session::from_meta(session.meta("boot"), true, now(1));
        assert_eq!(again.share, share, "the share must be saved");
        for (access, may) in [Access::Read, Access::Type, Access::Own]
            .into_iter()
            .zip(may)
        {
            assert_eq!(other.may(access, session), may, "{share:?} {access:?}");
            assert!(owner.may(access, session) && person.may(access, session));
        }
        assert_eq!(registry.find(&other, id.as_str()).is_ok(), may[0]);
    }
}

#[test]
fn a_session_of_another_scope_gives_the_same_error_as_an_unknown_id() {
    let mut registry = Registry::new(CAPS);
    let id = start(&mut registry, "a", 0);
    let never = SessionId::fresh();
    let theirs = registry.find(&agent("b"), id.as_str()).err().unwrap();
    let missing = registry.find(&agent("b"), never.as_str()).err().unwrap();
    assert_eq!(
        theirs.message.replace(id.as_str(), never.as_str()),
        missing.message
    );
    assert_eq!((theirs.code, theirs.hint), (missing.code, missing.hint));
    let human = Principal {
        role: Role::Human,
        scope: Scope::human(),
    };
    assert!(registry.find(&human, id.as_str()).is_ok());
}

#[test]
fn a_removed_session_is_remembered_for_a_day() {
    let mut registry = Registry::new(CAPS);
    let id = start(&mut registry, "a", 0);
    end(&mut registry, &id, 5);
    registry.remove(&id, now(10)).unwrap();
    let error = registry.find(&agent("a"), id.as_str()).err().unwrap();
    assert_eq!(error.code, ErrorCode::SessionRemoved);
    assert_eq!(error.data.unwrap()["exitCode"], 0);
    let error = registry.find(&agent("b"), id.as_str()).err().unwrap();
    assert_eq!(error.code, ErrorCode::SessionNotFound);
}

#[test]
fn a_start_beyond_a_limit_is_refused_and_names_the_limit() {
    let mut registry = Registry::new(CAPS);
    let (a, b) = (agent("a"), agent("b"));
    start(&mut registry, "a", 0);
    let id = start(&mut registry, "a", 0);
    let error = registry.check_room(&a, 2, now(9), |_| false).unwrap_err();
    assert_eq!(error.data.unwrap()["name"], "maxSessions");
    registry.check_room(&b, 2, now(9), |_| false).unwrap();
    start(&mut registry, "b", 0);
    let error = registry.check_room(&b, 2, now(9), |_| false).unwrap_err();
    assert_eq!(error.data.unwrap()["name"], "maxSessionsTotal");
    end(&mut registry, &id, 5);
    registry.check_room(&b, 2, now(9), |_| false).unwrap();
}

#[test]
fn a_refusal_lists_the_idlest_visible_sessions() {
    let mut registry = Registry::new(CAPS);
    let recent = start(&mut registry, "a", 50);
    let old = start(&mut registry, "a", 20);
    start(&mut registry, "b", 0);
    let idle = |error: Error| -> Vec<(String, u64)> {
        let data = error.data.unwrap();
        let named = data["reclaimable"].as_array().unwrap().iter();
        named
            .map(|s| {
                let id = s["sessionId"].as_str().unwrap().to_owned();
                (id, s["idleMs"].as_u64().unwrap())
            })
            .collect()
    };
    let own = [(old.to_string(), 80), (recent.to_string(), 50)];
    let scope = registry
        .check_room(&agent("a"), 2, now(100), |_| false)
        .unwrap_err();
    assert_eq!(idle(scope), own);
    let total = registry
        .check_room(&agent("a"), 9, now(100), |_| false)
        .unwrap_err();
    assert_eq!(
        idle(total),
        own,
        "sessions of other scopes must not be listed"
    );
    let human = Principal {
        role: Role::Human,
        scope: Scope::human(),
    };
    let total = registry
        .check_room(&human, 9, now(100), |_| false)
        .unwrap_err();
    assert_eq!(idle(total).len(), 3);
}

#[test]
fn a_finished_session_whose_terminal_is_in_use_is_kept() {
    let mut registry = Registry::new(CAPS);
    let id = start(&mut registry, "a", 0);
    let other = start(&mut registry, "a", 0);
    for id in [&id, &other] {
        end(&mut registry, id, 5);
        registry.get_mut(id).unwrap().tty_open = true;
    }
    assert_eq!(registry.get(&id).unwrap().expires_at(), None);
    assert!(
        registry
            .surplus(&Scope::named("a").unwrap(), &id, now(9))
            .is_empty()
    );
    let session = registry.get_mut(&id).unwrap();
    let record = session.record(now(9), |number| number.to_string());
    let why = "exit code 0; a process that it left has its terminal open";
    assert_eq!(record.reason.as_deref(), Some(why));
    session.tty_open = false;
    assert_eq!(session.expires_at(), Some(1005));
}

#[test]
fn the_next_daemon_knows_the_last_access_of_a_session() {
    let mut registry = Registry::new(CAPS);
    let id = start(&mut registry, "a", 0);
    end(&mut registry, &id, 100);
    let session = registry.get_mut(&id).unwrap();
    session.saved();
    session.touch(now(150));
    assert!(!session.is_access_unsaved(), "a twentieth of the TTL");
    session.touch(now(151));
    assert!(session.is_access_unsaved());
    let meta = session.meta("boot");
    let again = Session::from_meta(meta.clone(), true, now(900));
    assert_eq!(again.expires_at(), Some(1151));
    // The machine was restarted 30 ms ago, 40 ms after the last access.
    let later = Now {
        boot: 30,
        wall: Timestamp(191),
    };
    let again = Session::from_meta(meta.clone(), false, later);
    assert_eq!(again.expires_at(), Some(1000));
    let old = Meta {
        accessed: None,
        ..meta
    };
    let again = Session::from_meta(old, true, now(900));
    assert_eq!(
        again.expires_at(),
        Some(1900),
        "version 0.1 did not save the access"
    );
}

#[test]
fn surplus_sessions_are_the_least_recently_accessed() {
    let mut registry = Registry::new(CAPS);
    let old = start(&mut registry, "a", 0);
    let new = start(&mut registry, "a", 0);
    end(&mut registry, &new, 5);
    end(&mut registry, &old, 6);
    let scope = Scope::named("a").unwrap();
    assert_eq!(registry.surplus(&scope, &old, now(9)), [new]);
}

#[test]
fn timeout_and_expiry_are_armed_as_the_status_changes() {
    let mut registry = Registry::new(CAPS);
    let id = start(&mut registry, "a", 10);
    let mut timers = Timers::default();
    registry.arm(&id, &mut timers);
    assert_eq!(timers.pop(110), Some(Due::Timeout(id.clone())));
    registry.get_mut(&id).unwrap().life.ask_to_end(Actor::Human);
    registry.arm(&id, &mut timers);
    assert_eq!(
        timers.next(),
        None,
        "a session that is being ended has no time limit"
    );
    end(&mut registry, &id, 200);
    registry.arm(&id, &mut timers);
    assert_eq!(timers.pop(1200), Some(Due::Expiry(id)));
}
