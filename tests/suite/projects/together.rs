//! `up --all-or-none`: the end of one job ends all.

use super::{Project, has};
use crate::support::Home;

pub(super) fn procfile(text: &str) -> Project {
    let shop = Project::in_home(Home::new(), "shop", "");
    std::fs::remove_file(shop.dir.join("bgproc.toml")).unwrap();
    std::fs::write(shop.dir.join("Procfile"), text).unwrap();
    shop
}

const TWO: &str =
    "web: exec sleep 1000\nworker: until [ -e go ]; do sleep 0.05; done; echo bad luck; exit 3\n";

#[test]
fn all_jobs_end_with_the_first_one() {
    let shop = procfile(TWO);
    shop.ok(&["up", "--all-or-none"]);
    // A second `up` does not take it back.
    has(&shop.ok(&["up"]), "= web");
    std::fs::write(shop.dir.join("go"), "").unwrap();
    shop.until("web", "stopped");
    let web = shop.job("web");
    assert_eq!(web["endedBy"]["kind"], "project", "{web}");
    let why = shop.ok(&["why", "web"]);
    assert!(
        why[0].contains("it was ended because worker has ended"),
        "{why:?}"
    );
    // The command that waits tells of it, with the output of the job that has ended.
    let ran = shop.run(&["up", "--all-or-none"]).expect_code(1);
    let said = "shop is brought down, because worker has ended";
    assert!(ran.stderr.contains(said), "{ran}");
    assert!(ran.stdout.contains("  | bad luck"), "{ran}");
}

#[test]
fn without_it_the_others_go_on() {
    let shop = procfile(TWO);
    std::fs::write(shop.dir.join("go"), "").unwrap();
    shop.run(&["up"]).expect_code(1);
    assert_eq!(shop.phase("web"), "running");
    assert_eq!(shop.phase("worker"), "failed");
}
