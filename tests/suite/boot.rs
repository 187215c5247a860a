//! `daemon install` and the command that its unit runs. A program stands for systemctl and writes down what it is
//! told.

use std::os::unix::fs::symlink;
use std::path::PathBuf;

use crate::support::home::Ran;
use crate::support::process::write_script;
use crate::support::{Home, eventually};

/// A directory for configuration, and a systemctl that notes its arguments.
struct Systemd {
    home: Home,
    config: PathBuf,
    told: PathBuf,
    bin: PathBuf,
}

impl Systemd {
    fn new(code: i32) -> Self {
        let home = Home::new();
        let (config, bin) = (home.scratch("config"), home.scratch("bin"));
        let told = home.scratch("told");
        std::fs::create_dir_all(&bin).unwrap();
        let script = format!(
            "#!/bin/sh\necho \"$@\" >> {}\necho 'no bus' >&2\nexit {code}\n",
            told.display()
        );
        let systemctl = bin.join("systemctl");
        write_script(&systemctl, &script);
        Self {
            home,
            config,
            told,
            bin,
        }
    }

    fn run(&self, args: &[&str], path: &str) -> Ran {
        let config = self.config.display().to_string();
        self.home
            .run_with_env(args, &[("XDG_CONFIG_HOME", &config), ("PATH", path)])
    }

    fn install(&self, args: &[&str]) -> Ran {
        let path = format!("{}:/usr/bin:/bin", self.bin.display());
        self.run(&[&["daemon", "install"], args].concat(), &path)
    }

    fn unit(&self) -> PathBuf {
        self.config.join("systemd/user/bgproc.service")
    }

    fn told(&self) -> String {
        std::fs::read_to_string(&self.told).unwrap_or_default()
    }
}

#[test]
fn the_unit_is_written_enabled_and_removed() {
    let systemd = Systemd::new(0);
    let ran = systemd.install(&[]).expect_code(0);
    assert!(ran.stderr.contains("loginctl enable-linger"), "{ran}");
    assert_eq!(
        systemd.told(),
        "--user daemon-reload\n--user enable bgproc.service\n"
    );
    let text = std::fs::read_to_string(systemd.unit()).unwrap();
    let program = env!("CARGO_BIN_EXE_bgproc");
    assert!(
        text.contains(&format!("ExecStart=\"{program}\" daemon start --restore")),
        "{text}"
    );
    assert!(text.contains("KillMode=process"), "{text}");
    let home = format!(
        "Environment=\"BGPROC_HOME={}\"",
        systemd.home.path().display()
    );
    assert!(text.contains(&home), "{text}");
    assert_eq!(systemd.install(&["--print"]).expect_code(0).stdout, text);
    // Again, and as doctor sees it.
    systemd.install(&[]).expect_code(0);
    let path = format!("{}:/usr/bin:/bin", systemd.bin.display());
    let doctor = || systemd.run(&["--json", "doctor"], &path).stdout;
    assert!(
        doctor().contains("bgproc.service is not enabled"),
        "{}",
        doctor()
    );
    let wants = systemd.config.join("systemd/user/default.target.wants");
    std::fs::create_dir_all(&wants).unwrap();
    symlink(systemd.unit(), wants.join("bgproc.service")).unwrap();
    let found = doctor();
    assert!(found.contains("bgproc.service starts "), "{found}");
    let broken = text.replace(program, "/nowhere/bgproc");
    std::fs::write(systemd.unit(), broken).unwrap();
    let found = doctor();
    assert!(
        found.contains("/nowhere/bgproc, which does not exist"),
        "{found}"
    );
    systemd.install(&["--remove"]).expect_code(0);
    assert!(!systemd.unit().exists());
    assert!(
        systemd
            .told()
            .ends_with("--user disable bgproc.service\n--user daemon-reload\n")
    );
    let again = systemd.install(&["--remove"]).expect_code(0);
    assert!(again.stderr.contains("there is no "), "{again}");
}

#[test]
fn what_goes_wrong_is_said() {
    let systemd = Systemd::new(1);
    let ran = systemd.install(&[]).expect_code(1);
    assert!(
        ran.stderr
            .contains("systemctl --user daemon-reload failed: no bus"),
        "{ran}"
    );
    let none = systemd.home.scratch("empty");
    std::fs::create_dir_all(&none).unwrap();
    let none = none.display().to_string();
    let ran = systemd.run(&["daemon", "install"], &none).expect_code(1);
    assert!(ran.stderr.contains("there is no systemctl"), "{ran}");
    assert!(ran.stderr.contains("daemon start --restore"), "{ran}");
    std::fs::write(systemd.unit(), "[Service]\n").unwrap();
    let ran = systemd.install(&[]).expect_code(1);
    assert!(ran.stderr.contains("was not written by bgproc"), "{ran}");
    systemd.install(&["--remove"]).expect_code(1);
    assert!(systemd.unit().exists());
}

#[test]
fn the_command_of_the_unit_starts_the_daemon_once() {
    let home = Home::new();
    let out = home.ok(&["daemon", "start"]);
    assert!(out.starts_with("daemon running (pid "), "{out}");
    home.start(&["-n", "web", "exec sleep 1000"]);
    let pid = home.json(&["status", "web"])["pid"].clone();
    assert_eq!(home.ok(&["daemon", "start", "--restore"]), out);
    assert_eq!(home.json(&["status", "web"])["pid"], pid);
    eventually("it is listed", || {
        home.ok(&["ls"]).contains("web").then_some(())
    });
}
