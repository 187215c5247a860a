//! `up` while somebody watches: following, and leaving.

use super::Project;
use crate::support::Terminal;

#[test]
fn following_says_why_all_jobs_were_brought_down() {
    let shop = Project::new(
        "version = 1\n[jobs.a]\nrun = \"echo has begun; while ! test -e go; do sleep 0.02; done; exit 3\"\n\
         [jobs.b]\nrun = \"exec sleep 1000\"\n",
    );
    shop.ok(&["up", "--all-or-none"]);
    let args = ["up", "--all-or-none", "-f"];
    let mut view = Terminal::in_dir(&shop.home, &shop.dir, &args, (100, 30));
    // The logs are followed.
    view.wait_for_text("has begun");
    std::fs::write(shop.dir.join("go"), "").unwrap();
    view.wait_for_text("shop is brought down, because a has ended");
    assert_eq!(view.exit_code(), 1);
}

#[test]
fn following_ends_when_what_is_left_is_skipped() {
    let shop = Project::new(
        "version = 1\n[jobs.unit]\nkind = \"task\"\nrun = \"echo broken; exit 1\"\n\
         [jobs.publish]\nkind = \"task\"\nrun = \"true\"\nneeds = [\"unit\"]\n",
    );
    let up = shop.run(&["up", "-f"]).expect_code(1);
    assert!(up.stdout.contains("| broken"), "{up}");
    let why = "publish is skipped: needs unit ok";
    shop.run(&["logs", "-f", "publish"])
        .expect_code(3)
        .expect_said(why);
    let both = shop.run(&["logs", "-f", "unit", "publish"]).expect_code(3);
    assert!(both.stdout.contains("broken"), "{both}");
    both.expect_said(why);
}

#[test]
fn the_end_of_one_job_ends_the_following_and_the_project() {
    let shop = Project::new(
        "version = 1\n[jobs.db]\nrun = \"echo serving; exec sleep 1000\"\nready = { log = \"serving\" }\n\
         [jobs.tests]\nkind = \"task\"\nrun = \"echo testing; exit 7\"\nneeds = [\"db\"]\n",
    );
    let shown = shop
        .run(&["up", "--exit-code-from", "tests", "-f"])
        .expect_code(7);
    for line in ["| serving", "| testing", "shop is down (1 job stopped)"] {
        assert!(shown.stdout.contains(line), "{line}: {shown}");
    }
    assert_eq!(shop.pid("db"), 0);
    let told = shop
        .run(&["up", "--exit-code-from", "tests"])
        .expect_code(7);
    let end = "tests failed: exit code 7: the end of its output:\n  | testing\nshop is down (1 job stopped)\n";
    assert!(told.stdout.ends_with(end), "{told}");
    // The output of runs before is none of this one.
    let again = shop
        .run(&["up", "--exit-code-from", "tests", "-f"])
        .expect_code(7);
    assert_eq!(
        again.stdout.matches("tests | testing").count(),
        1,
        "{again}"
    );
    assert!(!again.stderr.contains("was restarted"), "{again}");
}

#[test]
fn following_begins_with_the_run_that_goes_on() {
    let shop = Project::new(
        "version = 1\n[jobs.a]\nrun = \"echo word $(cat word); exec sleep 1000\"\nready = { log = \"word\" }\n\
         [jobs.b]\nrun = \"exec sleep 1000\"\n",
    );
    std::fs::write(shop.dir.join("word"), "old").unwrap();
    shop.ok(&["up"]);
    shop.ok(&["down"]);
    std::fs::write(shop.dir.join("word"), "new").unwrap();
    let mut view = Terminal::in_dir(&shop.home, &shop.dir, &["up", "-f"], (100, 30));
    view.wait_for_text("word new");
    let text = view.text();
    assert!(!text.contains("word old"), "{text}");
    view.send("\x03");
    view.wait_for_text("the jobs go on; bgproc down ends them");
    let text = view.text();
    assert!(!text.contains("bgproc stop"), "{text}");
    assert_ne!(shop.pid("a"), 0);
}

#[test]
fn who_leaves_an_up_is_told_that_it_goes_on() {
    let shop = Project::new(
        "version = 1\n[jobs.a]\nrun = \"while ! test -e go; do sleep 0.02; done; echo up; exec sleep 1000\"\n\
         ready = { log = \"up\" }\n[jobs.b]\nrun = \"exec sleep 1000\"\nneeds = [\"a\"]\n",
    );
    let mut view = Terminal::in_dir(&shop.home, &shop.dir, &["up"], (100, 30));
    view.wait_for_text("a starting");
    view.send("\x03");
    view.wait_for_text("the jobs go on; bgproc down ends them");
    std::fs::write(shop.dir.join("go"), "").unwrap();
    shop.until("b", "running");
}
