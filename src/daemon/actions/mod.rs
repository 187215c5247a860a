//! The verbs of the protocol, one file each.

mod ask_human;
mod capture;
mod clear;
mod events;
mod exec;
mod export;
mod hold;
mod hosts;
mod kill;
mod list;
mod listeners;
mod log;
mod poll;
mod project;
mod queue;
mod remove;
mod report;
mod resize;
mod restart;
mod send_keys;
mod set;
mod several;
mod shutdown;
mod signal;
mod start;
mod status;
mod subscribe;
mod turn;
mod wait;
mod watch;
mod write;

use std::rc::Rc;

pub(super) use restart::go_on as go_on_with_restarts;

use crate::daemon::hub::Hub;
use crate::daemon::requests::batch::reach;
use crate::daemon::requests::batch::resolve::resolve;
use crate::daemon::requests::client::Client;
use crate::daemon::requests::there;
use crate::daemon::transport::Answer;
use crate::protocol::{Action, Error, ErrorCode, Greeting, PROTOCOL, VERSION};

/// Runs the action that a client requested.
pub(super) async fn run(hub: Hub, client: Rc<Client>, action: Action) -> Answer {
    check_policy(&client, &action)?;
    let action = resolve(&hub, action)?;
    if let Some(answer) = several::run(&hub, &client, &action).await {
        return answer;
    }
    if let Some(host) = there::host_of(&hub, &client, &action)? {
        return there::run(&hub, &client, &host, &action).await;
    }
    if let Some(answer) = reach::run(&hub, &client, &action).await {
        return answer;
    }
    // The largest futures are boxed: every request would have their size.
    match action {
        Action::Hosts(_) => hosts::hosts(&hub, &client),
        Action::Connect(params) => hosts::connect(&hub, &client, &params.host).await,
        Action::Disconnect(params) => hosts::disconnect(&hub, &client, &params.host),
        Action::Start(params) => Box::pin(start::start(&hub, &client, params)).await,
        Action::List(params) => list::list(&hub, &client, params).await,
        Action::Status(params) => status::status(&hub, &client, params).await,
        Action::Poll(params) => poll::poll(&hub, &client, params).await,
        Action::Log(params) => log::log(&hub, &client, params).await,
        Action::Wait(params) => wait::wait(&hub, &client, params).await,
        Action::Write(params) => write::write(&hub, &client, params).await,
        Action::SendKeys(params) => send_keys::send_keys(&hub, &client, params).await,
        Action::Exec(params) => exec::exec(&hub, &client, params).await,
        Action::Capture(params) => capture::capture(&hub, &client, params).await,
        Action::Export(params) => export::export(&hub, &client, params).await,
        Action::Resize(params) => resize::resize(&hub, &client, params),
        Action::Signal(params) => signal::signal(&hub, &client, params),
        Action::Kill(params) => kill::kill(&hub, &client, params).await,
        Action::Clear(params) => clear::clear(&hub, &client, params).await,
        Action::Remove(params) => remove::remove(&hub, &client, params).await,
        Action::Restart(params) => Box::pin(restart::restart(&hub, &client, params)).await,
        Action::Set(params) => set::set(&hub, &client, params),
        Action::Report(params) => report::report(&hub, &client, params),
        Action::AskHuman(params) => ask_human::ask_human(&hub, &client, params).await,
        Action::Decline(params) => ask_human::decline(&hub, &client, &params),
        Action::Hold(params) => hold::hold(&hub, &client, &params),
        Action::Subscribe(params) => subscribe::subscribe(&hub, &client, params).await,
        Action::Unsubscribe(params) => subscribe::unsubscribe(&hub, &client, params),
        Action::Events(params) => events::events(&hub, &client, params).await,
        Action::Watch(params) => watch::watch(&hub, &client, params),
        Action::Unwatch(params) => watch::unwatch(&hub, &client, params),
        Action::Project(params) => project::project(&hub, &client, params).await,
        Action::Queue(params) => queue::queue(&hub, &client, params).await,
        Action::Listeners(params) => listeners::listeners(&hub, params).await,
        Action::Cancel(params) => subscribe::cancel(&client, params),
        Action::Stats(_) => status::stats(&hub, &client),
        Action::Shutdown(params) => shutdown::shutdown(&hub, &client, params).await,
    }
}

fn check_policy(client: &Client, action: &Action) -> Result<(), Error> {
    check_protocol(client, action)?;
    if let Some(what) = action.traits().people {
        client.people_only(what)?;
    }
    if action.reads() {
        return Ok(());
    }
    client.may_change(action.name())
}

/// A client of another protocol version may only query and stop the daemon, which is what an upgrade needs.
/// Other actions may have a different meaning in its version.
fn check_protocol(client: &Client, action: &Action) -> Result<(), Error> {
    let Greeting {
        protocol, version, ..
    } = &client.greeting;
    if *protocol == PROTOCOL || matches!(action, Action::Stats(_) | Action::Shutdown(_)) {
        return Ok(());
    }
    let message = format!(
        "the daemon (bgproc {VERSION}) speaks protocol {PROTOCOL}, the client (bgproc {version}) speaks {protocol}"
    );
    Err(Error::new(ErrorCode::IncompatibleVersion, message)
        .hint("run: bgproc daemon upgrade (jobs keep running)"))
}

#[cfg(test)]
mod tests {
    use std::future::Future;

    use super::*;

    fn size<F: Future>(_: impl Fn(Hub, Rc<Client>, Action) -> F) -> usize {
        size_of::<F>()
    }

    #[test]
    fn a_request_is_small_whatever_it_asks_for() {
        // It is moved a few times before it runs, for each key that is typed.
        let bytes = size(run);
        assert!(bytes <= 8 * 1024, "{bytes}");
    }
}
