//! A launcher that submits on another host: the login node of a cluster, from a laptop.

use crate::support::{Home, Slurm};

#[test]
fn a_launcher_of_another_host_needs_no_configuration_there() {
    let Some(slurm) = Slurm::new(1) else { return };
    let far = Home::new();
    let home = &slurm.home;
    let config = format!(
        "[hosts.login]\ncommand = [\"sh\"]\nbgproc = \"{}\"\nhome = \"{}\"\n\
         [launchers.gpu]\nhost = \"login\"\npartition = \"urgent\"\npoll = \"1s\"\nstate = \"{}\"\n",
        env!("CARGO_BIN_EXE_bgproc"),
        far.path().display(),
        home.scratch("state").display(),
    );
    std::fs::write(home.path().join("config.toml"), config).unwrap();
    home.ok(&[
        "run",
        "--on",
        "gpu",
        "-n",
        "job",
        "echo in $SLURM_JOB_PARTITION; read x; echo got $x; exit 3",
    ]);
    home.ok(&["wait", "job@login", "--for", "match:^in urgent$"]);
    home.ok(&["send", "job@login", "this"]);
    home.run(&["wait", "job@login"]).expect_code(3);
    let log = home.ok(&["logs", "job@login"]);
    assert!(log.ends_with("got this\n"), "{log}");
    let record = home.json(&["ls", "-a"])["sessions"][0].clone();
    assert_eq!(record["host"], "login");
    assert_eq!(record["launcher"]["name"], "gpu");
    // The log is where the launcher says, which is no directory of the far daemon.
    assert!(!far.path().join("batch").exists());
    home.ok(&["rm", "job@login"]);
    // A directory is one of that host, as it is written: this machine does not look for it.
    home.run(&["run", "--on", "gpu", "-C", "/no/such/here", "true"])
        .expect_code(2)
        .expect_said("the working directory /no/such/here cannot be used");
    home.ok(&["run", "--on", "gpu", "-C", ".", "-n", "dir", "pwd"]);
    home.ok(&["wait", "dir@login"]);
    let here = std::env::current_dir().unwrap();
    assert_ne!(
        home.ok(&["logs", "dir@login"]).trim(),
        here.to_str().unwrap()
    );
    home.ok(&["rm", "dir@login"]);
    let left = std::fs::read_dir(home.scratch("state")).unwrap().count();
    assert_eq!(left, 0);
}
