//! What is wrong with a link, in words: from what its command said on stderr.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::Host;
use super::host::Reach;
use super::install::DIRECTORY;
use crate::protocol::shell::quote;
use crate::protocol::{Error, ErrorCode};

/// Parts of what ssh says when it has no way to log in without asking.
const LOGIN: [&str; 3] = [
    "Permission denied",
    "Too many authentication failures",
    "No supported authentication methods",
];

/// Parts of what ssh says when it does not know the key of the host, or knows another one.
const HOST_KEY: [&str; 3] = [
    "REMOTE HOST IDENTIFICATION HAS CHANGED",
    "Host key verification failed",
    "host key is known",
];

/// Why a host cannot be reached, if bgproc has found it out itself: `cause` in the data of the error.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Cause {
    /// The host answers, and its daemon does not.
    DaemonSilent,
    /// The command that reaches the host cannot be started here.
    CommandMissing,
    /// The shell of the host prints too much before it runs a command.
    NoisyShell,
    /// The job of a batch system that held the host has ended.
    JobEnded,
}

/// The error for a link that ended, or never began. `stderr` is what its command said last.
pub fn of(host: &Host, stderr: &str) -> Error {
    let name = &host.name;
    let words = last_words(stderr);
    let has = |parts: &[&str]| parts.iter().any(|part| stderr.contains(part));
    let is_ssh = matches!(host.reach, Reach::Ssh(_));
    if is_ssh && has(&HOST_KEY) {
        let (message, hint) = if stderr.contains("IDENTIFICATION HAS CHANGED") {
            (
                format!("the key of host {name} has changed: {words}"),
                format!(
                    "ask who runs it whether that is right; if so, {} forgets the old key, and bgproc hosts login {name} shows the new one and asks",
                    forgets_key(stderr)
                ),
            )
        } else {
            (
                format!("the key of host {name} is not known: {words}"),
                format!(
                    "bgproc hosts login {name} shows the key and asks; bgproc never accepts one by itself"
                ),
            )
        };
        return Error::new(ErrorCode::HostKeyUnknown, message).hint(hint);
    }
    if is_ssh && has(&LOGIN) {
        return Error::new(
            ErrorCode::AuthRequired,
            format!("host {name} wants a login: {words}"),
        )
        .hint(format!("bgproc hosts login {name}"));
    }
    if is_too_old(stderr) {
        return Error::new(
            ErrorCode::HostNotInstalled,
            format!("the bgproc on host {name} is too old for links"),
        )
        .hint(format!("bgproc hosts install {name}"));
    }
    let why = if words.is_empty() {
        "the connection ended".to_owned()
    } else {
        words
    };
    unreachable(host, &why)
}

/// An error of the other end of a link that cannot reach the daemon there: it names the host, and what of the
/// configuration here is about it.
pub fn of_daemon(host: &Host, mut error: Error) -> Error {
    let Some(file) = host.written.as_ref() else {
        return error;
    };
    if error.code != ErrorCode::DaemonUnavailable {
        return error;
    }
    let name = &host.name;
    error.message = format!("host {name}: {}", error.message);
    error.hint = error.hint.map(|hint| of_home(&hint, host, &file.display()));
    error
}

/// A hint of a host, with what is configured here in place of the variable.
fn of_home(hint: &str, host: &Host, file: &dyn std::fmt::Display) -> String {
    let name = &host.name;
    let home = format!("set `home` in [hosts.{name}] of {file} to");
    hint.replace("set BGPROC_HOME to", &home)
        .replace("bgproc doctor", &format!("bgproc -H {name} doctor"))
}

/// What `bgproc doctor` on a host has found, with the advice for this machine.
pub fn advice_from(host: &Host, advice: &str) -> String {
    match &host.written {
        Some(file) => of_home(advice, host, &file.display()),
        None => advice.to_owned(),
    }
}

/// The error for a link that ended, of which this program was run on the host.
pub fn of_program(host: &Host, program: &str, stderr: &str) -> Error {
    if !is_too_old(stderr) || host.written.is_none() {
        return of(host, stderr);
    }
    let (name, shown) = (&host.name, clean(program));
    let install = format!("bgproc hosts install {name}");
    let hint = match runs(host, program) {
        Some(runs) => format!("{install} puts this one into {DIRECTORY}; {runs}"),
        None => install,
    };
    let message = format!("the bgproc on host {name} is too old for links: {shown}");
    Error::new(ErrorCode::HostNotInstalled, message).hint(hint)
}

/// How the copy that `hosts install` has made is run in place of this program; `None` if this is the copy.
pub fn runs(host: &Host, program: &str) -> Option<String> {
    let place = format!("{DIRECTORY}/bgproc");
    let end = place.trim_start_matches('~');
    let file = host.written.as_ref()?.display();
    let how = format!(
        "`bgproc = \"{place}\"` in [hosts.{}] of {file} has that one run",
        host.name
    );
    (!program.ends_with(end)).then_some(how)
}

fn is_too_old(stderr: &str) -> bool {
    stderr.contains("relay") && stderr.contains("unrecognized subcommand")
}

/// The host cannot be reached.
pub fn unreachable(host: &Host, why: &str) -> Error {
    let name = &host.name;
    if host.written.is_none() {
        let message = format!("the node of {name} cannot be reached: {why}");
        return Error::new(ErrorCode::HostUnreachable, message).hint("the job goes on");
    }
    Error::new(
        ErrorCode::HostUnreachable,
        format!("host {name} cannot be reached: {why}"),
    )
    .hint(format!("bgproc hosts doctor {name} looks for the reason"))
}

/// The job that held a host has ended, so there is no host any more.
pub fn job_ended(host: &Host) -> Error {
    let name = &host.name;
    let message = format!("the job that held host {name} has ended, and all jobs on it");
    Error::new(ErrorCode::HostUnreachable, message)
        .hint(removes(name))
        .add_data("cause", json!(Cause::JobEnded))
}

fn removes(host: &str) -> String {
    format!("bgproc hosts rm {host} removes it from the list")
}

/// Whether an error is [`job_ended`].
pub fn is_job_ended(error: &Error) -> bool {
    cause(error) == Some(Cause::JobEnded)
}

/// Adds to the error of a host that has been reached before that its jobs go on there.
pub fn jobs_go_on(error: Error) -> Error {
    match (error.code, &error.hint) {
        (ErrorCode::HostUnreachable, Some(hint)) => {
            let hint = format!("its jobs go on; {hint}");
            error.hint(hint)
        }
        _ => error,
    }
}

/// [`unreachable()`] with a cause.
pub fn unreachable_by(host: &Host, cause: Cause, why: &str) -> Error {
    unreachable(host, why).add_data("cause", json!(cause))
}

/// What a person can do about a host that cannot be reached. `error` is one of [`of`] or [`unreachable()`]; without a
/// cause, its message has the words of the command, which are searched.
pub fn advice(host: &Host, error: &Error) -> String {
    let reached = host.reached();
    let file = match &host.written {
        Some(file) => format!("[hosts.{}] in {}", host.name, file.display()),
        None => "the launcher".to_owned(),
    };
    match cause(error) {
        Some(Cause::CommandMissing) => {
            return format!("install the program that {file} names, or correct its command");
        }
        Some(Cause::NoisyShell) => {
            return "have its start-up files print only in interactive shells".to_owned();
        }
        Some(Cause::DaemonSilent) => {
            return format!("log in there and run bgproc doctor: {reached}");
        }
        Some(Cause::JobEnded) => return removes(&host.name),
        None => {}
    }
    let says = |parts: &[&str]| parts.iter().any(|part| error.message.contains(part));
    let is_ssh = matches!(host.reach, Reach::Ssh(_));
    if is_ssh && says(&["Could not resolve hostname", "Name or service not known"]) {
        return format!(
            "correct the name in {file} or in ~/.ssh/config, or connect to the network that knows it"
        );
    }
    if is_ssh && says(&["Connection refused"]) {
        return format!("start sshd there, or correct the port in {file} or in ~/.ssh/config");
    }
    if is_ssh
        && says(&[
            "timed out",
            "No route to host",
            "Network is unreachable",
            "Host is down",
        ])
    {
        return format!(
            "see that the machine is on, and that its network or VPN is up; then try: {reached}"
        );
    }
    if is_ssh {
        format!("see what ssh says, and whether the machine is up: {reached} -v true")
    } else {
        format!(
            "run its command by hand; it has to run a shell that reads standard input: {reached}"
        )
    }
}

fn cause(error: &Error) -> Option<Cause> {
    let cause = error.data.as_ref()?.get("cause")?;
    Cause::deserialize(cause).ok()
}

/// What a person can do about a daemon on a host that speaks another protocol. `theirs` compares it with this program's.
pub fn other_protocol(host: &str, theirs: Ordering) -> String {
    match theirs {
        Ordering::Greater => format!("install the newer bgproc of host {host} here, too"),
        _ => format!(
            "bgproc hosts install {host}, then bgproc -H {host} daemon upgrade; jobs keep running"
        ),
    }
}

/// There is no bgproc on the host.
pub fn not_installed(host: &Host, system: &str, libc: &str) -> Error {
    let name = &host.name;
    let (message, hint) = match &host.written {
        Some(file) => (
            match &host.bgproc {
                Some(path) => format!(
                    "there is no bgproc on host {name} ({system}), neither at {} nor in the usual places",
                    clean(path)
                ),
                None => format!("there is no bgproc on host {name} ({system})"),
            },
            format!(
                "bgproc hosts install {name} copies this program; `bgproc = \"PATH\"` in {} says where it is",
                file.display()
            ),
        ),
        None => (
            format!("there is no bgproc on the node of {name} ({system})"),
            "the nodes need this program at the same path".to_owned(),
        ),
    };
    Error::new(ErrorCode::HostNotInstalled, message)
        .hint(hint)
        .data(json!({ "arch": system, "libc": libc }))
}

/// The command that removes the key of a host, of which ssh says: `Host key for [gpu1]:2222 has changed and you …`.
fn forgets_key(stderr: &str) -> String {
    let said = stderr.lines().find_map(|line| {
        let (name, _) = line
            .trim()
            .strip_prefix("Host key for ")?
            .split_once(" has changed")?;
        Some(quote(name))
    });
    let name = said.as_deref().unwrap_or("ADDRESS");
    // In which file the key is, as ssh itself advises: `ssh-keygen -f "/home/me/.ssh/known_hosts" -R …`.
    let file = stderr.lines().find_map(|line| {
        let rest = line.trim().strip_prefix("ssh-keygen -f ")?;
        let (file, _) = rest.split_once(" -R ")?;
        Some(quote(file.trim_matches(['"', '\''])))
    });
    match file {
        Some(file) => format!("ssh-keygen -f {file} -R {name}"),
        None => format!("ssh-keygen -R {name}"),
    }
}

/// The last line of a text that says something, without control characters and a full stop.
fn last_words(text: &str) -> String {
    let mut said = text.lines().map(str::trim);
    // ssh ends a warning about keys with lines of @ and advice; its verdict is the last line.
    let line = said.rfind(|line| line.chars().any(char::is_alphanumeric));
    let line = line.unwrap_or_default();
    let line = line.trim_end_matches('.');
    clean(line)
}

fn clean(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn host() -> Host {
        Host {
            name: "gpu1".to_owned(),
            reach: Reach::Ssh(vec!["gpu1".to_owned()]),
            bgproc: None,
            home: None,
            written: Some("config.toml".into()),
            control: "/run/ssh-gpu1".into(),
            env: std::collections::BTreeMap::new(),
        }
    }

    #[test]
    fn what_ssh_says_becomes_an_error_with_advice() {
        for (said, code, message) in [
            (
                "me@gpu1: Permission denied (publickey,password).\r\n",
                ErrorCode::AuthRequired,
                "host gpu1 wants a login: me@gpu1: Permission denied (publickey,password)",
            ),
            (
                "No ED25519 host key is known for gpu1 and you have requested strict checking.\r\n\
                 Host key verification failed.\r\n",
                ErrorCode::HostKeyUnknown,
                "the key of host gpu1 is not known: Host key verification failed",
            ),
            (
                "@@@@@\r\n@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @\r\n@@@@@\r\n\
                 Host key verification failed.\r\n",
                ErrorCode::HostKeyUnknown,
                "the key of host gpu1 has changed: Host key verification failed",
            ),
            (
                "ssh: connect to host gpu1 port 22: Connection refused\r\n",
                ErrorCode::HostUnreachable,
                "host gpu1 cannot be reached: ssh: connect to host gpu1 port 22: Connection refused",
            ),
            (
                "error: unrecognized subcommand 'relay'\n",
                ErrorCode::HostNotInstalled,
                "the bgproc on host gpu1 is too old for links",
            ),
            (
                "",
                ErrorCode::HostUnreachable,
                "host gpu1 cannot be reached: the connection ended",
            ),
        ] {
            let error = of(&host(), said);
            assert_eq!((error.code, error.message.as_str()), (code, message));
            assert!(error.hint.is_some(), "{message}");
        }
    }

    #[test]
    fn an_old_program_that_install_does_not_replace_is_named_with_what_helps() {
        let old = "error: unrecognized subcommand 'relay'\n";
        let error = of_program(&host(), "/usr/bin/bgproc", old);
        assert_eq!(error.code, ErrorCode::HostNotInstalled);
        assert!(
            error
                .message
                .ends_with("too old for links: /usr/bin/bgproc")
        );
        let hint = error.hint.unwrap();
        assert!(
            hint.starts_with("bgproc hosts install gpu1 puts "),
            "{hint}"
        );
        let key = "`bgproc = \"~/.local/bin/bgproc\"` in [hosts.gpu1] of config.toml";
        assert!(hint.contains(key), "{hint}");
        let error = of_program(&host(), "/home/me/.local/bin/bgproc", old);
        assert_eq!(error.hint.unwrap(), "bgproc hosts install gpu1");
        let error = of_program(&host(), "/usr/bin/bgproc", "Connection refused");
        assert_eq!(error.code, ErrorCode::HostUnreachable);
    }

    #[test]
    fn a_daemon_that_does_not_start_there_is_one_of_the_host() {
        let error = Error::new(ErrorCode::DaemonUnavailable, "cannot use /x: denied");
        let error = of_daemon(
            &host(),
            error.hint("set BGPROC_HOME to a directory of yours"),
        );
        assert_eq!(error.message, "host gpu1: cannot use /x: denied");
        assert_eq!(
            error.hint.unwrap(),
            "set `home` in [hosts.gpu1] of config.toml to a directory of yours"
        );
        let other = Error::internal("x");
        assert_eq!(of_daemon(&host(), other.clone()), other);
    }

    #[test]
    fn the_place_where_bgproc_was_to_be_is_named() {
        let told = |bgproc: Option<&str>| {
            let bgproc = bgproc.map(str::to_owned);
            let host = Host { bgproc, ..host() };
            not_installed(&host, "Linux-x86_64", "").message
        };
        let none = "there is no bgproc on host gpu1 (Linux-x86_64)";
        assert_eq!(told(None), none);
        let named = format!("{none}, neither at ~/x/bgproc nor in the usual places");
        assert_eq!(told(Some("~/x/bgproc")), named);
    }

    #[test]
    fn jobs_are_said_to_go_on_only_where_there_can_be_some() {
        let hint = |error: Error| error.hint.unwrap_or_default();
        let never = unreachable(&host(), "no route");
        assert_eq!(
            hint(never.clone()),
            "bgproc hosts doctor gpu1 looks for the reason"
        );
        assert!(hint(jobs_go_on(never)).starts_with("its jobs go on; "));
        let over = job_ended(&host());
        assert!(is_job_ended(&over) && !hint(over).contains("go on"));
    }

    #[test]
    fn a_key_that_has_changed_is_forgotten_by_a_command_and_only_by_a_person() {
        let said = "@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @\r\n\
             Host key for [gpu1]:2222 has changed and you have requested strict checking.\r\n\
             Host key verification failed.\r\n";
        let hint = of(&host(), said).hint.unwrap();
        assert!(hint.contains("ssh-keygen -R '[gpu1]:2222'"), "{hint}");
        assert!(hint.contains("bgproc hosts login gpu1"), "{hint}");
        let advice = "  ssh-keygen -f \"/tmp/known hosts\" -R \"[gpu1]:2222\"\r\n";
        let hint = of(&host(), &format!("{advice}{said}")).hint.unwrap();
        let with_file = "ssh-keygen -f '/tmp/known hosts' -R '[gpu1]:2222'";
        assert!(hint.contains(with_file), "{hint}");
    }

    #[test]
    fn each_reason_has_a_next_step() {
        for (why, step) in [
            (
                "ssh: Could not resolve hostname gpu9: Name or service not known",
                "correct the name",
            ),
            (
                "ssh: connect to host gpu1 port 22: Connection refused",
                "start sshd there",
            ),
            (
                "ssh: connect to host gpu1 port 22: Connection timed out",
                "VPN",
            ),
            ("no answer within 10 s", "ssh gpu1 -v true"),
            ("its daemon does not answer", "ssh gpu1 -v true"),
        ] {
            let advice = advice(&host(), &unreachable(&host(), why));
            assert!(advice.contains(step), "{why}: {advice}");
        }
        for (cause, step) in [
            (Cause::CommandMissing, "install the program"),
            (Cause::NoisyShell, "start-up files"),
            (Cause::DaemonSilent, "bgproc doctor"),
            (Cause::JobEnded, "hosts rm gpu1"),
        ] {
            let error = unreachable_by(&host(), cause, "Connection refused");
            let advice = advice(&host(), &error);
            assert!(advice.contains(step), "{cause:?}: {advice}");
        }
        let command = Host {
            reach: Reach::Command(vec!["kubectl".to_owned(), "exec".to_owned()]),
            ..host()
        };
        let advice = advice(&command, &unreachable(&command, "pod not found"));
        assert!(
            advice.contains("by hand") && advice.ends_with("kubectl exec"),
            "{advice}"
        );
    }
}
