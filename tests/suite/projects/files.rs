//! Which file is meant, and what is wrong with it.

use super::{Project, has};
use crate::support::Home;

#[test]
fn an_unknown_key_is_named_with_its_place_and_nothing_starts() {
    let shop = Project::new("version = 1\n\n[jobs.web]\ncomand = [\"sleep\", \"1000\"]\n");
    let ran = shop.run(&["up"]).expect_code(2);
    let said = "bgproc.toml:4:1: unknown key \"comand\" in [jobs.web]. Did you mean \"cmd\"?";
    assert!(ran.stderr.contains(said), "{ran}");
    assert_eq!(shop.home.json(&["ls"])["sessions"], serde_json::json!([]));
}

#[test]
fn a_circle_of_needs_is_one_error_with_the_place_of_each_edge() {
    let shop = Project::new(
        "version = 1\n[jobs.a]\nrun = \"true\"\nneeds = [\"b\"]\n[jobs.b]\nrun = \"true\"\nneeds = [\"c\"]\n\
         [jobs.c]\nrun = \"true\"\nneeds = [\"a\"]\n",
    );
    let ran = shop.run(&["up"]).expect_code(2);
    for place in ["bgproc.toml:4:", "bgproc.toml:7:", "bgproc.toml:10:"] {
        assert!(ran.stderr.contains(place), "{place}: {ran}");
    }
}

#[test]
fn a_file_that_others_can_write_to_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let shop = Project::new("version = 1\n[jobs.web]\ncmd = [\"sleep\", \"1000\"]\n");
    let file = shop.dir.join("bgproc.toml");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o666)).unwrap();
    let ran = shop.run(&["up"]).expect_code(2);
    assert!(ran.stderr.contains("write"), "{ran}");
}

#[test]
fn there_is_no_file() {
    let home = Home::new();
    let dir = home.scratch("empty");
    std::fs::create_dir_all(&dir).unwrap();
    let mut command = home.command(&["up"]);
    command.current_dir(&dir);
    home.run_command(command, &["up"])
        .expect_code(2)
        .expect_said("there is no project file");
}

#[test]
fn two_projects_do_not_clash() {
    let web = "version = 1\n[jobs.web]\ncmd = [\"sleep\", \"1000\"]\n";
    let shop = Project::new(web);
    let blog = shop.home.scratch("blog");
    std::fs::create_dir_all(&blog).unwrap();
    std::fs::write(blog.join("bgproc.toml"), web).unwrap();
    shop.ok(&["up"]);
    shop.run_in(&blog, &["up"]).expect_code(0);
    // Elsewhere the name is ambiguous; in a project it is its own.
    shop.run_in(shop.home.path(), &["stop", "web"])
        .expect_code(5);
    shop.run_in(&blog, &["stop", "web"]).expect_code(0);
    let jobs = shop.home.json(&["ls"]);
    let running: Vec<&str> = jobs["sessions"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|job| job["status"] == "running")
        .map(|job| job["project"]["name"].as_str().unwrap())
        .collect();
    assert_eq!(running, ["shop"]);
    shop.run_in(shop.home.path(), &["stop", "shop/web"])
        .expect_code(0);
    // Their names are told apart where they stand together.
    for dir in [&shop.dir, &blog] {
        shop.run_in(dir, &["down"]).expect_code(0);
    }
    let dry = shop.home.ok(&["clean", "--dry-run"]);
    let mut names: Vec<&str> = dry.lines().take(2).collect();
    names.sort_unstable();
    assert_eq!(names, ["blog/web", "shop/web"], "{dry}");
}

#[test]
fn a_procfile_is_a_project() {
    let home = Home::new();
    let shop = Project::in_home(home, "shop", "");
    std::fs::remove_file(shop.dir.join("bgproc.toml")).unwrap();
    std::fs::write(
        shop.dir.join("Procfile"),
        "web: echo port $PORT; exec sleep 1000\n# none\nworker: exec sleep 1000\n",
    )
    .unwrap();
    let lines = shop.ok(&["up"]);
    has(&lines, "web running");
    has(&lines, "worker running");
    let said = shop.ok(&["logs", "web"]);
    has(&said, "port 5000");
}

#[test]
fn the_environment_of_a_job_is_shown_and_used() {
    let shop = Project::new(
        "version = 1\n[env]\nMODE = \"dev\"\nAPI_TOKEN = \"hush\"\n[jobs.web]\nrun = \"exec sleep 1000\"\nenv = { WHO = \"me\" }\n",
    );
    std::fs::write(shop.dir.join(".env"), "FROM_FILE='a b'\n").unwrap();
    let lines = shop.ok(&["env", "web"]);
    has(&lines, "MODE=dev  # [env]");
    has(&lines, "API_TOKEN=***  # [env]");
    assert!(
        lines
            .iter()
            .any(|line| line.starts_with("FROM_FILE=a b  # ")),
        "{lines:?}"
    );
    assert_eq!(
        shop.ok(&[
            "exec",
            "web",
            "--",
            "printenv",
            "MODE",
            "API_TOKEN",
            "WHO",
            "FROM_FILE"
        ]),
        ["dev", "hush", "me", "a b"]
    );
    shop.run(&["exec", "web", "--", "sh", "-c", "exit 3"])
        .expect_code(3);
    shop.run(&["exec", "web", "--", "no-such-program"])
        .expect_code(127);
}

#[test]
fn a_missing_directory_and_a_name_like_an_id_are_explained() {
    let shop = Project::new(
        "version = 1\n[jobs.web]\nrun = \"true\"\ncwd = \"gone\"\n[jobs.migrationsdb]\nrun = \"true\"\n",
    );
    shop.run(&["exec", "web", "--", "true"])
        .expect_code(126)
        .expect_said("shop/gone cannot be used: No such file or directory");
    // Ids have twelve letters, too.
    shop.run(&["start", "migrationsdb"])
        .expect_code(4)
        .expect_said("the project file has it: bgproc up migrationsdb");
}
