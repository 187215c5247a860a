//! Notices that nobody would get.

use crate::cli::context::Context;
use crate::cli::output::note;
use crate::cli::settings;
use crate::client::host;
use crate::protocol::Action;
use crate::protocol::params::Stats;
use crate::protocol::reply::StatsReply;

/// Says so if nothing notifies of a job now: no command is configured, and no dashboard is open. What is configured on
/// another host is not known here.
pub(in crate::cli) fn tell(ctx: &mut Context) {
    let is_heard = || settings::configuration().map(|config| config.notify_command.is_some());
    if host::chosen().is_some() || is_heard().unwrap_or(true) {
        return;
    }
    // One connection is that of this command. What the others are is not known, and the job runs in any case.
    let stats: Result<StatsReply, _> = ctx.read(&Action::Stats(Stats {}));
    if stats.is_ok_and(|stats| stats.connections <= 1) {
        note(
            "config.toml has no notify_command, so only a dashboard would notify, and none is open; \
             see bgproc help configuration",
        );
    }
}
