//! The launcher that a request names.

use super::senseless;
use crate::config;
use crate::daemon::hub::Hub;
use crate::protocol::batch_job::{Launcher, LauncherKind, LauncherSpec};
use crate::protocol::params::Start;
use crate::protocol::{Action, Error, ErrorCode};
use crate::sys::paths::Home;

/// Completes a `start` whose launcher submits on another host: the host gets the launcher as it is defined here.
pub(crate) fn resolve(hub: &Hub, action: Action) -> Result<Action, Error> {
    let Action::Start(mut params) = action else {
        return Ok(action);
    };
    let Some(Launcher::Named(name)) = &params.launcher else {
        return Ok(Action::Start(params));
    };
    // Whoever names a host means a launcher of that host.
    if params.host.is_none() {
        let home = hub.read().sessions.store.home().clone();
        let (spec, host) = named(&home, name)?;
        params.launcher = Some(Launcher::Defined(Box::new(spec)));
        params.host = host;
    }
    Ok(Action::Start(params))
}

/// The launcher of a `start` that is to be submitted on this machine.
pub(super) fn launcher(hub: &Hub, params: &Start) -> Result<Option<LauncherSpec>, Error> {
    let home = hub.read().sessions.store.home().clone();
    let spec = match &params.launcher {
        None if params.resources.is_some() => {
            return Err(senseless("`resources` needs a `launcher`")
                .hint("`limits` limits a session of this machine"));
        }
        None => return Ok(None),
        Some(Launcher::Named(name)) => named(&home, name)?.0,
        Some(Launcher::Defined(spec)) => (**spec).clone(),
    };
    let state = if spec.state.is_empty() {
        home.state.join("batch").display().to_string()
    } else {
        spec.state.clone()
    };
    if !state.starts_with('/') {
        let message = format!("`state` of launcher {} is not an absolute path", spec.name);
        return Err(senseless(message));
    }
    Ok(Some(LauncherSpec { state, ..spec }))
}

fn named(home: &Home, name: &str) -> Result<(LauncherSpec, Option<String>), Error> {
    let path = home.config_file();
    let config = config::load(&path).map_err(|error| senseless(error.to_string()))?;
    if let Some(entry) = config.launchers.get(name) {
        let entry = entry.get_ref();
        return Ok((entry.spec(name), entry.host.clone()));
    }
    let usual = LauncherSpec::of_kind(LauncherKind::Slurm);
    if name == usual.name {
        return Ok((usual, None));
    }
    let mut names: Vec<&str> = config.launchers.keys().map(String::as_str).collect();
    if !names.contains(&&*usual.name) {
        names.push(&usual.name);
    }
    let message = format!("there is no launcher {name}");
    Err(Error::new(ErrorCode::LauncherRefused, message)
        .hint(format!("launchers: {}", names.join(", ")))
        .data(serde_json::json!({ "launchers": names })))
}
