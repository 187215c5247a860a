//! `ask_human` as a form in the client itself (elicitation), for people who do not look at the dashboard.
//!
//! The question is open in both places. Who types in the dashboard answers it and the form is cancelled; what
//! is entered in the form is typed into the session, with Enter. A form has a field only if the session reads a
//! line with echo: MCP forbids forms for secrets, and keys cannot be entered in one. Otherwise the form says
//! where to type.
//!
//! Until version 2025-11-25 of MCP the server sends the form as a request while the call is pending. Since
//! 2026-07-28 the call returns it as a result that requires input, and the client repeats the call with the
//! answer ([`Forms`] keeps the question open in between).

use std::cell::RefCell;
use std::collections::VecDeque;

use rmcp::model::{
    CallToolRequestParams, CancelledNotificationParam, ClientResult, ElicitRequest,
    ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema, InputRequest,
    InputRequiredResult, ProtocolVersion, RequestId, ServerRequest,
};
use rmcp::service::{Peer, PeerRequestOptions, RequestContext, RoleServer};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::call::{Call, Done};
use super::caller::Answer;
use super::own::{catalog, human};
use crate::protocol::shell::quote;
use crate::protocol::traits::param;
use crate::protocol::{Error, SessionId};

/// The field of a form, and the name of the form in a result that requires input.
const ANSWER: &str = "answer";

/// Forms that a client may have open as results of calls. With more, the oldest question is withdrawn from the
/// dashboard, and asked again when the client returns its form.
const OPEN: usize = 32;

/// The characters of the prompt that a form shows.
const PROMPT: usize = 500;

/// How a client gets a form.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// As a request of the server.
    Request,
    /// As the result of the call.
    Result,
}

/// What a call has led to.
#[derive(Debug)]
pub enum Asked {
    /// The question is settled.
    Done(Done),
    /// The client has to ask, and to repeat the call.
    Form(InputRequiredResult),
}

/// The questions whose forms clients show as the result of a call.
#[derive(Debug, Default)]
pub struct Forms(RefCell<VecDeque<(String, Question)>>);

/// The way in which the client is asked, if this call asks a person and the client has forms.
pub fn way(request: &CallToolRequestParams, context: &RequestContext<RoleServer>) -> Option<Way> {
    let arguments = request.arguments.as_ref()?;
    let asks = request.name == catalog::SESSION && arguments.get("action")? == "ask_human";
    let elicitation = context.client_capabilities()?.elicitation?;
    // A client that names no kind of elicitation has forms: earlier versions had no other kind.
    let has_forms = elicitation.form.is_some() || elicitation.url.is_none();
    if !asks || !has_forms {
        return None;
    }
    let is_new = context.protocol_version()? >= ProtocolVersion::V_2026_07_28;
    Some(if is_new { Way::Result } else { Way::Request })
}

impl Forms {
    /// Asks in the dashboard and in the client.
    pub async fn ask(
        &self,
        call: &Call,
        request: CallToolRequestParams,
        way: Way,
        peer: &Peer<RoleServer>,
    ) -> Result<Asked, Error> {
        let mut arguments = request.arguments.unwrap_or_default();
        arguments.remove("action");
        human::name_time(&mut arguments);
        let session: Value = param(&arguments, "sessionId").cloned().unwrap_or_default();
        if session.is_null() {
            // The daemon says what is missing; the form would be about another action.
            let result = call.action("ask_human", arguments.into()).await?;
            return Ok(Asked::Done(human::of(result)));
        }
        let known = request.request_state.and_then(|key| self.take(&key));
        let entered = request.input_responses.unwrap_or_default().remove(ANSWER);
        if let Some(entered) = entered {
            let entered = serde_json::from_value(entered).map_err(|error| {
                Error::invalid(format!("the answer of the client cannot be read: {error}"))
            })?;
            let question = match known {
                Some(question) => question,
                None => Question::put(call, arguments.into()),
            };
            return question
                .entered(call, &session, entered)
                .await
                .map(Asked::Done);
        }
        let message = arguments.get("message").cloned().unwrap_or_default();
        let mut question = Question::put(call, arguments.into());
        let form = tokio::select! {
            // An invalid question is refused before a form is shown.
            biased;
            answer = question.answer() => return told(call, &session, answer).await,
            form = form(call, &session, message.as_str().unwrap_or_default()) => form?,
        };
        let (form, has_field) = form;
        question.has_field = Some(has_field);
        if way == Way::Result {
            let key = SessionId::fresh().to_string();
            self.keep(key.clone(), question);
            let forms = [(ANSWER.to_owned(), InputRequest::Elicitation(form))];
            return Ok(Asked::Form(InputRequiredResult::new(
                Some(forms.into()),
                Some(key),
            )));
        }
        let entered = tokio::select! {
            biased;
            answer = question.answer() => return told(call, &session, answer).await,
            entered = show(form, peer) => entered,
        };
        let done = match entered {
            Some(entered) => question.entered(call, &session, entered).await,
            None => return told(call, &session, question.answer().await).await,
        };
        done.map(Asked::Done)
    }

    fn keep(&self, key: String, question: Question) {
        let mut open = self.0.borrow_mut();
        if open.len() >= OPEN {
            open.pop_front();
        }
        open.push_back((key, question));
    }

    fn take(&self, key: &str) -> Option<Question> {
        let mut open = self.0.borrow_mut();
        let at = open.iter().position(|(known, _)| known == key)?;
        open.remove(at).map(|(_, question)| question)
    }
}

/// A question that is open in the dashboard. Dropping it withdraws it.
#[derive(Debug)]
struct Question {
    task: JoinSet<Answer>,
    /// Whether its form has a field; `None` if that is not known any more.
    has_field: Option<bool>,
}

impl Question {
    fn put(call: &Call, arguments: Value) -> Self {
        let call = call.clone();
        let mut tasks = JoinSet::new();
        tasks.spawn_local(async move { call.action("ask_human", arguments).await });
        Self {
            task: tasks,
            has_field: None,
        }
    }

    /// Waits until a person has typed or declined in the dashboard, or until the time is over. It may be cancelled: no
    /// answer is lost.
    async fn answer(&mut self) -> Answer {
        let answer = self.task.join_next().await.and_then(Result::ok);
        answer.unwrap_or_else(|| Err(Error::internal("the question was dropped")))
    }

    /// The answer, if there is one by now.
    fn settled(&mut self) -> Option<Answer> {
        self.task.try_join_next()?.ok()
    }

    /// Types what a person has entered, or gives it to the agent if the program waits for nothing. A dismissed form, or
    /// one without a field, leaves the question to the dashboard.
    async fn entered(
        mut self,
        call: &Call,
        session: &Value,
        entered: ElicitResult,
    ) -> Result<Done, Error> {
        if let Some(answer) = self.settled() {
            // It was settled in the dashboard first.
            return Ok(human::told(call, session, answer?).await);
        }
        let line = match entered.action {
            ElicitationAction::Decline => return Ok(human::of(json!({ "outcome": "declined" }))),
            ElicitationAction::Accept => {
                let line = entered.content.and_then(|content| {
                    let line = content.get(ANSWER)?;
                    Some(line.as_str()?.to_owned())
                });
                let has_field = match self.has_field {
                    Some(has_field) => has_field,
                    None => has_field(&input_state(call, session).await?),
                };
                // Clients leave an empty field out: Enter alone, which takes the program's default. Without a field
                // nothing was entered, whatever the client sends.
                has_field.then(|| line.unwrap_or_default())
            }
            _ => None,
        };
        let Some(line) = line else {
            return Ok(human::told(call, session, self.answer().await?).await);
        };
        let is_busy = is_busy(&input_state(call, session).await?);
        if let Some(answer) = self.settled() {
            return Ok(human::told(call, session, answer?).await);
        }
        // First, so that the question is no longer open when the answer has its effect.
        self.task.shutdown().await;
        if is_busy {
            // Nobody would read it.
            return Ok(human::of(json!({ "outcome": "answered", "answer": line })));
        }
        let params = json!({ "sessionId": session, "data": line, "submit": true });
        let reaction = call.action("write", params).await?;
        let mut done = human::of(json!({ "outcome": "answered" }));
        human::add(&mut done, "write", &reaction);
        Ok(done)
    }
}

/// What the agent is told of an answer that was given in the dashboard.
async fn told(call: &Call, session: &Value, answer: Answer) -> Result<Asked, Error> {
    Ok(Asked::Done(human::told(call, session, answer?).await))
}

/// The form for a question about a session, and whether it has a field.
async fn form(call: &Call, session: &Value, message: &str) -> Result<(ElicitRequest, bool), Error> {
    let status = call
        .action("status", json!({ "sessionId": session }))
        .await?;
    let name = status["label"].as_str().or(status["sessionId"].as_str());
    let name = name.unwrap_or_default();
    let prompt = call.last_line().await.unwrap_or_default();
    let prompt: String = prompt.chars().take(PROMPT).collect();
    let mut message = format!("{message}\n\nJob {name}: {prompt}");
    let mut fields = ElicitationSchema::builder();
    let has_field = has_field(&status["inputState"]);
    if has_field {
        fields = fields.string_property(ANSWER, |field| {
            field
                .title("Answer")
                .description(if is_busy(&status["inputState"]) {
                    format!("Told to the agent: the job {name} waits for no input now")
                } else {
                    format!("Typed into the job {name}, followed by Enter")
                })
        });
    } else {
        message.push_str(&format!(
            "\n\nType it in the dashboard of bgproc, or with: bgproc attach {}",
            quote(name)
        ));
    }
    let requested_schema = fields
        .build()
        .map_err(|error| Error::internal(format!("the form is invalid: {error}")))?;
    let form = ElicitRequest::new(ElicitRequestParams::FormElicitationParams {
        meta: None,
        message,
        requested_schema,
    });
    Ok((form, has_field))
}

/// What the session's program does with its input.
async fn input_state(call: &Call, session: &Value) -> Result<Value, Error> {
    let mut status = call
        .action("status", json!({ "sessionId": session }))
        .await?;
    Ok(status["inputState"].take())
}

/// Whether the program is known to wait for no input.
fn is_busy(input_state: &Value) -> bool {
    input_state == "none"
}

/// Whether the answer can be entered in a form: not if it is a secret, or keys for a screen.
fn has_field(input_state: &Value) -> bool {
    !matches!(input_state.as_str(), Some("password" | "tui" | "closed"))
}

/// Sends the form to the client and waits for what is entered. `None`: the client could not ask.
async fn show(form: ElicitRequest, peer: &Peer<RoleServer>) -> Option<ElicitResult> {
    let request = ServerRequest::ElicitRequest(form);
    let sent = peer.send_cancellable_request(request, PeerRequestOptions::no_options());
    let shown = sent.await.ok()?;
    let mut open = OpenForm {
        peer,
        id: Some(shown.id.clone()),
    };
    let answer = shown.await_response().await;
    open.id = None;
    match answer {
        Ok(ClientResult::ElicitResult(entered)) => Some(entered),
        _ => None,
    }
}

/// Cancels the form in the client if nobody waits for it any more.
struct OpenForm<'a> {
    peer: &'a Peer<RoleServer>,
    id: Option<RequestId>,
}

impl Drop for OpenForm<'_> {
    fn drop(&mut self) {
        let Some(id) = self.id.take() else {
            return;
        };
        let peer = self.peer.clone();
        tokio::task::spawn_local(async move {
            let reason = "the question is settled".to_owned();
            let cancelled = CancelledNotificationParam::new(Some(id), Some(reason));
            let _ = peer.notify_cancelled(cancelled).await;
        });
    }
}
