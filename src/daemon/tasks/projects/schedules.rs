//! Follows the schedules of projects, and the delays of sessions.
//!
//! Two alarms wait for the next time of all of them: one by the wall clock for cron lines and delays, one by the boot
//! clock for pauses. Nothing wakes up in between.

use std::io;

use crate::daemon::clock::now;
use crate::daemon::hub::Hub;
use crate::sys::alarm::Alarm;

/// Waits for the times of schedules and delays and requests the runs; never returns.
pub(crate) async fn run(hub: Hub) {
    loop {
        // Without schedules and delays there are no alarms.
        hub.schedules_changed().await;
        if let Err(error) = follow(&hub).await {
            tracing::error!(%error, "schedules are not followed until the next change of a project");
        }
    }
}

/// Follows the schedules and delays until there are none.
async fn follow(hub: &Hub) -> io::Result<()> {
    let by_wall_clock = Alarm::by_wall_clock()?;
    let by_boot_clock = Alarm::by_boot_clock()?;
    loop {
        let next = hub.change(|state| {
            let now = now();
            state.run_schedules(now);
            state.end_delays(now);
            state.projects.next_alarms()
        });
        if next.wall.is_none() && next.boot.is_none() {
            return Ok(());
        }
        by_wall_clock.set(next.wall)?;
        by_boot_clock.set(next.boot)?;
        tokio::select! {
            rings = by_wall_clock.rings() => rings?,
            rings = by_boot_clock.rings() => rings?,
            () = hub.schedules_changed() => {}
        }
    }
}
