//! Creates sessions, and starts their programs or lets them wait.

use tokio::sync::oneshot;

use super::draft::{Draft, admit, prepare};
use crate::daemon::actions::turn;
use crate::daemon::clock::now;
use crate::daemon::hub::Hub;
use crate::daemon::keeper_link::{Launch, SpawnFailure};
use crate::daemon::projects::guests::{FirstRun, Place};
use crate::daemon::requests::batch::submit;
use crate::daemon::requests::client::Client;
use crate::daemon::requests::limits::limits;
use crate::daemon::requests::start_input::StartInput;
use crate::daemon::sessions::session_io::SessionIo;
use crate::daemon::state::State;
use crate::daemon::storage::log_reader::LogReader;
use crate::engine::life::Life;
use crate::engine::session::Session;
use crate::protocol::keeper::SpawnSpec;
use crate::protocol::params::Start;
use crate::protocol::{Error, SessionId};
use crate::sys::failpoint;
use crate::sys::spawn::Terminal;

/// A session that was created.
pub(super) struct Launched {
    pub(super) id: SessionId,
    /// The pid of its program, if that was started at once.
    pub(super) pid: Option<u32>,
    /// What is typed into it.
    pub(super) input: Option<StartInput>,
}

impl Launched {
    /// One that waits for its turn.
    fn waiting(id: SessionId) -> Self {
        Self {
            id,
            pid: None,
            input: None,
        }
    }
}

/// Creates a session and starts its program, or lets it wait. Types the input of a program that was started.
pub(super) async fn launch(hub: &Hub, client: &Client, params: &Start) -> Result<Launched, Error> {
    let (draft, run) = prepare(hub, client, params)?;
    if let Some(launcher) = submit::launcher(hub, client, params)? {
        turn::refuse_queue(hub, &draft.spec)?;
        let resources = params.resources.clone().unwrap_or_default();
        let session = hub.change(|state| {
            check_room(state, client)?;
            admit(state, client, params, draft)
        })?;
        let id = submit::submit(hub, client, session, launcher, resources, run).await?;
        return Ok(Launched::waiting(id));
    }
    let id = draft.id.clone();
    if let Some(place) = turn::place(hub, client, params, &draft.spec)? {
        hub.change(|state| enqueue(state, client, params, draft, run, &place))?;
        turn::decided(hub, &place.project, &id).await;
        return Ok(Launched::waiting(id));
    }
    let receiver = hub.change(|state| ask_keeper(state, client, params, draft, run))?;
    failpoint::hit("start.asked_keeper");
    let outcome = receiver.await.unwrap_or_else(|_| {
        Err(SpawnFailure {
            errno: None,
            message: "the keeper did not answer".to_owned(),
            program: None,
            is_terminal: false,
        })
    });
    let pid = outcome.map_err(|failure| hub.change(|state| discard(state, &id, &failure)))?;
    let input = StartInput::begin_owed(hub, client, &id, params.input.as_deref()).await;
    Ok(Launched {
        id,
        pid: Some(pid),
        input,
    })
}

/// Creates a session that waits for its turn.
fn enqueue(
    state: &mut State,
    client: &Client,
    params: &Start,
    draft: Draft,
    run: SpawnSpec,
    place: &Place,
) -> Result<(), Error> {
    state.keeper.check_descriptors()?;
    if place.queue.is_some() {
        check_queue_room(state, client)?;
    } else {
        check_room(state, client)?;
    }
    let mut session = admit(state, client, params, draft)?;
    session.life = Life::queued(now());
    let id = session.id.clone();
    let first_run = FirstRun {
        spawn: run,
        input: params.input.clone(),
        place: Some(place.clone()),
    };
    state.keep_first_run(&id, &first_run);
    insert(state, session);
    failpoint::hit("enqueue.recorded");
    state.let_wait(&id, place, first_run);
    Ok(())
}

/// Creates a session, and has the keeper start its program.
fn ask_keeper(
    state: &mut State,
    client: &Client,
    params: &Start,
    draft: Draft,
    run: SpawnSpec,
) -> Result<oneshot::Receiver<Result<u32, SpawnFailure>>, Error> {
    state.keeper.check_descriptors()?;
    check_room(state, client)?;
    let mut session = admit(state, client, params, draft)?;
    session.input_owed = params.input.is_some();
    let (id, size) = (session.id.clone(), session.output.size());
    let keep = state.log_bytes(&session);
    insert(state, session);
    let launch = Launch {
        spec: run,
        terminal: Terminal {
            rows: size.rows(),
            cols: size.cols(),
            reset: String::new(),
        },
        keep,
    };
    let (sender, receiver) = oneshot::channel();
    state.keeper.spawn(&id, launch, sender);
    Ok(receiver)
}

/// Saves the record before the program runs, so that the next daemon knows the session if this one dies now.
fn insert(state: &mut State, session: Session) {
    let id = session.id.clone();
    let io = SessionIo::new(LogReader::new(state.sessions.store.dir(&id)));
    state.sessions.insert(session, io);
    state.persist(&id);
}

/// Forgets a session whose program could not be started. Returns the error that says why.
fn discard(state: &mut State, id: &SessionId, failure: &SpawnFailure) -> Error {
    let discarded = state.sessions.registry.discard(id);
    state.sessions.io.remove(id);
    state.sessions.store.remove(id);
    state.forget_record(id);
    let command = discarded.map_or_else(String::new, |session| session.spec.command);
    state.keeper.spawn_failed(&command, failure)
}

/// Checks whether the client may start another session.
pub(in crate::daemon::actions) fn check_room(state: &State, client: &Client) -> Result<(), Error> {
    let cap = limits(&state.settings, &client.greeting).max_sessions;
    let waits = |session: &Session| state.is_in_queue(session);
    let registry = &state.sessions.registry;
    registry.check_room(&client.principal, cap, now(), waits)
}

/// Checks whether another session of the client may wait in a queue.
fn check_queue_room(state: &State, client: &Client) -> Result<(), Error> {
    let cap = limits(&state.settings, &client.greeting).max_sessions;
    let waits = |session: &Session| state.is_in_queue(session);
    let registry = &state.sessions.registry;
    registry.check_queue_room(&client.principal, cap, waits)
}
