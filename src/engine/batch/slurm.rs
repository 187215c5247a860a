//! Slurm: its commands, and what they print.
//!
//! `squeue` is asked in a format of our own, not in JSON: that needs a plugin which many clusters lack, and its fields
//! change between versions. Fields are separated by a character that none of them can contain. Times are in seconds
//! since 1970 (`SLURM_TIME_FORMAT`). The states are those of squeue(1), "JOB STATE CODES".

use super::{Batch, Ending, ExitStatus, JobState, Row};
use crate::protocol::batch_job::{LauncherSpec, Reach, Resources};
use crate::protocol::node::{BATCH_LOG, directory_of};
use crate::protocol::shell::quote;
use crate::protocol::{SessionId, Timestamp};

/// Between the fields that squeue prints.
const SEPARATOR: char = '\x1f';

/// The fields of a row, in order.
const FIELDS: [&str; 9] = [
    "JobID",
    "State",
    "Reason",
    "NodeList",
    "StartTime",
    "TimeLimit",
    "RestartCnt",
    "exit_code",
    "Comment",
];

/// What Slurm's commands find in their environment, besides the user's own.
pub const ENVIRONMENT: (&str, &str) = ("SLURM_TIME_FORMAT", "%s");

/// The variable of a job that has the name of its node.
pub const NODE_NAME: &str = "SLURMD_NODENAME";

/// The prefixes of variables of Slurm that must not reach a submission: a daemon that itself runs in a job would
/// hand that job's limits on.
const SCRUBBED: [&str; 4] = ["SLURM_", "SBATCH_", "SRUN_", "SLURMD_"];

/// Variables of Slurm that say which cluster is meant.
const KEPT: [&str; 2] = ["SLURM_CONF", "SLURM_CONF_SERVER"];

/// Whether a variable of the user's environment is kept from a submission.
pub fn is_scrubbed(name: &str) -> bool {
    SCRUBBED.iter().any(|prefix| name.starts_with(prefix)) && !KEPT.contains(&name)
}

/// Whether an option of sbatch(1) makes an array of jobs. Long options may be shortened.
pub fn makes_array(option: &str) -> bool {
    let name = option.split('=').next().unwrap_or_default();
    if option.starts_with("--") {
        name.len() > "--a".len() && "--array".starts_with(name)
    } else {
        option.starts_with("-a")
    }
}

/// Whether a command of Slurm has failed because no connection to the controller could be made, so that it has changed
/// nothing.
pub fn is_out_of_reach(stderr: &str) -> bool {
    stderr.contains("Unable to contact slurm controller (connect failure)")
}

/// The command that submits a job. It reads [`script`] from its standard input and prints the number of the job.
pub fn submit(
    session: &SessionId,
    name: &str,
    launcher: &LauncherSpec,
    resources: &Resources,
) -> Vec<String> {
    let dir = directory_of(&launcher.state, session.as_str());
    let mut words: Vec<String> = ["sbatch", "--parsable", "--open-mode=append"]
        .map(str::to_owned)
        .into();
    let requeue = if launcher.requeue {
        "--requeue"
    } else {
        "--no-requeue"
    };
    words.push(requeue.to_owned());
    words.push(format!("--comment={}", Batch::mark(session)));
    words.push(format!("--job-name={name}"));
    words.push(format!("--output={dir}/{BATCH_LOG}"));
    // The directory of the job itself may be missing on the node; Slurm would run it somewhere else then.
    words.push(format!("--chdir={dir}"));
    let time_sec = resources.time_sec.or(launcher.time_sec);
    let texts = [
        (
            "partition",
            resources
                .partition
                .as_ref()
                .or(launcher.partition.as_ref())
                .cloned(),
        ),
        (
            "account",
            resources
                .account
                .as_ref()
                .or(launcher.account.as_ref())
                .cloned(),
        ),
        // Minutes and seconds.
        (
            "time",
            time_sec.map(|sec| format!("{}:{:02}", sec / 60, sec % 60)),
        ),
        ("cpus-per-task", resources.cpus.map(|cpus| cpus.to_string())),
        // Kibibytes, rounded up.
        (
            "mem",
            resources
                .memory_bytes
                .map(|bytes| format!("{}K", bytes.div_ceil(1024))),
        ),
        ("gpus", resources.gpus.map(|gpus| gpus.to_string())),
    ];
    for (option, value) in texts {
        words.extend(value.map(|value| format!("--{option}={value}")));
    }
    words.extend(launcher.options.iter().cloned());
    words.extend(resources.extra.iter().cloned());
    words
}

/// The batch script: it finds bgproc on the node and becomes it. `program` is where it is on this machine. Slurm counts
/// how often it has put the job into the queue again.
pub fn script(program: &str, dir: &str) -> String {
    let program = quote(program);
    let dir = quote(dir);
    format!(
        "#!/bin/sh\n\
         for b in {program} \"$(command -v bgproc)\" \"$HOME/.local/bin/bgproc\" \"$HOME/.cargo/bin/bgproc\"; do\n\
         if [ -n \"$b\" ] && [ -f \"$b\" ] && [ -x \"$b\" ]; then exec \"$b\" node {dir} --run $((${{SLURM_RESTART_COUNT:-0}} + 1)); fi; done\n\
         echo \"bgproc is not on this node ($(uname -n))\" >&2\n\
         exit 127\n"
    )
}

/// The number of the job that a submission has printed: `JOBID` or `JOBID;CLUSTER`.
pub fn submitted(printed: &str) -> Option<String> {
    let first = printed.lines().next()?.split(';').next()?.trim();
    let is_number = !first.is_empty() && first.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| first.to_owned())
}

/// The command that prints the states of all jobs of the user.
pub fn states() -> Vec<String> {
    let format: String = FIELDS
        .iter()
        .map(|field| format!("{field}:{SEPARATOR},"))
        .collect();
    let format = format!("--Format={}", format.trim_end_matches(','));
    ["squeue", "--noheader", "--me", "--states=all", &format]
        .map(str::to_owned)
        .into()
}

/// Reads what [`states`] prints. Rows that are not as expected are passed over.
pub fn rows(printed: &str) -> Vec<Row> {
    printed.lines().filter_map(row).collect()
}

fn row(line: &str) -> Option<Row> {
    let fields: Vec<&str> = line.split(SEPARATOR).map(str::trim).collect();
    let [
        id,
        word,
        reason,
        node,
        start,
        limit,
        requeues,
        exit,
        comment,
        ..,
    ] = fields[..]
    else {
        return None;
    };
    let state = state(word);
    let is_over = matches!(state, JobState::Ended(_));
    Some(Row {
        job_id: id.to_owned(),
        state,
        word: word.to_owned(),
        reason: said(reason),
        node: said(node),
        start: start.parse().ok().map(|sec: i64| Timestamp(sec * 1000)),
        time_limit_sec: time_limit(limit),
        requeues: requeues.parse().unwrap_or(0),
        exit: exit.parse().ok().filter(|_| is_over).map(wait_status),
        session: Batch::marked(comment).map(str::to_owned),
    })
}

/// A field that has a value.
fn said(field: &str) -> Option<String> {
    let is_empty = matches!(field, "" | "None" | "(null)" | "N/A" | "n/a");
    (!is_empty).then(|| field.to_owned())
}

/// A status as wait(2) gives it.
fn wait_status(status: i32) -> ExitStatus {
    match status & 0x7f {
        0 => ExitStatus::exited(status >> 8),
        signal => ExitStatus::died(signal),
    }
}

/// A state by its name. What is not known is taken for one that goes on, since others follow it.
fn state(word: &str) -> JobState {
    match word.split([' ', '+']).next().unwrap_or_default() {
        "PENDING" | "REQUEUED" | "REQUEUE_HOLD" | "REQUEUE_FED" | "SPECIAL_EXIT"
        | "RESV_DEL_HOLD" | "CONFIGURING" => JobState::Waits,
        "COMPLETING" | "STAGE_OUT" => JobState::Clears,
        "SUSPENDED" | "STOPPED" => JobState::Suspended,
        "COMPLETED" | "FAILED" => JobState::Ended(Ending::Itself),
        "CANCELLED" | "REVOKED" => JobState::Ended(Ending::Cancelled),
        "PREEMPTED" => JobState::Ended(Ending::Preempted),
        "TIMEOUT" | "DEADLINE" => JobState::Ended(Ending::TimedOut),
        "OUT_OF_MEMORY" => JobState::Ended(Ending::OutOfMemory),
        "NODE_FAIL" | "BOOT_FAIL" | "LAUNCH_FAILED" => JobState::Ended(Ending::NodeFailed),
        _ => JobState::Runs,
    }
}

/// A time limit in seconds: `MINUTES:SECONDS`, `HOURS:MINUTES:SECONDS` or `DAYS-HOURS:MINUTES:SECONDS`.
fn time_limit(text: &str) -> Option<u64> {
    let (days, rest) = match text.split_once('-') {
        Some((days, rest)) => (days.parse::<u64>().ok()?, rest),
        None => (0, text),
    };
    let seconds = rest
        .split(':')
        .try_fold(0u64, |sum, part| Some(sum * 60 + part.parse::<u64>().ok()?))?;
    Some(days * 86_400 + seconds)
}

/// What is known of a job that `squeue` does not list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Found {
    /// It is over.
    Ended(Ending, ExitStatus),
    /// It waits or runs: the list was older than it, or was not complete.
    Alive,
    /// Nothing: the batch system has forgotten it.
    Unknown,
}

/// The command that shows a job that `squeue` does not list. The controller forgets it some minutes after its end.
pub fn show(job_id: &str) -> Vec<String> {
    ["scontrol", "show", "job", "--oneliner", job_id]
        .map(str::to_owned)
        .into()
}

/// The command that asks the accounting for a job. Not every cluster has one.
pub fn account(job_id: &str) -> Vec<String> {
    [
        "sacct",
        "--allocations",
        "--noheader",
        "--parsable2",
        "--format=State,ExitCode,NodeList",
        "--jobs",
        job_id,
    ]
    .map(str::to_owned)
    .into()
}

/// Whether what [`show`] says on standard error means that the controller does not know the job.
pub fn is_unknown_job(stderr: &str) -> bool {
    stderr.contains("Invalid job id specified")
}

/// What [`show`] or [`account`] prints.
pub fn found(printed: &str) -> Found {
    read_found(printed).unwrap_or(Found::Unknown)
}

fn read_found(printed: &str) -> Option<Found> {
    let line = printed.lines().next()?;
    let value = |name: &str| {
        let mut words = line.split_whitespace();
        words.find_map(|word| word.strip_prefix(name))
    };
    let mut fields = line.split('|');
    let (word, exit) = match value("JobState=") {
        Some(word) => (word, value("ExitCode=")?),
        None => (fields.next()?, fields.next()?),
    };
    let JobState::Ended(ending) = state(word) else {
        return Some(Found::Alive);
    };
    let (code, signal) = exit.split_once(':')?;
    let exit = match signal.parse() {
        Ok(0) => ExitStatus::exited(code.parse().ok()?),
        Ok(signal) => ExitStatus::died(signal),
        Err(_) => ExitStatus::default(),
    };
    Some(Found::Ended(ending, exit))
}

/// The command that cancels a job.
pub fn cancel(job_id: &str) -> Vec<String> {
    ["scancel", job_id].map(str::to_owned).into()
}

/// The command that runs a shell beside a job on its node, which reads its script from standard input; `None` if the
/// launcher says that there is none, or the node is needed and not known yet.
pub fn reach(launcher: &LauncherSpec, job_id: &str, node: Option<&str>) -> Option<Vec<String>> {
    let words: &[&str] = match launcher.reach {
        Reach::None => return None,
        Reach::Ssh => &["ssh", "-T", "-o", "BatchMode=yes", node?, "exec", "sh"],
        // --overlap: it shares what the job has. --mem=0: all of it, so that it waits for none.
        Reach::Srun => &[
            "srun",
            "--jobid",
            job_id,
            "--overlap",
            "--quiet",
            "--nodes=1",
            "--ntasks=1",
            "--mem=0",
            "sh",
        ],
    };
    Some(words.iter().map(|word| (*word).to_owned()).collect())
}
