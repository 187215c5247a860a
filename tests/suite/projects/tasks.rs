//! Tasks that have ended well: what makes `up` run them again, and what does not.

use super::{Project, has};

/// migrate writes a word, api needs it.
fn file(word: &str) -> String {
    format!(
        "version = 1\n[jobs.migrate]\nkind = \"task\"\nrun = \"echo {word} $WHO >> ran\"\n\
         [jobs.api]\nrun = \"exec sleep 1000\"\nneeds = [\"migrate\"]\n"
    )
}

fn ran(shop: &Project) -> String {
    std::fs::read_to_string(shop.dir.join("ran")).unwrap()
}

#[test]
fn a_task_whose_definition_or_variables_changed_runs_again() {
    let shop = Project::new(&file("v1"));
    shop.ok(&["up"]);
    let api = shop.pid("api");
    shop.write(&file("v2"));
    let line = "~ migrate (run changed)";
    for plan in ["up", "reload"] {
        has(&shop.ok(&[plan, "-n"]), line);
    }
    let said = shop.run(&["up"]).expect_code(0);
    assert!(said.stdout.contains(line), "{said}");
    assert!(!said.stderr.contains("goes on as it was"), "{said}");
    has(&shop.ok(&["up"]), "= migrate (ok)");
    shop.write(&file("v3"));
    // Another job is none of its business.
    shop.ok(&["up", "api", "--no-deps"]);
    has(&shop.ok(&["reload"]), line);
    assert_eq!(ran(&shop), "v1\nv2\nv3\n");
    std::fs::write(shop.dir.join(".env"), "WHO=ada\n").unwrap();
    has(&shop.ok(&["up", "migrate"]), "~ migrate (env_file changed)");
    assert!(ran(&shop).ends_with("v3 ada\n"), "{}", ran(&shop));
    assert_eq!(shop.pid("api"), api);
}

#[test]
fn a_task_stays_done_when_its_record_is_removed() {
    let shop = Project::new(&file("v1"));
    shop.ok(&["up"]);
    for remove in [&["rm", "migrate"][..], &["clean"]] {
        shop.ok(remove);
        has(&shop.ok(&["up", "-n"]), "= migrate (ok)");
        let lines = shop.ok(&["up"]);
        has(&lines, "= migrate (ok)");
        has(&lines, "migrate done");
    }
    shop.home.kill_daemon();
    has(&shop.ok(&["up"]), "= migrate (ok)");
    assert_eq!(ran(&shop), "v1\n");
    shop.write(&file("v2"));
    has(&shop.ok(&["up"]), "~ migrate (run changed)");
    assert_eq!(ran(&shop), "v1\nv2\n");
    shop.ok(&["down"]);
    shop.ok(&["clean"]);
    has(&shop.ok(&["up"]), "+ migrate");
    assert_eq!(ran(&shop), "v1\nv2\nv2\n");
}

#[test]
fn a_task_without_a_record_runs_again_when_it_is_named() {
    let shop = Project::new(&file("v1"));
    shop.ok(&["up"]);
    shop.ok(&["up", "migrate"]);
    assert_eq!(ran(&shop), "v1\n", "it can be restarted");
    shop.ok(&["rm", "migrate"]);
    has(&shop.ok(&["up", "api"]), "= migrate (ok)");
    for command in [&["up", "-n", "migrate"][..], &["up", "migrate"]] {
        has(&shop.ok(command), "+ migrate");
    }
    shop.until("migrate", "done");
    assert_eq!(ran(&shop), "v1\nv1\n");
    has(&shop.ok(&["up", "migrate"]), "= migrate (ok)");
}

#[test]
fn the_name_of_a_removed_task_is_not_another_projects_job() {
    let shop = Project::new("version = 1\n[jobs.db]\nkind = \"task\"\nrun = \"true\"\n");
    let blog = shop.home.scratch("blog");
    std::fs::create_dir_all(&blog).unwrap();
    let file = "version = 1\n[jobs.db]\nrun = \"exec sleep 1000\"\n[jobs.db-copy]\nrun = \"exec sleep 1000\"\n";
    std::fs::write(blog.join("bgproc.toml"), file).unwrap();
    // Before the first `up`, with and without the name of the project.
    shop.run_in(&blog, &["up"]).expect_code(0);
    for name in ["db", "shop/db"] {
        let ran = shop.run(&["status", name]).expect_code(4);
        assert!(
            ran.stderr.contains("the project file has it: bgproc up db"),
            "{ran}"
        );
    }
    shop.ok(&["up"]);
    shop.ok(&["rm", "db"]);
    for verb in ["restart", "stop", "start"] {
        let ran = shop.run(&[verb, "db"]).expect_code(4);
        let hint = "its record was removed; bgproc down and bgproc up run it again";
        assert!(ran.stderr.contains(hint), "{ran}");
    }
    shop.run(&["status", "blog/db"]).expect_code(0);
    // A job outside of projects is not another project's.
    shop.home.ok(&["run", "-n", "db", "exec sleep 1000"]);
    shop.ok(&["status", "db"]);
    shop.ok(&["stop", "db"]);
    shop.run(&["status", "blog/db"]).expect_code(0);
}

#[test]
fn a_run_counts_although_a_start_before_it_was_called_off() {
    let stray = "trap '' HUP TERM; echo > set; while :; do sleep 0.1; done";
    let shop = Project::new(
        "version = 1\n[jobs.t]\nkind = \"task\"\n\
         run = \"if [ ! -e ran ]; then sh stray & while [ ! -e set ]; do sleep 0.02; done; fi; echo >> ran\"\n\
         [jobs.after]\nkind = \"task\"\nrun = \"true\"\nneeds = [\"t\"]\n",
    );
    std::fs::write(shop.dir.join("stray"), stray).unwrap();
    shop.ok(&["up"]);
    shop.ok(&["down"]);
    // The next run waits for the end of what the first one has left.
    shop.ok(&["up", "--wait=false"]);
    shop.ok(&["down"]);
    let lines = shop.ok(&["up"]);
    has(&lines, "t done");
    has(&lines, "after done");
    assert_eq!(ran(&shop), "\n\n");
}
