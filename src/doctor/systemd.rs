//! The user's systemd: where a unit is, and whether it starts at boot.

use std::path::{Path, PathBuf};

/// Name of the unit that starts bgproc.
pub const UNIT: &str = "bgproc.service";

/// First line of a unit that `bgproc daemon install` has written.
pub const MARK: &str = "# Written by bgproc daemon install.";

/// Where systemd notes which users' services start at boot and stay after the last logout.
const LINGER: &str = "/var/lib/systemd/linger";

/// The directory of the user's own units. `var` returns variables of the environment; `None` if they name no home
/// directory.
pub fn units(var: impl Fn(&str) -> Option<String>) -> Option<PathBuf> {
    let set = |name: &str| var(name).filter(|value| value.starts_with('/'));
    let config = set("XDG_CONFIG_HOME").map(PathBuf::from);
    let config = config.or_else(|| Some(Path::new(&set("HOME")?).join(".config")))?;
    Some(config.join("systemd/user"))
}

/// The link with which `systemctl enable` starts a unit with the user's services.
pub fn enabled_link(units: &Path) -> PathBuf {
    units.join("default.target.wants").join(UNIT)
}

/// Whether the user's services start at boot and stay after the last logout; `None` if that is not known.
pub fn lingers(user: &str) -> Option<bool> {
    let plain = !user.is_empty() && !user.contains('/') && user != "..";
    (plain && Path::new("/run/systemd/system").is_dir())
        .then(|| Path::new(LINGER).join(user).exists())
}

/// The path of a program that PATH finds.
pub fn on_path(program: &str, path: &str) -> Option<PathBuf> {
    let found = std::env::split_paths(path).map(|dir| dir.join(program));
    found.into_iter().find(|file| {
        rustix::fs::access(file, rustix::fs::Access::EXEC_OK).is_ok() && file.is_file()
    })
}

/// The program that a unit starts, unquoted; `None` if it has no `ExecStart`.
pub fn program(unit: &str) -> Option<PathBuf> {
    let line = unit
        .lines()
        .find_map(|line| line.strip_prefix("ExecStart="))?;
    let rest = match line.strip_prefix('"') {
        Some(quoted) => quoted,
        None => return Some(PathBuf::from(unescaped(line.split(' ').next()?))),
    };
    let mut end = None;
    let mut escaped = false;
    for (at, c) in rest.char_indices() {
        match c {
            '"' if !escaped => {
                end = Some(at);
                break;
            }
            _ => escaped = c == '\\' && !escaped,
        }
    }
    Some(PathBuf::from(unescaped(&rest[..end?])))
}

/// A word of a unit file in quotes, in which systemd expands nothing. `command` is whether it is part of a command
/// line, where `$` starts a variable.
pub fn quoted(word: &str, command: bool) -> String {
    let mut out = String::from('"');
    for c in word.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '%' => out.push_str("%%"),
            '$' if command => out.push_str("$$"),
            '\n' => out.push_str("\\n"),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// The inverse of what [`quoted`] writes between the quotes of a command.
fn unescaped(word: &str) -> String {
    let mut out = String::new();
    let mut chars = word.chars();
    while let Some(c) = chars.next() {
        let next = match c {
            '\\' => match chars.next() {
                Some('n') => Some('\n'),
                other => other,
            },
            '%' | '$' => chars.next(),
            c => Some(c),
        };
        out.extend(next);
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn units_are_in_the_configuration_of_the_user() {
        let set = |name: &str| (name == "HOME").then(|| "/home/me".to_owned());
        assert_eq!(
            units(set),
            Some(PathBuf::from("/home/me/.config/systemd/user"))
        );
        let both = |name: &str| Some(format!("/{}", name.to_lowercase()));
        assert_eq!(
            units(both),
            Some(PathBuf::from("/xdg_config_home/systemd/user"))
        );
        assert_eq!(units(|_| None), None);
    }

    proptest! {
        #[test]
        fn a_program_is_read_from_the_unit_as_it_was_written(path in "/[ -~é]{1,40}") {
            let unit = format!("[Service]\nExecStart={} daemon start\n", quoted(&path, true));
            prop_assert_eq!(program(&unit), Some(PathBuf::from(path)));
        }
    }
}
