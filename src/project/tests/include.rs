//! Files that include others.

use std::path::Path;

use super::super::memory::Memory;
use super::super::{AgentAccess, Job};
use super::{load_files, shown};

const ONE: &str = "[jobs.dev]\nrun = \"x\"\n";

fn root(include: &str) -> String {
    format!("include = [{include}]\n[jobs.db]\nrun = \"x\"\n")
}

#[test]
fn jobs_of_included_files_have_the_directory_in_their_names() {
    let root = "include = [\"apps/*/bgproc.toml\", \"apps/web/bgproc.toml\"]\n[env]\nA = \"root\"\nB = \"${A}\"\n\
                [jobs.db]\nrun = \"x\"\nport = 1\n[jobs.all]\nrun = \"x\"\nneeds = [\"web/dev\"]\n";
    let web = "[env]\nA = \"web\"\n[jobs.dev]\nrun = \"x\"\nneeds = [\"db\", \"css\"]\ncwd = \"src\"\n\
               env = { P = \"${port.db}\" }\ngroup = \"g\"\n[jobs.css]\nrun = \"x\"\n[jobs.db2]\nrun = \"x\"\n";
    let files = Memory::with(&[
        ("/p/bgproc.toml", root),
        ("/p/apps/web/bgproc.toml", web),
        (
            "/p/apps/web/bgproc.local.toml",
            "[jobs.css]\nautostart = false\n",
        ),
        ("/p/apps/api/bgproc.toml", ONE),
        ("/p/apps/.hidden/bgproc.toml", "nonsense"),
        ("/p/apps/README", ""),
    ]);
    let project = load_files(&files).unwrap();
    assert_eq!(
        project.order,
        ["db", "all", "api/dev", "web/dev", "web/css", "web/db2"]
    );
    let dev = &project.jobs["web/dev"];
    assert_eq!(dev.dir, Path::new("/p/apps/web"));
    let needs: Vec<&str> = dev.needs.iter().map(|need| need.job.as_str()).collect();
    assert_eq!(needs, ["db", "web/css"]);
    assert_eq!(dev.group.as_deref(), Some("web/g"));
    assert!(!project.jobs["web/css"].autostart);
    // What the root says for all jobs lies below what their own file says.
    let env = |job: &Job| {
        job.env
            .iter()
            .map(|(name, _)| name.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(env(dev), ["B", "A"]);
    assert_eq!(dev.env[1].1.as_deref(), Some("web"));
    let files = dev
        .env_files
        .iter()
        .map(|file| file.path.display().to_string());
    assert_eq!(files.collect::<Vec<_>>(), ["/p/.env", "/p/apps/web/.env"]);
}

#[test]
fn an_included_file_can_close_the_project_to_agents_but_not_open_it() {
    let loaded = |root_says: &str, web_says: &str| {
        let root = format!("{root_says}{}", root("\"web/bgproc.toml\""));
        let web = format!("{web_says}{ONE}");
        let files = Memory::with(&[
            ("/p/bgproc.toml", root.as_str()),
            ("/p/web/bgproc.toml", web.as_str()),
        ]);
        let project = load_files(&files).unwrap();
        (project.agents, shown(&project.warnings))
    };
    let warning =
        "web/bgproc.toml:1:10: \"agents\" of this included file holds for the whole project";
    let (none, read, write) = ("agents = \"none\"\n", "", "agents = \"write\"\n");
    let told = |access, warning: &str| (access, warning.to_owned());
    assert_eq!(loaded(write, none), told(AgentAccess::None, warning));
    assert_eq!(loaded(read, none), told(AgentAccess::None, warning));
    assert_eq!(loaded(write, read), told(AgentAccess::Write, ""));
    assert_eq!(loaded(read, write), told(AgentAccess::Read, ""));
    assert_eq!(loaded(none, none), told(AgentAccess::None, ""));
}

#[test]
fn files_can_include_further_files() {
    let files = Memory::with(&[
        ("/p/bgproc.toml", "include = [\"a/x.toml\"]\n"),
        (
            "/p/a/x.toml",
            "include = [\"b/y.toml\"]\n[jobs.one]\nrun = \"x\"\n",
        ),
        (
            "/p/a/b/y.toml",
            "[jobs.two]\nrun = \"x\"\nneeds = [\"one\"]\n",
        ),
    ]);
    let project = load_files(&files).unwrap();
    assert_eq!(project.order, ["a/one", "a/b/two"]);
    assert_eq!(project.jobs["a/b/two"].needs[0].job, "a/one");
}

#[test]
fn a_project_can_be_loaded_again_from_its_paths() {
    let mut files = Memory::with(&[
        ("/p/bgproc.toml", &root("\"apps/web/bgproc.toml\"")),
        ("/p/bgproc.local.toml", "[jobs.db]\nautostart = false\n"),
        ("/p/apps/web/bgproc.toml", ONE),
    ]);
    files.link("/link", "/p");
    let one = super::load_with(&files, &["/link/bgproc.toml", "bgproc.local.toml"]).unwrap();
    assert_eq!(one.jobs["db"].dir, Path::new("/p"));
    let paths: Vec<&str> = one.paths.iter().filter_map(|path| path.to_str()).collect();
    assert_eq!(super::load_with(&files, &paths).unwrap(), one);
}

#[test]
fn bad_includes() {
    let long = "x".repeat(70);
    for (include, said) in [
        (
            "\"../x.toml\"",
            "bgproc.toml:1:12: \"include\" leaves the directory of its file: \"../x.toml\"",
        ),
        (
            "\"/x.toml\"",
            "bgproc.toml:1:12: \"include\" leaves the directory of its file: \"/x.toml\"",
        ),
        (
            "\"out/x.toml\"",
            "bgproc.toml:1:12: /p/out/x.toml is outside of the project /p",
        ),
        (
            "\"none.toml\"",
            "bgproc.toml:1:12: \"none.toml\" is not a file",
        ),
        ("\"sub\"", "bgproc.toml:1:12: \"sub\" is not a file"),
        ("\"\"", "bgproc.toml:1:12: \"include\" has an empty path"),
        (
            "\"**/x.toml\"",
            "bgproc.toml:1:12: \"include\" has a bad pattern \"**/x.toml\": `**` would search everything",
        ),
        (
            "\"[/x.toml\"",
            "bgproc.toml:1:12: \"include\" has a bad pattern \"[/x.toml\": ",
        ),
        (
            "\"sub/Procfile\"",
            "bgproc.toml:1:12: /p/sub/Procfile is a Procfile; only TOML files can be included",
        ),
        (
            "\"a b/x.toml\"",
            "bgproc.toml:1:12: the directory \"a b\" of an included file leads the names of its jobs; a name has",
        ),
        (
            "\"sub/empty.toml\"",
            "sub/empty.toml:1:1: the file has no job",
        ),
        (
            "\"sub/x.toml\", \"two/sub/x.toml\"",
            "bgproc.toml:1:26: the jobs of /p/sub/x.toml and /p/two/sub/x.toml would have the same names",
        ),
    ] {
        let mut files = Memory::with(&[
            ("/p/bgproc.toml", &root(include)),
            ("/else/x.toml", ONE),
            ("/p/sub/x.toml", ONE),
            ("/p/sub/empty.toml", ""),
            ("/p/sub/Procfile", "web: x\n"),
            ("/p/two/sub/x.toml", ONE),
            ("/p/a b/x.toml", ONE),
            (&format!("/p/{long}/x.toml"), ONE),
        ]);
        files.link("/p/out", "/else");
        let found = load_files(&files).unwrap_err();
        assert!(found.starts_with(said), "{include}\n  {found}\n  {said}");
        assert_eq!(found.lines().count(), 1, "{found}");
    }
}

#[test]
fn a_circle_of_includes() {
    let mut files = Memory::with(&[
        ("/p/bgproc.toml", &root("\"a/x.toml\"")),
        (
            "/p/a/x.toml",
            "include = [\"b/y.toml\"]\n[jobs.one]\nrun = \"x\"\n",
        ),
        (
            "/p/a/b/y.toml",
            "include = [\"z.toml\"]\n[jobs.two]\nrun = \"x\"\n",
        ),
    ]);
    files.link("/p/a/b/z.toml", "/p/a/x.toml");
    assert_eq!(
        load_files(&files).unwrap_err(),
        "a/b/y.toml:1:12: files include each other in a circle\n  a/x.toml:1:12: is included from here"
    );
}

#[test]
fn a_file_that_is_included_twice() {
    let files = Memory::with(&[
        ("/p/bgproc.toml", &root("\"a/x.toml\", \"a/b/y.toml\"")),
        (
            "/p/a/x.toml",
            "include = [\"b/y.toml\"]\n[jobs.one]\nrun = \"x\"\n",
        ),
        ("/p/a/b/y.toml", ONE),
    ]);
    assert_eq!(
        load_files(&files).unwrap_err(),
        "a/x.toml:1:12: /p/a/b/y.toml is included twice\n  bgproc.toml:1:24: is the other place"
    );
}

#[test]
fn a_pattern_that_finds_nothing_is_a_warning() {
    let files = Memory::with(&[("/p/bgproc.toml", &root("\"apps/*/bgproc.toml\""))]);
    let project = load_files(&files).unwrap();
    assert_eq!(
        shown(&project.warnings),
        "bgproc.toml:1:12: \"apps/*/bgproc.toml\" finds no file"
    );
}
