//! Tests of a session's life, step by step.

use super::*;
use crate::protocol::RestartPolicy;
use crate::protocol::policy::RestartWhen;

fn now(boot: u64) -> Now {
    Now {
        boot,
        wall: Timestamp(boot.cast_signed()),
    }
}

fn running() -> Life {
    let mut life = Life::new(now(10));
    life.started(7, 0, now(20));
    life
}

fn exit(code: Option<i32>, signal: Option<i32>) -> Exit {
    let ended_at = Timestamp(50);
    Exit {
        pid: 7,
        exit_code: code,
        signal,
        core_dumped: false,
        ended_at,
        end_offset: 0,
        limit: None,
        out_of_memory: false,
    }
}

#[test]
fn exit_code_zero_is_done_and_any_other_is_an_error() {
    for (code, signal, status) in [
        (Some(0), None, Status::Done),
        (Some(3), None, Status::Error),
        (None, Some(11), Status::Error),
    ] {
        let mut life = running();
        life.ended(&exit(code, signal), None, &[], now(50));
        assert_eq!(life.status(), status);
        assert_eq!(life.runtime_ms(now(99)), 30);
        assert_eq!(life.ended_by().map(|by| by.kind), Some(EndedByKind::Itself));
    }
}

#[test]
fn other_exit_codes_can_count_as_success() {
    let mut life = running();
    life.ended(&exit(Some(3), None), None, &[3], now(50));
    assert_eq!((life.status(), life.exit_code()), (Status::Done, Some(3)));
    let mut life = running();
    life.ended(&exit(Some(0), None), None, &[3], now(50));
    assert_eq!(life.status(), Status::Error);
}

#[test]
fn a_session_that_waits_for_its_turn_can_be_ended_before_it_runs() {
    let mut life = Life::queued(now(10));
    assert_eq!(life.status(), Status::Queued);
    assert!(life.leave_queue(
        Some(&Actor::Human),
        "a person stopped it before it ran",
        now(50)
    ));
    assert_eq!(
        (life.status(), life.runtime_ms(now(99))),
        (Status::Killed, 0)
    );
    assert!(!life.leave_queue(None, "again", now(60)));
    life.queue();
    assert_eq!(life.status(), Status::Queued);
    assert_eq!((life.reason(), life.ended_at()), (None, None));
}

#[test]
fn a_session_that_is_stopped_before_its_next_run_has_not_the_exit_code_of_the_last_one() {
    let mut life = running();
    life.ended(&exit(Some(3), None), None, &[], now(50));
    life.queue();
    assert!(life.leave_queue(Some(&Actor::Human), "it was stopped before it ran", now(60)));
    assert_eq!((life.status(), life.exit_code()), (Status::Killed, None));
    assert_eq!(life.runs()[0].exit_code, Some(3));
}

#[test]
fn an_unobserved_end_is_lost_unless_it_was_requested() {
    let mut life = running();
    life.ended(&exit(None, None), None, &[], now(50));
    assert_eq!(life.status(), Status::Lost);
    assert!(life.runs()[0].lost);
    let mut life = running();
    life.ask_to_end(Actor::Human);
    life.ended(&exit(None, None), None, &[], now(50));
    assert_eq!((life.status(), life.exit_code()), (Status::Killed, None));
    assert!(!life.runs()[0].lost);
}

#[test]
fn a_run_that_was_lost_is_over() {
    let mut life = running();
    life.lost("the machine was restarted", now(50));
    let run = &life.runs()[0];
    assert_eq!((run.ended_at, run.lost), (Some(now(50).wall), true));
    assert_eq!(life.ended_by(), None);
    let mut life = running();
    life.ask_to_end(Actor::Human);
    life.lost("the machine was restarted", now(50));
    assert_eq!(life.ended_by().unwrap().kind, EndedByKind::Human);
    let mut life = running();
    life.ended(&exit(Some(0), None), None, &[], now(50));
    life.queue();
    life.lost("it waited for its turn", now(90));
    let run = &life.runs()[0];
    assert_eq!((run.exit_code, run.lost), (Some(0), false));
    // This end is not the end of that run.
    assert_eq!((life.status(), life.exit_code()), (Status::Lost, None));
    assert_eq!(life.reason_without_end(), Some("it waited for its turn"));
}

#[test]
fn what_ran_it_elsewhere_knows_how_it_ended() {
    let mut life = running();
    life.ended(&exit(None, None), None, &[], now(50));
    assert!(life.runs()[0].lost);
    let why = "Slurm ended it at its time limit";
    life.ended_elsewhere(Some(Status::TimedOut), Some(why.to_owned()));
    assert!(!life.runs()[0].lost);
    assert_eq!(life.reason(), Some(why));
}

#[test]
fn a_failed_start_is_not_how_the_run_before_ended() {
    let mut life = running();
    life.ask_to_end(Actor::Human);
    life.ended(&exit(Some(143), None), None, &[], now(50));
    life.failed_to_start("port 3000 is used", now(90));
    assert_eq!(life.status(), Status::Error);
    assert_eq!((life.exit_code(), life.signal()), (None, None));
    assert_eq!(life.ended_by(), None);
    assert_eq!(
        life.reason(),
        Some("it could not be started: port 3000 is used")
    );
    let run = &life.runs()[0];
    assert_eq!(
        (run.exit_code, run.ended_at),
        (Some(143), Some(now(50).wall))
    );
}

#[test]
fn a_session_that_was_asked_to_end_is_killed_however_it_ends() {
    let mut life = running();
    assert!(life.ask_to_end(Actor::Human));
    assert_eq!(life.status(), Status::Stopping);
    assert!(
        !life.ask_to_end(Actor::TimeLimit(5)),
        "the first actor that asked is recorded"
    );
    life.ended(&exit(Some(0), None), None, &[], now(50));
    assert_eq!(life.status(), Status::Killed);
    assert_eq!(life.reason(), Some("a person ended it (exit code 0)"));
}

#[test]
fn a_request_to_end_goes_before_a_time_limit() {
    let mut life = running();
    assert!(life.ask_to_end(Actor::TimeLimit(5)));
    assert!(life.ask_to_end(Actor::Human));
    assert!(!life.ask_to_end(Actor::TimeLimit(5)));
    life.ended(
        &exit(None, Some(9)),
        Some("SIGKILL".to_owned()),
        &[],
        now(50),
    );
    assert_eq!(life.status(), Status::Killed);
}

#[test]
fn a_watch_and_a_schedule_are_not_persons() {
    let files = |files: &str| Actor::Watch(files.to_owned().into());
    for (by, kind, reason) in [
        (
            files("src/a.rs"),
            EndedByKind::Watch,
            "it was ended because src/a.rs has changed (SIGTERM)",
        ),
        (
            files("src/a.rs and 3 more"),
            EndedByKind::Watch,
            "it was ended because src/a.rs and 3 more have changed (SIGTERM)",
        ),
        (
            files("many files"),
            EndedByKind::Watch,
            "it was ended because many files have changed (SIGTERM)",
        ),
        (
            Actor::Project("web".to_owned()),
            EndedByKind::Project,
            "it was ended because web has ended (SIGTERM)",
        ),
        (
            Actor::Schedule,
            EndedByKind::Schedule,
            "its schedule ended it for the next run (SIGTERM)",
        ),
    ] {
        let mut life = running();
        life.ask_to_end(by);
        let signal = Some("SIGTERM".to_owned());
        life.ended(&exit(None, Some(15)), signal, &[], now(50));
        assert_eq!(
            (life.status(), life.reason()),
            (Status::Killed, Some(reason))
        );
        assert_eq!(life.ended_by(), Some(&EndedBy::of(kind)));
    }
}

#[test]
fn the_time_limit_has_a_status_of_its_own() {
    let mut life = running();
    life.ask_to_end(Actor::TimeLimit(1500));
    life.ended(
        &exit(None, Some(15)),
        Some("SIGTERM".to_owned()),
        &[],
        now(50),
    );
    assert_eq!(life.status(), Status::TimedOut);
    assert_eq!(
        life.reason(),
        Some("it reached its time limit of 1500 ms (SIGTERM)")
    );
}

#[test]
fn death_by_our_signal_is_killed_and_by_another_is_an_error() {
    let mut life = running();
    life.signalled(2, Actor::Human);
    life.ended(&exit(None, Some(2)), None, &[], now(50));
    assert_eq!(life.status(), Status::Killed);
    let mut life = running();
    life.signalled(2, Actor::Human);
    life.ended(&exit(None, Some(11)), None, &[], now(50));
    assert_eq!(life.status(), Status::Error);
}

#[test]
fn death_by_a_signal_that_others_of_ours_have_followed_is_killed() {
    let (stop, term, cont) = (19, 15, 18);
    let other = Actor::Schedule;
    let mut life = running();
    life.signalled(term, Actor::Human);
    life.signalled(stop, Actor::Human);
    life.signalled(term, other.clone());
    life.signalled(cont, Actor::Human);
    life.ended(&exit(None, Some(term)), None, &[], now(50));
    assert_eq!(life.status(), Status::Killed);
    assert_eq!(life.ended_by(), Some(&other.ended_by()));
    // The signals of one run are nothing to the next one.
    life.started(2, 0, now(60));
    life.ended(&exit(None, Some(term)), None, &[], now(70));
    assert_eq!(life.status(), Status::Error);
}

#[test]
fn a_kill_that_bgproc_did_not_send_may_come_from_the_kernel() {
    let killed = |ours: bool, out_of_memory: bool| {
        let mut life = running();
        if ours {
            life.signalled(9, Actor::Human);
        }
        let exit = Exit {
            out_of_memory,
            ..exit(None, Some(9))
        };
        life.ended(&exit, Some("SIGKILL".to_owned()), &[], now(50));
        (life.status(), life.reason().map(str::to_owned))
    };
    let guess = Some("SIGKILL (out of memory?)".to_owned());
    let plain = Some("SIGKILL".to_owned());
    assert_eq!(killed(false, true), (Status::Error, guess));
    assert_eq!(killed(false, false), (Status::Error, plain.clone()));
    assert_eq!(killed(true, true), (Status::Killed, plain));
}

#[test]
fn the_earliest_kill_time_applies_until_no_process_is_left() {
    let mut life = running();
    life.ask_to_end(Actor::Human);
    life.grace_began(500);
    life.grace_began(300);
    life.grace_began(900);
    assert_eq!(life.kill_at(), Some(300));
    life.ended(&exit(Some(0), None), None, &[], now(50));
    assert_eq!(life.kill_at(), Some(300), "other processes may be left");
    life.grace_ended(None);
    assert_eq!(life.kill_at(), None);
}

#[test]
fn a_kill_that_was_asked_for_is_told_from_the_end_of_a_grace_period() {
    let killed = |signals: &[i32]| {
        let mut life = running();
        life.ask_to_end(Actor::Human);
        for signal in signals {
            life.signalled(*signal, Actor::Human);
            life.grace_began(300);
        }
        life
    };
    let reason = |mut life: Life| {
        let name = Some("SIGKILL".to_owned());
        life.ended(&exit(None, Some(9)), name, &[], now(500));
        life.reason().map(str::to_owned)
    };
    let asked = Some("a person ended it (SIGKILL)".to_owned());
    assert_eq!(reason(killed(&[9])), asked);
    assert_eq!(reason(killed(&[15, 9])), asked);
    let mut late = killed(&[15]);
    late.signalled(9, Actor::Human);
    assert_eq!(
        reason(late).as_deref(),
        Some("a person stopped it; it did not end within its grace period (SIGKILL)")
    );
}

#[test]
fn a_stop_before_the_next_run_keeps_how_the_last_one_ended() {
    for (most, which) in [(9, "1 of 9"), (RestartPolicy::FOREVER, "1")] {
        let policy = RestartPolicy {
            policy: RestartWhen::OnFailure,
            max_retries: Some(most),
            ..RestartPolicy::default()
        };
        let mut life = running();
        life.ended(&exit(Some(2), None), None, &[], now(50));
        assert!(life.retry(policy, now(50)));
        assert!(life.stop_retrying(Some(&Actor::Human), Some(policy)));
        let reason = format!("exit code 2; a person stopped it before retry {which}");
        assert_eq!(life.reason(), Some(reason.as_str()));
    }
}

#[test]
fn a_session_that_cannot_be_ended_says_why() {
    let mut life = running();
    life.ask_to_end(Actor::Human);
    life.grace_ended(Some("pid 7 refuses".to_owned()));
    assert_eq!(life.reason(), Some("pid 7 refuses"));
    life.ended(&exit(Some(0), None), None, &[], now(50));
    assert_eq!(life.reason(), Some("a person ended it (exit code 0)"));
}

#[test]
fn a_restart_is_counted_and_resets_the_previous_end() {
    let mut life = running();
    life.ended(&exit(Some(3), None), None, &[], now(50));
    life.started(8, 100, now(60));
    assert_eq!((life.restarts(), life.exit_code()), (1, None));
    assert_eq!(life.runs().len(), 2);
    assert_eq!(
        (life.runs()[0].exit_code, life.runs()[1].offset),
        (Some(3), 100)
    );
}

#[test]
fn set_paused_reports_a_change_once() {
    let mut life = running();
    assert!(life.set_paused(true));
    assert!(!life.set_paused(true));
    assert!(life.set_paused(false));
    assert_eq!(life.status(), Status::Running);
}

#[test]
fn a_reader_is_told_of_the_restarts_that_it_has_not_seen() {
    let mut life = running();
    assert_eq!(life.restarted_since(None), None);
    for signal in [None, Some("SIGSEGV".to_owned())] {
        let code = signal.is_none().then_some(3);
        life.ended(
            &exit(code, code.is_none().then_some(11)),
            signal,
            &[],
            now(50),
        );
        life.started(8, 5, now(60));
    }
    let told = |known| life.restarted_since(known);
    let after = "the last time after SIGSEGV";
    assert_eq!(
        told(None),
        Some(format!("restarted 2 times so far, {after}"))
    );
    let once = format!("restarted once since you last looked, {after}");
    assert_eq!(told(Some(2)), Some(once));
    assert_eq!(told(Some(3)), None);
    life.ask_to_end(Actor::TimeLimit(1500));
    let signal = Some("SIGTERM".to_owned());
    life.ended(&exit(None, Some(15)), signal, &[], now(70));
    let policy = RestartPolicy {
        policy: RestartWhen::Always,
        ..RestartPolicy::default()
    };
    assert!(life.retry(policy, now(70)));
    life.started(9, 9, now(80));
    let limit =
        "restarted once since you last looked, the last time after its time limit (SIGTERM)";
    assert_eq!(life.restarted_since(Some(3)).as_deref(), Some(limit));
}

#[test]
fn a_stop_before_the_next_run_keeps_the_reason_that_an_older_version_has_stored() {
    let policy = RestartPolicy {
        policy: RestartWhen::OnFailure,
        ..RestartPolicy::default()
    };
    let mut life = running();
    life.ended(&exit(Some(2), None), None, &[], now(50));
    assert!(life.retry(policy, now(50)));
    let mut stored = serde_json::to_value(&life).unwrap();
    stored.as_object_mut().unwrap().remove("reasonBeforeRetry");
    let mut life: Life = serde_json::from_value(stored).unwrap();
    assert!(life.stop_retrying(Some(&Actor::Human), Some(policy)));
    assert!(life.reason().unwrap().starts_with("exit code 2; "));
}
