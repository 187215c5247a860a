//! A real sshd on 127.0.0.1 with keys of its own, and hosts on it: each has a home of its own.

use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use rustix::process::Signal;

use super::needs::{missing, skipped};
use super::process::{self, Held, program, write_script};
use super::{Home, eventually};

/// What tells PAM how to let people in by sshd.
const PAM: &str = "/etc/pam.d/sshd";

/// With this, bash reads no ~/.bashrc, as it does if it takes a connection of sshd for its first shell: what that runs
/// may not outlive a connection that is cut, for example the lock of `pyenv rehash`, and then holds up every later one.
const NO_RC: &str = "SHLVL=2";

/// A server, and a home whose `config.toml` names its hosts. It ends when this is dropped, with its connections.
pub(crate) struct Sshd {
    /// Where the commands are run: the near side.
    pub(crate) home: Home,
    /// The homes of the hosts `h1`, `h2`, …: the far side.
    pub(crate) hosts: Vec<Home>,
    dir: PathBuf,
    port: u16,
    server: Option<Child>,
}

impl Sshd {
    /// A server with so many hosts; `None` if there is no sshd and the test is to be skipped.
    pub(crate) fn new(hosts: usize) -> Option<Self> {
        Self::with(hosts, "")
    }

    /// The same, with further lines of ssh_config.
    pub(crate) fn with(hosts: usize, ssh_config: &str) -> Option<Self> {
        // By its whole path: it starts itself anew for each connection.
        let Some(program) = program("sshd") else {
            missing("`sshd`");
            return None;
        };
        let home = Home::new();
        let dir = home.scratch("sshd");
        std::fs::create_dir_all(&dir).unwrap();
        for key in ["host_key", "id"] {
            keygen(&dir.join(key));
        }
        std::fs::copy(dir.join("id.pub"), dir.join("authorized_keys")).unwrap();
        if rustix::process::geteuid().is_root() {
            // As root it wants an empty directory for its unprivileged half.
            std::fs::create_dir_all("/run/sshd").unwrap();
        }
        let port = free_port();
        let mut sshd = Self {
            home,
            hosts: (0..hosts).map(|_| Home::new()).collect(),
            dir,
            port,
            server: None,
        };
        sshd.write_files(ssh_config);
        sshd.up_with(&program);
        Some(sshd)
    }

    fn write_files(&self, ssh_config: &str) {
        let (dir, port) = (self.dir.display(), self.port);
        let server = format!(
            "ListenAddress 127.0.0.1\nPort {port}\nHostKey {dir}/host_key\n\
             AuthorizedKeysFile {dir}/authorized_keys\nPidFile none\nUsePAM no\n\
             PasswordAuthentication no\nKbdInteractiveAuthentication no\n\
             PermitRootLogin prohibit-password\nStrictModes no\nMaxStartups 200:30:300\nPrintMotd no\n\
             SetEnv {NO_RC}\n"
        );
        std::fs::write(self.dir.join("sshd_config"), server).unwrap();
        let key = std::fs::read_to_string(self.dir.join("host_key.pub")).unwrap();
        let known = format!("[127.0.0.1]:{port} {key}");
        std::fs::write(self.dir.join("known_hosts"), known).unwrap();
        let client = format!(
            "{ssh_config}\nHost *\n  HostName 127.0.0.1\n  Port {port}\n  IdentityFile {dir}/id\n  IdentitiesOnly yes\n  \
             IdentityAgent none\n  UserKnownHostsFile {dir}/known_hosts\n  GlobalKnownHostsFile none\n  \
             StrictHostKeyChecking yes\n  HostKeyAlias [127.0.0.1]:{port}\n  LogLevel ERROR\n"
        );
        std::fs::write(self.ssh_config(), client).unwrap();
        let hosts = self.hosts.iter().zip(1..).map(|(host, number)| {
            format!(
                "[hosts.h{number}]\nssh = \"-F {} h{number}\"\nbgproc = \"{}\"\nhome = \"{}\"\n",
                self.ssh_config().display(),
                env!("CARGO_BIN_EXE_bgproc"),
                host.path().display()
            )
        });
        let config: String = hosts.collect();
        std::fs::write(self.home.path().join("config.toml"), config).unwrap();
    }

    /// From now on the server takes no key: it asks for a code, which it takes once. `false` if it cannot be made to
    /// here: the file that tells PAM so is put in place for the server alone (a mount namespace), which needs root.
    pub(crate) fn asks_for(&mut self, code: &str) -> bool {
        let mut alone = Command::new("unshare");
        let alone = alone.args(["--mount", "true"]).output();
        let module = [
            "/lib/x86_64-linux-gnu",
            "/lib/aarch64-linux-gnu",
            "/lib64",
            "/usr/lib64",
            "/lib",
        ]
        .map(|dir| Path::new(dir).join("security/pam_exec.so"));
        let can = alone.is_ok_and(|ran| ran.status.success())
            && Path::new(PAM).exists()
            && module.iter().any(|path| path.exists());
        if !can {
            skipped("sshd asks for codes only with PAM, as root");
            return false;
        }
        self.down();
        let dir = self.dir.display();
        std::fs::write(self.dir.join("code"), code).unwrap();
        let check = format!(
            "#!/bin/sh\ngiven=$(tr -d '\\0')\n[ \"$given\" = \"$(cat {dir}/code)\" ] && rm {dir}/code\n"
        );
        let path = self.dir.join("check");
        write_script(&path, &check);
        let pam = format!(
            "auth required pam_exec.so quiet expose_authtok {dir}/check\nauth required pam_permit.so\naccount required pam_permit.so\n\
             session required pam_permit.so\n"
        );
        std::fs::write(self.dir.join("pam"), pam).unwrap();
        let config = self.dir.join("sshd_config");
        let lines = std::fs::read_to_string(&config).unwrap();
        let asking = "UsePAM yes\nKbdInteractiveAuthentication yes\nPubkeyAuthentication no\nPermitRootLogin yes\n";
        // The first line of a kind counts.
        std::fs::write(&config, format!("{asking}{lines}")).unwrap();
        self.up();
        true
    }

    /// From now on sessions on the hosts have this variable.
    pub(crate) fn gives(&mut self, name: &str, value: &str) {
        self.down();
        let config = self.dir.join("sshd_config");
        let lines = std::fs::read_to_string(&config).unwrap();
        std::fs::write(&config, format!("SetEnv {name}={value} {NO_RC}\n{lines}")).unwrap();
        self.up();
    }

    /// The configuration of ssh.
    pub(crate) fn ssh_config(&self) -> PathBuf {
        self.dir.join("ssh_config")
    }

    /// The directory of the keys.
    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    /// The server goes away, and all connections with it.
    pub(crate) fn down(&mut self) {
        if let Some(mut server) = self.server.take() {
            let connections = children(server.id());
            server.kill().unwrap();
            server.wait().unwrap();
            for held in connections.into_iter().filter_map(Held::new) {
                held.signal(Signal::KILL);
            }
        }
    }

    /// The server comes back.
    pub(crate) fn up(&mut self) {
        self.up_with(&program("sshd").unwrap());
    }

    fn up_with(&mut self, program: &Path) {
        let config = self.dir.join("sshd_config");
        process::heed_signals();
        let log = std::fs::File::create(self.dir.join("sshd.log")).unwrap();
        let pam = self.dir.join("pam");
        let mut command = if pam.exists() {
            let mut command = Command::new("unshare");
            let line = format!("mount --bind \"$0\" {PAM} && exec \"$@\"");
            command
                .args(["--mount", "sh", "-c", &line])
                .arg(pam)
                .arg(program);
            command
        } else {
            Command::new(program)
        };
        let child = command
            .args(["-D", "-e", "-f"])
            .arg(config)
            // By this it and its children are found.
            .env("HOME", self.home.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn();
        self.server = Some(child.unwrap());
        let port = self.port;
        eventually("sshd listens", || {
            TcpStream::connect(("127.0.0.1", port)).ok()
        });
    }

    /// Ends every open connection, as a server does that restarts. Returns how many there were.
    pub(crate) fn cut(&self) -> usize {
        self.signal_connections(Signal::KILL)
    }

    /// Falls silent, as a machine does whose network is gone: open connections stay open, and new ones are not answered.
    pub(crate) fn freeze(&self) {
        self.signal_server(Signal::STOP);
        self.signal_connections(Signal::STOP);
    }

    /// Goes on after [`freeze`](Self::freeze).
    pub(crate) fn thaw(&self) {
        self.signal_connections(Signal::CONT);
        self.signal_server(Signal::CONT);
    }

    fn signal_server(&self, signal: Signal) {
        let server = self.server.as_ref().unwrap().id();
        Held::new(server).unwrap().signal(signal);
    }

    fn signal_connections(&self, signal: Signal) -> usize {
        let server = self.server.as_ref().unwrap().id();
        let connections = children(server);
        for held in connections.iter().copied().filter_map(Held::new) {
            held.signal(signal);
        }
        connections.len()
    }
}

impl Drop for Sshd {
    fn drop(&mut self) {
        self.down();
    }
}

fn keygen(path: &Path) {
    let made = Command::new("ssh-keygen")
        .args(["-q", "-t", "ed25519", "-N", "", "-C", "test", "-f"])
        .arg(path)
        .status();
    assert!(made.unwrap().success());
}

fn free_port() -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    listener.local_addr().unwrap().port()
}

fn children(pid: u32) -> Vec<u32> {
    let path = format!("/proc/{pid}/task/{pid}/children");
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.split_whitespace()
        .filter_map(|pid| pid.parse().ok())
        .collect()
}
