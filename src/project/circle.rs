//! Finds jobs that need each other in a circle.

use super::fault::{Fault, Faults};
use super::place::Place;

/// Reports circles: one fault for each, with the place of every edge. `edges` are, for each job, the jobs that it
/// needs and where it says so.
pub(super) fn report(names: &[&str], edges: &[Vec<(usize, Place)>], faults: &Faults) {
    let mut search = Search {
        edges,
        state: vec![State::New; edges.len()],
        path: Vec::new(),
    };
    let mut in_circles = vec![false; edges.len()];
    for start in 0..edges.len() {
        while let Some(circle) = search.next(start) {
            // Jobs can form many circles through the same edges; one of them is enough to begin with.
            if circle
                .iter()
                .any(|(at, _)| in_circles.get(*at) == Some(&true))
            {
                continue;
            }
            for (at, _) in &circle {
                if let Some(known) = in_circles.get_mut(*at) {
                    *known = true;
                }
            }
            faults.push(fault(names, &circle));
        }
    }
}

/// A circle as its jobs, each with the place where it needs the next one.
type Circle = Vec<(usize, Place)>;

fn fault(names: &[&str], circle: &Circle) -> Fault {
    let first = circle
        .iter()
        .enumerate()
        .min_by_key(|(_, (_, place))| place.clone());
    let first = first.map_or(0, |(at, _)| at);
    let mut circle = circle.clone();
    circle.rotate_left(first);
    let name = |at: &(usize, Place)| names.get(at.0).copied().unwrap_or_default();
    let next = circle.iter().cycle().skip(1);
    let edges = circle.iter().zip(next);
    let mut edges = edges.map(|(from, to)| {
        let message = format!("\"{}\" needs \"{}\"", name(from), name(to));
        Fault::at(&from.1, message)
    });
    let mut words: Vec<&str> = circle.iter().map(name).collect();
    words.extend(circle.first().map(name));
    let mut fault = edges
        .next()
        .unwrap_or_else(|| Fault::of_file("".as_ref(), ""));
    fault.message = format!("jobs need each other in a circle: {}", words.join(" -> "));
    fault.also = edges.collect();
    fault
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    /// On the path from the start.
    Open,
    Done,
}

/// A search in depth. It has its own stack, because a chain of needs can be as long as there are jobs.
struct Search<'a> {
    edges: &'a [Vec<(usize, Place)>],
    state: Vec<State>,
    /// The jobs from the start, each with the number of edges that were followed.
    path: Vec<(usize, usize)>,
}

impl Search<'_> {
    /// The next circle that can be reached from `start`.
    fn next(&mut self, start: usize) -> Option<Circle> {
        if self.path.is_empty() {
            if self.state.get(start) != Some(&State::New) {
                return None;
            }
            self.open(start);
        }
        while let Some((at, followed)) = self.path.last_mut() {
            let edge = self.edges.get(*at).and_then(|edges| edges.get(*followed));
            *followed += 1;
            let at = *at;
            match edge.map(|(to, _)| (*to, self.state.get(*to).copied())) {
                None => {
                    self.path.pop();
                    self.set(at, State::Done);
                }
                Some((to, Some(State::New))) => self.open(to),
                Some((to, Some(State::Open))) => return Some(self.circle(to)),
                Some(_) => {}
            }
        }
        None
    }

    fn open(&mut self, at: usize) {
        self.set(at, State::Open);
        self.path.push((at, 0));
    }

    fn set(&mut self, at: usize, state: State) {
        if let Some(known) = self.state.get_mut(at) {
            *known = state;
        }
    }

    /// The circle that the last edge closes at `to`.
    fn circle(&self, to: usize) -> Circle {
        let from = self.path.iter().skip_while(|(at, _)| *at != to);
        from.filter_map(|(at, followed)| {
            let edge = self.edges.get(*at)?.get(followed.checked_sub(1)?)?;
            Some((*at, edge.1.clone()))
        })
        .collect()
    }
}
