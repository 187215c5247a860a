//! The input that `start` types.

use tokio::task::JoinHandle;
use tokio::time::{Duration, timeout};

use super::client::Client;
use super::target::Target;
use super::typing::Sent;
use crate::daemon::hub::Hub;
use crate::daemon::sessions::input::FIRST_PATIENCE;
use crate::engine::session::Session;
use crate::protocol::reply::{Started, Warning};
use crate::protocol::{Error, SessionId};
use crate::sys::failpoint;

/// How long the start waits until all of it is typed. The rest is typed meanwhile.
const FIRST: Duration = Duration::from_millis(250);

/// The typing of the input of a session that has just started.
pub(crate) enum StartInput {
    /// It has ended.
    Typed(Result<Sent, Error>),
    /// It goes on, also when this value is dropped.
    Typing(JoinHandle<Result<Sent, Error>>),
}

impl StartInput {
    /// Types `input` if the program has not had it, and returns when the kernel has taken all of it, or at most
    /// [`FIRST`] later. Returns `None` if there is nothing to type, or if the program has ended already.
    ///
    /// A request that is repeated types it if the daemon has died before that.
    pub(crate) async fn begin_owed(
        hub: &Hub,
        client: &Client,
        id: &SessionId,
        input: Option<&str>,
    ) -> Option<Self> {
        let input = input?.as_bytes().to_vec();
        let is_owed = {
            let state = hub.read();
            state.sessions.get(id).is_some_and(Session::owes_input)
        };
        let target = is_owed.then(|| Target::find(hub, client, id.as_str()).ok())??;
        let mut typing = tokio::task::spawn_local(async move { typed(&target, &input).await });
        match timeout(FIRST, &mut typing).await {
            Ok(ended) => ended.ok().map(Self::Typed),
            Err(_) => Some(Self::Typing(typing)),
        }
    }

    /// Tells in the reply what the program has not taken.
    pub(crate) async fn tell(self, started: &mut Started) {
        let typed = match self {
            Self::Typed(typed) => typed,
            Self::Typing(typing) if typing.is_finished() => match typing.await {
                Ok(typed) => typed,
                Err(_) => return,
            },
            Self::Typing(_) => {
                started.warnings = vec![Warning::NotReading];
                return;
            }
        };
        // An error says that the program has ended, as the reply does.
        if let Ok(sent) = typed
            && !sent.warnings.is_empty()
        {
            started.bytes_written = Some(sent.bytes);
            started.warnings = sent.warnings;
        }
    }
}

async fn typed(target: &Target, input: &[u8]) -> Result<Sent, Error> {
    failpoint::hit("start.input");
    let mut sent = Sent::new();
    let waiting = target.input.announce(input.len());
    let turn = target.input.turn().await.patient(FIRST_PATIENCE);
    // Not twice, whatever happens meanwhile: a program may act on half a line, too.
    if !target.hub.change(|state| state.take_owed_input(&target.id)) {
        return Ok(sent);
    }
    sent.check_line(target, input);
    sent.send(target, &turn, input).await?;
    drop((turn, waiting));
    Ok(sent)
}
