//! Tags, names and groups of a project's jobs, and verbs on several of its jobs.

use super::Project;

const FILE: &str = "version = 1\n\
    [jobs.api]\nrun = \"exec sleep 1000\"\ntags = [\"back\", \"slow\"]\ngroup = \"servers\"\n\
    [jobs.web]\nrun = \"exec sleep 1000\"\ntags = [\"slow\"]\n";

#[test]
fn tags_of_the_file_select_sessions_and_reload_applies_them() {
    let shop = Project::new(FILE);
    shop.ok(&["up"]);
    assert_eq!(shop.job("api")["tags"], serde_json::json!(["back", "slow"]));
    let pid = shop.pid("api");
    shop.write(&FILE.replace("\"back\", ", ""));
    let said = shop.ok(&["reload"]).join("\n");
    assert!(said.contains("* api (tags changed)"), "{said}");
    assert_eq!(shop.job("api")["tags"], serde_json::json!(["slow"]));
    assert_eq!(shop.pid("api"), pid, "it is applied in place");
    shop.run(&["stop", "+back"]).expect_code(4);
    shop.ok(&["stop", "+slow"]);
    assert_eq!(
        (shop.phase("api"), shop.phase("web")),
        ("stopped".into(), "stopped".into())
    );
    shop.ok(&["start", "+slow"]);
    shop.until("web", "running");
}

#[test]
fn names_groups_and_tags_are_those_of_the_file() {
    let shop = Project::new(FILE);
    shop.ok(&["up"]);
    for args in [
        &["rename", "api", "backend"][..],
        &["group", "api", "other"],
        &["tag", "api", "+new"],
    ] {
        let ran = shop.run(args).expect_code(2);
        assert!(ran.stderr.contains("those of its file"), "{ran}");
        assert!(ran.stderr.contains("bgproc reload"), "{ran}");
    }
    shop.ok(&["pin", "+slow"]);
    let said = shop.ok(&["why", "+slow"]);
    assert_eq!(said.len(), 2, "{said:?}");
    let top = shop.ok(&["top", "--once", "g:servers"]).join("\n");
    assert!(top.contains("api") && !top.contains("web"), "{top}");
    assert_eq!(shop.ok(&["ports", "+slow"]).len(), 1, "only the heading");
    let open = shop.run(&["open", "--print", "+slow"]).expect_code(3);
    assert_eq!(
        open.stderr.matches("listens on no port").count(),
        2,
        "{open}"
    );
}

#[test]
fn a_pattern_with_a_slash_means_jobs_of_a_project() {
    let shop = Project::new(FILE);
    shop.ok(&["up"]);
    let home = &shop.home;
    home.start(&["-n", "other", "sleep 1000"]);
    let names = |args: &[&str]| {
        let listed = home.ok(&[&["ls", "-o", "tsv"], args].concat());
        let names = listed
            .lines()
            .map(|row| row.split('\t').next().unwrap().to_owned());
        names.collect::<Vec<_>>()
    };
    assert_eq!(names(&[]), ["api", "web", "other"]);
    assert_eq!(names(&["shop/*"]), ["api", "web"]);
    assert_eq!(names(&["other", "shop/a*"]), ["api", "other"]);
    let listed = home.json(&["ls", "other"]);
    assert_eq!(listed["sessions"][0]["label"], "other", "{listed}");
    home.run(&["ls", "nosuch"]).expect_code(4);
    // Without a slash a pattern is about names alone.
    home.run(&["stop", "shop*"]).expect_code(4);
    home.ok(&["stop", "shop/*"]);
    assert_eq!(shop.phase("api"), "stopped");
}
