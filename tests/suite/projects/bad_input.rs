//! Files that cannot be meant, and files that nobody should trust: each is said with its place and with what to do,
//! nothing starts, and what runs already goes on.

use std::os::unix::fs::PermissionsExt;

use super::{Project, has};
use crate::support::{Home, Ran};

/// What runs while the file is bad.
const GOOD: &str = "version = 1\n[jobs.web]\nrun = \"exec sleep 1000\"\n";

/// Expects that a file is refused with these words by everything that reads it, that nothing of it starts, and that
/// what was up before goes on.
#[track_caller]
fn refuses(shop: &Project, said: &[&str]) {
    let check = |ran: Ran| {
        for said in said {
            assert!(ran.stderr.contains(said), "no `{said}`: {ran}");
        }
        // Not the whole of a long text.
        assert!(ran.stderr.len() < 4000, "{} bytes", ran.stderr.len());
    };
    let before = shop.home.json(&["ls"])["sessions"].clone();
    for args in [&["up"][..], &["up", "-n"], &["reload"], &["env", "web"]] {
        check(shop.run(args).expect_code(2));
    }
    let after = shop.home.json(&["ls"])["sessions"].clone();
    let pids = |jobs: &serde_json::Value| {
        let jobs = jobs.as_array().unwrap().iter();
        jobs.map(|job| (job["sessionId"].clone(), job["pid"].clone()))
            .collect::<Vec<_>>()
    };
    assert_eq!(pids(&before), pids(&after));
}

/// Refuses a file both as the first one of a project and while the project is up.
#[track_caller]
fn refuses_file(file: &str, said: &[&str]) {
    let fresh = Project::new(file);
    refuses(&fresh, said);
    assert_eq!(fresh.home.json(&["ls"])["sessions"], serde_json::json!([]));
    let shop = Project::new(GOOD);
    shop.ok(&["up"]);
    let pid = shop.pid("web");
    shop.write(file);
    refuses(&shop, said);
    assert_eq!(
        (shop.pid("web"), shop.phase("web").as_str()),
        (pid, "running")
    );
    // It can still be brought down.
    shop.ok(&["down"]);
    assert_eq!(shop.pid("web"), 0);
}

#[test]
fn an_env_file_of_ten_megabytes() {
    let shop = Project::new(GOOD);
    shop.ok(&["up"]);
    let line = format!("A={}\n", "x".repeat(1000));
    std::fs::write(shop.dir.join(".env"), line.repeat(10_000)).unwrap();
    refuses(
        &shop,
        &[".env: the file is too large; the limit is 1024 KiB"],
    );
    // A restart by hand reads the files, too, and leaves the job alone.
    let pid = shop.pid("web");
    let ran = shop.run(&["restart", "web"]);
    assert_ne!(ran.code, Some(0), "{ran}");
    assert!(ran.stderr.contains("the file is too large"), "{ran}");
    assert_eq!(shop.pid("web"), pid);
}

#[test]
fn a_command_of_two_hundred_kilobytes() {
    let long = "x".repeat(200_000);
    let limit = "must be at most 131071 bytes long, which is the limit of the system, not 200000; put it into a file";
    for line in [
        format!("run = \"{long}\""),
        format!("cmd = [\"{long}\"]"),
        format!("cmd = [\"echo\", \"{long}\"]"),
    ] {
        refuses_file(
            &format!("version = 1\n[jobs.web]\n{line}\n"),
            &["bgproc.toml:3:", limit],
        );
    }
}

#[test]
fn ten_thousand_jobs() {
    let jobs: String = (0..10_000)
        .map(|n| format!("[jobs.j{n}]\nrun = \"exec sleep 1000\"\n"))
        .collect();
    refuses_file(
        &format!("version = 1\n{jobs}"),
        &[
            "bgproc.toml:4002:7: 10000 jobs are too many; a project has at most 2000; make several projects of them",
        ],
    );
}

#[test]
fn files_that_include_each_other() {
    let shop = Project::new(
        "version = 1\ninclude = [\"a/bgproc.toml\"]\n[jobs.web]\nrun = \"exec sleep 1000\"\n",
    );
    for dir in ["a", "a/b", "a/b/c"] {
        std::fs::create_dir(shop.dir.join(dir)).unwrap();
    }
    std::fs::write(
        shop.dir.join("a/bgproc.toml"),
        "version = 1\ninclude = [\"b/bgproc.toml\"]\n[jobs.one]\nrun = \"exec sleep 1000\"\n",
    )
    .unwrap();
    std::fs::write(
        shop.dir.join("a/b/bgproc.toml"),
        "version = 1\ninclude = [\"c/bgproc.toml\"]\n[jobs.two]\nrun = \"exec sleep 1000\"\n",
    )
    .unwrap();
    // Only a link leads up again.
    std::os::unix::fs::symlink("../../bgproc.toml", shop.dir.join("a/b/c/bgproc.toml")).unwrap();
    refuses(
        &shop,
        &[
            "a/b/bgproc.toml:2:12: files include each other in a circle",
            "a/bgproc.toml:2:12: is included from here",
        ],
    );
    assert_eq!(shop.home.json(&["ls"])["sessions"], serde_json::json!([]));
}

#[test]
fn a_directory_that_others_can_write_to() {
    let shop = Project::new(GOOD);
    shop.ok(&["up"]);
    let mode =
        |mode| std::fs::set_permissions(&shop.dir, std::fs::Permissions::from_mode(mode)).unwrap();
    mode(0o777);
    let dir = shop.dir.canonicalize().unwrap();
    let dir = dir.display();
    let said =
        format!("refused, because all users can write to {dir}; `chmod o-w {dir}` makes it safe");
    refuses(&shop, &[&said]);
    mode(0o755);
    has(&shop.ok(&["up"]), "= web");
    shop.ok(&["down"]);
    mode(0o777);
    shop.run(&["up"]).expect_code(2).expect_said(&said);
    assert_eq!(shop.pid("web"), 0);
    mode(0o755);
}

#[test]
fn a_cron_line_that_never_comes() {
    let file = |cron: &str| {
        format!("version = 1\n[jobs.web]\nrun = \"true\"\nschedule = {{ cron = \"{cron}\" }}\n")
    };
    for cron in ["0 0 31 2 *", "0 0 30 2 *", "0 0 31 4,6,9,11 *"] {
        let said = format!(
            "bgproc.toml:4:21: \"cron\" in [jobs.web.schedule] must be a time that comes; \"{cron}\" never does"
        );
        refuses_file(&file(cron), &[&said]);
    }
    // A day that comes every four years comes.
    let leap = Project::new(&file("0 0 29 2 *"));
    leap.ok(&["up", "-n"]);
}

#[test]
fn a_time_zone_that_nobody_knows() {
    for zone in ["Europe/Atlantis", "../../etc/passwd", "/etc/localtime"] {
        let said = format!(
            "bgproc.toml:4:39: \"tz\" in [jobs.web.schedule] must be \"local\" or a time zone of this system such as \
             \"Europe/Berlin\", not \"{zone}\""
        );
        refuses_file(
            &format!(
                "version = 1\n[jobs.web]\nrun = \"true\"\nschedule = {{ cron = \"0 2 * * *\", tz = \"{zone}\" }}\n"
            ),
            &[&said],
        );
    }
}

#[test]
fn ports_that_are_none() {
    for port in ["0", "70000", "-1", "65536"] {
        let said = format!(
            "bgproc.toml:4:8: \"port\" in [jobs.web] must be a number from 1 to 65535, not {port}"
        );
        refuses_file(
            &format!("version = 1\n[jobs.web]\nrun = \"true\"\nport = {port}\n"),
            &[&said],
        );
    }
    // On the command line as well.
    let home = Home::new();
    for port in ["0", "70000"] {
        home.run(&["up", "--port", port])
            .expect_code(2)
            .expect_said(port);
    }
}

#[test]
fn jobs_that_are_named_like_flags() {
    for name in ["--help", "-x", "-"] {
        let said = format!(
            "bgproc.toml:2:7: \"{name}\" is not a valid name of a job; a name has up to 64 letters"
        );
        refuses_file(
            &format!("version = 1\n[jobs.{name}]\nrun = \"true\"\n"),
            &[&said],
        );
    }
    // A Procfile has no such names either: the line is said, and the rest is used.
    let shop = Project::new("");
    std::fs::remove_file(shop.dir.join("bgproc.toml")).unwrap();
    std::fs::write(
        shop.dir.join("Procfile"),
        "web: exec sleep 1000\n--help: true\n-x: true\n",
    )
    .unwrap();
    let ran = shop.run(&["up"]).expect_code(2);
    assert!(
        ran.stderr.contains("Procfile:2:1: ") && ran.stderr.contains("Procfile:3:1: "),
        "{ran}"
    );
}
