//! A job on a node of a real Slurm cluster on loopback, beside `srun`.

use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use serde_json::json;
use tempfile::TempDir;

use crate::client::Client;
use crate::cluster::{self, Cluster};
use crate::figure::{Figure, Figures};
use crate::guard::Guard;
use crate::scenes::{quantiles, typed};

/// Jobs that are run one after another.
const JOBS: usize = 9;

/// A cluster that ends when this is dropped, or when the bench is interrupted.
struct Node {
    cluster: Arc<Mutex<Option<Cluster>>>,
    _guard: Guard,
    _dir: TempDir,
}

impl Node {
    fn new() -> Self {
        let dir = tempfile::Builder::new()
            .prefix("bgproc-slurm-")
            .tempdir()
            .unwrap();
        let cluster = Cluster::new(dir.path().join("slurm"), 1, "", Box::new(|_| ()));
        let cluster = Arc::new(Mutex::new(Some(cluster)));
        let ends = cluster.clone();
        Self {
            cluster,
            _guard: Guard::new(move || drop(ends.lock().unwrap().take())),
            _dir: dir,
        }
    }

    fn conf(&self) -> String {
        self.cluster.lock().unwrap().as_ref().unwrap().conf()
    }
}

/// `srun ARGS` on this cluster.
fn srun(conf: &str, args: &[&str]) -> Command {
    let mut command = Command::new("srun");
    command.env("SLURM_CONF", conf).args(args);
    command
}

pub(crate) fn scene(scene: &'static str) -> Vec<Figure> {
    let mut figures = Figures(scene, Vec::new());
    if let Some(program) = cluster::missing() {
        eprintln!("left out, since {program} is not installed");
        return figures.1;
    }
    let node = Node::new();
    let conf = node.conf();
    let mut client = Client::with(
        "[launchers.slurm]\npoll = \"1s\"\n",
        &[("SLURM_CONF", &conf)],
    );
    let alone = (0..JOBS).map(|_| {
        let began = Instant::now();
        let ran = srun(&conf, &["true"]).stdin(Stdio::null()).status();
        assert!(ran.unwrap().success());
        began.elapsed().as_secs_f64()
    });
    let (alone, _) = quantiles(alone.collect());
    let job = json!({"command": "true", "launcher": "slurm", "until": [{"exit": true}], "waitMs": 60_000});
    let (whole, _) = quantiles(
        (0..JOBS)
            .map(|_| client.time("start", job.clone()))
            .collect(),
    );
    figures.millis("srun true", alone, 10_000.0);
    figures.millis("a job from its start to its end", whole, 10_000.0);
    let held = json!({
        "command": "echo up; exec sleep 600", "launcher": "slurm", "until": [{"pattern": "^up$"}],
        "waitMs": 60_000,
    });
    let held = client.ask("start", held)["sessionId"].clone();
    let number = client.ask("status", json!({"sessionId": held}))["engine"]["jobId"].clone();
    let step = [
        "--jobid",
        number.as_str().unwrap(),
        "--overlap",
        "--quiet",
        "--mem=0",
        "cat",
    ];
    let (plain, plain_99) = crate::scenes::plain(srun(&conf, &step));
    let (there, there_99) = typed(&mut client, json!({"launcher": "slurm"}));
    client.ask("kill", json!({"sessionId": held}));
    figures.millis("srun cat", plain, 1000.0);
    figures.millis("srun cat, p99", plain_99, 1000.0);
    figures.millis("a session on the node", there, 1000.0);
    figures.millis("a session on the node, p99", there_99, 1000.0);
    figures.add("times srun cat", there / plain, "", 15.0);
    figures.1
}
