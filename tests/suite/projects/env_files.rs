//! A changed `.env` file changes the jobs that have variables of it.

use serde_json::Value;

use super::{Project, has};

const SHOP: &str = "version = 1\n[jobs.api]\nrun = \"echo got $A; exec sleep 1000\"\n\
                    [jobs.db]\nrun = \"exec sleep 1000\"\nenv_file = []\nenv = { A = \"own\" }\n";

#[test]
fn a_job_whose_env_file_has_changed_is_restarted_by_reload() {
    let shop = Project::new(SHOP);
    let write = |text: &str| std::fs::write(shop.dir.join(".env"), text).unwrap();
    write("A=1\n");
    shop.ok(&["up"]);
    has(&shop.ok(&["reload", "-n"]), "= api");
    let before = (shop.pid("api"), shop.pid("db"));
    // What the variables are is what counts, also for the next daemon.
    write("# as it was\nexport A='1'\n");
    shop.home.kill_daemon();
    has(&shop.ok(&["reload"]), "= api");
    assert_eq!((shop.pid("api"), shop.pid("db")), before);
    write("A=2\n");
    let plan = shop.ok(&["reload", "-n"]);
    has(&plan, "~ api (env_file changed)");
    has(&plan, "= db");
    let ran = shop.run(&["up"]).expect_code(0);
    assert!(ran.stdout.contains("~ api (env_file changed)"), "{ran}");
    let said = "api goes on as it was; bgproc reload restarts it";
    assert!(ran.stderr.contains(said), "{ran}");
    assert_eq!(
        shop.pid("api"),
        before.0,
        "without a terminal it is left alone"
    );
    has(&shop.ok(&["reload"]), "~ api (env_file changed)");
    has(&shop.ok(&["logs", "api"]), "got 2");
    assert_eq!(shop.pid("db"), before.1);
    has(&shop.ok(&["reload"]), "= api");
    // A restart by hand reads it as well.
    write("A=3\n");
    shop.ok(&["restart", "api"]);
    has(&shop.ok(&["reload", "-n"]), "= api");
    // A line that is wrong is told, and nothing is restarted.
    let pid = shop.pid("api");
    write("no pair\n");
    let ran = shop.run(&["reload"]).expect_code(2);
    assert!(ran.stderr.contains(".env:1:1: "), "{ran}");
    assert_eq!(shop.pid("api"), pid);
    assert_ne!(shop.job("api")["project"], Value::Null);
}

#[test]
fn a_secret_value_in_a_command_is_masked_in_the_list_of_processes() {
    let shop = Project::new(
        "version = 1\n[jobs.api]\n\
         cmd = [\"sh\", \"-c\", \"sleep 1000; :\", \"--as\", \"${B_PASSWORD}\"]\n",
    );
    std::fs::write(shop.dir.join(".env"), "B_PASSWORD=hunter-words\n").unwrap();
    shop.ok(&["up"]);
    let id = shop.job("api")["sessionId"].as_str().unwrap().to_owned();
    let record = shop.home.json(&["status", &id]);
    let listed = record["detail"]["processes"].to_string();
    assert!(listed.contains("--as ***"), "{record}");
    assert!(!record.to_string().contains("hunter-words"), "{record}");
}
