//! Jobs that react to changes of files.

use std::path::Path;
use std::process::Command;

use super::{Project, has};
use crate::support::home::Ran;
use crate::support::needs::{have, skipped};
use crate::support::{Terminal, eventually};

/// A job that adds a line to `runs` when it starts, and then stays.
fn service(name: &str, watch: &str) -> String {
    format!(
        "[jobs.{name}]\nrun = \"echo >> {name}.runs; exec sleep 1000\"\nwatch = {{ ignore = [\"*.runs\"], debounce = \"100ms\"{watch} }}\n"
    )
}

/// A project with one such job, which is up.
fn watched(watch: &str) -> Project {
    let shop = Project::new(&format!("version = 1\n{}", service("api", watch)));
    std::fs::create_dir(shop.dir.join("src")).unwrap();
    shop.put("src/main.rs", "fn main() {}");
    shop.ok(&["up"]);
    shop
}

impl Project {
    fn put(&self, path: &str, text: &str) {
        std::fs::write(self.dir.join(path), text).unwrap();
    }

    /// How often a job has been started.
    fn starts(&self, name: &str) -> usize {
        let text = std::fs::read_to_string(self.dir.join(format!("{name}.runs")));
        text.unwrap_or_default().lines().count()
    }

    /// Waits until a job has been started so often, and runs.
    #[track_caller]
    fn until_started(&self, name: &str, times: usize) {
        eventually(&format!("{name} was started {times} times"), || {
            (self.starts(name) == times && self.phase(name) == "running").then_some(())
        });
    }

    /// Changes a file that the job `api` watches, and waits for its reaction: what else was to be noticed has been
    /// noticed by then.
    #[track_caller]
    fn nothing_else(&self, times: usize) {
        self.until_started("api", times);
        self.put("src/marker.rs", &times.to_string());
        self.until_started("api", times + 1);
        let because = self.because();
        assert_eq!(because, "changed: src/marker.rs");
        let said = self.ok(&["events", "--json"]);
        let restarted = said
            .iter()
            .rev()
            .find(|event| event.contains("\"restarted\""));
        let restarted: serde_json::Value = serde_json::from_str(restarted.unwrap()).unwrap();
        assert_eq!(restarted["data"]["by"]["kind"], "watch", "{restarted}");
    }

    /// Why the last run of `api` was started.
    fn because(&self) -> String {
        self.because_of("api")
    }

    fn because_of(&self, name: &str) -> String {
        let record = self.home.json(&["status", name]);
        let runs = record["detail"]["runs"].as_array().cloned();
        let last = runs
            .and_then(|runs| runs.last().cloned())
            .unwrap_or_default();
        last["because"].as_str().unwrap_or_default().to_owned()
    }
}

fn git(dir: &Path, args: &[&str]) {
    let who = ["-c", "user.name=a", "-c", "user.email=a@localhost"];
    let done = Command::new("git")
        .current_dir(dir)
        .args(who)
        .args(args)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .unwrap();
    assert!(done.status.success(), "git {args:?}: {done:?}");
}

#[test]
fn a_change_restarts_it_and_everything_says_why() {
    let shop = watched("");
    let first = shop.pid("api");
    shop.until_started("api", 1);
    shop.put("src/main.rs", "fn main() { changed() }");
    shop.until_started("api", 2);
    assert_ne!(shop.pid("api"), first);
    assert_eq!(shop.because(), "changed: src/main.rs");
    let status = shop.run(&["status", "api"]).stdout;
    assert!(status.contains("watch  . (restarts)"), "{status}");
    assert!(
        status.contains("in progress  (changed: src/main.rs)"),
        "{status}"
    );
    let why = shop.ok(&["why", "api"]).join("\n");
    assert!(
        why.contains("it was started again because src/main.rs has changed"),
        "{why}"
    );
    let events = shop.ok(&["events"]).join("\n");
    assert!(
        events.contains("restarted, changed: src/main.rs"),
        "{events}"
    );
}

#[test]
fn what_does_not_change_the_content_does_not_count_nor_do_ignored_files() {
    let shop = Project::new(&format!("version = 1\n{}", service("api", "")));
    std::fs::create_dir(shop.dir.join("src")).unwrap();
    std::fs::create_dir(shop.dir.join("target")).unwrap();
    for dir in [".git", "node_modules"] {
        std::fs::create_dir(shop.dir.join(dir)).unwrap();
    }
    shop.put("src/main.rs", "fn main() {}");
    shop.put(".gitignore", "target/\n*.log\n");
    shop.ok(&["up"]);
    shop.until_started("api", 1);
    let touched = Command::new("touch")
        .arg(shop.dir.join("src/main.rs"))
        .status();
    assert!(touched.unwrap().success());
    // Saved without a change, in place and through another file.
    shop.put("src/main.rs", "fn main() {}");
    shop.put("src/main.new", "fn main() {}");
    let to = shop.dir.join("src/main.rs");
    std::fs::rename(shop.dir.join("src/main.new"), to).unwrap();
    shop.put("target/out.o", "x");
    shop.put("src/debug.log", "x");
    shop.put(".git/HEAD", "x");
    shop.put("node_modules/x.js", "x");
    shop.put("src/.main.rs.swp", "x");
    shop.nothing_else(1);
}

#[test]
fn a_checkout_of_five_thousand_files_is_one_change() {
    if !have("git") {
        return;
    }
    let shop = Project::new(&format!("version = 1\n{}", service("api", "")));
    let dir = &shop.dir;
    git(dir, &["init", "-q", "-b", "main"]);
    shop.put(".gitignore", "*.runs\n");
    for branch in ["main", "other"] {
        for n in 0..5000 {
            let sub = dir.join(format!("src/{}", n % 50));
            std::fs::create_dir_all(&sub).unwrap();
            std::fs::write(sub.join(format!("{n}.rs")), format!("{branch} {n}")).unwrap();
        }
        if branch == "other" {
            git(dir, &["checkout", "-q", "-b", "other"]);
        }
        git(dir, &["add", "-A"]);
        git(dir, &["commit", "-q", "-m", branch]);
    }
    shop.ok(&["up"]);
    shop.until_started("api", 1);
    git(dir, &["checkout", "-q", "main"]);
    shop.nothing_else(2);
    let events = shop.ok(&["events"]);
    let restarts = events.iter().filter(|line| line.contains("restarted"));
    assert_eq!(restarts.count(), 2, "{events:?}");
}

#[test]
fn a_save_in_vim_is_one_change() {
    if !have("vim") {
        return;
    }
    let shop = watched("");
    shop.until_started("api", 1);
    let file = shop.dir.join("src/main.rs");
    let mut vim = Terminal::shell(&shop.home, (80, 24));
    vim.send(format!(
        "vim -N -u NONE '{}'; echo \"l\"eft\r",
        file.display()
    ));
    vim.wait_for_text("fn main");
    vim.send("ochanged();\x1b:w\r");
    eventually("vim has saved", || {
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        text.contains("changed()").then_some(())
    });
    shop.until_started("api", 2);
    assert_eq!(shop.because(), "changed: src/main.rs");
    // Once more, without a change.
    vim.send(":w\r:q\r");
    vim.wait_for_text("left");
    shop.nothing_else(2);
}

#[test]
fn directories_come_and_go() {
    let shop = watched("");
    shop.until_started("api", 1);
    // Also what is in it before it is watched.
    std::fs::create_dir_all(shop.dir.join("src/deep/er")).unwrap();
    shop.put("src/deep/er/a.rs", "1");
    shop.until_started("api", 2);
    shop.put("src/deep/er/a.rs", "2");
    shop.until_started("api", 3);
    assert_eq!(shop.because(), "changed: src/deep/er/a.rs");
    let (from, to) = (shop.dir.join("src/deep"), shop.dir.join("src/moved"));
    std::fs::rename(from, &to).unwrap();
    shop.until_started("api", 4);
    shop.put("src/moved/er/a.rs", "3");
    shop.until_started("api", 5);
    assert_eq!(shop.because(), "changed: src/moved/er/a.rs");
    std::fs::remove_dir_all(&to).unwrap();
    shop.until_started("api", 6);
    // A link into itself is not followed, and an empty directory is no change.
    std::os::unix::fs::symlink("..", shop.dir.join("src/up")).unwrap();
    shop.until_started("api", 7);
    std::fs::create_dir(shop.dir.join("src/empty")).unwrap();
    std::fs::remove_dir(shop.dir.join("src/empty")).unwrap();
    shop.nothing_else(7);
}

#[test]
fn a_path_that_does_not_exist_yet_is_waited_for() {
    let shop = watched(", paths = [\"conf/app.toml\", \"src\"]");
    shop.until_started("api", 1);
    std::fs::create_dir(shop.dir.join("conf")).unwrap();
    shop.put("conf/other", "x");
    shop.put("conf/app.toml", "a = 1");
    shop.until_started("api", 2);
    shop.put("conf/app.new", "a = 2");
    let to = shop.dir.join("conf/app.toml");
    std::fs::rename(shop.dir.join("conf/app.new"), to).unwrap();
    shop.until_started("api", 3);
    assert_eq!(shop.because(), "changed: conf/app.toml");
    std::fs::remove_dir_all(shop.dir.join("src")).unwrap();
    shop.until_started("api", 4);
    std::fs::create_dir(shop.dir.join("src")).unwrap();
    shop.put("src/main.rs", "again");
    shop.until_started("api", 5);
    shop.nothing_else(5);
}

#[test]
fn the_rules_of_git_are_followed_when_they_change() {
    let shop = watched("");
    git(&shop.dir, &["init", "-q"]);
    std::fs::create_dir(shop.dir.join("out")).unwrap();
    shop.put("out/a", "1");
    shop.until_started("api", 2);
    shop.put(".gitignore", "out/\n");
    shop.until_started("api", 3);
    shop.put("out/a", "2");
    shop.nothing_else(3);
    shop.put(".gitignore", "other/\n");
    shop.until_started("api", 5);
    shop.put("out/a", "3");
    shop.until_started("api", 6);
    assert_eq!(shop.because(), "changed: out/a");
}

#[test]
fn a_job_that_writes_what_it_watches_is_suspended() {
    let shop = Project::new(
        "version = 1\n[jobs.api]\nrun = \"date +%N >> build.log; echo >> api.runs; exec sleep 1000\"\nwatch = { ignore = [\"*.runs\"], debounce = \"50ms\" }\n",
    );
    shop.ok(&["up"]);
    let status = eventually("its watch is suspended", || {
        let status = shop.run(&["status", "api"]).stdout;
        status.contains("suspended").then_some(status)
    });
    let line = "watch  . (restarts); suspended: restarts itself by writing build.log";
    assert!(status.contains(line), "{status}");
    let starts = shop.starts("api");
    assert!(starts >= 6, "{starts}");
    let why = shop.ok(&["why", "api"]).join("\n");
    assert!(why.contains("suspended"), "{why}");
    // It stays so after the death of the daemon, until somebody starts it.
    shop.home.kill_daemon();
    shop.put("main.rs", "x");
    assert!(shop.run(&["status", "api"]).stdout.contains("suspended"));
    assert_eq!(shop.starts("api"), starts);
    shop.ok(&["restart", "api"]);
    let status = shop.run(&["status", "api"]).stdout;
    assert!(!status.contains("suspended"), "{status}");
}

#[test]
fn a_program_gets_keys_or_a_signal_instead() {
    let shop = Project::new(concat!(
        "version = 1\n",
        "[jobs.keys]\nrun = \"while read -r line; do echo got=$line; done\"\n",
        "watch = { paths = [\"src\"], debounce = \"50ms\", do = \"keys:r Enter\" }\n",
        "[jobs.hup]\nrun = \"trap 'echo got=HUP' HUP; echo ready; while :; do sleep 0.1; done\"\n",
        "ready = { log = \"ready\" }\n",
        "watch = { paths = [\"src\"], debounce = \"50ms\", do = \"signal:HUP\" }\n",
    ));
    std::fs::create_dir(shop.dir.join("src")).unwrap();
    shop.ok(&["up"]);
    let pids = (shop.pid("keys"), shop.pid("hup"));
    shop.put("src/a", "1");
    for (job, line) in [("keys", "got=r"), ("hup", "got=HUP")] {
        eventually(&format!("{job} reacts"), || {
            let log = shop.ok(&["logs", job]);
            log.iter().any(|own| own == line).then_some(())
        });
    }
    assert_eq!((shop.pid("keys"), shop.pid("hup")), pids);
    let status = shop.run(&["status", "keys"]).stdout;
    assert!(status.contains("watch  src (types r Enter)"), "{status}");
}

#[test]
fn what_failed_runs_again_and_what_somebody_stopped_does_not() {
    let shop = Project::new(&format!(
        "version = 1\n{}[jobs.tests]\nkind = \"task\"\nrun = \"echo >> tests.runs; test -e src/good\"\nwatch = {{ paths = [\"src\"], debounce = \"50ms\" }}\n",
        service("api", ", paths = [\"src\"]")
    ));
    std::fs::create_dir(shop.dir.join("src")).unwrap();
    shop.run(&["up"]);
    shop.until("tests", "failed");
    shop.ok(&["stop", "api"]);
    shop.put("src/good", "1");
    shop.until("tests", "done");
    shop.put("src/good", "2");
    eventually("the tests have run again", || {
        (shop.starts("tests") == 3).then_some(())
    });
    assert_eq!(
        (shop.starts("api"), shop.phase("api")),
        (1, "stopped".to_owned())
    );
    shop.ok(&["start", "api"]);
    shop.put("src/good", "3");
    eventually("api was restarted", || {
        (shop.starts("api") == 3).then_some(())
    });
    shop.ok(&["down"]);
    let ran = (shop.starts("api"), shop.starts("tests"));
    shop.put("src/good", "4");
    shop.ok(&["up", "api"]);
    shop.put("src/good", "5");
    eventually("api was restarted", || {
        (shop.starts("api") == ran.0 + 2).then_some(())
    });
    assert_eq!(shop.starts("tests"), ran.1);
}

#[test]
fn jobs_that_need_it_are_restarted_with_it_if_the_file_says_so() {
    let shop = Project::new(&format!(
        "version = 1\n{}{}needs = [\"db\"]\n",
        service("db", ", paths = [\"src\"], cascade = true"),
        "[jobs.api]\nrun = \"echo >> api.runs; exec sleep 1000\"\n"
    ));
    std::fs::create_dir(shop.dir.join("src")).unwrap();
    shop.ok(&["up"]);
    shop.until_started("api", 1);
    shop.put("src/a", "1");
    shop.until_started("db", 2);
    shop.until_started("api", 2);
    assert_eq!(shop.because(), "changed: src/a");
}

#[test]
fn a_file_that_is_written_again_as_it_was_is_no_change_for_any_of_two_jobs() {
    let paths = ", paths = [\"src\"]";
    let shop = Project::new(&format!(
        "version = 1\n{}{}",
        service("api", paths),
        service("web", paths)
    ));
    std::fs::create_dir(shop.dir.join("src")).unwrap();
    shop.put("src/main.rs", "1");
    shop.ok(&["up"]);
    shop.put("src/main.rs", "2");
    shop.until_started("api", 2);
    shop.until_started("web", 2);
    shop.put("src/main.rs", "2");
    shop.put("src/marker.rs", "1");
    for name in ["api", "web"] {
        shop.until_started(name, 3);
        assert_eq!(shop.because_of(name), "changed: src/marker.rs", "{name}");
    }
}

#[test]
fn a_changed_watch_is_applied_in_place_and_one_survives_the_daemon() {
    let shop = watched(", only = [\"*.rs\"]");
    shop.until_started("api", 1);
    shop.put("src/a.md", "1");
    shop.nothing_else(1);
    let pid = shop.pid("api");
    shop.write(&format!(
        "version = 1\n{}",
        service("api", ", only = [\"*.md\"]")
    ));
    has(&shop.ok(&["reload"]), "* api (watch changed)");
    assert_eq!(shop.pid("api"), pid);
    shop.put("src/main.rs", "other");
    shop.put("src/a.md", "2");
    shop.until_started("api", 3);
    assert_eq!(shop.because(), "changed: src/a.md");
    shop.home.kill_daemon();
    eventually("its files are watched again", || {
        let job = shop.job("api");
        (job["project"]["watch"]["on"] == true).then_some(())
    });
    shop.put("src/a.md", "3");
    shop.until_started("api", 4);
}

#[test]
fn a_change_to_which_nobody_has_reacted_outlives_the_daemon() {
    for replace in ["kill", "upgrade"] {
        let slow = service("api", "").replace("100ms", "1h");
        let shop = Project::new(&format!("version = 1\n{slow}"));
        let config = shop.home.path().join("config.toml");
        std::fs::write(config, "log_level = \"debug\"\n").unwrap();
        shop.put("main.rs", "fn main() {}");
        shop.ok(&["up"]);
        shop.put("main.rs", "other");
        eventually("the change is kept", || {
            let said = shop.home.ok(&["daemon", "logs"]);
            said.contains("a change is kept").then_some(())
        });
        match replace {
            "kill" => shop.home.kill_daemon(),
            _ => drop(shop.home.ok(&["daemon", "upgrade"])),
        }
        // The next daemon does not wait for the rest of the time.
        eventually("it is restarted", || {
            // Between its runs it does not run, which is no success.
            drop(shop.run(&["status", "api"]));
            (shop.starts("api") == 2).then_some(())
        });
        assert_eq!(shop.because(), "changed: main.rs");
    }
}

#[test]
fn what_is_paused_stays_so_and_reacts_when_it_is_continued() {
    let shop = Project::new(&format!("version = 1\n{}", service("api", "")));
    let config = shop.home.path().join("config.toml");
    std::fs::write(config, "log_level = \"debug\"\n").unwrap();
    shop.put("main.rs", "fn main() {}");
    shop.ok(&["up"]);
    shop.until_started("api", 1);
    let pid = shop.pid("api");
    let is_held = |times: usize| {
        eventually("its reaction waits", || {
            let said = shop.home.ok(&["daemon", "logs", "-n", "1000"]);
            let waits = said.matches("its reaction waits").count();
            (waits == times).then_some(())
        });
        assert_eq!((shop.starts("api"), shop.pid("api")), (1, pid));
        assert_eq!(shop.job("api")["status"], "paused");
    };
    shop.ok(&["pause", "api"]);
    shop.put("main.rs", "other");
    is_held(1);
    // The next daemon knows of it, too.
    shop.home.kill_daemon();
    is_held(2);
    shop.ok(&["resume", "api"]);
    shop.until_started("api", 2);
    assert_eq!(shop.because(), "changed: main.rs");
    // Once.
    shop.ok(&["pause", "api"]);
    shop.ok(&["resume", "api"]);
    shop.put("once.rs", "");
    shop.until_started("api", 3);
    assert_eq!(shop.because(), "changed: once.rs");
}

#[test]
fn a_watch_that_is_too_large_says_so_and_the_job_runs() {
    let shop = Project::new(&format!(
        "version = 1\n{}",
        service("api", ", paths = [\"many\"]")
    ));
    for n in 0..20_000 {
        std::fs::create_dir_all(shop.dir.join(format!("many/{n}"))).unwrap();
    }
    let up = shop.run(&["up"]).expect_code(0);
    let said = format!("{}{}", up.stdout, up.stderr);
    let why = "its files are not watched: it has more than 20000 directories; name fewer in paths, or ignore some";
    assert!(said.contains(&format!("api: {why}")), "{said}");
    shop.until_started("api", 1);
    let told = shop.ok(&["why", "api"]).join("\n");
    assert!(told.contains(why), "{told}");
    // Another `up` tries again.
    std::fs::remove_dir_all(shop.dir.join("many")).unwrap();
    std::fs::create_dir(shop.dir.join("many")).unwrap();
    let up = shop.run(&["up"]).expect_code(0);
    let said = format!("{}{}", up.stdout, up.stderr);
    assert!(!said.contains("not watched"), "{said}");
    assert_eq!(shop.job("api")["project"]["watch"]["on"], true);
    // That one is not even begun.
    shop.write(&format!(
        "version = 1\n{}",
        service("api", ", paths = [\"src\", \"/\"]")
    ));
    let reload = shop.run(&["reload"]).expect_code(0);
    let why = "api: its files are not watched: / is the whole system; name the directories of the job in paths";
    assert!(reload.stderr.contains(why), "{reload}");
    assert_eq!(shop.starts("api"), 1);
}

#[test]
fn without_watches_left_the_job_runs_and_the_message_names_the_setting() {
    // A user namespace has a limit of its own.
    let probe = [
        "-Ur",
        "sh",
        "-c",
        "echo 2 > /proc/sys/user/max_inotify_watches",
    ];
    let may = Command::new("unshare").args(probe).output();
    if !may.is_ok_and(|done| done.status.success()) {
        return skipped("user namespaces are not available");
    }
    let shop = Project::new(&format!("version = 1\n{}", service("api", "")));
    for dir in ["a", "b", "c"] {
        std::fs::create_dir(shop.dir.join(dir)).unwrap();
    }
    let line = format!(
        "echo 2 > /proc/sys/user/max_inotify_watches; exec {} up",
        env!("CARGO_BIN_EXE_bgproc")
    );
    let mut command = shop
        .home
        .command_through(&["unshare", "-Ur", "sh", "-c", &line]);
    command.current_dir(&shop.dir);
    let up: Ran = shop.home.run_command(command, &["up"]).expect_code(0);
    let said = format!("{}{}", up.stdout, up.stderr);
    assert!(said.contains("raise fs.inotify.max_user_watches"), "{said}");
}

#[test]
fn a_task_whose_record_was_removed_reacts_again() {
    let shop = Project::new(&format!(
        "version = 1\n[jobs.build]\nkind = \"task\"\nrun = \"echo >> build.runs\"\n\
         watch = {{ paths = [\"src\"], debounce = \"100ms\" }}\n{}",
        "[jobs.web]\nrun = \"exec sleep 1000\"\n"
    ));
    std::fs::create_dir(shop.dir.join("src")).unwrap();
    shop.put("src/main.rs", "1");
    shop.ok(&["up"]);
    shop.ok(&["clean"]);
    assert!(shop.job("build").is_null());
    shop.put("src/main.rs", "22");
    eventually("it has run again", || {
        (shop.starts("build") == 2).then_some(())
    });
    shop.until("build", "done");
    let status = shop.run(&["--json", "status", "build"]).expect_code(3);
    assert!(
        status
            .stdout
            .contains("\"because\":\"changed: src/main.rs\""),
        "{status}"
    );
}
