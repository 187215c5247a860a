//! What a cluster does not take, and what a node does not run.

use serde_json::json;

use crate::support::{Serve, Slurm};

#[test]
fn what_the_queue_refuses_is_told_in_its_words_and_leaves_nothing() {
    let Some(slurm) = Slurm::new(1) else { return };
    let home = &slurm.home;
    let refused = home
        .run(&["run", "--on", "slurm:nowhere", "true"])
        .expect_code(1);
    assert!(
        refused.stderr.contains("Slurm refused: sbatch failed"),
        "{refused}"
    );
    refused.expect_said("Invalid partition name specified");
    // The line of `sbatch` that says why, and not the one about its manual.
    let bogus = json!({"action": "start", "command": "true", "launcher": "slurm",
        "resources": {"extra": ["--bogus"]}});
    let error = Serve::new(home, &[]).err(bogus, "launcher_refused");
    assert!(
        error["message"].as_str().unwrap().contains("--bogus"),
        "{error}"
    );
    let unknown = home.run(&["run", "--on", "pbs", "true"]).expect_code(2);
    assert!(
        unknown.stderr.contains("there is no launcher pbs"),
        "{unknown}"
    );
    unknown.expect_said("launchers: slurm");
    home.run(&["run", "--time", "1h", "true"]).expect_code(2);
    home.ok(&["group", "q", "--parallel", "1"]);
    home.run(&["run", "-g", "q", "--on", "slurm", "true"])
        .expect_code(2)
        .expect_said("q is a queue, which is not possible for a job of a batch system");
    assert_eq!(home.json(&["ls"])["sessions"], json!([]));
    let mut agent = Serve::new(home, &["--scope", "a"]);
    let error = agent.err(
        json!({"action": "start", "command": "true", "launcher": "slurm",
            "resources": {"partition": "nowhere"}}),
        "launcher_refused",
    );
    assert!(
        error["data"]["stderr"]
            .as_str()
            .unwrap()
            .contains("Invalid partition"),
        "{error}"
    );
    for (with, what) in [
        (
            json!({"launcher": "slurm", "input": "x"}),
            "`input` is not possible",
        ),
        (
            json!({"resources": {"cpus": 1}}),
            "`resources` needs a `launcher`",
        ),
        (
            json!({"launcher": "slurm", "resources": {"extra": ["x"]}}),
            "is no option",
        ),
        (
            json!({"launcher": "slurm", "resources": {"extra": ["--array=1-2"]}}),
            "makes several jobs of one",
        ),
    ] {
        let mut request = json!({"action": "start", "command": "true"});
        request
            .as_object_mut()
            .unwrap()
            .extend(with.as_object().unwrap().clone());
        let error = agent.err(request, "invalid_request");
        assert!(error["message"].as_str().unwrap().contains(what), "{error}");
    }
    let mut restricted = Serve::new(home, &["--allow", "true"]);
    restricted.err(
        json!({"action": "start", "command": "true", "args": [], "launcher": "slurm",
            "resources": {"extra": ["--wrap=id"]}}),
        "permission_denied",
    );
    assert!(slurm.jobs().is_empty());
    let left = std::fs::read_dir(home.path().join("batch"))
        .unwrap()
        .count();
    assert_eq!(left, 0);
}

#[test]
fn a_directory_that_is_not_on_the_node_is_refused_there() {
    let Some(mut slurm) = Slurm::new(1) else {
        return;
    };
    // While the node is away the job waits.
    slurm.node_down(1);
    let dir = slurm.home.scratch("work");
    std::fs::create_dir(&dir).unwrap();
    let mut command = slurm
        .home
        .command(&["run", "--on", "slurm", "-n", "lost", "pwd"]);
    command.current_dir(&dir);
    slurm.home.run_command(command, &["run"]).expect_code(0);
    std::fs::remove_dir(&dir).unwrap();
    slurm.node_up(1);
    slurm.home.run(&["wait", "lost"]).expect_code(126);
    let ran = slurm.home.run(&["status", "lost"]).expect_code(3);
    assert!(
        ran.stdout
            .contains("the node did not run it: the working directory"),
        "{}",
        ran.stdout
    );
}
