//! Opens the links to hosts that are due, and follows what happens on the hosts.

mod follow;

use std::io;

use tokio::sync::{Notify, oneshot};
use tokio::time::Instant;

use crate::daemon::hosts::Attempt;
use crate::daemon::hub::Hub;
use crate::link::{Host, Link};
use crate::protocol::Error;
use crate::sys::alarm::Alarm;

/// A time that does not come, in milliseconds since 1970: the year 2200.
const NEVER: i64 = 7_258_118_400_000;

/// Opens each link when it is due; never returns.
pub(crate) async fn run(hub: Hub) {
    loop {
        let changed = hub.read().hosts.changed();
        // Without hosts there is no alarm.
        if hub.read().hosts.is_empty() {
            changed.notified().await;
        } else if let Err(error) = connect(&hub, &changed).await {
            tracing::error!(%error, "hosts are not connected until the next use of one");
            changed.notified().await;
        }
    }
}

/// Opens links while there are hosts.
async fn connect(hub: &Hub, changed: &Notify) -> io::Result<()> {
    let alarm = Alarm::by_boot_clock()?;
    // It rings when the machine has slept (the kernel cancels it), and never for its time.
    let sleep = Alarm::by_wall_clock()?;
    loop {
        let (due, next) = hub.change(|state| state.due_hosts());
        for attempt in due {
            tokio::task::spawn_local(keep(hub.clone(), attempt));
        }
        if hub.read().hosts.is_empty() {
            return Ok(());
        }
        alarm.set(next.map(u64::cast_signed))?;
        sleep.set(Some(NEVER))?;
        tokio::select! {
            rings = alarm.rings() => rings?,
            rings = sleep.rings() => {
                rings?;
                hub.change(|state| state.hosts.woke());
            }
            () = changed.notified() => {}
        }
    }
}

/// Opens a link and follows the host until the link ends.
async fn keep(hub: Hub, attempt: Attempt) {
    let began = Instant::now();
    let error = match open(attempt.host.clone()).await {
        Ok(link) => follow::follow(&hub, &attempt, link, began).await,
        Err(error) => error,
    };
    hub.change(|state| state.host_failed(&attempt, error));
}

/// Opens a link in a thread of its own: ssh may take as long as it likes.
async fn open(host: Host) -> Result<Link, Error> {
    let (sender, receiver) = oneshot::channel();
    let name = format!("open-{}", host.name);
    let spawned = std::thread::Builder::new().name(name).spawn(move || {
        // Fails if nobody wants the link any more, which closes it.
        let _ = sender.send(Link::open(&host));
    });
    if let Err(error) = spawned {
        return Err(Error::internal(format!(
            "no thread for the link could be started: {error}"
        )));
    }
    let gone = || Err(Error::internal("the thread that opens the link has ended"));
    receiver.await.unwrap_or_else(|_| gone())
}
