//! Asks the daemon to end jobs.
//!
//! All jobs are asked for before the first answer is waited for, so that their grace periods overlap and a person who
//! leaves meanwhile has had all of them stopped. If the daemon goes away, the next one is asked for those that have no
//! answer: it continues the endings that were begun, and ends what was not asked for yet.

use std::collections::BTreeMap;
use std::time::Instant;

use serde_json::Value;

use crate::cli::context::Context;
use crate::cli::exit::Failure;
use crate::client::IN_FLIGHT;
use crate::protocol::params::Kill;
use crate::protocol::{Action, Error, ErrorCode, SessionId};

/// A job, and how it is to end: the request without its id.
pub(in crate::cli) type Wish = (SessionId, Kill);

/// What became of a job.
#[derive(Debug)]
pub(in crate::cli) struct Ended {
    /// Its place among the wishes.
    pub(in crate::cli) place: usize,
    /// The daemon's answer.
    pub(in crate::cli) answer: Result<Value, Error>,
    /// When the answer arrived.
    pub(in crate::cli) at: Instant,
    /// Whether it was asked for more than once. Then an answer that it had already ended may be about the first time.
    pub(in crate::cli) is_repeated: bool,
}

/// Ends all of these jobs, and passes on what became of each: in their order, as long as the daemon stays.
///
/// # Errors
///
/// Those of `told`, and that there is no next daemon.
pub(in crate::cli) fn end(
    ctx: &mut Context,
    wishes: &[Wish],
    mut told: impl FnMut(&mut Context, Ended) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut left: Vec<usize> = (0..wishes.len()).collect();
    // Jobs of projects may have another manner than the rest, which costs one request.
    let mut size = left.len().div_ceil(IN_FLIGHT - 1);
    let mut is_repeated = false;
    while !left.is_empty() {
        let parts = parts(wishes, &left, size);
        let actions = parts.iter().map(|part| request(wishes, part)).collect();
        let answers = ctx.daemon()?.call_all_timed(actions);
        let mut known = BTreeMap::new();
        let mut is_gone = false;
        for (part, (answer, at)) in parts.iter().zip(answers) {
            match (answer, part.as_slice()) {
                (Err(error), _) if error.code == ErrorCode::DaemonUnavailable => is_gone = true,
                (answer, [only]) => drop(known.insert(*only, (answer, at))),
                (Ok(mut value), several) => {
                    let results = value.get_mut("results").and_then(Value::as_array_mut);
                    for result in results.into_iter().flatten().map(Value::take) {
                        let is_it =
                            |place: &&usize| result["sessionId"] == wishes[**place].0.as_str();
                        if let Some(place) = several.iter().find(is_it) {
                            known.insert(*place, (Ok(result), at));
                        }
                    }
                }
                // One of them was refused. Asked for alone, each has an answer of its own.
                (Err(_), _) => {}
            }
        }
        left.retain(|place| !known.contains_key(place));
        for (place, (answer, at)) in known {
            let ended = Ended {
                place,
                answer,
                at,
                is_repeated,
            };
            told(ctx, ended)?;
        }
        (is_repeated, size) = (true, 1);
        if is_gone {
            // What is known must not be lost if there is no other daemon.
            ctx.out.flush()?;
            ctx.daemon()?.reconnect()?;
        }
    }
    Ok(())
}

/// Divides jobs into requests, each for at most `size` jobs that are to end in the same manner.
fn parts(wishes: &[Wish], places: &[usize], size: usize) -> Vec<Vec<usize>> {
    let mut manners: Vec<(&Kill, Vec<usize>)> = Vec::new();
    for place in places {
        let manner = &wishes[*place].1;
        match manners.iter_mut().find(|(known, _)| *known == manner) {
            Some((_, those)) => those.push(*place),
            None => manners.push((manner, vec![*place])),
        }
    }
    let parts = manners
        .iter()
        .flat_map(|(_, those)| those.chunks(size.max(1)));
    parts.map(<[usize]>::to_vec).collect()
}

fn request(wishes: &[Wish], part: &[usize]) -> Action {
    let id = |place: &usize| wishes[*place].0.to_string();
    let manner = part.first().map(|place| wishes[*place].1.clone());
    let manner = manner.unwrap_or_default();
    Action::Kill(match part {
        [only] => Kill {
            session_id: Some(id(only)),
            ..manner
        },
        several => Kill {
            session_ids: Some(several.iter().map(id).collect()),
            ..manner
        },
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn no_request_waits_for_another_however_many_jobs_there_are() {
        for count in [1, 2, 100, IN_FLIGHT, IN_FLIGHT + 1, 1000] {
            let wish = |number: usize| {
                let manner = Kill {
                    grace_ms: number.is_multiple_of(3).then_some(5),
                    ..Kill::default()
                };
                (SessionId::parse(&format!("{number:012}")).unwrap(), manner)
            };
            let wishes: Vec<Wish> = (0..count).map(wish).collect();
            let places: Vec<usize> = (0..count).collect();
            let parts = parts(&wishes, &places, count.div_ceil(IN_FLIGHT - 1));
            assert!(parts.len() <= IN_FLIGHT, "{count}: {}", parts.len());
            assert!(count >= IN_FLIGHT || parts.len() == count, "{count}");
            for part in &parts {
                let manner = &wishes[part[0]].1;
                assert!(part.iter().all(|place| wishes[*place].1 == *manner));
            }
            let mut all = parts.concat();
            all.sort_unstable();
            assert_eq!(all, places);
        }
    }
}
