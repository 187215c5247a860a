//! A request that types into a session, from its turn to its reply.

use std::rc::Rc;

use tokio::time::{Duration, Instant};

use super::client::Client;
use super::target::Target;
use super::typing::{LAST_PAUSE, Sent};
use super::uncancelled::finish_anyway;
use super::wait_plan::Plan;
use crate::daemon::sessions::input::Input;
use crate::daemon::transport::Answer;
use crate::protocol::Error;
use crate::protocol::reply::Warning;

/// Longest pause before the Enter of `submit`. Many programs treat text and Enter in one read as a paste, so
/// Enter is written separately, once the text is consumed or this time has passed.
const SUBMIT_PAUSE: Duration = Duration::from_millis(250);

/// What a request types, in this order.
#[derive(Default)]
pub(crate) struct Keystrokes {
    /// Text and keys.
    pub(crate) bytes: Vec<u8>,
    /// Whether Enter follows, as a key of its own.
    pub(crate) submit: bool,
    /// Whether the end of the input follows.
    pub(crate) eof: bool,
    /// Whether the bytes come from a client's standard input, so that nobody typed them.
    pub(crate) passed_on: bool,
    /// Whether `bytes` have a line feed that is meant as Enter, as far as can be known.
    pub(crate) warns_of_newline: bool,
    /// Whether the client may take `bytes` for a complete answer though no Enter follows.
    pub(crate) warns_of_no_enter: bool,
    /// Whether `bytes` are a paste that the program cannot tell from typed text.
    pub(crate) is_plain_paste: bool,
}

impl Keystrokes {
    fn is_empty(&self) -> bool {
        self.bytes.is_empty() && !self.submit && !self.eof
    }

    /// Types all of it without bytes of other requests in between. Answers after the wait of `plan`, which reads from
    /// the cursor `since`, or from where the output ends before the first byte is typed.
    ///
    /// A request that ends meanwhile ends only the waits: for a person to let the keyboard go, and that of `plan`.
    pub(crate) async fn type_into(
        self,
        client: &Rc<Client>,
        target: Target,
        plan: Option<Plan>,
        since: Option<&str>,
    ) -> Answer {
        let hub = target.hub.clone();
        let before = target.mark(client, since)?;
        if !self.is_empty() {
            let patience = plan.as_ref().map(Plan::timeout);
            target
                .await_keyboard(client, patience.unwrap_or_default())
                .await?;
        }
        let (typist, since) = (client.clone(), since.map(str::to_owned));
        let id = target.id.clone();
        let typed =
            finish_anyway(
                async move { self.press(&typist, &target, before, since.as_deref()).await },
            );
        let (sent, before) = typed.await?;
        sent.answer(&hub, client, plan, before, id).await
    }

    /// Types all of it. Returns what was sent, and where the output ended before; `before` unless that can be told
    /// later.
    async fn press(
        mut self,
        client: &Client,
        target: &Target,
        mut before: u64,
        since: Option<&str>,
    ) -> Result<(Sent, u64), Error> {
        let types = !self.is_empty();
        let mut sent = Sent::new().passed_on(self.passed_on);
        let interrupts = sent.interrupt(target, &self.bytes);
        self.bytes.drain(..interrupts);
        if interrupts > 0 && self.is_empty() {
            return Ok((sent, before));
        }
        target.check_room(self.bytes.len())?;
        let input = &target.input;
        let waiting = input.announce(self.bytes.len());
        // Hold the turn until the end, so that no later request writes in between.
        let turn = input.turn().await;
        if interrupts == 0 && types {
            // A person may have taken the lease during the wait. Input that has begun is completed, so that no line
            // is cut in two.
            target.take_keyboard()?;
            before = target.mark(client, since)?;
        }
        sent.check_line(target, &self.bytes);
        if self.is_plain_paste {
            sent.warn(Warning::PasteNotBracketed);
        }
        if self.warns_of_newline && target.tells_enter_from_newline() {
            sent.warn(Warning::NewlineNotEnter);
        }
        if self.warns_of_no_enter {
            sent.expect_enter(target, &self.bytes);
        }
        sent.send(target, &turn, &self.bytes).await?;
        if self.submit && sent.stuffed() {
            sent.leave_out(1);
        } else if self.submit {
            consumed(input).await;
            sent.send(target, &turn, b"\r").await?;
        }
        // Do not end the input after a partial write: it would look complete.
        if self.eof && sent.stuffed() {
            sent.leave_out(1);
        } else if self.eof {
            sent.end_of_input(target, &turn).await?;
        }
        drop((turn, waiting));
        Ok((sent, before))
    }
}

/// Waits until a program has read its input, at most [`SUBMIT_PAUSE`].
async fn consumed(input: &Input) {
    let deadline = Instant::now() + SUBMIT_PAUSE;
    let mut pause = Duration::from_millis(1);
    while input.unread().is_none_or(|bytes| bytes > 0) && Instant::now() < deadline {
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(LAST_PAUSE);
    }
}
