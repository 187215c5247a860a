//! The input that `start` types.

use tokio::task::JoinHandle;
use tokio::time::{Duration, timeout};

use super::client::Client;
use super::target::Target;
use super::typing::Sent;
use crate::daemon::hub::Hub;
use crate::daemon::sessions::input::FIRST_PATIENCE;
use crate::protocol::reply::{Started, Warning};
use crate::protocol::{Error, SessionId};

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
    /// Types `input`, and returns when the kernel has taken all of it, or at most [`FIRST`] later. Returns `None` if
    /// the program has ended already.
    pub(crate) async fn begin(
        hub: &Hub,
        client: &Client,
        id: &SessionId,
        input: &str,
    ) -> Option<Self> {
        let target = Target::find(hub, client, id.as_str()).ok()?;
        let input = input.as_bytes().to_vec();
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
    let mut sent = Sent::new();
    sent.check_line(target, input);
    let waiting = target.input.announce(input.len());
    let turn = target.input.turn().await.patient(FIRST_PATIENCE);
    sent.send(target, &turn, input).await?;
    drop((turn, waiting));
    Ok(sent)
}
