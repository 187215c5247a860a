//! Projects in the dashboard: which one a command is about, and the requests for it.
//!
//! - [`aim`]: from what is selected to a project and its jobs.
//! - [`words`]: what is told about a project that was brought up.

pub mod aim;
pub mod words;

pub use self::aim::Aim;
use super::message::{Cmd, ProjectRequest, RequestKind};
use super::model::{Attached, Link, Model};
use crate::protocol::Action;
use crate::protocol::params::{Project, ProjectOp};

/// Longest wait of one request, in milliseconds. The next one goes on.
const ROUND_MS: u64 = 60_000;

/// Brings jobs up, with what they need; without names, all that start by themselves.
pub fn up(aim: &Aim, cmds: &mut Vec<Cmd>) {
    let request = ProjectRequest::Up {
        dir: aim.dir.clone(),
        jobs: aim.jobs.clone(),
    };
    let params = Project {
        op: Some(ProjectOp::Up),
        jobs: Some(aim.jobs.clone()).filter(|jobs| !jobs.is_empty()),
        wait_ms: Some(0),
        ..of(&aim.dir)
    };
    push(request, params, cmds);
}

/// Brings a project down; `stops` is the number of its jobs that run.
pub fn down(dir: &str, now: bool, stops: usize, cmds: &mut Vec<Cmd>) {
    let params = Project {
        op: Some(ProjectOp::Down),
        now: now.then_some(true),
        wait_ms: Some(ROUND_MS),
        ..of(dir)
    };
    let dir = dir.to_owned();
    push(ProjectRequest::Down { dir, stops }, params, cmds);
}

/// Requests what a reload would change.
pub fn plan(dir: &str, cmds: &mut Vec<Cmd>) {
    let params = Project {
        op: Some(ProjectOp::Plan),
        reload: Some(true),
        ..of(dir)
    };
    let dir = dir.to_owned();
    push(ProjectRequest::Plan { dir }, params, cmds);
}

/// Applies the changed file; with `prune`, jobs that are not in it any more are stopped.
pub fn reload(dir: &str, prune: bool, cmds: &mut Vec<Cmd>) {
    let params = Project {
        op: Some(ProjectOp::Reload),
        prune: prune.then_some(true),
        wait_ms: Some(0),
        ..of(dir)
    };
    let dir = dir.to_owned();
    push(ProjectRequest::Reload { dir }, params, cmds);
}

/// Requests the jobs of the project file that a directory has, to offer those that do not run.
pub fn offer(dir: &str, cmds: &mut Vec<Cmd>) {
    let request = ProjectRequest::Offer {
        dir: dir.to_owned(),
    };
    push(request, look_at(dir), cmds);
}

/// Asks whether the directory of the view has a project, which is offered if there is nothing else.
fn look_here(model: &mut Model, cmds: &mut Vec<Cmd>) {
    let is_empty = model.daemon.listed && model.jobs.is_empty() && model.attached == Attached::No;
    let was_asked = std::mem::replace(&mut model.projects.here_asked, is_empty);
    if is_empty && !was_asked {
        push(ProjectRequest::Here, look_at(&model.origin.cwd), cmds);
    }
}

fn look_at(dir: &str) -> Project {
    Project {
        op: Some(ProjectOp::Plan),
        ..of(dir)
    }
}

/// After each message: waits until the jobs that were brought up have settled, which the daemon decides: a task has
/// when it has ended. Others may still wait for their turn. An empty list offers the project that is here.
pub fn reconcile(model: &mut Model, cmds: &mut Vec<Cmd>) {
    if model.daemon.link != Link::Up {
        return;
    }
    look_here(model, cmds);
    let coming = model.projects.coming.iter_mut();
    for known in coming.filter(|known| !known.is_asked) {
        known.is_asked = true;
        let status = Project {
            op: Some(ProjectOp::Status),
            jobs: known.jobs.clone().filter(|jobs| !jobs.is_empty()),
            // What they need is part of the plan.
            no_deps: known.jobs.is_some().then_some(true),
            wait_ms: Some(ROUND_MS),
            ..of(&known.dir)
        };
        let request = ProjectRequest::Settle {
            dir: known.dir.clone(),
            jobs: known.jobs.clone(),
        };
        push(request, status, cmds);
    }
}

fn of(dir: &str) -> Project {
    Project {
        dir: Some(dir.to_owned()),
        ..Project::default()
    }
}

fn push(request: ProjectRequest, params: Project, cmds: &mut Vec<Cmd>) {
    let tag = RequestKind::Project(request);
    cmds.push(Cmd::Request(tag, Action::Project(params)));
}
