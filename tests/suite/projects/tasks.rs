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
