//! The order in which the jobs of a project are needed.

use std::collections::{BTreeMap, BTreeSet};

use super::wish::Wish;

/// The place of each job: what is needed comes before what needs it, and otherwise the order of the file stays.
/// `file` has the names in the order of the file. Jobs in a circle of needs, which no file has, come last.
pub fn places(wish: &Wish, file: &[String]) -> BTreeMap<String, u32> {
    let at: BTreeMap<&str, usize> = file
        .iter()
        .enumerate()
        .map(|(at, name)| (name.as_str(), at))
        .collect();
    let mut open = vec![0_usize; file.len()];
    let mut users: Vec<Vec<usize>> = vec![Vec::new(); file.len()];
    for (user, name) in file.iter().enumerate() {
        let needs = wish.jobs.get(name).into_iter().flat_map(|job| &job.needs);
        for needed in needs.filter_map(|need| at.get(need.job.as_str())) {
            open[user] += 1;
            users[*needed].push(user);
        }
    }
    let free = |open: &[usize]| (0..open.len()).filter(|&at| open[at] == 0).collect();
    let mut next: BTreeSet<usize> = free(&open);
    let mut order: Vec<usize> = Vec::with_capacity(file.len());
    while let Some(first) = next.pop_first() {
        order.push(first);
        for &user in &users[first] {
            open[user] -= 1;
            if open[user] == 0 {
                next.insert(user);
            }
        }
    }
    order.extend((0..file.len()).filter(|&at| open[at] > 0));
    order
        .into_iter()
        .zip(0..)
        .map(|(at, place)| (file[at].clone(), place))
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::engine::project::{JobWish, Level, Need};

    fn wish(jobs: &[(&str, &[&str])]) -> (Wish, Vec<String>) {
        let mut wish = Wish::default();
        for (name, needs) in jobs {
            let needs = needs.iter().map(|job| Need {
                job: (*job).to_owned(),
                is: Level::Started,
                restart: false,
            });
            let job = JobWish {
                needs: needs.collect(),
                ..JobWish::default()
            };
            wish.jobs.insert((*name).to_owned(), job);
        }
        let file = jobs.iter().map(|(name, _)| (*name).to_owned());
        (wish, file.collect())
    }

    fn ordered(jobs: &[(&str, &[&str])]) -> Vec<String> {
        let (wish, file) = wish(jobs);
        let mut names: Vec<(u32, String)> = places(&wish, &file)
            .into_iter()
            .map(|(name, place)| (place, name))
            .collect();
        names.sort();
        names.into_iter().map(|(_, name)| name).collect()
    }

    #[test]
    fn what_is_needed_comes_first_and_else_the_file_decides() {
        let jobs: [(&str, &[&str]); 5] = [
            ("web", &["api"]),
            ("api", &["migrate", "db"]),
            ("migrate", &["db"]),
            ("db", &[]),
            ("docs", &["gone"]),
        ];
        assert_eq!(ordered(&jobs), ["db", "migrate", "api", "web", "docs"]);
        let circle: [(&str, &[&str]); 3] = [("a", &["b"]), ("b", &["a"]), ("c", &[])];
        assert_eq!(ordered(&circle), ["c", "a", "b"]);
    }

    proptest! {
        /// Each job has a place of its own, after all that it needs.
        #[test]
        fn needs_come_before(needs in prop::collection::vec(prop::collection::vec(0..40_usize, 0..4), 1..40), turn in 0..40_usize) {
            // A job needs only those with a lower number; the file has them in another order.
            let name = |at: usize| format!("j{at}");
            let lists: Vec<Vec<String>> = needs
                .iter()
                .enumerate()
                .map(|(at, list)| list.iter().filter(|&&other| other < at).map(|&other| name(other)).collect())
                .collect();
            let mut jobs: Vec<(String, Vec<String>)> = lists.into_iter().enumerate().map(|(at, list)| (name(at), list)).collect();
            let turn = turn % jobs.len();
            jobs.rotate_left(turn);
            let borrowed: Vec<(&str, Vec<&str>)> = jobs.iter().map(|(name, list)| (name.as_str(), list.iter().map(String::as_str).collect())).collect();
            let borrowed: Vec<(&str, &[&str])> = borrowed.iter().map(|(name, list)| (*name, list.as_slice())).collect();
            let (wish, file) = wish(&borrowed);
            let places = places(&wish, &file);
            prop_assert_eq!(places.values().collect::<BTreeSet<_>>().len(), file.len());
            for (name, list) in &jobs {
                for other in list {
                    prop_assert!(places[other] < places[name]);
                }
            }
        }
    }
}
