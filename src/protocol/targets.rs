//! The sessions that an action names.

use super::Action;

/// How an action names sessions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Targets<'a> {
    /// It names none.
    None,
    /// One, by id or label.
    One(&'a str),
    /// Several.
    Several(&'a [String]),
    /// Those of a group.
    Group(&'a str),
}

impl Action {
    /// The sessions that the action names.
    pub fn targets(&self) -> Targets<'_> {
        let one = match self {
            Self::Status(params) => &params.session_id,
            Self::Poll(params) => &params.session_id,
            Self::Write(params) => &params.session_id,
            Self::SendKeys(params) => &params.session_id,
            Self::Exec(params) => &params.session_id,
            Self::Capture(params) => &params.session_id,
            Self::Export(params) => &params.session_id,
            Self::Resize(params) => &params.session_id,
            Self::Signal(params) => &params.session_id,
            Self::Clear(params) => &params.session_id,
            Self::Remove(params) => &params.session_id,
            Self::Restart(params) => &params.session_id,
            Self::Set(params) => &params.session_id,
            Self::AskHuman(params) => &params.session_id,
            Self::Decline(params) => &params.session_id,
            Self::Hold(params) => &params.session_id,
            Self::Watch(params) => &params.session_id,
            Self::Unwatch(params) => &params.session_id,
            Self::Log(params) => {
                return several(&params.session_id, &params.session_ids, &params.group);
            }
            Self::Wait(params) => {
                return several(&params.session_id, &params.session_ids, &params.group);
            }
            Self::Report(params) => &params.session_id,
            Self::Kill(params) => {
                return several(&params.session_id, &params.session_ids, &params.group);
            }
            Self::Start(_)
            | Self::List(_)
            | Self::Hosts(_)
            | Self::Connect(_)
            | Self::Disconnect(_)
            | Self::Subscribe(_)
            | Self::Unsubscribe(_)
            | Self::Events(_)
            | Self::Project(_)
            | Self::Queue(_)
            | Self::Listeners(_)
            | Self::Cancel(_)
            | Self::Stats(_)
            | Self::Shutdown(_) => return Targets::None,
        };
        Targets::One(one)
    }

    /// The host on which the action is to be carried out, if it says so.
    pub fn host(&self) -> Option<&str> {
        match self {
            Self::Start(params) => params.host.as_deref(),
            _ => None,
        }
    }
}

fn several<'a>(
    one: &'a Option<String>,
    several: &'a Option<Vec<String>>,
    group: &'a Option<String>,
) -> Targets<'a> {
    match (one, several, group) {
        (Some(one), _, _) => Targets::One(one),
        (None, Some(several), _) => Targets::Several(several),
        (None, None, Some(group)) => Targets::Group(group),
        (None, None, None) => Targets::None,
    }
}
