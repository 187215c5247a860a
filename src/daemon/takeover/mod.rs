//! Takeover of the sessions from an earlier daemon: what the keeper holds, and what is on disk.
//!
//! [`greeting`] reads the keeper's greeting, and [`sessions`] restores every session: [`rebuild`] makes a record for one
//! that lost its own, [`unseen`] adds a run that the record does not have, and [`saved_start`] says where its log began.
//! [`unsettled`] restores what people were told.

mod greeting;
mod rebuild;
mod saved_start;
mod sessions;
mod unseen;
mod unsettled;

use std::io;
use std::os::fd::OwnedFd;

use crate::daemon::actions;
use crate::daemon::hub::Hub;
use crate::daemon::keeper_link::{KeeperLink, waiting_end};
use crate::daemon::settings::Settings;
use crate::daemon::state::State;
use crate::daemon::storage::store::Store;
use crate::daemon::tasks::tree_kill;
use crate::protocol::keeper::ToKeeper;
use crate::sys::channel::Channel;
use crate::sys::failpoint;
use crate::sys::paths::Home;
use greeting::{Greetings, greetings};

/// Reads the keeper's greeting and restores the state.
pub(crate) async fn take_over(
    home: Home,
    settings: Settings,
    mut channel: Channel,
) -> io::Result<(Hub, OwnedFd)> {
    let link = waiting_end(&channel)?;
    failpoint::hold("takeover.before_greeting");
    let Greetings {
        welcome,
        kept,
        later,
    } = greetings(&mut channel, &link).await?;
    // If the keeper was killed meanwhile, the task that reads its socket notices that.
    let _ = channel.send(&ToKeeper::Greeted, vec![]);
    let store = Store::new(home);
    let mut keeper = KeeperLink::new(channel, welcome.shared, welcome.process, welcome.upgrading);
    keeper.found_stored(welcome.stored);
    let mut state = State::new(store, settings, keeper);
    failpoint::hold("takeover.greeted");
    failpoint::panic("takeover.restore");
    let ending = sessions::take_over(&mut state, kept)?;
    for message in later {
        state.take_message(message);
    }
    unsettled::restore(&mut state);
    state.adopt_project_sessions();
    state.resume_batches();
    let hub = Hub::new(state);
    unsettled::expect_askers(&hub);
    for (id, by) in ending {
        tree_kill::resume(&hub, &id, by.as_ref());
    }
    actions::go_on_with_restarts(&hub);
    // Now, because after it the keeper itself becomes the program of this daemon, if that is an upgrade: what fails
    // before leaves it as it was.
    hub.change(|state| state.keeper.send(&ToKeeper::Ready));
    Ok((hub, link))
}
