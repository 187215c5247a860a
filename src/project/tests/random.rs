//! Files that nobody would write.

use std::path::PathBuf;

use proptest::prelude::*;

use super::super::memory::Memory;
use super::super::{ProcfileOptions, Source, Surroundings, environment, expanded, load};

fn read(name: &str, content: &[u8]) {
    let mut files = Memory::default();
    files.put(&format!("/p/{name}"), content);
    let source = Source {
        dir: PathBuf::from("/p"),
        paths: vec![PathBuf::from(name)],
        procfile: ProcfileOptions::default(),
    };
    if let Err(faults) = load(&files, &source) {
        assert!(!faults.is_empty());
        assert!(faults.len() <= super::super::fault::MAX_FAULTS + 1);
    }
}

#[test]
fn no_truncation_panics() {
    let text = include_bytes!("contract.toml");
    for end in 0..text.len() {
        read("bgproc.toml", &text[..end]);
    }
}

#[test]
fn files_full_of_mistakes_are_read_in_time() {
    let keys: String = (0..50_000).map(|n| format!("key{n} = 1\n")).collect();
    read("bgproc.toml", keys.as_bytes());
    let needs: String = (0..100_000).map(|n| format!("\"j{n}\",")).collect();
    read(
        "bgproc.toml",
        format!("[jobs.a]\nrun = \"x\"\nneeds = [{needs}]\n").as_bytes(),
    );
}

#[test]
fn deep_nesting_does_not_overflow_the_stack() {
    for (open, close) in [("[", "]"), ("{ a = ", "}")] {
        for depth in [50, 100_000] {
            let text = format!("a = {}{}\n", open.repeat(depth), close.repeat(depth));
            read("bgproc.toml", text.as_bytes());
        }
    }
    let dotted = format!("{}a = 1\n", "a.".repeat(50_000));
    read("bgproc.toml", dotted.as_bytes());
}

proptest! {
    #[test]
    fn no_change_of_a_character_panics(at in 0usize..2000, with in "[\"\\[\\]{}=,.${}0-9a-z\n-]{0,6}") {
        let text = include_str!("contract.toml");
        let at = at % text.len();
        if text.is_char_boundary(at) {
            let mut text = text.to_owned();
            text.insert_str(at, &with);
            read("bgproc.toml", text.as_bytes());
        }
    }

    #[test]
    fn no_text_panics(text in "(\\[jobs\\.a\\]|run|cmd|needs|=|\\[|\\]|\\{|\\}|\"|\n|,|1|x|\\$\\{A\\}| ){0,30}") {
        read("bgproc.toml", text.as_bytes());
    }

    #[test]
    fn no_template_and_no_env_file_panics(template in "[${}:a.A-]{0,20}", env in "[AB=$\"'{}# \n:-]{0,40}") {
        let text = format!("[jobs.a]\ncmd = [\"x\", '{template}']\nenv = {{ B = '{template}' }}\n");
        let mut files = Memory::with(&[("/p/bgproc.toml", &text)]);
        files.put("/p/.env", env.as_bytes());
        if let Ok(project) = super::load_files(&files) {
            let caller = std::collections::BTreeMap::from([("A".to_owned(), "x".to_owned())]);
            let ports = std::collections::BTreeMap::new();
            let surroundings = Surroundings { caller: &caller, ports: &ports, project: "p", worktree: "" };
            let job = &project.jobs["a"];
            if let Ok(made) = environment(&files, job, "a", &surroundings) {
                let _ = expanded(job, "a", &made, &surroundings);
            }
        }
    }

    #[test]
    fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
        read("bgproc.toml", &bytes);
        read("Procfile", &bytes);
    }
}
