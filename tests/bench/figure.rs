//! Figures with bounds: how they are collected, shown and judged.

use std::process::ExitCode;

use crate::guard;

/// A scene's name, and what gives its figures.
pub(crate) type Scene = (&'static str, fn(&'static str) -> Vec<Figure>);

/// A figure, and what it may be at most; infinite if that is open.
pub(crate) struct Figure {
    scene: &'static str,
    what: String,
    value: f64,
    unit: &'static str,
    bound: f64,
}

impl Figure {
    fn is_kept(&self) -> bool {
        self.value <= self.bound
    }

    fn row(&self, markdown: bool) -> String {
        let Self {
            scene, what, unit, ..
        } = self;
        let value = number(self.value);
        if markdown {
            return format!("| {scene} | {what} | {value} {unit} |");
        }
        let shown = format!("{scene:24} {what:52} {value:>7} {unit:4}");
        if self.bound.is_infinite() {
            return shown;
        }
        let mark = if self.is_kept() { "" } else { "  NOT KEPT" };
        format!("{shown} (at most {}){mark}", number(self.bound))
    }
}

fn number(value: f64) -> String {
    match value {
        ..10.0 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}

/// Collects the figures of a scene.
pub(crate) struct Figures(pub(crate) &'static str, pub(crate) Vec<Figure>);

impl Figures {
    pub(crate) fn add(&mut self, what: &str, value: f64, unit: &'static str, bound: f64) {
        self.1.push(Figure {
            scene: self.0,
            what: what.to_owned(),
            value,
            unit,
            bound,
        });
    }

    pub(crate) fn millis(&mut self, what: &str, seconds: f64, bound: f64) {
        self.add(what, seconds * 1000.0, "ms", bound);
    }
}

/// Plays the scenes that the command line selects; a failure if a bound is not kept.
pub(crate) fn play(scenes: &[Scene]) -> ExitCode {
    let mut args = std::env::args().skip(1);
    let (mut only, mut markdown) = (Vec::new(), false);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--only" => only.push(args.next().expect("a part of a scene's name")),
            "--markdown" => markdown = true,
            // What `cargo bench` adds.
            "--bench" => {}
            other => panic!("`{other}`: there are --only PART and --markdown"),
        }
    }
    guard::watch_signals();
    let is_wanted =
        |name: &str| only.is_empty() || only.iter().any(|part| name.contains(part.as_str()));
    let mut all_kept = true;
    for &(name, play) in scenes {
        if !is_wanted(name) {
            continue;
        }
        eprintln!("{name} …");
        for figure in play(name) {
            println!("{}", figure.row(markdown));
            all_kept &= figure.is_kept();
        }
    }
    if all_kept {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
