//! What is asked of each of those that are compared.

use std::process::Command;

use portable_pty::CommandBuilder;

/// A program that keeps jobs. Dropped, it ends all it has started.
pub(crate) trait Peer {
    /// Its name.
    fn name(&self) -> &'static str;
    /// Starts a job; its name.
    fn start(&mut self, argv: &[String]) -> String;
    /// What its screen shows.
    fn read(&mut self, job: &str) -> String;
    /// Types a line of one word to a `cat`, and returns once it has answered.
    fn echo(&mut self, job: &str, word: &str);
    /// Returns once the output has this line.
    fn wait_for(&mut self, job: &str, line: &str);
    /// All jobs, as its reply has them.
    fn list(&mut self) -> String;
    /// Pids of its own processes, those of jobs and clients not among them.
    fn pids(&mut self) -> Vec<u32>;
    /// The command that lists jobs.
    fn list_command(&self) -> Command;
    /// The command that shows a job to a person, who can type into it.
    fn view(&self, job: &str) -> CommandBuilder;
    /// Starts the first job where nothing runs yet.
    fn cold_start(&self) -> f64;
    /// The last 500 characters of a job's text, if it keeps any.
    fn poll(&mut self, _job: &str) -> Option<String> {
        None
    }
    /// Bytes searched for a line that is not there, if it can.
    fn grep(&mut self, _job: &str) -> Option<u64> {
        None
    }
}
