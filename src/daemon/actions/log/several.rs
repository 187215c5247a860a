//! `log` of several sessions: their matching lines, or the ends of their output.

use crate::daemon::actions::log::matches::size_of_match;
use crate::daemon::actions::log::{Room, grep, lines};
use crate::daemon::hub::Hub;
use crate::daemon::requests::client::Client;
use crate::daemon::requests::find::find_several;
use crate::daemon::requests::replies::answer;
use crate::daemon::transport::Answer;
use crate::engine::registry::Access;
use crate::protocol::params::{Log, Stream};
use crate::protocol::reply::{LogOfSession, LogPart, LogsOfSeveral};
use crate::protocol::{Error, ErrorCode, SessionId, Timestamp};

/// Reads the sessions that the request names, or else all that the client sees, the newest first.
pub(super) async fn several(
    hub: &Hub,
    client: &Client,
    params: Log,
    since: Option<Timestamp>,
    room: Room,
) -> Answer {
    check(&params)?;
    let ids = sessions(hub, client, &params)?;
    let mut left = Room {
        text: match params.grep {
            Some(_) => room.text,
            None => room.text / ids.len().max(1),
        },
        ..room
    };
    // The matches of all sessions together count.
    let mut matches = params.max_matches.unwrap_or(grep::DEFAULT_MATCHES);
    let mut replies = LogsOfSeveral::default();
    for id in ids {
        if matches == 0 || left.text == 0 {
            replies.unread.push(id);
            continue;
        }
        let part = match params.grep {
            Some(_) => {
                let params = Log {
                    max_matches: Some(matches),
                    ..params.clone()
                };
                let found = grep::grep(hub, &id, &params, since, left).await;
                found.map(LogPart::Matches)
            }
            None => {
                let read = lines::lines(hub, &id, &params, since, left).await;
                read.map(LogPart::Lines)
            }
        };
        let part = match part {
            Ok(part) => part,
            Err(error) if error.code.is_gone() => continue,
            // What is wrong with one log is told of that session alone.
            Err(error) if error.code == ErrorCode::Internal => {
                replies.unread.push(id);
                continue;
            }
            Err(error) => return Err(error),
        };
        if let LogPart::Matches(found) = &part {
            if found.matches.is_empty() {
                continue;
            }
            matches -= found.matches.len().min(matches);
            let used: usize = found.matches.iter().map(size_of_match).sum();
            let lines = found.matches.len() * room.per_line;
            left.text = left.text.saturating_sub(used + lines);
            if found.truncated {
                // The next session would have the rest of the space, which is too small for a line of this one.
                left.text = 0;
            }
        }
        let label = {
            let state = hub.read();
            let session = state.sessions.get(&id);
            session.and_then(|session| session.spec.label.clone())
        };
        replies.results.push(LogOfSession {
            session_id: id,
            label,
            part,
        });
    }
    answer(replies)
}

/// The requested sessions, the newest first.
fn sessions(hub: &Hub, client: &Client, params: &Log) -> Result<Vec<SessionId>, Error> {
    let (several, group) = (params.session_ids.as_deref(), params.group.as_deref());
    if several.is_some() || group.is_some() {
        let (mut ids, _) = find_several(hub, client, None, several, group, Access::Read)?;
        ids.reverse();
        return Ok(ids);
    }
    let state = hub.read();
    let seen = state.sessions.iter().rev();
    let seen = seen.filter(|session| client.principal.sees(session));
    Ok(seen.map(|session| session.id.clone()).collect())
}

/// Refuses parameters that mean a place in one log.
fn check(params: &Log) -> Result<(), Error> {
    if params.grep.is_none() && params.tail.is_none() && params.lines.is_none() {
        return Err(
            Error::invalid("`log` of several sessions needs `grep`, `tail` or `lines`")
                .hint(r#"for example "grep":"error", or name one session with `sessionId`"#),
        );
    }
    let of_one = [
        ("fromLine", params.from_line.is_some()),
        ("offset", params.offset.is_some()),
        ("limit", params.limit.is_some()),
        ("times", params.times.is_some()),
        ("format", params.format.is_some()),
        ("run", params.run.is_some()),
        ("command", params.command.is_some()),
        ("stream", params.stream == Some(Stream::Input)),
    ];
    match of_one.iter().find(|(_, given)| *given) {
        Some((name, _)) => Err(Error::invalid(format!(
            "`{name}` needs `sessionId`: it names a part of one log"
        ))),
        None => Ok(()),
    }
}
