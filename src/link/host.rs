//! How another host is reached.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::config::HostEntry;

/// Variables of the person who uses a link that its commands need: the socket of the ssh agent, and the configuration
/// of the cluster. The daemon may have been started before they were set.
pub const OF_PERSON: [&str; 2] = ["SSH_AUTH_SOCK", "SLURM_CONF"];

/// A host that a person has named.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Host {
    /// Its name in bgproc.
    pub name: String,
    /// The command that reaches it.
    pub reach: Reach,
    /// Where bgproc is on it, if not in one of the usual places. `~/` is the home directory there.
    pub bgproc: Option<String>,
    /// `BGPROC_HOME` on it, if not as usual there.
    pub home: Option<String>,
    /// The file that names it. `None` for the node of a job.
    pub written: Option<PathBuf>,
    /// The socket of a shared ssh connection that `hosts login` opens, if ssh_config names none.
    pub control: PathBuf,
    /// Variables of the commands that differ from those of this process: those of [`OF_PERSON`] that a person has.
    pub env: BTreeMap<&'static str, String>,
}

/// The command that reaches a host.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reach {
    /// `ssh` with these arguments: options and the destination.
    Ssh(Vec<String>),
    /// This command. It runs a POSIX shell that reads its script from standard input.
    Command(Vec<String>),
}

/// Seconds after which ssh asks a silent server for a sign of life, and how many it may owe, unless ssh_config says
/// something else. ssh gives up when one more would be due: after 30 s.
const KEEPALIVE: [&str; 2] = ["ServerAliveInterval=10", "ServerAliveCountMax=2"];

/// How long a shared connection stays open when nobody uses it.
const SHARED_FOR: &str = "12h";

/// Options of the command line that reaches a host by ssh.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SshOptions<'a> {
    /// ssh_config asks for no signs of life, so this program does.
    pub keepalive: bool,
    /// The shared connection (`ControlPath`) to use in place of the one in ssh_config; `none` for none.
    pub control: Option<&'a str>,
}

/// The name of the socket of a shared connection. It has the destination in it: a host that is given another one does not
/// use the connection of the one before.
fn socket(name: &str, reach: &Reach) -> String {
    let (Reach::Ssh(words) | Reach::Command(words)) = reach;
    let digest = Sha256::digest(words.join("\0"));
    format!(
        "ssh-{name}-{:02x}{:02x}{:02x}{:02x}",
        digest[0], digest[1], digest[2], digest[3]
    )
}

impl Host {
    /// The host that `file` names so. `runtime` is the directory for sockets.
    pub fn of(name: &str, entry: &HostEntry, file: &Path, runtime: &Path) -> Self {
        let reach = match (&entry.command, &entry.ssh) {
            (Some(words), _) => Reach::Command(words.clone()),
            // The words were checked when the file was read.
            (None, Some(words)) => Reach::Ssh(shlex::split(words).unwrap_or_default()),
            (None, None) => Reach::Ssh(vec![name.to_owned()]),
        };
        Self {
            name: name.to_owned(),
            bgproc: entry.bgproc.clone(),
            home: entry.home.clone(),
            written: Some(file.to_owned()),
            control: runtime.join(socket(name, &reach)),
            reach,
            env: BTreeMap::new(),
        }
    }

    /// The command that reaches the host, as it is written: `ssh -p 2222 me@gpu1`.
    pub fn reached(&self) -> String {
        let (words, ssh) = match &self.reach {
            Reach::Ssh(args) => (args, "ssh "),
            Reach::Command(words) => (words, ""),
        };
        let joined = shlex::try_join(words.iter().map(String::as_str));
        format!("{ssh}{}", joined.unwrap_or_default())
    }

    /// The command that runs a shell on the host, which reads its script from standard input.
    pub fn shell(&self, options: SshOptions<'_>) -> Vec<String> {
        let args = match &self.reach {
            Reach::Command(words) => return words.clone(),
            Reach::Ssh(args) => args,
        };
        let mut words = vec!["ssh", "-T", "-o", "BatchMode=yes"];
        if options.keepalive {
            words.extend(KEEPALIVE.iter().flat_map(|option| ["-o", option]));
        }
        let control = options.control.map(|path| format!("ControlPath={path}"));
        words.extend(control.iter().flat_map(|option| ["-o", option]));
        words.extend(args.iter().map(String::as_str));
        words.extend(["exec", "sh"]);
        words.into_iter().map(str::to_owned).collect()
    }

    /// The command that logs in to the host in a terminal, and leaves a shared connection for the links to come.
    /// `None` if the host is not reached by ssh. ssh's options count where they are given first, so those of
    /// ssh_config that matter here do not.
    pub fn login(&self, ssh: &SshConfiguration) -> Option<Vec<String>> {
        let Reach::Ssh(args) = &self.reach else {
            return None;
        };
        let mut words = vec!["ssh".to_owned(), "-T".to_owned()];
        let mut options = vec![
            "ControlMaster=auto".to_owned(),
            format!("ControlPersist={SHARED_FOR}"),
            "BatchMode=no".to_owned(),
        ];
        if ssh.control_path.is_none() {
            options.push(format!("ControlPath={}", self.control.display()));
        }
        if ssh.alive_interval == 0 {
            options.extend(KEEPALIVE.map(str::to_owned));
        }
        words.extend(
            options
                .into_iter()
                .flat_map(|option| ["-o".to_owned(), option]),
        );
        words.extend(args.iter().cloned());
        words.extend(["exec", "true"].map(str::to_owned));
        Some(words)
    }

    /// The command that ends the shared connection which `hosts login` has left; `None` if there is none. One whose
    /// path is in ssh_config is the person's own.
    pub fn logout(&self) -> Option<Vec<String>> {
        let Reach::Ssh(args) = &self.reach else {
            return None;
        };
        let control = format!("ControlPath={}", self.control.display());
        let words = ["ssh", "-O", "exit", "-o", control.as_str()].map(str::to_owned);
        let words = words.into_iter().chain(args.iter().cloned());
        self.control.exists().then(|| words.collect())
    }

    /// The command that prints what ssh_config says about the host; `None` if it is not reached by ssh.
    pub fn configuration(&self) -> Option<Vec<String>> {
        let Reach::Ssh(args) = &self.reach else {
            return None;
        };
        let words = ["ssh", "-G"].map(str::to_owned).into_iter();
        Some(words.chain(args.iter().cloned()).collect())
    }
}

/// What `ssh -G` says that matters here.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SshConfiguration {
    /// Seconds between signs of life (`ServerAliveInterval`).
    pub alive_interval: u32,
    /// The socket of a shared connection (`ControlPath`).
    pub control_path: Option<String>,
    /// What is connected to: the host name after all aliases.
    pub host_name: Option<String>,
}

impl SshConfiguration {
    /// Reads the output of `ssh -G`.
    pub fn of(text: &str) -> Self {
        let value = |name: &str| {
            let mut lines = text.lines().filter_map(|line| line.split_once(' '));
            let (_, value) = lines.find(|(key, _)| key.eq_ignore_ascii_case(name))?;
            Some(value.trim().to_owned())
        };
        Self {
            alive_interval: value("serveraliveinterval")
                .and_then(|seconds| seconds.parse().ok())
                .unwrap_or(0),
            control_path: value("controlpath").filter(|path| path != "none"),
            host_name: value("hostname"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(reach: Reach) -> Host {
        Host {
            name: "gpu1".to_owned(),
            reach,
            bgproc: None,
            home: None,
            written: Some(PathBuf::new()),
            control: "/run/ssh-gpu1".into(),
            env: BTreeMap::new(),
        }
    }

    #[test]
    fn ssh_asks_nobody_and_runs_a_shell() {
        let args = ["-p", "2222", "me@gpu1"].map(str::to_owned).to_vec();
        let host = host(Reach::Ssh(args));
        let options = SshOptions {
            keepalive: true,
            control: Some("none"),
        };
        assert_eq!(
            host.shell(options).join(" "),
            "ssh -T -o BatchMode=yes -o ServerAliveInterval=10 -o ServerAliveCountMax=2 \
             -o ControlPath=none -p 2222 me@gpu1 exec sh"
        );
        let plain = host.shell(SshOptions::default()).join(" ");
        assert_eq!(plain, "ssh -T -o BatchMode=yes -p 2222 me@gpu1 exec sh");
    }

    #[test]
    fn a_login_leaves_a_shared_connection() {
        let host = host(Reach::Ssh(vec!["gpu1".to_owned()]));
        let own = host.login(&SshConfiguration::default()).unwrap_or_default();
        assert_eq!(
            own.join(" "),
            "ssh -T -o ControlMaster=auto -o ControlPersist=12h -o BatchMode=no \
             -o ControlPath=/run/ssh-gpu1 -o ServerAliveInterval=10 -o ServerAliveCountMax=2 gpu1 exec true"
        );
        let theirs = SshConfiguration {
            control_path: Some("/cm".to_owned()),
            alive_interval: 60,
            host_name: None,
        };
        let theirs = host.login(&theirs).unwrap_or_default().join(" ");
        assert!(
            !theirs.contains("ControlPath") && !theirs.contains("Alive"),
            "{theirs}"
        );
    }

    #[test]
    fn a_command_is_taken_as_it_is() {
        let words = ["docker", "exec", "-i", "c", "sh"].map(str::to_owned);
        let host = host(Reach::Command(words.to_vec()));
        assert_eq!(host.shell(SshOptions::default()), words);
        assert_eq!(host.configuration(), None);
    }

    #[test]
    fn what_ssh_says_about_a_host_is_read() {
        let said = "user me\nhostname 10.0.0.7\nserveraliveinterval 0\ncontrolpath /run/cm-1\n";
        let read = SshConfiguration::of(said);
        assert_eq!(read.alive_interval, 0);
        assert_eq!(read.control_path.as_deref(), Some("/run/cm-1"));
        assert_eq!(read.host_name.as_deref(), Some("10.0.0.7"));
        let other = SshConfiguration::of("serveraliveinterval 60\ncontrolpath none\n");
        assert_eq!((other.alive_interval, other.control_path), (60, None));
    }
}
