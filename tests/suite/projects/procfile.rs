//! Procfiles: the port and the numbers of instances that the command line gives.

use super::has;
use super::together::procfile;

const TWO: &str = "web: echo $PORT; exec sleep 1000\nworker: echo $PORT; exec sleep 1000\n";

#[test]
fn what_up_was_told_holds_until_another_up_or_down() {
    let shop = procfile(TWO);
    shop.ok(&["up", "--port", "7000", "-m", "worker=2"]);
    let port = |job: &str| shop.ok(&["exec", job, "--", "printenv", "PORT"]).concat();
    assert_eq!(port("web"), "7000");
    assert_eq!(port("worker.2"), "7101");
    for verb in [&["reload", "-n"][..], &["up", "-n"]] {
        let plan = shop.ok(verb);
        assert!(plan.iter().all(|line| line.starts_with('=')), "{plan:?}");
    }
    shop.ok(&["restart", "web"]);
    assert_eq!(shop.job("web")["project"]["ports"][0], 7000);
    // An entry that leaves the file takes its number with it.
    std::fs::write(shop.dir.join("Procfile"), "web: exec sleep 1000\n").unwrap();
    has(
        &shop.ok(&["up", "-n"]),
        "? worker.1 is not in the file (--prune stops it)",
    );
    std::fs::write(shop.dir.join("Procfile"), TWO).unwrap();
    has(
        &shop.ok(&["up", "-n", "-m", "worker=1"]),
        "> worker (was worker.1)",
    );
    shop.ok(&["down"]);
    assert_eq!(port("web"), "5000");
}

#[test]
fn the_name_of_an_entry_means_all_of_its_instances() {
    let other = super::Project::new("version = 1\n[jobs.worker]\nrun = \"exec sleep 1000\"\n");
    other.ok(&["up"]);
    let dir = other.home.scratch("mill");
    std::fs::create_dir_all(&dir).unwrap();
    std::fs::write(dir.join("Procfile"), TWO).unwrap();
    let run = |args: &[&str]| other.run_in(&dir, args).expect_code(0).stdout;
    run(&["up", "-m", "worker=2"]);
    let stopped = run(&["stop", "worker"]);
    for name in ["worker.1  stopped", "worker.2  stopped"] {
        assert!(stopped.contains(name), "{stopped}");
    }
    assert_eq!(other.phase("worker"), "running");
    assert_eq!(other.phase("web"), "running");
    let started = run(&["restart", "worker"]);
    assert_eq!(started.lines().count(), 2, "{started}");
}

#[test]
fn they_are_refused_for_other_files() {
    let shop = super::Project::new("version = 1\n[jobs.web]\nrun = \"exec sleep 1000\"\n");
    for args in [["up", "--port", "7000"], ["up", "-m", "web=2"]] {
        shop.run(&args)
            .expect_code(2)
            .expect_said("--port and -m are for a Procfile");
    }
}

#[test]
fn what_overmind_reads_beside_a_procfile_is_said_once() {
    let shop = procfile(TWO);
    let file = shop.dir.join(".overmind.env");
    std::fs::write(file, "OVERMIND_FORMATION=web=2\n").unwrap();
    let words = ".overmind.env: is not read; instead of OVERMIND_FORMATION: bgproc up -m web=2";
    let ran = shop.run(&["up"]).expect_code(0);
    assert_eq!(ran.stderr.matches(words).count(), 1, "{ran}");
    let ran = shop.run(&["up", "-m", "web=2"]).expect_code(0);
    assert!(!ran.stderr.contains("is not read"), "{ran}");
}
