//! `open`: opens the URL that a job serves.

use clap::Args;
use serde_json::json;

use crate::cli::context::{Among, Context, target};
use crate::cli::exit::{Exit, Failure};
use crate::cli::output::{note, words};
use crate::cli::settings::host;
use crate::link::Host;
use crate::link::host::Reach;
use crate::protocol::Record;
use crate::protocol::shell::quote;
use crate::term::sanitize::clean;
use crate::tui::outside::open::{in_browser, reachable};

#[derive(Args, Debug)]
pub struct Open {
    /// Print the URL and open nothing
    #[arg(long)]
    print: bool,
    /// The jobs
    #[arg(value_name = "JOB", default_value = "-")]
    jobs: Vec<String>,
}

impl Open {
    pub(super) fn run(self, ctx: &mut Context) -> Result<Exit, Failure> {
        if let [only] = self.jobs.as_slice()
            && !target::is_several(only)
        {
            let job = ctx.one(only)?;
            return self.open(ctx, &job);
        }
        let found = ctx.many(&self.jobs, Among::Going)?;
        let mut exit = found.exit;
        for job in &found.jobs {
            exit = exit.or(match self.open(ctx, job) {
                Ok(exit) => exit,
                Err(failure) => ctx.complain(failure),
            });
        }
        Ok(exit)
    }

    fn open(&self, ctx: &mut Context, job: &Record) -> Result<Exit, Failure> {
        let record = ctx.record(&job.summary.session_id, true)?;
        let name = words::name(&record.summary);
        let detail = record.detail.unwrap_or_default();
        if let Some(host) = record.summary.session_id.host() {
            let failure =
                Failure::with_message(Exit::STATE, format!("the page of {name} is on {host}"));
            return Err(failure.hint(match detail.ports.first() {
                Some(port) => forwarded(&host::named(host)?, *port),
                None => "it listens on no port".to_owned(),
            }));
        }
        let served = detail.ports.first();
        let served = served.map(|port| format!("http://localhost:{port}"));
        // What the project file says comes before what the program prints.
        let written = record.summary.project.and_then(|of| of.url);
        let Some(url) = written.or(detail.urls.into_iter().next()).or(served) else {
            let message = format!("{name} listens on no port");
            return Err(Failure::with_message(Exit::STATE, message));
        };
        let found = clean(&url);
        let url = reachable(&found);
        let has_opened = !self.print && in_browser(&url);
        if ctx.json || !has_opened {
            let value = json!({ "sessionId": record.summary.session_id, "url": found });
            ctx.result(&value, &url)?;
        }
        if has_opened {
            note(&format!("opened {url}"));
        } else if !self.print {
            note("no browser can be started here; BROWSER names one");
            return Ok(Exit::FAILED);
        }
        Ok(Exit::OK)
    }
}

/// How a port of a host comes to this machine.
fn forwarded(host: &Host, port: u16) -> String {
    match &host.reach {
        Reach::Ssh(words) => {
            let words: Vec<_> = words.iter().map(|word| quote(word)).collect();
            let words = words.join(" ");
            format!(
                "ssh -N -L {port}:localhost:{port} {words} brings its port here, as http://localhost:{port}"
            )
        }
        Reach::Command(_) => format!(
            "it listens on port {port} there; host {} is reached by a command, which brings no port here",
            host.name
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_port_of_a_host_comes_by_a_command_that_can_be_pasted() {
        let mut host = Host {
            name: "gpu1".to_owned(),
            reach: Reach::Ssh(["-p", "2222", "me@gpu 1"].map(str::to_owned).to_vec()),
            bgproc: None,
            home: None,
            written: None,
            control: std::path::PathBuf::new(),
            env: std::collections::BTreeMap::new(),
        };
        let hint = forwarded(&host, 8888);
        let command = "ssh -N -L 8888:localhost:8888 -p 2222 'me@gpu 1' ";
        assert!(hint.starts_with(command), "{hint}");
        host.reach = Reach::Command(vec!["kubectl".to_owned()]);
        let hint = forwarded(&host, 8888);
        assert!(hint.contains("8888") && !hint.contains("ssh"), "{hint}");
    }
}
