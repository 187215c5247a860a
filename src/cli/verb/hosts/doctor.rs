//! `hosts doctor`: whether bgproc can work on a host, step by step.

use std::path::Path;
use std::time::Instant;

use clap::Args;
use serde::Deserialize;

use crate::cli::context::Context;
use crate::cli::exit::{Exit, Failure};
use crate::cli::settings::host::{check_held, named};
use crate::cli::verb::doctor::report;
use crate::client::{self, Running, greeting};
use crate::doctor::Finding;
use crate::link::host::Reach;
use crate::link::spawn::{configuration, run_there};
use crate::link::{Host, fault};
use crate::protocol::params::Stats;
use crate::protocol::reply::StatsReply;
use crate::protocol::{Action, Error, ErrorCode, PROTOCOL, VERSION};
use crate::term::sanitize::clean;

#[derive(Args, Debug)]
pub(super) struct Doctor {
    /// The host
    #[arg(value_name = "HOST")]
    name: String,
}

impl Doctor {
    pub(super) fn run(self, ctx: &mut Context) -> Result<Exit, Failure> {
        let host = named(&self.name)?;
        let mut findings = way(&host);
        match check_held(&self.name) {
            Err(Failure::Refused(error)) => findings.push(problem("link", &host, &error)),
            _ => findings.extend(daemon(&host)),
        }
        report(ctx, &findings)
    }
}

/// What is known of the way to the host before it is gone.
fn way(host: &Host) -> Vec<Finding> {
    let mut findings = vec![Finding::ok(
        "way",
        format!("{} is reached by: {}", host.name, clean(&host.reached())),
    )];
    if !matches!(host.reach, Reach::Ssh(_)) {
        return findings;
    }
    findings.push(match configuration(host) {
        None => Finding::problem("way", "ssh does not take these words").advise(format!(
            "correct [hosts.{}] in {}",
            host.name,
            host.written
                .as_deref()
                .unwrap_or(Path::new("config.toml"))
                .display()
        )),
        Some(ssh) => {
            let address = ssh.host_name.unwrap_or_default();
            let shared = match ssh.control_path {
                Some(path) => format!("shared connection at {path}"),
                None if host.control.exists() => {
                    format!("shared connection of a login at {}", host.control.display())
                }
                None => "no shared connection".to_owned(),
            };
            Finding::ok("way", format!("ssh will connect to {address}; {shared}"))
        }
    });
    findings
}

/// What answers on the host.
fn daemon(host: &Host) -> Vec<Finding> {
    client::host::choose(host.clone());
    let began = Instant::now();
    let running = match client::connect_running(&greeting::human()) {
        Ok(running) => running,
        Err(error) => return vec![problem("link", host, &error)],
    };
    let ms = began.elapsed().as_millis();
    let mut findings = vec![Finding::ok(
        "link",
        format!("bgproc answered after {ms} ms"),
    )];
    let mut daemon = match running {
        Running::Yes(daemon) => daemon,
        Running::No(_) => {
            let problems = problems_there(host);
            findings.push(if problems.is_empty() {
                Finding::ok(
                    "daemon",
                    "none is running there; the first command starts one",
                )
            } else {
                Finding::ok("daemon", "none is running there")
            });
            findings.extend(problems);
            return findings;
        }
    };
    let began = Instant::now();
    let stats = daemon.call_as::<StatsReply>(Action::Stats(Stats {}));
    let ms = began.elapsed().as_millis();
    findings.push(match stats {
        Err(error) => problem("daemon", host, &error),
        Ok(stats) if stats.protocol != PROTOCOL => Finding::problem(
            "daemon",
            format!(
                "bgproc {} there speaks protocol {}, this is bgproc {VERSION} with protocol {PROTOCOL}",
                stats.version, stats.protocol
            ),
        )
        .advise(fault::other_protocol(
            &host.name,
            stats.protocol.cmp(&PROTOCOL),
        )),
        Ok(stats) => Finding::ok(
            "daemon",
            format!(
                "bgproc {} at {}, one round trip takes {ms} ms",
                stats.version, stats.home
            ),
        ),
    });
    findings
}

/// What `bgproc doctor` finds on the host that does not work, for example its directories. Without a daemon there,
/// nothing else tells; nothing is started.
fn problems_there(host: &Host) -> Vec<Finding> {
    let mut printed = Vec::new();
    let words = ["--json", "doctor"].map(str::to_owned);
    // An older one may not know that.
    let _ = run_there(host, &words, &mut printed);
    let report: Option<Report> = serde_json::from_slice(&printed).ok();
    let found = report.map(|report| report.findings).unwrap_or_default();
    let problems = found.into_iter().filter(|one| one.verdict == "problem");
    let problems = problems.map(|one| {
        let finding = Finding::problem("daemon", one.text);
        match one.advice {
            Some(advice) => finding.advise(fault::advice_from(host, &advice)),
            None => finding,
        }
    });
    problems.collect()
}

/// The output of `bgproc --json doctor`, as far as it is used here.
#[derive(Deserialize)]
struct Report {
    findings: Vec<There>,
}

/// A finding on another host.
#[derive(Deserialize)]
struct There {
    verdict: String,
    text: String,
    advice: Option<String>,
}

/// A step that has failed, and the next one of the person.
fn problem(subject: &'static str, host: &Host, error: &Error) -> Finding {
    let finding = Finding::problem(subject, error.message.clone());
    let advice = match error.code {
        // Its hint names this verb.
        ErrorCode::HostUnreachable => Some(fault::advice(host, error)),
        _ => error.hint.clone(),
    };
    match advice {
        Some(advice) => finding.advise(advice),
        None => finding,
    }
}
