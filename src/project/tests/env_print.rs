//! Whether the content of `.env` files has changed for a job.

use super::super::EnvPrints;
use super::super::memory::Memory;
use super::{load_files, shown};

const SHOP: &str = "[jobs.a]\nrun = \"x\"\nenv = { OWN = \"1\" }\n\
                    [jobs.b]\nrun = \"x\"\nenv_file = [\"b.env\"]\n";

/// The fingerprint of a job with this `.env`.
fn print(job: &str, env: &str) -> Result<String, String> {
    let b = ("/p/b.env", "B=1\n");
    let project = load_files(&Memory::with(&[("/p/bgproc.toml", SHOP), b])).unwrap();
    let memory = Memory::with(&[("/p/.env", env), b]);
    let print = EnvPrints::new(&memory).of(&project.jobs[job]);
    print.map_err(|faults| shown(&faults))
}

#[test]
fn what_a_job_gets_counts_and_not_how_the_file_looks() {
    let one = print("a", "A=1\nC=$HOME/x\n").unwrap();
    let same = "# new\nexport C=\"$HOME/x\"\n\nA='1'\n";
    assert_eq!(print("a", same).unwrap(), one);
    for other in [
        "A=2\nC=$HOME/x\n",
        "A=1\nC=$HOME/y\n",
        "A=1\nC='$HOME/x'\n",
        "A=1\n",
        "",
    ] {
        assert_ne!(print("a", other).unwrap(), one, "{other}");
    }
    // The last one counts, and the job's own `env` wins.
    assert_eq!(print("a", "A=0\nA=1\nC=$HOME/x\nOWN=2\n").unwrap(), one);
}

#[test]
fn each_job_has_its_own_files() {
    assert_ne!(print("a", "A=1\n").unwrap(), print("b", "A=1\n").unwrap());
    // The file of the job is laid over that of all.
    assert_eq!(
        print("b", "A=1\nB=0\n").unwrap(),
        print("b", "A=1\nB=2\n").unwrap()
    );
}

#[test]
fn a_missing_file_that_one_job_may_miss_is_missed_by_another() {
    let text = "[jobs.a]\nrun = \"x\"\n[jobs.b]\nrun = \"x\"\nenv_file = [\".env\"]\n";
    let files = [("/p/bgproc.toml", text), ("/p/.env", "A=1\n")];
    let project = load_files(&Memory::with(&files)).unwrap();
    // It is removed after the project was read.
    let files = Memory::with(&files[..1]);
    let mut prints = EnvPrints::new(&files);
    assert!(prints.of(&project.jobs["a"]).is_ok());
    assert!(prints.of(&project.jobs["b"]).is_err());
}

#[test]
fn a_bad_line_has_no_fingerprint() {
    let why = print("a", "A=1\nnot a pair\n").unwrap_err();
    assert!(why.starts_with(".env:2:"), "{why}");
}
