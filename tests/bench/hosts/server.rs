//! A real sshd on 127.0.0.1, with keys of its own.

use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::guard::Guard;
use crate::process::program;

/// A server; it ends when this is dropped.
pub(crate) struct Server {
    _guard: Guard,
    dir: TempDir,
}

impl Server {
    pub(crate) fn new() -> Self {
        let sshd = program("sshd").expect("sshd is not there: install openssh-server");
        let dir = tempfile::Builder::new()
            .prefix("bgproc-ssh-")
            .tempdir()
            .unwrap();
        let path = dir.path().display();
        for key in ["host_key", "id"] {
            let made = Command::new("ssh-keygen")
                .args(["-q", "-t", "ed25519", "-N", "", "-f"])
                .arg(dir.path().join(key))
                .status();
            assert!(made.unwrap().success());
        }
        if rustix::process::geteuid().is_root() {
            std::fs::create_dir_all("/run/sshd").unwrap();
        }
        let port = TcpListener::bind(("127.0.0.1", 0))
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let server = format!(
            "ListenAddress 127.0.0.1\nPort {port}\nHostKey {path}/host_key\nAuthorizedKeysFile {path}/id.pub\n\
             PidFile none\nUsePAM no\nPasswordAuthentication no\nKbdInteractiveAuthentication no\n\
             PermitRootLogin prohibit-password\nStrictModes no\nMaxStartups 200:30:300\nPrintMotd no\n"
        );
        let client = format!(
            "Host *\n  HostName 127.0.0.1\n  Port {port}\n  IdentityFile {path}/id\n  IdentitiesOnly yes\n  \
             IdentityAgent none\n  UserKnownHostsFile /dev/null\n  StrictHostKeyChecking no\n  LogLevel ERROR\n"
        );
        std::fs::write(dir.path().join("sshd_config"), server).unwrap();
        std::fs::write(dir.path().join("ssh_config"), client).unwrap();
        let mut child = Command::new(sshd)
            .args(["-D", "-f"])
            .arg(dir.path().join("sshd_config"))
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        let guard = Guard::new(move || {
            let _ = child.kill();
            let _ = child.wait();
        });
        let began = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(
                began.elapsed() < Duration::from_secs(10),
                "sshd does not listen"
            );
            std::thread::sleep(Duration::from_millis(5));
        }
        Self { _guard: guard, dir }
    }

    /// The configuration of ssh.
    pub(crate) fn ssh_config(&self) -> PathBuf {
        self.dir.path().join("ssh_config")
    }

    /// The section of `config.toml` for a host with this home.
    pub(crate) fn section(&self, name: &str, home: &Path) -> String {
        format!(
            "[hosts.{name}]\nssh = \"-F {} {name}\"\nbgproc = \"{}\"\nhome = \"{}\"\n",
            self.ssh_config().display(),
            env!("CARGO_BIN_EXE_bgproc"),
            home.display()
        )
    }
}
