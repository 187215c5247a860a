//! Ports: who has one that is taken, and worktrees.

use super::{Project, free_port, has, worktree};
use crate::support::needs::have;
use serde_json::json;
use std::net::TcpListener;

fn server(port: u16) -> String {
    let code = "import socket,sys,time; s=socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1); \
                s.bind(('127.0.0.1', int(sys.argv[1]))); s.listen(); time.sleep(1000)";
    format!(
        "version = 1\n[jobs.web]\ncmd = [\"python3\", \"-c\", \"{code}\", \"${{PORT}}\"]\nport = {port}\n\
         ready = {{ port = \"${{PORT}}\" }}\n"
    )
}

#[test]
fn a_taken_port_is_said_with_its_holder() {
    if !have("python3") {
        return;
    }
    let port = free_port();
    let shop = Project::new(&server(port));
    let stranger = TcpListener::bind(("127.0.0.1", port)).unwrap();
    let ran = shop.run(&["up"]).expect_code(1);
    let said = format!("web not started: port {port} is taken by ");
    let pid = format!(" (pid {})", std::process::id());
    let is_said = |line: &str| line.starts_with(&said) && line.ends_with(&pid);
    assert!(ran.stdout.lines().any(is_said), "{ran}");
    let listed = shop.ok(&["ports", "-o", "tsv"]).join("\n");
    let row = format!("{port}\tshop\tweb\t-\t-\tpid {}: ", std::process::id());
    assert!(listed.starts_with(&row), "{listed}");
    let strangers = shop.home.json(&["ports"])["strangers"].clone();
    assert_eq!(strangers[0]["reservedFor"], "shop/web", "{strangers}");
    assert_eq!(strangers[0]["pid"], std::process::id(), "{strangers}");
    shop.run(&["stop", &format!(":{port}")])
        .expect_code(4)
        .expect_said(&format!("but by pid {}", std::process::id()));
    drop(stranger);
    shop.ok(&["up"]);
    assert_eq!(shop.home.json(&["ports"])["strangers"], json!([]));
    let blog = shop.home.scratch("blog");
    std::fs::create_dir_all(&blog).unwrap();
    std::fs::write(blog.join("bgproc.toml"), server(port)).unwrap();
    let ran = shop.run_in(&blog, &["up"]).expect_code(1);
    let said = format!(
        "web not started: port {port} is taken by job shop/web (pid {})",
        shop.pid("web")
    );
    assert!(ran.stdout.contains(&said), "{ran}");
    shop.ok(&["stop", &format!(":{port}")]);
    shop.run_in(&blog, &["up"]).expect_code(0);
}

#[test]
fn a_second_worktree_gets_an_offset_and_keeps_it() {
    if !have("git") || !have("python3") {
        return;
    }
    let port = free_port().clamp(1025, 60_000);
    let shop = Project::new(&server(port));
    let other = worktree(&shop);
    shop.ok(&["up"]);
    let given = |dir| {
        shop.run_in(dir, &["exec", "web", "--", "printenv", "PORT"])
            .expect_code(0)
            .stdout
            .trim()
            .parse::<u16>()
            .unwrap()
    };
    assert_eq!(given(&shop.dir), port);
    // Before its first `up`, those that it would give.
    let second = given(&other);
    shop.run_in(&other, &["up"]).expect_code(0);
    assert_eq!(given(&other), second);
    assert!(
        second > port && (second - port).is_multiple_of(10),
        "{second}"
    );
    shop.run_in(&other, &["down"]).expect_code(0);
    shop.run_in(&other, &["up"]).expect_code(0);
    assert_eq!(given(&other), second);
    let jobs = shop.home.json(&["ls"]);
    let names: Vec<&str> = jobs["sessions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|job| job["project"]["name"].as_str().unwrap())
        .collect();
    assert!(
        names.contains(&"shop") && names.contains(&"shop@two"),
        "{names:?}"
    );
}

#[test]
fn a_renamed_job_keeps_the_port_that_it_was_given_instead() {
    let port = free_port();
    let file = |name: &str| {
        format!(
            "version = 1\n[jobs.{name}]\nrun = \"exec sleep 1000\"\nport = {port}\nport_busy = \"next\"\n"
        )
    };
    let shop = Project::new(&file("web"));
    let _stranger = TcpListener::bind(("127.0.0.1", port)).unwrap();
    shop.ok(&["up"]);
    let given = shop.job("web")["project"]["ports"].clone();
    assert_ne!(given[0], port, "{given}");
    let pid = shop.pid("web");
    shop.write(&file("front"));
    shop.ok(&["reload"]);
    assert_eq!(shop.pid("front"), pid);
    assert_eq!(shop.job("front")["project"]["ports"], given);
}

#[test]
fn a_restart_gives_the_ports_that_the_file_has_now() {
    let [first, second] = [free_port(), free_port()];
    let file = |port: u16| {
        format!(
            "version = 1\n[jobs.web]\nrun = \"echo port $PORT; exec sleep 1000\"\nport = {port}\n\
             [jobs.api]\nrun = \"exec sleep 1000\"\n"
        )
    };
    let shop = Project::new(&file(first));
    shop.ok(&["up"]);
    let api = shop.pid("api");
    shop.write(&file(second));
    shop.ok(&["restart", "web"]);
    shop.ok(&["wait", "web", "--for", &format!("match:port {second}")]);
    assert_eq!(
        shop.job("web")["project"]["ports"],
        serde_json::json!([second])
    );
    assert_eq!(shop.pid("api"), api);
    has(&shop.ok(&["up", "-n"]), "= web");
}

#[test]
fn a_port_that_was_given_instead_is_not_kept_when_the_file_says_fail() {
    let port = free_port();
    let file = |busy: &str| {
        format!(
            "version = 1\n[jobs.web]\nrun = \"exec sleep 1000\"\nport = {port}\nport_busy = \"{busy}\"\n"
        )
    };
    let shop = Project::new(&file("next"));
    let stranger = TcpListener::bind(("127.0.0.1", port)).unwrap();
    shop.ok(&["up"]);
    assert_ne!(shop.job("web")["project"]["ports"][0], port);
    shop.write(&file("fail"));
    shop.ok(&["up"]);
    assert_ne!(
        shop.job("web")["project"]["ports"][0],
        port,
        "it runs with the other"
    );
    shop.ok(&["down"]);
    shop.run(&["up"]).expect_code(1);
    drop(stranger);
    shop.ok(&["up"]);
    assert_eq!(shop.job("web")["project"]["ports"][0], port);
}

#[test]
fn a_port_has_the_address_of_the_file_and_its_job_a_name_anywhere() {
    if !have("python3") {
        return;
    }
    let port = free_port();
    let open = "open = \"http://localhost:${PORT}/shop\"\n";
    let shop = Project::new(&format!("{}{open}", server(port)));
    shop.ok(&["up"]);
    let listed = shop.ok(&["ports"]).join("\n");
    let address = format!("http://localhost:{port}/shop");
    assert!(listed.contains(&address), "{listed}");
    let elsewhere = shop.home.scratch("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    let args = ["exec", "shop/web", "--", "printenv", "PORT"];
    let ran = shop.run_in(&elsewhere, &args).expect_code(0);
    assert_eq!(ran.stdout, format!("{port}\n"));
    shop.run(&["up", "g:none"])
        .expect_code(4)
        .expect_said("project shop has no group `none`");
}
