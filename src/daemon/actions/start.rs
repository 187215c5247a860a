//! `start`: runs a command.

use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;

use tokio::sync::oneshot;

use super::report::resume_line;
use super::turn;
use crate::daemon::clock::now;
use crate::daemon::hub::Hub;
use crate::daemon::keeper_link::{Launch, SpawnFailure};
use crate::daemon::programs::allow::{check_env, checked_line};
use crate::daemon::programs::for_models;
use crate::daemon::programs::program::{check_directory, environment, no_nul, spawn_spec};
use crate::daemon::projects::guests::FirstRun;
use crate::daemon::requests::batch::submit;
use crate::daemon::requests::checks::{checked_name, checked_size, checked_tags};
use crate::daemon::requests::client::Client;
use crate::daemon::requests::directory::working_directory;
use crate::daemon::requests::limits::{YIELD_MS, limits, one_of, wait_ms};
use crate::daemon::requests::new_output::Since;
use crate::daemon::requests::replies::{answer, refused_by_system};
use crate::daemon::requests::start_input::StartInput;
use crate::daemon::requests::started::{answer_at_once, started};
use crate::daemon::requests::uncancelled::finish_anyway;
use crate::daemon::requests::wait_plan::Plan;
use crate::daemon::requests::{start_limits, unique_label};
use crate::daemon::sessions::session_io::SessionIo;
use crate::daemon::settings::TIMEOUT_GRACE_MS;
use crate::daemon::state::State;
use crate::daemon::state::guests::Place;
use crate::daemon::storage::log_reader::LogReader;
use crate::daemon::transport::Answer;
use crate::engine::conditions::Conditions;
use crate::engine::life::Life;
use crate::engine::meta::{Spec, TimeLimits};
use crate::engine::retention::Retention;
use crate::engine::session::Session;
use crate::protocol::condition::{WaitMode, WaitSpec};
use crate::protocol::hello::Role;
use crate::protocol::keeper::SpawnSpec;
use crate::protocol::params::Start;
use crate::protocol::reply::Warning;
use crate::protocol::{Error, SessionId};
use crate::sys::failpoint;
use crate::sys::spawn::Terminal;
use crate::term::size::Size;

/// Default time limit of an agent's session, in milliseconds.
const AGENT_TIMEOUT_MS: u64 = 1_800_000;

/// Handles the action.
pub(super) async fn start(hub: &Hub, client: &Rc<Client>, mut params: Start) -> Answer {
    start_limits::check(&params, hub.read().settings.total_log_bytes)?;
    if params.timeout_sec.is_some() && params.timeout_ms.is_some() {
        return Err(Error::invalid(
            "`timeoutSec` and `timeoutMs` are the same limit; give one",
        ));
    }
    let name = match params.yield_ms {
        Some(_) => "yieldMs",
        None => "waitMs",
    };
    let yield_ms = one_of("waitMs", params.wait_ms, "yieldMs", params.yield_ms)?
        .or(client.greeting.defaults.yield_ms);
    let yield_ms = wait_ms(name, yield_ms, YIELD_MS)?;
    let spec = WaitSpec {
        until: params.until.clone(),
        fail: params.fail.clone(),
        view: params.view,
        timeout_ms: Some(yield_ms),
        max_chars: params.max_chars,
        ..WaitSpec::default()
    };
    let plan = Plan::or_else(
        client,
        &spec,
        Conditions::something_to_do(params.ready.is_some(), None),
    )?;
    let key = params.key.take();
    params.key = key.map(|key| checked_name("key", key)).transpose()?;
    let cwd = working_directory(&client.greeting, params.cwd.as_deref())?;
    client.reachable(&cwd).await?;
    // From here on, nothing comes in between: the same key is not given twice.
    let reused = reused(hub, client, &params, &cwd)?;
    if reused.is_none() && params.ready.is_none() {
        plan.check_without_probe()?;
    }
    let params = Rc::new(params);
    let (id, pid, input) = match &reused {
        Some(id) => {
            let input = StartInput::begin_owed(hub, client, id, params.input.as_deref()).await;
            (id.clone(), None, input)
        }
        None => {
            let (hub, client, params) = (hub.clone(), client.clone(), params.clone());
            finish_anyway(async move { launch(&hub, &client, &params).await }).await?
        }
    };
    // What waits in a queue may wait for long, so that only who says what for waits with it.
    let waits =
        !spec.names_conditions() && (turn::waits(hub, &id) || hub.read().is_open_batch(&id));
    let at_once = (params.background == Some(true) || waits) && params.wait != Some(true);
    let mut started = if at_once {
        // Return no output: what was written by now is left to the next `wait` or `poll`, so that the reply does
        // not depend on the speed of the machine.
        answer_at_once(hub, client, &id)?
    } else {
        // A repeated request gets the output from the beginning: the first reply may be lost.
        let from = if reused.is_some() {
            hub.read().sessions.log_first(&id)
        } else {
            Since::New.offset(&hub.read(), client, &id)
        };
        if params.wait == Some(true) {
            // A model can answer what the program asks.
            let mut end = if client.is_lean() {
                Conditions::ends_or_asks()
            } else {
                Conditions::exit()
            };
            end.set_ends_if_skipped(client.principal.role != Role::Human);
            hub.wait_from_now(&id, end, None).await;
        }
        let waited = plan
            .run(hub, client, vec![(from, id.clone())], WaitMode::Any)
            .await?;
        started(hub, &id, waited, spec.names_conditions())?
    };
    if let Some(input) = input {
        input.tell(&mut started).await;
    }
    started.reused = reused.is_some().then_some(true);
    if reused.is_none() && shares_label(&hub.read(), &id) {
        started.warnings.push(Warning::LabelInUse);
    }
    // Report the pid it had, even if it has ended since. One that waited for its turn has got it meanwhile.
    let waited = reused.is_none() && pid.is_none();
    let last = || last_pid(&hub.read(), &id).filter(|_| waited);
    started.pid = pid.or(started.pid).or_else(last);
    answer(started)
}

/// The pid of the first process of the run that has ended.
fn last_pid(state: &State, id: &SessionId) -> Option<u32> {
    let (pid, _) = state.sessions.get(id)?.life.last_process()?;
    Some(pid)
}

/// Whether another session of its scope that has not ended has the label of this one.
fn shares_label(state: &State, id: &SessionId) -> bool {
    let session = state.sessions.get(id);
    let session = session.filter(|session| !session.life.status().is_finished());
    session.is_some_and(|session| {
        let label = session.spec.label.as_deref();
        unique_label::check(state, &session.scope, label, Some(id)).is_err()
    })
}

/// The session that an earlier request with the same key has started.
fn reused(
    hub: &Hub,
    client: &Client,
    params: &Start,
    cwd: &Path,
) -> Result<Option<SessionId>, Error> {
    let Some(key) = &params.key else {
        return Ok(None);
    };
    let state = hub.read();
    let Some(session) = state.sessions.registry.by_key(&client.principal.scope, key) else {
        return Ok(None);
    };
    let same = session.spec.command == params.command && session.spec.args == params.args;
    let is_here = params.cwd.is_none() || cwd == Path::new(&session.spec.cwd);
    if session.spec.changed || (same && is_here) {
        return Ok(Some(session.id.clone()));
    }
    let what = if same {
        format!("in {}", session.spec.cwd)
    } else {
        "another command".to_owned()
    };
    let message = format!("`key`: session {} with this key runs {what}", session.id);
    Err(Error::invalid(message).hint("use another key for another command"))
}

/// A session that was created, the pid of its program if that was started at once, and its input.
type Launched = (SessionId, Option<u32>, Option<StartInput>);

/// Creates a session and starts its program, or lets it wait. Types the input of a program that was started.
async fn launch(hub: &Hub, client: &Client, params: &Start) -> Result<Launched, Error> {
    let (draft, run) = prepare(hub, client, params)?;
    if let Some(launcher) = submit::launcher(hub, client, params)? {
        turn::refuse_queue(hub, &draft.spec)?;
        let resources = params.resources.clone().unwrap_or_default();
        let session = hub.change(|state| {
            check_room(state, client)?;
            admit(state, client, params, draft)
        })?;
        let id = submit::submit(hub, client, session, launcher, resources, run).await?;
        return Ok((id, None, None));
    }
    let id = draft.id.clone();
    if let Some(place) = turn::place(hub, client, params, &draft.spec)? {
        hub.change(|state| enqueue(state, client, params, draft, run, &place))?;
        turn::decided(hub, &place.project, &id).await;
        return Ok((id, None, None));
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
    Ok((id, Some(pid), input))
}

/// Checks what is to be started, and with what.
fn prepare(hub: &Hub, client: &Client, params: &Start) -> Result<(Draft, SpawnSpec), Error> {
    let size = checked_size(params.rows, params.cols)?;
    let spec = spec(client, params)?;
    let kept = hub.read().settings.caps.retention;
    let time_limits = time_limits(client, params, kept);
    let id = fresh_id(hub);
    check_env(&client.greeting, params.env.iter().flat_map(BTreeMap::keys))?;
    let variables = for_models::variables(&client.greeting, params);
    let environment = environment(&client.greeting, &id, Some(&variables), spec.mode)?;
    let run = spawn_spec(&client.greeting, &spec, environment)?;
    let draft = Draft {
        id,
        spec,
        size,
        time_limits,
        key: params.key.clone(),
    };
    Ok((draft, run))
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
    insert(state, session);
    let first_run = FirstRun {
        spawn: run,
        input: params.input.clone(),
    };
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

/// What a new session is made of.
struct Draft {
    id: SessionId,
    spec: Spec,
    size: Size,
    time_limits: TimeLimits,
    key: Option<String>,
}

/// Checks whether the client may start another session.
pub(super) fn check_room(state: &State, client: &Client) -> Result<(), Error> {
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

/// Makes a session. It has a directory, and nothing runs yet.
fn admit(
    state: &mut State,
    client: &Client,
    params: &Start,
    draft: Draft,
) -> Result<Session, Error> {
    let Draft {
        id,
        spec,
        size,
        time_limits,
        key,
    } = draft;
    let scope = client.principal.scope.clone();
    if params.unique_label == Some(true) {
        unique_label::check(state, &scope, spec.label.as_deref(), None)?;
    }
    state.sessions.store.create(&id).map_err(|error| {
        refused_by_system("the session's directory could not be created", &error)
    })?;
    let mut session = Session::new(id, scope, spec, size, time_limits, now());
    session.key = key;
    if let Some(colors) = &state.colors {
        session.output.set_colors(colors);
    }
    Ok(session)
}

/// The id of a new session. On a node of a cluster the first one has the id that it has elsewhere.
fn fresh_id(hub: &Hub) -> SessionId {
    let state = hub.read();
    let of_node = state.sessions.store.home().session.clone();
    let of_node = of_node.filter(|id| state.sessions.get(id).is_none());
    of_node.unwrap_or_else(SessionId::fresh)
}

fn spec(client: &Client, params: &Start) -> Result<Spec, Error> {
    if params.command.trim().is_empty() {
        return Err(Error::invalid("`command` is empty"));
    }
    no_nul("command", &params.command)?;
    for arg in params.args.iter().flatten() {
        no_nul("args", arg)?;
    }
    if let Some(cwd) = &params.cwd {
        no_nul("cwd", cwd)?;
    }
    let cwd = working_directory(&client.greeting, params.cwd.as_deref())?;
    check_directory(&cwd)?;
    if let Some(line) = params
        .ready
        .as_ref()
        .and_then(|ready| ready.command.as_deref())
    {
        no_nul("ready.command", line)?;
        // It is checked here, and run as it is: it does not run as the job.
        checked_line(&client.greeting, line, &cwd)?;
    }
    let on_exit = params.on_exit.as_deref().map(|line| {
        no_nul("onExit", line)?;
        checked_line(&client.greeting, line, &cwd)
    });
    let on_exit = on_exit.transpose()?;
    let resume = params.resume.as_deref();
    let resume = resume.map(|line| resume_line(&client.greeting, line, &cwd));
    let resume = resume.transpose()?;
    let name = |what: &str, value: &Option<String>| {
        value
            .clone()
            .map(|value| checked_name(what, value))
            .transpose()
    };
    Ok(Spec {
        command: params.command.clone(),
        args: params.args.clone(),
        shell: for_models::shell(&client.greeting, params)?,
        cwd: cwd.display().to_string(),
        mode: params.mode.unwrap_or_default(),
        label: name("label", &params.label)?.filter(|label| !label.is_empty()),
        group: name("group", &params.group)?.filter(|group| !group.is_empty()),
        tags: checked_tags("tags", params.tags.as_deref().unwrap_or_default())?,
        description: params.description.clone(),
        env_names: params
            .env
            .iter()
            .flat_map(BTreeMap::keys)
            .cloned()
            .collect(),
        ready: params.ready.clone(),
        restart: params.restart,
        limits: params.limits,
        changed: false,
        resume,
        on_exit,
        notify: params.notify.clone().unwrap_or_default(),
        project: None,
        ok_codes: Vec::new(),
    })
}

fn time_limits(client: &Client, params: &Start, kept: Retention) -> TimeLimits {
    let usual = match client.principal.role {
        Role::Agent => AGENT_TIMEOUT_MS,
        // A person's job has no time limit by default.
        Role::Human => 0,
    };
    let seconds = params
        .timeout_sec
        .map(|seconds| seconds.saturating_mul(1000));
    let defaults = &client.greeting.defaults;
    // A batch system has a time limit of its own.
    let usual = match &params.launcher {
        Some(_) => 0,
        None => defaults.timeout_ms.unwrap_or(usual),
    };
    let ttl_ms = params.ttl_ms.or(defaults.ttl_ms);
    let (by_default, is_person) = (ttl_ms.is_none(), client.principal.role == Role::Human);
    TimeLimits {
        timeout_ms: params.timeout_ms.or(seconds).unwrap_or(usual),
        timeout_grace_ms: params.timeout_grace_ms.unwrap_or(TIMEOUT_GRACE_MS),
        ttl_ms: ttl_ms.unwrap_or(kept.agents_ms),
        failed_ttl_ms: (by_default && !is_person).then_some(kept.agents_failed_ms),
        until_room: is_person.then_some(by_default),
        keep: params.keep == Some(true),
    }
}
