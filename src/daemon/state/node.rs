//! What a node and the daemon that submitted a session tell each other through the session's directory. Here are both
//! ends: the daemon on the node writes, the other one reads when it looks at the log.

use std::path::{Path, PathBuf};

use super::State;
use crate::daemon::clock::now;
use crate::engine::batch::{Batch, slurm};
use crate::engine::input::needs;
use crate::protocol::keeper::Exit;
use crate::protocol::node::{BATCH_LOG, Began, NodeState, REFUSAL, Refusal, STATE};
use crate::protocol::{SessionId, Status};
use crate::sys::exit_file;
use crate::sys::{file, node_home};

/// Bytes of the end of what a batch script has printed in which its last line is searched.
const SAID: u64 = 4096;

/// On a node.
impl State {
    /// Writes what the program of the node's session does, if that has changed.
    pub(super) fn tell_submitter(&mut self, id: &SessionId) {
        let home = self.sessions.store.home();
        if home.session.as_ref() != Some(id) {
            return;
        }
        let path = home.state.join(STATE);
        let Some(session) = self.sessions.get(id) else {
            return;
        };
        let input = session.input_state();
        let run = session.life.runs().last();
        let node = std::env::var(slurm::NODE_NAME).ok();
        let said = NodeState {
            input: session.input.report(),
            stopped: session.life.status() == Status::Paused,
            // A prompt of a shell is none that anybody is notified of, and a key there is none to write a file for.
            typed: session.input.typed_at().filter(|_| needs(input)),
            output_at: run.map(|run| run.offset),
            began: node.zip(run).map(|(node, run)| Began {
                node,
                at: run.started_at,
            }),
        };
        // The number of unread bytes alone is no news.
        let news = (
            input,
            NodeState {
                input: None,
                ..said.clone()
            },
        );
        if self.told_submitter.as_ref() == Some(&news) {
            return;
        }
        self.told_submitter = Some(news);
        let written = serde_json::to_vec(&said).map_err(Into::into);
        if let Err(error) = written.and_then(|bytes| file::replace_lazily(&path, &bytes)) {
            tracing::warn!(%error, path = %path.display(), "the state of the job cannot be told");
        }
    }
}

/// The home of the run of which the batch system has told; `None` while another run owns the session, or if that cannot
/// be seen now.
fn home_of_run(batch: &Batch) -> Option<PathBuf> {
    let dir = Path::new(&batch.dir);
    match node_home::owner(dir).ok()? {
        Some(owner) => (owner.run == batch.job.run.max(1)).then_some(owner.home),
        None => Some(dir.to_owned()),
    }
}

/// In the daemon that submitted the session.
impl State {
    /// Reads what the node says of a session, if it has said something new.
    pub(super) fn take_node_state(&mut self, id: &SessionId) {
        let Some(session) = self.sessions.get(id) else {
            return;
        };
        let status = session.life.status();
        let is_running = matches!(status, Status::Running | Status::Paused);
        let Some(batch) = session.batch.as_ref().filter(|_| is_running) else {
            return;
        };
        let Some(home) = home_of_run(batch) else {
            return;
        };
        let path = home.join(STATE);
        let stamp = file::stamp(&path);
        let Some(io) = self.sessions.io_mut(id) else {
            return;
        };
        if stamp.is_none() || io.node_state == stamp {
            return;
        }
        let said = std::fs::read(&path).ok();
        let said = said.and_then(|bytes| serde_json::from_slice::<NodeState>(&bytes).ok());
        let Some(said) = said else {
            // It is replaced just now, and read at the next look.
            return;
        };
        let (eager, asked) = (self.waiters.waits.want_input(id), self.input_probes.last());
        let Some(session) = self.sessions.get_mut(id) else {
            return;
        };
        let Some(batch) = &mut session.batch else {
            return;
        };
        if let Some(offset) = said.output_at {
            session.life.output_begins_at(offset);
        }
        let is_stopped = said.stopped || batch.suspended;
        batch.stopped_on_node = said.stopped;
        let is_typed = std::mem::replace(&mut batch.typed_on_node, said.typed) != said.typed;
        if is_typed && said.typed.is_some() {
            session.input.typed(now().boot, eager, asked, false);
        }
        if is_stopped != (status == Status::Paused) {
            self.set_paused(id, is_stopped);
        }
        // Only now: what is known is forgotten when a program is stopped or continued.
        if let Some(io) = self.sessions.io_mut(id) {
            io.node_state = stamp;
        }
        self.record_input_report(id, said.input);
    }

    /// Where and when the node has begun the run that a queued session waits for, if it has.
    pub(super) fn node_began(&self, id: &SessionId) -> Option<Began> {
        let session = self.sessions.get(id)?;
        let queued = session.life.status() == Status::Queued;
        let batch = session.batch.as_ref().filter(|_| queued)?;
        // Until its number is known here, nothing else about it is.
        batch.job.job_id.as_ref()?;
        let said = std::fs::read(home_of_run(batch)?.join(STATE)).ok()?;
        let began = serde_json::from_slice::<NodeState>(&said).ok()?.began?;
        // In a directory that is the home of all runs, a run before has left its word.
        let before = session.life.runs().last();
        let is_next = before.is_none_or(|run| began.at > run.started_at);
        is_next.then_some(began)
    }

    /// Whether the run of which the batch system of a session has told owns the session. Until then it is not to be
    /// reached: another run may still be there.
    pub(super) fn has_begun_on_node(&self, id: &SessionId) -> bool {
        let session = self.sessions.get(id);
        let batch = session.and_then(|session| session.batch.as_ref());
        batch.is_some_and(|batch| home_of_run(batch).is_some())
    }

    /// The exit of the current run, if the node has saved it.
    pub(super) fn node_exit(&self, id: &SessionId) -> Option<Exit> {
        let session = self.sessions.get(id)?;
        let batch = session.batch.as_ref()?;
        let runs = session.life.runs();
        if session.life.status() == Status::Queued && !runs.is_empty() {
            return None;
        }
        home_of_run(batch)?;
        // In a directory that is the home of all runs, a run before may have left it. The clock of a node may differ,
        // so only a later run is compared.
        let since = runs
            .last()
            .filter(|run| run.run > 1)
            .map(|run| run.started_at);
        let exit = exit_file::read(&batch.log_directory(id))?;
        since
            .is_none_or(|since| exit.ended_at >= since)
            .then_some(exit)
    }

    /// Why the node did not run the job, in its own words; `None` if it did.
    pub(super) fn refusal(&self, id: &SessionId) -> Option<String> {
        let batch = self.sessions.get(id)?.batch.as_ref()?;
        let dir = Path::new(&batch.dir);
        if self.node_exit(id).is_some() {
            return None;
        }
        let refusal = std::fs::read(dir.join(REFUSAL)).ok();
        let refusal = refusal.and_then(|bytes| serde_json::from_slice::<Refusal>(&bytes).ok());
        if let Some(refusal) = refusal {
            return Some(format!("the node did not run it: {}", refusal.message));
        }
        let printed = file::read_end(&dir.join(BATCH_LOG), SAID).ok()?;
        let printed = String::from_utf8_lossy(&printed);
        let last = printed.lines().rev().find(|line| !line.trim().is_empty())?;
        Some(format!("the node said: {}", last.trim()))
    }
}
