//! `[hosts.NAME]`: other hosts, and how they are reached.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

use super::error::Wrong;
use crate::protocol::id::is_host;
use crate::protocol::reply::HostConnect;

/// A host.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct HostEntry {
    /// What follows `ssh`: options and the destination, in the words of a shell. The host's name by default.
    pub ssh: Option<String>,
    /// A command that runs a shell on the host, in place of ssh.
    pub command: Option<Vec<String>>,
    /// Where bgproc is on the host, if not in one of the usual places.
    pub bgproc: Option<String>,
    /// `BGPROC_HOME` on the host.
    pub home: Option<String>,
    /// When the daemon connects it.
    pub connect: HostConnect,
    /// Whether all agents may reach it.
    pub agents: bool,
    /// The job that holds the host, if it is an allocation of a batch system.
    pub session: Option<String>,
}

/// The name that means this machine.
pub const LOCAL: &str = "local";

/// Whether a word can be the name of a host. It has no `@`, which separates a job from its host.
pub fn is_name(word: &str) -> bool {
    word != LOCAL && is_host(word)
}

/// Checks what serde cannot. Returns what is wrong, for each host the first.
pub(super) fn check(hosts: &BTreeMap<String, Spanned<HostEntry>>) -> Vec<Wrong> {
    Wrong::of_entries(hosts, fault)
}

/// What is wrong with a host.
fn fault(name: &str, host: &HostEntry) -> Option<String> {
    if !is_name(name) {
        return Some(format!(
            "\"{name}\" cannot be the name of a host: it has letters, digits, - _ . only, and is not \"{LOCAL}\""
        ));
    }
    if host.ssh.is_some() && host.command.is_some() {
        return Some(format!("[hosts.{name}] has both ssh and command; give one"));
    }
    if host.command.as_ref().is_some_and(Vec::is_empty) {
        return Some(format!("\"command\" of [hosts.{name}] is empty"));
    }
    if let Some(words) = &host.ssh
        && !is_destination(words)
    {
        return Some(format!(
            "\"ssh\" of [hosts.{name}] is not what follows ssh on a command line: {words:?}"
        ));
    }
    None
}

/// Whether the words name a destination after options that ssh knows.
fn is_destination(text: &str) -> bool {
    shlex::split(text).is_some_and(|words| !words.is_empty())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::path::Path;

    use crate::config::tests::parsed as parse;

    fn wrong(text: &str) -> String {
        let path = Path::new("config.toml");
        parse(text).unwrap_err().at(path, text).to_string()
    }

    #[test]
    fn hosts_are_read() {
        let text = "[hosts.gpu1]\nssh = \"-p 2222 me@gpu1\"\nhome = \"/scratch/me\"\n\
                    [hosts.pod]\ncommand = [\"kubectl\", \"exec\", \"-i\", \"p\", \"--\", \"sh\"]\n[hosts.box]\n";
        let config = parse(text).unwrap();
        let names: Vec<_> = config.hosts.keys().collect();
        assert_eq!(names, ["box", "gpu1", "pod"]);
        let gpu1 = config.hosts["gpu1"].get_ref();
        assert_eq!(gpu1.ssh.as_deref(), Some("-p 2222 me@gpu1"));
        assert_eq!(gpu1.home.as_deref(), Some("/scratch/me"));
        assert_eq!(config.hosts["box"].get_ref().ssh, None);
    }

    #[test]
    fn what_makes_no_host_is_named_with_its_place() {
        for (text, message) in [
            (
                "[hosts.a]\nshh = \"x\"\n",
                "config.toml:2:1: unknown key \"shh\" in [hosts.a]. Did you mean \"ssh\"?",
            ),
            (
                "[hosts.a]\nssh = 7\n",
                "config.toml:2:7: \"ssh\" must be a string, not 7",
            ),
            (
                "[hosts.local]\n",
                "config.toml:1:1: \"local\" cannot be the name of a host",
            ),
            (
                "[hosts.\"a@b\"]\n",
                "config.toml:1:1: \"a@b\" cannot be the name of a host",
            ),
            (
                "[hosts.a]\nssh = \"\"\n",
                "config.toml:1:1: \"ssh\" of [hosts.a] is not what follows ssh",
            ),
            (
                "[hosts.a]\ncommand = []\n",
                "config.toml:1:1: \"command\" of [hosts.a] is empty",
            ),
            (
                "[hosts.a]\nssh = \"a\"\ncommand = [\"sh\"]\n",
                "config.toml:1:1: [hosts.a] has both ssh and command",
            ),
        ] {
            let said = wrong(text);
            assert!(said.starts_with(message), "{said}");
        }
    }
}
