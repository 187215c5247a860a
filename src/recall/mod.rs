//! What bgproc remembers for a person from one command to the next: the last used job of each
//! terminal, and how far each job was seen in the dashboard.
//!
//! Both are small files in the state directory, and conveniences: a file that cannot be read counts
//! as empty, and one that cannot be written is not reported.

pub mod last_job;
pub mod seen_jobs;
