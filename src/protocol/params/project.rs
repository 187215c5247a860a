//! Projects and queues.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Absent, params};
use crate::protocol::bounds;
use crate::protocol::choices::ProjectOp;
use crate::protocol::project::OnFailure;

params! {
    /// `project`: the jobs of a project file.
    #[schemars(extend("allOf" = bounds::of_project()))]
    Project {
        /// What to do (status).
        op: Option<ProjectOp>,
        /// Directory from which the project file is looked for upwards (the client's directory).
        dir: Option<String>,
        /// Project files to use instead, merged in this order.
        #[schemars(length(min = 1))]
        files: Option<Vec<String>>,
        /// Jobs by name, pattern, `g:GROUP` or `+TAG`; absent: those that start by themselves. `down` ends all jobs.
        #[schemars(length(min = 1))]
        jobs: Option<Vec<String>>,
        /// `up` and `plan`: of these jobs, leave out those that are named so.
        #[schemars(length(min = 1))]
        except: Option<Vec<String>>,
        /// Base port of a Procfile.
        #[schemars(range(min = 1))]
        port: Option<u16>,
        /// Number of instances of the entries of a Procfile, as `all=1,worker=2`.
        #[schemars(regex(pattern = bounds::FORMATION))]
        formation: Option<String>,
        /// `up`: leave out what the jobs need (false).
        no_deps: Option<bool>,
        /// `up`: bring the whole project down when one of its services ends or a task fails (false). It holds until
        /// `down`.
        all_or_none: Option<bool>,
        /// `up` and `plan`: restart jobs whose definition has changed (false).
        apply: Option<bool>,
        /// `plan`: say what `reload` would change instead of `up` (false).
        reload: Option<bool>,
        /// `up` and `reload`: stop jobs that are not in the file any more (false).
        prune: Option<bool>,
        /// `down`: send KILL at once (false).
        now: Option<bool>,
        /// `status`: wait until something has changed since this `seq`.
        after: Option<u64>,
        /// How long to wait until every wanted job has settled, in milliseconds (`up`, `down` and `reload`: 10,000;
        /// else 0).
        #[schemars(range(max = bounds::MAX_WAIT_MS))]
        wait_ms: Option<u64>,
    }
    /// `queue`: shows queues, or changes one (people only).
    #[schemars(extend("allOf" = bounds::of_queue()))]
    Queue {
        /// The queue. Sessions that are started into the group of this name run in it.
        group: Option<String>,
        /// How many of its sessions run at once; 0: it is no queue any more, and all start.
        #[schemars(range(max = bounds::MAX_PARALLEL))]
        parallel: Option<u32>,
        /// What a failed session does to it (continue).
        on_failure: Option<OnFailure>,
        /// Whether it starts nothing.
        paused: Option<bool>,
        /// A directory: queues of the projects around it come first (the client's directory).
        dir: Option<String>,
    }
}

impl Queue {
    /// Whether it changes the queue.
    pub fn changes(&self) -> bool {
        self.parallel.is_some() || self.on_failure.is_some() || self.paused.is_some()
    }
}
