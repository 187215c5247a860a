//! The manual's table of faults names tests that exist.

use std::path::Path;

/// All Rust sources, as one text.
fn sources() -> String {
    let mut text = String::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders = vec![root.join("src"), root.join("tests")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                text.push_str(&std::fs::read_to_string(path).unwrap());
            }
        }
    }
    text
}

#[test]
fn every_test_that_a_fault_names_exists() {
    let chapter = include_str!("../../assets/help/reliability.md");
    let table = chapter.split("## What survives what").nth(1).unwrap();
    let table = table.split("\n## ").next().unwrap();
    let rows: Vec<&str> = table.lines().filter(|line| line.starts_with('|')).collect();
    assert!(rows.len() > 40, "{} rows", rows.len());
    let sources = sources();
    let named = rows
        .iter()
        .flat_map(|row| row.split('`').skip(1).step_by(2));
    for test in named.filter(|word| word.contains("::")) {
        let (place, name) = test.rsplit_once("::").unwrap();
        let file = format!("tests/suite/{place}.rs");
        let exists = match name {
            "" => Path::new(&file).exists() || place.ends_with("::tests"),
            name => sources.contains(&format!("fn {name}()")),
        };
        assert!(
            exists,
            "reliability.md names `{test}`, which does not exist"
        );
    }
}
