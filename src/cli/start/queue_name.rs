//! Groups whose name is nearly that of a queue: a job that is to wait for its turn would start at once.

use crate::cli::context::Context;
use crate::cli::exit::Failure;
use crate::cli::output::note;
use crate::protocol::Action;
use crate::protocol::params::List;
use crate::protocol::reply::Listed;
use crate::protocol::suggest::nearest;
use crate::term::sanitize::clean;

/// Tells of a queue whose name is near, if this group is none and has no jobs yet.
pub fn tell_near(ctx: &mut Context, group: &str) -> Result<(), Failure> {
    let queues = ctx.queues()?;
    let names: Vec<&str> = queues.iter().map(|queue| queue.queue.as_str()).collect();
    if names.contains(&group) {
        return Ok(());
    }
    let Some(near) = nearest(group, names) else {
        return Ok(());
    };
    let jobs: Listed = ctx.read(&Action::List(List {
        group: Some(group.to_owned()),
        limit: Some(1),
        ..List::default()
    }))?;
    if jobs.sessions.is_empty() {
        let (group, near) = (clean(group), clean(near));
        note(&format!(
            "{group} is no queue, so the job starts at once; there is a queue {near}"
        ));
    }
    Ok(())
}
