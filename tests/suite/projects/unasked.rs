//! Commands that hints propose: they mean the same job, and do the same, as what was typed.

use super::Project;
use crate::support::{Home, Terminal};

const DB: &str = "version = 1\n[jobs.db]\nrun = \"exec sleep 1000\"\n";
const GUARDED: &str = "version = 1\n[jobs.db]\nrun = \"exec sleep 1000\"\nconfirm = true\n\
                       [jobs.web]\nrun = \"exec sleep 1000\"\n";

/// A project with a `db`. In the same home `shop` is up, whose `db` asks before it is stopped.
fn blog() -> Project {
    let shop = Project::in_home(Home::new(), "shop", GUARDED);
    shop.ok(&["up"]);
    let blog = Project::in_home(shop.home, "blog", DB);
    blog.ok(&["up"]);
    blog
}

#[test]
fn a_hint_names_the_job_of_another_project_so_that_it_is_meant_here() {
    let blog = blog();
    for (args, hint) in [
        (&["stop", "shop/db"][..], "stop --yes shop/db stops it"),
        (
            &["stop", "-t", "5s", "-s", "INT", "shop/db", "shop/web"],
            "stop --yes --grace 5s --signal INT shop/db web stops both jobs",
        ),
        (&["kill", "shop/db"], "kill --yes shop/db kills it"),
        (
            &[
                "restart",
                "shop/db",
                "-e",
                "A=b c",
                "--env-file",
                "?x",
                "-t",
                "1s",
            ],
            "restart --yes --env 'A=b c' --env-file '?x' --grace 1s shop/db restarts it",
        ),
        (
            &["rm", "-f", "shop/db"],
            "rm --yes --force shop/db removes it",
        ),
        (
            &["stop", "--all"],
            "stop --yes shop/db web db stops all 3 jobs",
        ),
    ] {
        let ran = blog.run(args).expect_code(1);
        let ran = ran.expect_said("shop/db is not stopped: its project file has confirm = true");
        ran.expect_said(&format!("hint: bgproc {hint}\n"));
    }
    let ran = blog.run(&["rm", "shop/db"]).expect_code(3);
    ran.expect_said("hint: bgproc stop shop/db ends it, bgproc rm --force shop/db does both");
    // What was proposed does that, and nothing else.
    blog.ok(&["stop", "--yes", "shop/db"]);
    let running = blog.home.ok(&["ls", "--status", "running", "-o", "tsv"]);
    assert_eq!(running.lines().count(), 2, "{running}");
    blog.ok(&["status", "db"]);
    let ran = blog.run(&["send", "shop/db", "x"]).expect_code(3);
    ran.expect_said("hint: bgproc restart shop/db runs it again");
}

#[test]
fn the_question_names_the_job_of_another_project() {
    let blog = blog();
    let mut asked = Terminal::in_dir(&blog.home, &blog.dir, &["stop", "shop/db"], (80, 24));
    asked.wait_for_text("stop shop/db? [y/N]");
    asked.send("n\r");
    assert_eq!(asked.exit_code(), 1);
}

#[test]
fn a_hint_about_a_project_has_all_that_was_typed() {
    let shop = Project::new(GUARDED);
    shop.ok(&["up"]);
    let pid = shop.pid("db");
    shop.write(&GUARDED.replacen("1000", "1001", 1));
    for (args, hint) in [
        (
            &[
                "up",
                "--apply",
                "db",
                "--all-or-none",
                "--fail-fast",
                "--timeout",
                "1m",
                "-x",
                "web",
                "--wait=false",
            ][..],
            "up --yes --except web --all-or-none --apply --fail-fast --wait=false --timeout 1m db restarts it",
        ),
        (
            &["up", "--apply", "--exit-code-from", "db", "-f", "db"],
            "up --yes --apply --exit-code-from db --follow db restarts it",
        ),
        (
            &["up", "--apply", "-f", "./bgproc.toml"],
            "up --yes --apply --file ./bgproc.toml restarts it",
        ),
        (
            &["reload", "--timeout", "1m", "-f", "bgproc.toml"],
            "reload --yes --file bgproc.toml --timeout 1m restarts it",
        ),
        (
            &["down", "--now", "--timeout", "1m"],
            "down --yes --now --timeout 1m stops both jobs",
        ),
    ] {
        let ran = shop.run(args).expect_code(1);
        ran.expect_said(&format!("hint: bgproc {hint}\n"));
    }
    assert_eq!(shop.pid("db"), pid);
}
