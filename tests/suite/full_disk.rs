//! The disk takes no more: jobs go on, the newest output stays readable, and
//! saving resumes by itself.

use serde_json::{Value, json};

use crate::support::job::Job;
use crate::support::numbers::{check_bytes, log_bytes};
use crate::support::small_disk::SmallDisk;
use crate::support::{Home, Serve, daemon};

/// Bytes before the end that stay in memory.
const TAIL: u64 = 64 * 1024;

fn record(serve: &mut Serve, job: &Job) -> Value {
    job.ask(serve, "status", json!({}))
}

/// The raw bytes that can be read from `offset` on, and where they begin.
fn raw(serve: &mut Serve, job: &Job, offset: u64) -> (u64, Vec<u8>) {
    use base64::Engine as _;
    let page = json!({"offset": offset, "limit": 1_048_576, "format": "base64"});
    let page = job.ask(serve, "log", page);
    let bytes = base64::engine::general_purpose::STANDARD.decode(page["output"].as_str().unwrap());
    (page["offset"].as_u64().unwrap(), bytes.unwrap())
}

/// Fails unless the newest output can be read, is right, and reaches `end`.
#[track_caller]
fn check_tail(serve: &mut Serve, job: &Job, end: u64) {
    let (at, bytes) = raw(serve, job, end - TAIL);
    assert_eq!((at, bytes.len() as u64), (end - TAIL, TAIL));
    check_bytes(at, &bytes);
}

#[test]
fn a_full_disk_stops_no_job_and_saving_resumes_by_itself() {
    let home = Home::new();
    let Some(disk) = SmallDisk::mount(&home, 24) else {
        return;
    };
    let mut serve = Serve::new(&home, &[]);
    serve.ok(json!({"action": "subscribe", "events": ["output_dropped"]}));
    let count = "stty -echo; seq -f %012.0f 0 99999; read x; seq -f %012.0f 100000 299999; read x; echo over; exec cat";
    let job = Job::start(&mut serve, count);
    job.wait_for(&mut serve, "^000000099999$");
    assert_eq!(record(&mut serve, &job)["logDegraded"], Value::Null);
    disk.fill(21);
    job.ask(&mut serve, "write", json!({"data": "\n"}));
    job.wait_for(&mut serve, "^000000299999$");
    let told = serve.event("output_dropped");
    assert!(told["data"]["reason"].is_string(), "{told}");
    let status = record(&mut serve, &job);
    assert_eq!(
        (&status["status"], &status["outputBytes"]),
        (&json!("running"), &json!(4_200_000))
    );
    assert!(status["logDegraded"].is_string(), "{status}");
    let dropped = status["droppedBytes"].as_u64().unwrap();
    assert!(dropped > 1_000_000, "{status}");
    check_tail(&mut serve, &job, 4_200_000);
    // Screens and new jobs know nothing of it.
    assert!(job.screen(&mut serve).contains("000000299999"));
    let other = Job::start(&mut serve, "echo other; exit 3");
    assert_eq!(other.end(&mut serve)["exitCode"], 3);
    assert_eq!(other.output(&mut serve), "other\n");
    // The daemon that comes next finds it all as it was.
    daemon::kill(&mut serve);
    check_tail(&mut serve, &job, 4_200_000);
    std::fs::remove_file(disk.ballast()).unwrap();
    let told = loop {
        let told = serve.event("output_dropped");
        if told["sessionId"] == job.id && told["data"]["reason"].is_null() {
            break told;
        }
    };
    assert_eq!(told["data"]["unsavedBytes"], dropped - TAIL, "{told}");
    let status = record(&mut serve, &job);
    assert_eq!(
        (&status["logDegraded"], &status["droppedBytes"]),
        (&Value::Null, &json!(dropped - TAIL))
    );
    job.ask(&mut serve, "write", json!({"data": "\n"}));
    job.wait_for(&mut serve, "^over$");
    let (at, mut bytes) = raw(&mut serve, &job, 4_200_000 - TAIL);
    assert_eq!(bytes.split_off(TAIL as usize), b"over\r\n");
    check_bytes(at, &bytes);
    let saved = log_bytes(&home, &job.id);
    assert_eq!(
        saved,
        status["outputBytes"].as_u64().unwrap() + 6 - (dropped - TAIL)
    );
}

#[test]
fn a_limit_on_the_size_of_files_is_met_like_a_full_disk() {
    let home = Home::new();
    // In blocks of 512 bytes: a megabyte. More is refused with EFBIG, and SIGXFSZ.
    let mut serve = Serve::spawn(home.command_after("ulimit -f 2048", &["--serve"]));
    serve.ok(json!({"action": "subscribe", "events": ["output_dropped"]}));
    let job = Job::start(&mut serve, "seq -f %012.0f 0 199999; exec cat");
    job.wait_for(&mut serve, "^000000199999$");
    let told = serve.event("output_dropped");
    assert_eq!(
        told["data"]["reason"], "File too large (os error 27)",
        "{told}"
    );
    check_tail(&mut serve, &job, 2_800_000);
    // A new file is begun after a while, and begins with the newest.
    while !serve.event("output_dropped")["data"]["reason"].is_null() {}
    check_tail(&mut serve, &job, 2_800_000);
    let dropped = record(&mut serve, &job)["droppedBytes"].as_u64().unwrap();
    assert_eq!(log_bytes(&home, &job.id), 2_800_000 - dropped);
    assert_eq!(job.ask(&mut serve, "kill", json!({}))["status"], "killed");
}

#[test]
fn a_log_that_somebody_deletes_goes_on_in_a_new_file() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let job = Job::start(
        &mut serve,
        "stty -echo; echo one; while read x; do echo $x; done",
    );
    job.wait_for(&mut serve, "^one$");
    let dir = home.path().join("sessions").join(&job.id);
    std::fs::remove_file(dir.join("output.log")).unwrap();
    job.say(&mut serve, "two", "^two$");
    assert_eq!(raw(&mut serve, &job, 0), (5, b"two\r\n".to_vec()));
    std::os::unix::fs::symlink("/etc/passwd", dir.join("output.log")).unwrap();
    job.say(&mut serve, "three", "^three$");
    assert_eq!(raw(&mut serve, &job, 0), (5, b"two\r\nthree\r\n".to_vec()));
    let status = record(&mut serve, &job);
    assert_eq!(
        (&status["outputBytes"], &status["droppedBytes"]),
        (&json!(17), &json!(5))
    );
    // All of it, and the job writes on.
    std::fs::remove_dir_all(&dir).unwrap();
    job.say(&mut serve, "four", "^four$");
    assert_eq!(raw(&mut serve, &job, 0), (17, b"four\r\n".to_vec()));
}
