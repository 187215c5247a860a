//! A real Slurm cluster on 127.0.0.1, in a directory of its own: without systemd, control groups and accounting.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::Signal;

use super::process::{self, Held, program};
use super::wait::eventually;

/// The programs of a cluster, in the order in which they are looked for.
const PROGRAMS: [&str; 4] = ["munged", "slurmctld", "slurmd", "sbatch"];

/// How long the jobs of a cluster may take to end when the cluster does.
const CLEARING: Duration = Duration::from_secs(5);

/// Gives a command the environment in which it is to run.
type Surround = Box<dyn Fn(&mut Command) + Send>;

/// A cluster. It ends when this is dropped.
pub(crate) struct Cluster {
    dir: PathBuf,
    surround: Surround,
    munged: Option<Child>,
    controller: Option<Child>,
    nodes: Vec<Option<Child>>,
}

/// The program of a cluster that is not here, if any.
pub(crate) fn missing() -> Option<&'static str> {
    PROGRAMS.into_iter().find(|name| program(name).is_none())
}

impl Cluster {
    /// A cluster in a directory, of so many nodes with 8 processors each. Further lines of slurm.conf win.
    pub(crate) fn new(dir: PathBuf, nodes: usize, lines: &str, surround: Surround) -> Self {
        for part in ["state", "munge", "log"] {
            std::fs::create_dir_all(dir.join(part)).unwrap();
        }
        let mut cluster = Self {
            dir,
            surround,
            munged: None,
            controller: None,
            nodes: (0..nodes).map(|_| None).collect(),
        };
        cluster.configure(lines);
        cluster.authenticate();
        cluster.controller_up();
        for node in 1..=nodes {
            cluster.node_up(node);
        }
        cluster.is_idle(nodes);
        cluster
    }

    fn configure(&self, lines: &str) {
        let dir = self.dir.display();
        let user = if rustix::process::geteuid().is_root() {
            "root".to_owned()
        } else {
            self.said("id", &["-un"]).trim().to_owned()
        };
        let ports = free_ports(self.nodes.len() + 1);
        let mut text = format!(
            "ClusterName=here\nSlurmctldHost=localhost(127.0.0.1)\nSlurmctldPort={}\nSlurmUser={user}\nSlurmdUser={user}\n\
             AuthType=auth/munge\nAuthInfo=socket={dir}/munge/socket,cred_expire=5\nCredType=cred/munge\n\
             CommunicationParameters=NoInAddrAny,NoCtldInAddrAny\nStateSaveLocation={dir}/state\n\
             SlurmdSpoolDir={dir}/spool-%n\nSlurmctldPidFile={dir}/slurmctld.pid\nSlurmdPidFile={dir}/slurmd-%n.pid\n\
             SlurmctldLogFile={dir}/log/slurmctld.log\nSlurmdLogFile={dir}/log/slurmd-%n.log\nPluginDir={}\n\
             ProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\nSwitchType=switch/none\nMpiDefault=none\n\
             JobAcctGatherType=jobacct_gather/none\nAccountingStorageType=accounting_storage/none\n\
             SelectType=select/cons_tres\nSelectTypeParameters=CR_Core\nSchedulerType=sched/backfill\n\
             SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1,sched_min_interval=0\n\
             PreemptType=preempt/partition_prio\nPreemptMode=REQUEUE\nReturnToService=2\nSlurmctldTimeout=10\n\
             SlurmdTimeout=5\nKillWait=2\nInactiveLimit=0\nWaittime=0\nLaunchParameters=use_interactive_step\n\
             SlurmdParameters=config_overrides\nDefMemPerCPU=64\n",
            ports[0],
            plugins().display(),
        );
        for (port, node) in ports[1..].iter().zip(1..) {
            std::fs::create_dir_all(self.dir.join(format!("spool-n{node}"))).unwrap();
            text.push_str(&format!(
                "NodeName=n{node} NodeHostname=localhost NodeAddr=127.0.0.1 Port={port} CPUs=8 RealMemory=4096 State=UNKNOWN\n"
            ));
        }
        text.push_str(
            "PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE DefaultTime=60 State=UP PriorityTier=1 \
             PreemptMode=REQUEUE\nPartitionName=urgent Nodes=ALL MaxTime=INFINITE State=UP PriorityTier=10 \
             PreemptMode=OFF\n",
        );
        if !lines.contains("MinJobAge") {
            text.push_str("MinJobAge=300\n");
        }
        text.push_str(lines);
        std::fs::write(self.dir.join("slurm.conf"), text).unwrap();
    }

    fn authenticate(&mut self) {
        let munge = self.dir.join("munge");
        let key = munge.join("key");
        let mut bytes = [0; 128];
        getrandom(&mut bytes);
        std::fs::write(&key, bytes).unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode;
        std::fs::set_permissions(&key, mode(0o600)).unwrap();
        for dir in [&self.dir, &munge] {
            std::fs::set_permissions(dir, mode(0o755)).unwrap();
        }
        let path = |name: &str| munge.join(name).display().to_string();
        let args = [
            "--foreground".to_owned(),
            // The directory lies below one that all may write to.
            "--force".to_owned(),
            format!("--socket={}", path("socket")),
            format!("--key-file={}", path("key")),
            format!("--pid-file={}", path("pid")),
            format!("--log-file={}", path("log")),
            format!("--seed-file={}", path("seed")),
            "--num-threads=2".to_owned(),
        ];
        let child = self.launch("munged", &args);
        self.munged = Some(child);
        eventually("munged listens", || {
            munge.join("socket").exists().then_some(())
        });
    }

    /// Starts a program of the cluster. Its environment says whose it is.
    fn launch(&self, name: &str, args: &[String]) -> Child {
        let log = std::fs::File::create(self.dir.join(format!("log/{name}.out"))).unwrap();
        let mut command = Command::new(program(name).unwrap());
        self.surround(&mut command);
        command
            .args(args)
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log);
        command.spawn().unwrap()
    }

    /// The configuration of its commands.
    pub(crate) fn conf(&self) -> String {
        self.dir.join("slurm.conf").display().to_string()
    }

    /// The controller comes back.
    pub(crate) fn controller_up(&mut self) {
        let args = ["-D", "-i", "-f", &self.conf()].map(str::to_owned);
        self.controller = Some(self.launch("slurmctld", &args));
    }

    /// The controller dies.
    pub(crate) fn controller_down(&mut self) {
        end(self.controller.take());
    }

    /// A node comes back.
    pub(crate) fn node_up(&mut self, node: usize) {
        let args = ["-D", "-f", &self.conf(), "-N", &format!("n{node}")].map(str::to_owned);
        self.nodes[node - 1] = Some(self.launch("slurmd", &args));
    }

    /// The daemon of a node dies; what it has started goes on.
    pub(crate) fn node_down(&mut self, node: usize) {
        end(self.nodes[node - 1].take());
    }

    /// Waits until so many nodes are idle.
    pub(crate) fn is_idle(&self, nodes: usize) {
        eventually("the nodes are idle", || {
            let listed = self.said(
                "sinfo",
                &["-h", "-N", "-p", "main", "-t", "idle", "-o", "%N"],
            );
            (listed.lines().count() == nodes).then_some(())
        });
    }

    /// What a command of the cluster prints.
    pub(crate) fn said(&self, command: &str, args: &[&str]) -> String {
        let mut command = Command::new(command);
        self.surround(&mut command);
        let output = command.args(args).stdin(Stdio::null()).output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn surround(&self, command: &mut Command) {
        (self.surround)(command);
        command.env("SLURM_CONF", self.conf());
    }

    /// Number and state of the jobs that the cluster lists.
    pub(crate) fn jobs(&self) -> Vec<(String, String)> {
        let printed = self.said("squeue", &["-h", "--states=all", "-o", "%i %T"]);
        let rows = printed.lines().filter_map(|line| line.split_once(' '));
        rows.map(|(id, state)| (id.to_owned(), state.to_owned()))
            .collect()
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // The steps end with their jobs; a slurmd that ends leaves them alone. The controller may be down.
        let is_open =
            |state: &str| !["CANCELLED", "COMPLETED", "FAILED", "TIMEOUT"].contains(&state);
        for (id, _) in self.jobs().iter().filter(|(_, state)| is_open(state)) {
            let _ = self.said("scancel", &[id]);
        }
        let patience = Instant::now() + CLEARING;
        while self.jobs().iter().any(|(_, state)| is_open(state)) && Instant::now() < patience {
            std::thread::sleep(Duration::from_millis(50));
        }
        for node in std::mem::take(&mut self.nodes) {
            end(node);
        }
        end(self.controller.take());
        end(self.munged.take());
        // Those of a node that was down.
        let mark = format!("SLURM_CONF={}", self.conf());
        for step in process::named("slurmstepd", &mark) {
            step.signal(Signal::KILL);
        }
    }
}

fn end(child: Option<Child>) {
    if let Some(mut child) = child {
        if let Some(held) = Held::new(child.id()) {
            held.signal(Signal::KILL);
        }
        child.wait().unwrap();
    }
}

/// The directory of Slurm's plugins, which depends on the distribution and the architecture.
fn plugins() -> PathBuf {
    let libs = std::fs::read_dir("/usr/lib")
        .into_iter()
        .flatten()
        .flatten();
    let debian = libs.map(|entry| entry.path().join("slurm-wlm"));
    let others = ["/usr/lib64/slurm", "/usr/lib/slurm"].map(PathBuf::from);
    let found = debian.chain(others).find(|dir| dir.is_dir());
    found.expect("Slurm's plugins are somewhere")
}

/// Ports that nobody listens on. They are outside of the range that the kernel gives to connections.
fn free_ports(count: usize) -> Vec<u16> {
    let mut seed = [0; 2];
    getrandom(&mut seed);
    let first = 20_000 + u16::from_le_bytes(seed) % 11_000;
    let free = (first..32_000).filter(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok());
    free.take(count).collect()
}

fn getrandom(bytes: &mut [u8]) {
    use std::io::Read;
    let mut file = std::fs::File::open(Path::new("/dev/urandom")).unwrap();
    file.read_exact(bytes).unwrap();
}
