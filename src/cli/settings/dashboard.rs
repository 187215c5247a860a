//! The options of the dashboard, from flags, environment and `config.toml`.

use std::path::Path;

use crate::cli::exit::Failure;
use crate::client;
use crate::config::{Config, ConfigError, Confirm, Spelt, Spot};
use crate::tui::keymap::rebind::{self, Refused};
use crate::tui::keymap::{LEAVE_KEY, Rebound, chord};
use crate::tui::theme::{Appearance, Scheme, ThemeError};
use crate::tui::{self, modes};

/// The options of the dashboard. The keys that leave INSERT are `leave`, pressed one after the other, else
/// any of BGPROC_LEAVE_KEY, else those of the file. The theme is `theme`, else BGPROC_THEME, else that of
/// the file.
pub fn options(leave: &[String], theme: Option<&str>) -> Result<tui::Options, Failure> {
    let config = super::configuration()?;
    let path = client::home()?.config_file();
    let var = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let leave_sequence = match leave {
        [_, _, ..] => sequence(leave, "--detach-keys")?,
        _ => Vec::new(),
    };
    let leave_keys = match (leave, var("BGPROC_LEAVE_KEY")) {
        // The name of the sequence, as it is shown. No single key has this name.
        ([_, _, ..], _) => vec![leave_sequence.join(" ")],
        ([_], _) => typed(leave, "--detach-keys")?,
        ([], Some(words)) => {
            let words: Vec<String> = words.split(',').map(str::to_owned).collect();
            typed(&words, "BGPROC_LEAVE_KEY")?
        }
        ([], None) => leave_keys(&config, &path)?,
    };
    let theme = match (theme.map(str::to_owned), var("BGPROC_THEME")) {
        (Some(name), _) | (None, Some(name)) => Scheme::load(&themes(&path), &name)
            .map_err(|error| Failure::Usage(error.to_string()))?,
        (None, None) => scheme(&config, &path)?,
    };
    Ok(tui::Options {
        appearance: Appearance {
            ascii: config.ascii,
            mono: false,
            scheme: theme,
            background: config.background,
        },
        keys: rebound(&config, &path, &leave_keys)?,
        leave_sequence,
        leave_keys,
        mouse: config.mouse.unwrap_or(true),
        notify: config.notify,
        stop_grace_ms: config.stop_grace_ms(),
        asks: config.confirm != Confirm::Never,
        status_line: true,
        ..tui::Options::default()
    })
}

/// What is wrong with the keys and the theme of the file at `path`, which only the dashboard can validate.
pub(crate) fn faults(config: &Config, path: &Path) -> Vec<ConfigError> {
    let mut faults = Vec::new();
    let leave = leave_keys(config, path).unwrap_or_else(|wrong| {
        faults.push(wrong);
        Vec::new()
    });
    faults.extend(rebound(config, path, &leave).err());
    faults.extend(scheme(config, path).err());
    faults
}

/// The directory of the user's themes.
fn themes(config: &Path) -> std::path::PathBuf {
    config.with_file_name("themes")
}

fn scheme(config: &Config, path: &Path) -> Result<Scheme, ConfigError> {
    let Some(name) = config.theme() else {
        return Ok(Scheme::default());
    };
    let loaded = Scheme::load(&themes(path), &name.word);
    loaded.map_err(|error| match error {
        ThemeError::File(error) => error,
        unknown => invalid(path, name.at, unknown.to_string()),
    })
}

/// A sequence of keys that leaves. As with docker, only the first key must be one that is not typed into
/// jobs.
fn sequence(words: &[String], from: &str) -> Result<Vec<String>, Failure> {
    let keys = named(words, from)?;
    typed(&keys[..1], from)?;
    Ok(keys)
}

fn named(words: &[String], from: &str) -> Result<Vec<String>, Failure> {
    let parse = |word: &String| {
        let known = || {
            format!(
                "{from}: there is no key \"{word}\". Known: {}",
                chord::KNOWN
            )
        };
        chord::parse(word).ok_or_else(|| Failure::Usage(known()))
    };
    words.iter().map(parse).collect()
}

/// The keys of a flag or a variable, each of which leaves.
fn typed(words: &[String], from: &str) -> Result<Vec<String>, Failure> {
    let keys = named(words, from)?;
    match keys.iter().find(|key| !chord::can_leave(key)) {
        Some(key) => Err(Failure::Usage(format!("{from}: \"{key}\" {TYPED}"))),
        None => Ok(keys),
    }
}

/// Why a key that is typed into jobs cannot leave INSERT.
const TYPED: &str =
    "is typed into jobs, so it cannot leave INSERT; use one with ctrl- or a function key";

/// The keys of the file that leave INSERT: `leave_key` or `[keys.insert] leave`.
fn leave_keys(config: &Config, path: &Path) -> Result<Vec<String>, ConfigError> {
    let (own, lines) = (config.leave_keys(), config.rebindings());
    let line = rebind::leave_line(&lines);
    let keys: &[Spelt] = match (own.first(), line) {
        (Some(key), Some(line)) => {
            let message = "both set the keys that leave INSERT; remove one of them".to_owned();
            let (first, second) = (key.at.min(line.action.at), key.at.max(line.action.at));
            return Err(clash(path, first, second, message));
        }
        (Some(_), None) => &own,
        (None, Some(line)) => &line.keys,
        (None, None) => return Ok(vec![LEAVE_KEY.to_owned()]),
    };
    let (mut named, mut wrong) = (Vec::new(), Vec::new());
    for key in keys {
        match rebind::key(key) {
            Ok(name) if chord::can_leave(&name) => named.push(name),
            Ok(name) => wrong.push(invalid(path, key.at, format!("\"{name}\" {TYPED}"))),
            Err(refused) => wrong.push(refusal(path, refused)),
        }
    }
    match ConfigError::all(wrong) {
        Some(error) => Err(error),
        None => Ok(named),
    }
}

fn rebound(config: &Config, path: &Path, leave: &[String]) -> Result<Vec<Rebound>, ConfigError> {
    let (rebound, refused) = rebind::rebind(&modes::CONTEXTS, &config.rebindings(), leave);
    let refused = refused.into_iter().map(|refused| refusal(path, refused));
    match ConfigError::all(refused.collect()) {
        Some(error) => Err(error),
        None => Ok(rebound),
    }
}

fn refusal(path: &Path, refused: Refused) -> ConfigError {
    match refused.other {
        Some(other) => clash(path, refused.at, other, refused.message),
        None => invalid(path, refused.at, refused.message),
    }
}

fn invalid(path: &Path, at: Spot, message: String) -> ConfigError {
    ConfigError::Invalid {
        path: path.to_owned(),
        at,
        message,
    }
}

fn clash(path: &Path, first: Spot, second: Spot, message: String) -> ConfigError {
    ConfigError::Clash {
        path: path.to_owned(),
        first,
        second,
        message,
    }
}
