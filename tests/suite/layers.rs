//! Who may import whom: the layers of the crate, held by reading its sources.
//!
//! One package has no crate walls, so this test is the wall. A new arrow is a
//! change of the design: it belongs in a commit of its own, with the reason.
//!
//! Inside the largest layers, the folders and files of the first level are rooms.
//! They may import each other as they need, but never in a circle.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Each folder (or file) of `src`, and the ones it may import.
const ALLOWED: [(&str, &[&str]); 17] = [
    ("protocol", &[]),
    ("term", &["protocol"]),
    ("engine", &["protocol", "term"]),
    ("project", &["protocol"]),
    ("sys", &["protocol"]),
    ("diag", &["sys", "config"]),
    ("doctor", &["client", "protocol", "sys"]),
    ("recall", &["protocol", "sys"]),
    ("config", &["protocol"]),
    ("keeper", &["protocol", "sys", "diag"]),
    (
        "daemon",
        &[
            "protocol", "project", "term", "engine", "sys", "config", "diag", "link",
        ],
    ),
    // The commands that reach other hosts; the files that name them are read by `config`.
    ("link", &["protocol", "config"]),
    ("client", &["protocol", "sys", "link"]),
    ("serve", &["client", "protocol", "config"]),
    // Its calls go through the pump of `--serve`.
    ("mcp", &["client", "protocol", "term", "serve"]),
    ("tui", &["client", "protocol", "recall", "term", "config"]),
    // The command line is also what opens the other three front doors.
    (
        "cli",
        &[
            "client", "link", "protocol", "project", "term", "config", "diag", "doctor", "recall",
            "serve", "mcp", "tui",
        ],
    ),
];

/// The layers with an event loop are the daemon and the MCP server, whose library
/// needs one; `sys` says what the daemon's may wait for. Every other layer is
/// blocking or pure.
const TOKIO: [&str; 3] = ["daemon", "mcp", "sys"];

#[test]
fn imports_follow_the_layers() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut wrong = Vec::new();
    let mut seen = 0;
    let mut unused: BTreeSet<(&str, &str)> = ALLOWED
        .iter()
        .flat_map(|(layer, allowed)| allowed.iter().map(|other| (*layer, *other)))
        .collect();
    for file in sources(&src) {
        let inside = file.strip_prefix(&src).unwrap();
        let first = inside
            .components()
            .next()
            .unwrap()
            .as_os_str()
            .to_str()
            .unwrap();
        let layer = first.strip_suffix(".rs").unwrap_or(first);
        // The crate's roots, and how it is linked.
        if ["lib", "main", "build"].contains(&layer) {
            continue;
        }
        seen += 1;
        let text = std::fs::read_to_string(&file).unwrap();
        let used = imports(&code_only(&text));
        unused.retain(|(from, to)| *from != layer || !used.iter().any(|name| name == to));
        let complaints = check(layer, &text).into_iter();
        wrong.extend(complaints.map(|why| format!("src/{}: {why}", inside.display())));
    }
    assert!(seen > 20, "only {seen} files were found");
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    assert!(unused.is_empty(), "allowed and not used: {unused:?}");
}

/// The layers whose rooms are held to be free of circles, and the rooms that have rooms inside.
const WITH_ROOMS: [&str; 4] = ["daemon", "cli", "tui", "tui::modes"];

/// How the names of test modules end.
const TESTS: &str = "tests";

/// Each room of a layer, and the rooms that it imports.
type Rooms = BTreeMap<String, BTreeSet<String>>;

#[test]
fn the_rooms_of_a_layer_import_each_other_in_no_circle() {
    for layer in WITH_ROOMS {
        let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let dir = src.join(layer.replace("::", "/"));
        let files = sources(&dir).into_iter();
        let texts: Vec<_> = files
            .map(|file| {
                let module = module_of(file.strip_prefix(&dir).unwrap());
                (module, std::fs::read_to_string(&file).unwrap())
            })
            .collect();
        let rooms = rooms(layer, &texts);
        assert!(rooms.len() > 5, "{layer}: {rooms:?}");
        assert_eq!(circle(&rooms), None, "rooms of {layer}");
    }
}

#[test]
fn a_circle_between_rooms_is_seen() {
    let one = |module: &str, text: &str| {
        let module = module.split("::").map(str::to_owned).collect();
        (module, text.to_owned())
    };
    let up = one("store::meta", "use crate::daemon::hub::Hub;");
    let down = one("hub", "use crate::daemon::{clock::now, tasks::timers};");
    let back = one("tasks::timers", "use super::super::store::meta;");
    let own = one(
        "tasks::kill",
        "use super::timers;\nuse crate::daemon::tasks::x;",
    );
    let others = [one("clock", ""), own];
    let found = |texts: &[(Vec<String>, String)]| circle(&rooms("daemon", texts));
    let [a, b] = others;
    let all = [up, down, back, a, b];
    let names = found(&all).unwrap();
    assert_eq!(names.len(), 3, "{names:?}");
    assert_eq!(found(&all[1..]), None);
}

/// The module path of a source file inside its layer.
fn module_of(file: &Path) -> Vec<String> {
    let names = file.with_extension("");
    let names = names.components().map(|name| name.as_os_str());
    let names = names.map(|name| name.to_str().unwrap().to_owned());
    names.filter(|name| name != "mod").collect()
}

/// The rooms of a layer, from the sources of its modules.
fn rooms(layer: &str, texts: &[(Vec<String>, String)]) -> Rooms {
    let rooms = texts.iter().filter_map(|(module, _)| module.first());
    let mut rooms: Rooms = rooms.map(|name| (name.clone(), BTreeSet::new())).collect();
    for (module, text) in texts {
        // Tests look at more than the code that they are about.
        if module.iter().any(|name| name.ends_with(TESTS)) {
            continue;
        }
        let Some(own) = module.first() else { continue };
        let code = code_only(text);
        let mut imports = below(&code, &format!("crate::{layer}::"));
        // As many steps up as the file is deep lead to the layer itself.
        imports.extend(below(&code, &"super::".repeat(module.len())));
        imports.retain(|name| name != own && name != TESTS && rooms.contains_key(name));
        rooms.get_mut(own).unwrap().extend(imports);
    }
    rooms
}

/// The names that follow `lead` in paths, groups included.
fn below(code: &str, lead: &str) -> Vec<String> {
    let places = code.match_indices(lead);
    // A longer climb leads elsewhere.
    let places = places.filter(|(place, _)| !code[..*place].ends_with("super::"));
    let rests = places.map(|(place, _)| code[place + lead.len()..].trim_start());
    rests
        .flat_map(|rest| match rest.strip_prefix('{') {
            Some(group) => first_segments(group),
            None => identifier(rest).into_iter().collect(),
        })
        .collect()
}

/// Rooms that import each other in a circle, if there are any: what is left when rooms that import
/// none of the others are taken away again and again.
fn circle(rooms: &Rooms) -> Option<Rooms> {
    let mut left = rooms.clone();
    loop {
        let free: Vec<String> = left
            .iter()
            .filter(|(_, imports)| !imports.iter().any(|name| left.contains_key(name)))
            .map(|(name, _)| name.clone())
            .collect();
        if free.is_empty() {
            break;
        }
        left.retain(|name, _| !free.contains(name));
    }
    (!left.is_empty()).then_some(left)
}

#[test]
fn the_checker_sees_what_is_wrong() {
    let one = |layer: &str, text: &str| {
        let complaints = check(layer, text);
        assert_eq!(complaints.len(), 1, "{layer}: {text}: {complaints:?}");
    };
    one("cli", "use crate::sys::paths::Home;");
    one("cli", "let x = crate::daemon::run();");
    one("cli", "use crate::{client::Wire, engine::{Session, wait}};");
    one("cli", "use crate::{\n    protocol::Error,\n    keeper,\n};");
    one("tui", "use super::super::sys::socket;");
    one("term", "use crate::engine::Session;");
    one("engine", "pub(in crate::daemon) fn x() {}");
    one("engine", "use tokio::sync::mpsc;");
    one("client", "async fn x() { tokio::time::sleep(y).await }");
    one("nobody", "fn x() {}");
}

#[test]
fn the_checker_lets_the_rest_pass() {
    for (layer, text) in [
        (
            "cli",
            "use crate::client::{self, connect};\nuse crate::cli::exit;",
        ),
        (
            "cli",
            "// use crate::sys::paths;\n/// As [`crate::daemon`] does.\nfn x() {}",
        ),
        ("cli", "use super::super::exit::Exit;"),
        (
            "daemon",
            "use crate::{protocol::{Error, Mode}, engine};\nuse tokio::net;",
        ),
        ("term", "let text = \"crate::sys\";"),
    ] {
        assert_eq!(check(layer, text), Vec::<String>::new(), "{layer}: {text}");
    }
}

/// What is wrong with a source text of `layer`.
fn check(layer: &str, text: &str) -> Vec<String> {
    let Some((_, allowed)) = ALLOWED.iter().find(|(name, _)| *name == layer) else {
        return vec![format!("`{layer}` is no layer that this test knows")];
    };
    let code = code_only(text);
    let mut imports = imports(&code);
    imports.retain(|name| name != layer && !allowed.contains(&name.as_str()));
    imports.sort();
    imports.dedup();
    let mut wrong: Vec<_> = imports
        .into_iter()
        .map(|name| format!("`{layer}` may not see `{name}`"))
        .collect();
    if !TOKIO.contains(&layer) && code.contains("tokio::") {
        wrong.push(format!("`{layer}` may not use tokio"));
    }
    wrong
}

/// The names at the top of the crate that a text imports.
fn imports(code: &str) -> Vec<String> {
    let mut found = crate_paths(code);
    found.extend(super_paths(code));
    found
}

/// The first segments of all `crate::…` paths, groups included.
fn crate_paths(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    // `crate::x::y` and `crate::{x::y, z}`; but not the end of `mycrate::`.
    let word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    for (place, lead) in code.match_indices("crate::") {
        if code[..place].ends_with(word) {
            continue;
        }
        let rest = code[place + lead.len()..].trim_start();
        match rest.strip_prefix('{') {
            Some(group) => found.extend(first_segments(group)),
            None => found.extend(identifier(rest)),
        }
    }
    found
}

/// Layers that are reached by climbing out with `super::`.
fn super_paths(code: &str) -> Vec<String> {
    let after_super = code.match_indices("super::").map(|(place, lead)| {
        let rest = &code[place + lead.len()..];
        (code[..place].ends_with("super::"), identifier(rest))
    });
    // One `super` stays within the layer's own folder, or is its own name.
    let climbing = after_super.filter_map(|(twice, name)| name.filter(|_| twice));
    climbing
        .filter(|name| ALLOWED.iter().any(|(layer, _)| layer == name))
        .collect()
}

/// The first segment of each member of `a::b, c, {d}}`, up to the closing brace.
fn first_segments(group: &str) -> Vec<String> {
    let (mut depth, mut start, mut found) = (0, true, Vec::new());
    for (place, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => start = true,
            c if c.is_whitespace() => {}
            _ if start && depth == 0 => {
                found.extend(identifier(&group[place..]));
                start = false;
            }
            _ => {}
        }
    }
    found
}

fn identifier(text: &str) -> Option<String> {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_');
    let name = &text[..end.unwrap_or(text.len())];
    let is_module = name.starts_with(|c: char| c.is_lowercase()) && name != "self";
    is_module.then(|| name.to_owned())
}

/// The text without comments and without what stands in quotes.
fn code_only(text: &str) -> String {
    let mut code = String::new();
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or_default();
        for (place, part) in line.split('"').enumerate() {
            if place % 2 == 0 {
                code.push_str(part);
            }
        }
        code.push('\n');
    }
    code
}

#[test]
fn a_map_of_modules_has_all_of_them() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut wrong = Vec::new();
    let mut maps = 0;
    for file in sources(&src) {
        let text = std::fs::read_to_string(&file).unwrap();
        if let Some(missing) = missing_in_map(&text) {
            maps += 1;
            wrong.extend(missing.iter().map(|name| (file.clone(), name.clone())));
        }
    }
    assert!(maps > 10, "only {maps} maps were found");
    assert!(wrong.is_empty(), "not in the `//!` of: {wrong:#?}");
}

#[test]
fn a_module_that_a_map_lacks_is_seen() {
    let map = "//! [`a`] and [`b`](mod@b).\n";
    let modules = "mod a;\npub mod b;\npub(crate) mod c;\n#[cfg(test)]\n#[allow(x)]\nmod d;\n";
    let missing = missing_in_map(&format!("{map}{modules}"));
    assert_eq!(missing, Some(vec!["c".to_owned()]));
    let few = "//! [`a`] is one.\nmod a;\nmod b;\nmod c;\n";
    assert_eq!(missing_in_map(few), None, "that is no map");
}

/// The modules that the documentation of a module does not name, if it names most of them. Those of tests do not count.
fn missing_in_map(text: &str) -> Option<Vec<String>> {
    let docs = text.lines().filter(|line| line.starts_with("//!"));
    let docs: String = docs.collect();
    let is_named = |name: &String| {
        let forms = [
            format!("`{name}`"),
            format!("`{name}::"),
            format!("`mod@{name}`"),
        ];
        forms.iter().any(|form| docs.contains(form))
    };
    let (named, missing): (Vec<_>, Vec<_>) = modules(text).into_iter().partition(is_named);
    (named.len() > missing.len()).then_some(missing)
}

/// The modules in files of their own that a text declares, without those of tests.
fn modules(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut is_for_tests = false;
    for line in text.lines() {
        let declared = line.strip_suffix(';');
        let declared = declared.and_then(|line| line.rsplit_once("mod "));
        match declared {
            Some((lead, name)) if lead.is_empty() || lead.starts_with("pub") => {
                if !is_for_tests && !name.ends_with(TESTS) {
                    found.push(name.to_owned());
                }
                is_for_tests = false;
            }
            _ if line.contains("cfg(test)") => is_for_tests = true,
            // An attribute may take several lines.
            _ if line.is_empty() || line.ends_with(';') => is_for_tests = false,
            _ => {}
        }
    }
    found
}

fn sources(dir: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut found = Vec::new();
    for path in entries {
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found
}

/// What lies at the top of the package. `target` and what an editor leaves are not in the repository.
const TOP: [&str; 10] = [
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE",
    "README.md",
    "assets",
    "fuzz",
    "src",
    "tests",
];

#[test]
fn nothing_else_lies_at_the_top() {
    let mut git = std::process::Command::new("git");
    git.args(["-C", env!("CARGO_MANIFEST_DIR"), "ls-files", "-z"]);
    let Ok(listed) = git.output() else { return };
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    let tops = listed.split('\0').filter_map(|path| path.split('/').next());
    let tops = tops.filter(|top| !top.is_empty() && !top.starts_with('.'));
    let strange: BTreeSet<&str> = tops.filter(|top| !TOP.contains(top)).collect();
    assert!(strange.is_empty(), "{strange:?}");
}
