//! Jobs that a real Slurm cluster runs.

mod again;
mod allocation;
mod ends;
mod endures;
mod far;
mod refused;
mod typing;

use serde_json::Value;

use crate::support::{Slurm, eventually_within};

/// How long a cluster may take with a job: its daemons look at the queue once a second.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(60);

/// The shortest time limit of Slurm is a minute, and it looks at limits every half minute.
const LONG: std::time::Duration = std::time::Duration::from_secs(150);

impl Slurm {
    /// The record of a job.
    fn status(&self, job: &str) -> Value {
        self.home.json(&["status", job])
    }

    /// Waits until a job has this status, and returns its record.
    #[track_caller]
    fn until(&self, job: &str, status: &str) -> Value {
        eventually_within(PATIENCE, &format!("{job} is {status}"), || {
            let record = self.status(job);
            (record["status"] == status).then_some(record)
        })
    }

    /// The kinds of the events of a job, oldest first.
    fn events(&self, job: &str) -> Vec<String> {
        let printed = self.home.ok(&["--json", "events"]);
        let events = printed.lines().map(|line| {
            let event: Value = serde_json::from_str(line).unwrap();
            let of_job = event["data"]["label"] == job;
            of_job.then(|| event["event"].as_str().unwrap().to_owned())
        });
        events.flatten().collect()
    }

    /// The record of a job that has ended; `status` exits with code 3 then.
    fn status_of_ended(&self, job: &str) -> Value {
        let ran = self.home.run(&["--json", "status", job]).expect_code(3);
        serde_json::from_str(&ran.stdout).unwrap()
    }

    /// Waits for the end of a job, and returns its record.
    #[track_caller]
    fn until_ended(&self, job: &str) -> Value {
        eventually_within(LONG, &format!("{job} has ended"), || {
            let ran = self.home.run(&["--json", "status", job]);
            (ran.code == Some(3)).then(|| serde_json::from_str(&ran.stdout).unwrap())
        })
    }

    /// The number that the cluster has given a job.
    fn number(&self, job: &str) -> String {
        let record = self.status(job);
        record["engine"]["jobId"].as_str().unwrap().to_owned()
    }
}
