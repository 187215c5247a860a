//! `daemon install`: a systemd unit of the user that starts bgproc at boot, and the projects that were up.

use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;
use serde_json::json;

use crate::cli::context::Context;
use crate::cli::exit::{Exit, Failure};
use crate::cli::output::note;
use crate::doctor::systemd::{self, MARK, UNIT, quoted};

#[derive(Args, Debug)]
pub(crate) struct DaemonInstall {
    /// Remove the unit again; the daemon and the jobs are left alone
    #[arg(long, conflicts_with = "print")]
    remove: bool,
    /// Print the unit, and change nothing
    #[arg(long)]
    print: bool,
}

/// Variables of the installing command that the unit sets, if they are set: where bgproc has its files, and where jobs
/// find their programs.
const VARIABLES: [&str; 5] = [
    "PATH",
    "BGPROC_HOME",
    "XDG_CONFIG_HOME",
    "XDG_STATE_HOME",
    "XDG_DATA_HOME",
];

impl DaemonInstall {
    pub(crate) fn run(self, ctx: &mut Context) -> Result<Exit, Failure> {
        let var = |name: &str| std::env::var(name).ok();
        if self.print {
            ctx.out.bytes(unit(&program()?, var)?.as_bytes())?;
            return Ok(Exit::OK);
        }
        let Some(units) = systemd::units(var) else {
            let why = "HOME is not set, so there is no place for the unit";
            return Err(Failure::with_message(Exit::FAILED, why.to_owned()));
        };
        let file = units.join(UNIT);
        if self.remove {
            return remove(ctx, &file);
        }
        let systemctl = systemctl()?;
        check_own(&file)?;
        let text = unit(&program()?, var)?;
        let written = std::fs::create_dir_all(&units).and_then(|()| std::fs::write(&file, text));
        written.map_err(Failure::cannot(format!("write {}", file.display())))?;
        tell(&systemctl, &["daemon-reload"])?;
        tell(&systemctl, &["enable", UNIT])?;
        let path = file.display().to_string();
        let value = json!({ "path": path, "installed": true });
        ctx.result(&value, &format!("installed {path}"))?;
        note(&when());
        note(
            "jobs get the PATH of this command and no other variable of your shells; a project's own variables \
             belong in its file or in .env",
        );
        Ok(Exit::OK)
    }
}

/// Removes the unit.
fn remove(ctx: &mut Context, file: &Path) -> Result<Exit, Failure> {
    if !file.exists() {
        note(&format!("there is no {}", file.display()));
        return Ok(Exit::OK);
    }
    check_own(file)?;
    // Without systemd there is nothing to tell, and the file goes anyway.
    let systemctl = systemctl().ok();
    if let Some(systemctl) = &systemctl {
        tell(systemctl, &["disable", UNIT])?;
    }
    let removed = std::fs::remove_file(file);
    removed.map_err(Failure::cannot(format!("remove {}", file.display())))?;
    if let Some(systemctl) = &systemctl {
        tell(systemctl, &["daemon-reload"])?;
    }
    let path = file.display().to_string();
    let value = json!({ "path": path, "installed": false });
    ctx.result(&value, &format!("removed {path}"))?;
    Ok(Exit::OK)
}

/// The unit. Stopping or restarting it ends nothing: its command has ended, and of what it has left running systemd
/// ends nothing either (`KillMode=process`). A job that takes too much memory does not end the unit (`OOMPolicy`), and
/// all jobs together may have any number of processes (`TasksMax`).
fn unit(program: &Path, var: impl Fn(&str) -> Option<String>) -> Result<String, Failure> {
    let program = text(program)?;
    let set = VARIABLES.into_iter().filter_map(|name| {
        let value = var(name).filter(|value| !value.is_empty())?;
        let line = quoted(&format!("{name}={value}"), false);
        Some(format!("Environment={line}\n"))
    });
    let environment: String = set.collect();
    let command = quoted(program, true);
    Ok(format!(
        "{MARK} To change it, run that again; bgproc daemon install --remove removes it.\n\
         [Unit]\n\
         Description=bgproc: background jobs, and the projects that were up\n\
         \n\
         [Service]\n\
         Type=oneshot\n\
         RemainAfterExit=yes\n\
         ExecStart={command} daemon start --restore\n\
         {environment}\
         KillMode=process\n\
         SendSIGKILL=no\n\
         OOMPolicy=continue\n\
         TasksMax=infinity\n\
         \n\
         [Install]\n\
         WantedBy=default.target\n"
    ))
}

/// The program that the unit starts: where PATH finds it, if that is this program, so that the next version is found
/// there too.
fn program() -> Result<PathBuf, Failure> {
    let own = std::env::current_exe();
    let own = own.map_err(Failure::cannot("find the file of this program"))?;
    let path = std::env::var("PATH").unwrap_or_default();
    let found = systemd::on_path("bgproc", &path);
    let is_own =
        |found: &PathBuf| found.is_absolute() && found.canonicalize().ok().as_ref() == Some(&own);
    Ok(found.filter(is_own).unwrap_or(own))
}

fn text(path: &Path) -> Result<&str, Failure> {
    path.to_str().ok_or_else(|| {
        let message = format!("{} is not UTF-8", path.display());
        Failure::with_message(Exit::FAILED, message)
    })
}

/// Refuses to touch a unit that somebody else has written.
fn check_own(file: &Path) -> Result<(), Failure> {
    match std::fs::read_to_string(file) {
        Ok(text) if !text.starts_with(MARK) => {
            let message = format!("{} was not written by bgproc", file.display());
            Err(Failure::with_message(Exit::FAILED, message)
                .hint("rename or remove it first; bgproc daemon install --print shows what would be written"))
        }
        _ => Ok(()),
    }
}

/// The program with which systemd is told.
fn systemctl() -> Result<PathBuf, Failure> {
    let path = std::env::var("PATH").unwrap_or_default();
    systemd::on_path("systemctl", &path).ok_or_else(|| {
        let message = "there is no systemctl on PATH, so systemd does not start programs here";
        Failure::with_message(Exit::FAILED, message.to_owned()).hint(
            "have something else run `bgproc daemon start --restore` at boot: cron (@reboot), or the init system",
        )
    })
}

/// Runs `systemctl --user ARGS`.
fn tell(systemctl: &Path, args: &[&str]) -> Result<(), Failure> {
    let output = Command::new(systemctl).arg("--user").args(args).output();
    let output = output.map_err(Failure::cannot(format!("run {}", systemctl.display())))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let said = crate::term::sanitize::clean(said.trim());
    let message = format!("systemctl --user {} failed: {said}", args.join(" "));
    Err(Failure::with_message(Exit::FAILED, message).hint(
        "it needs a session of systemd for your user: log in on a console or through SSH, not with su or sudo",
    ))
}

/// When the unit starts, and what lingering is for.
fn when() -> String {
    let user = std::env::var("USER").unwrap_or_default();
    match systemd::lingers(&user) {
        Some(true) => "it starts at boot, because your services linger".to_owned(),
        Some(false) | None => "it starts when you log in, and your jobs end with your last logout. So that it starts at \
            boot and jobs stay, let your services linger: loginctl enable-linger"
            .to_owned(),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_unit_leaves_jobs_alone_and_quotes_what_it_is_given() {
        let var = |name: &str| match name {
            "PATH" => Some("/usr/bin:/home/me/100%/bin".to_owned()),
            "BGPROC_HOME" => Some("/srv/a b\"c".to_owned()),
            _ => None,
        };
        let text = unit(Path::new("/opt/my tools/bgproc"), var).unwrap();
        for line in [
            "ExecStart=\"/opt/my tools/bgproc\" daemon start --restore",
            "Environment=\"PATH=/usr/bin:/home/me/100%%/bin\"",
            r#"Environment="BGPROC_HOME=/srv/a b\"c""#,
            "Type=oneshot",
            "RemainAfterExit=yes",
            "KillMode=process",
            "WantedBy=default.target",
        ] {
            assert!(text.lines().any(|own| own == line), "no {line} in\n{text}");
        }
        assert!(text.starts_with(MARK), "{text}");
        assert_eq!(systemd::program(&text), Some("/opt/my tools/bgproc".into()));
    }
}
