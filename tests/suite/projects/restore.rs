//! Projects after a reboot: `daemon start --restore`, and lost jobs of projects.

use super::Project;
use crate::support::{daemon, eventually};

/// Kills daemon and keeper at once, as a reboot does.
#[track_caller]
pub(super) fn reboot(shop: &Project) {
    let status = shop.home.json(&["daemon", "status"]);
    let pid = |name: &str| u32::try_from(status[name].as_u64().unwrap()).unwrap();
    let stop = rustix::process::Pid::from_raw(i32::try_from(pid("daemonPid")).unwrap()).unwrap();
    rustix::process::kill_process(stop, rustix::process::Signal::STOP).unwrap();
    daemon::kill_pid(pid("keeperPid"));
    daemon::kill_pid(pid("daemonPid"));
}

#[test]
fn what_was_up_runs_again_in_the_environment_of_the_command() {
    let shop = Project::new(
        "version = 1\n\
         [jobs.migrate]\nrun = \"echo >> migrated\"\nkind = \"task\"\n\
         [jobs.api]\nrun = \"echo $FLAVOUR >> api; exec sleep 1000\"\nneeds = [\"migrate\"]\n\
         [jobs.web]\nrun = \"exec sleep 1000\"\n\
         [jobs.held]\nrun = \"exec sleep 1000\"\n",
    );
    shop.ok(&["up"]);
    shop.ok(&["stop", "held"]);
    let before = (shop.pid("api"), shop.pid("web"));
    reboot(&shop);
    eventually("api is lost", || (shop.pid("api") == 0).then_some(()));
    let mut command = shop.home.command(&["daemon", "start", "--restore"]);
    command.env("FLAVOUR", "sweet").current_dir("/");
    let ran = shop
        .home
        .run_command(command, &["daemon", "start", "--restore"])
        .expect_code(0);
    assert!(
        ran.stderr.contains("shop is brought up: api, web\n"),
        "{ran}"
    );
    shop.until("api", "running");
    shop.until("web", "running");
    assert_ne!((shop.pid("api"), shop.pid("web")), before);
    let status = shop.ok(&["status", "api"]).join("\n");
    assert!(status.contains("  lost\n"), "{status}");
    let text = eventually("api says it", || {
        let text = std::fs::read_to_string(shop.dir.join("api")).unwrap_or_default();
        text.contains("sweet").then_some(text)
    });
    assert_eq!(text.lines().count(), 2, "{text}");
    let migrated = std::fs::read_to_string(shop.dir.join("migrated")).unwrap();
    assert_eq!(migrated.lines().count(), 1, "the task had ended well");
    assert_eq!(shop.phase("held"), "stopped", "a person's stop holds");
    // Again there is nothing to do.
    let pids = (shop.pid("api"), shop.pid("web"));
    let ran = shop.run(&["daemon", "start", "--restore"]).expect_code(0);
    assert!(!ran.stderr.contains("brought up"), "{ran}");
    assert_eq!((shop.pid("api"), shop.pid("web")), pids);
}

#[test]
fn a_project_that_was_down_stays_down_and_a_file_that_is_gone_is_named() {
    let shop = Project::new("version = 1\n[jobs.web]\nrun = \"exec sleep 1000\"\n");
    shop.ok(&["up"]);
    shop.ok(&["down"]);
    reboot(&shop);
    let ran = shop.run(&["daemon", "start", "--restore"]).expect_code(0);
    assert!(!ran.stderr.contains("shop"), "{ran}");
    shop.ok(&["up"]);
    reboot(&shop);
    std::fs::remove_file(shop.dir.join("bgproc.toml")).unwrap();
    let ran = shop.run(&["daemon", "start", "--restore"]).expect_code(1);
    assert!(ran.stderr.contains("shop is not brought up: "), "{ran}");
}

#[test]
fn a_lost_job_of_a_project_is_continued_with_its_own_command() {
    let shop = Project::new("version = 1\n[jobs.agent]\nrun = \"exec sleep 1000\"\n");
    shop.ok(&["up"]);
    shop.ok(&[
        "report",
        "--job",
        "agent",
        "--resume",
        "echo again > again; exec sleep 1000",
    ]);
    reboot(&shop);
    eventually("it is lost", || (shop.pid("agent") == 0).then_some(()));
    shop.ok(&["resume", "agent"]);
    eventually("it goes on", || {
        shop.dir.join("again").exists().then_some(())
    });
    assert_eq!(
        shop.job("agent")["resume"],
        "echo again > again; exec sleep 1000"
    );
    std::fs::remove_file(shop.dir.join("again")).unwrap();
    let pid = shop.pid("agent");
    shop.ok(&["restart", "agent"]);
    assert_ne!(shop.pid("agent"), pid);
    assert!(!shop.dir.join("again").exists(), "the job's own command");
}

#[test]
fn what_waited_says_that_its_environment_was_lost() {
    let shop = Project::new(
        "version = 1\n[jobs.one]\nrun = \"exec sleep 1000\"\n[jobs.two]\nrun = \"exec sleep 1000\"\n\
         [groups.q]\njobs = [\"one\", \"two\"]\nparallel = 1\n",
    );
    shop.ok(&["up", "--wait=false"]);
    shop.until("one", "running");
    shop.until("two", "queued");
    reboot(&shop);
    shop.home.ok(&["ls"]);
    let why = "waits for bgproc up or bgproc resume: its environment was lost";
    eventually("it is said", || {
        let job = shop.job("two");
        let role = &job["project"];
        (role["phase"] == "queued" && role["why"] == why).then_some(())
    });
    shop.ok(&["up", "two", "--wait=false"]);
    shop.until("two", "running");
}

#[test]
fn a_schedule_whose_environment_was_lost_says_so_and_goes_on_with_resume() {
    let shop = Project::new(
        "version = 1\n[jobs.tick]\nrun = \"echo >> ticks\"\nschedule = { every = \"1s\" }\n\
         [jobs.year]\nrun = \"true\"\nschedule = { cron = \"0 2 1 1 *\" }\n\
         [jobs.web]\nrun = \"exec sleep 1000\"\nwatch = { paths = [\"src\"] }\n",
    );
    let ticks = || {
        let text = std::fs::read_to_string(shop.dir.join("ticks")).unwrap_or_default();
        text.lines().count()
    };
    std::fs::create_dir(shop.dir.join("src")).unwrap();
    shop.ok(&["up"]);
    eventually("tick has run", || (ticks() > 0).then_some(()));
    reboot(&shop);
    shop.home.ok(&["ls"]);
    let why = "waits for bgproc up or bgproc resume: its environment was lost";
    for name in ["tick", "year"] {
        eventually(&format!("{name} says it"), || {
            let role = &shop.job(name)["project"];
            (role["phase"] == "queued" && role["why"] == why).then_some(())
        });
        let told = shop.ok(&["why", name]).join("\n");
        assert!(told.contains(why), "{told}");
    }
    assert_eq!(shop.job("web")["project"]["watch"]["why"], why);
    let before = ticks();
    shop.ok(&["resume"]);
    shop.until("year", "scheduled");
    assert!(
        shop.job("year")["startedAt"].is_null(),
        "its time has not come"
    );
    eventually("tick runs again", || (ticks() > before).then_some(()));
}
