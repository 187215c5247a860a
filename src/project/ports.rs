//! Ports of jobs, and the offset that keeps checkouts apart.

use std::collections::BTreeMap;

use super::names;

/// The ports of all jobs of a project: job, name, port.
pub type Ports = BTreeMap<String, BTreeMap<String, u16>>;

/// The lead of the variables that have the ports of jobs.
pub(super) const VARIABLE: &str = "BGPROC_PORT_";

/// The step between offsets.
const STEP: u16 = 10;

/// The offset for a checkout: 0 for the main one, else the least multiple of 10 with which all of its ports are
/// free. `None` if there is none.
///
/// The ports as written belong to the main checkout, whether it is up or not.
pub fn offset(ports: &[u16], is_main: bool, is_taken: impl Fn(u16) -> bool) -> Option<u16> {
    if is_main {
        return Some(0);
    }
    let is_free = |offset: u16| {
        ports.iter().all(|port| {
            let moved = port.checked_add(offset);
            moved.is_some_and(|moved| !ports.contains(&moved) && !is_taken(moved))
        })
    };
    (1..=u16::MAX / STEP)
        .map(|step| step * STEP)
        .find(|offset| is_free(*offset))
}

/// The port that `JOB` or `JOB.NAME` means in a template of the job `from`. The error says what is wrong.
pub(super) fn port_of(ports: &Ports, from: &str, reference: &str) -> Result<u16, String> {
    let exists = |name: &str| ports.contains_key(name);
    let job = |name: &str| names::resolved(from, name, exists);
    if let Some(name) = job(reference) {
        let own = ports.get(&name).into_iter().flatten();
        let own: Vec<(&String, &u16)> = own.collect();
        if let Some((_, port)) = own.iter().find(|(name, _)| name.is_empty()) {
            return Ok(**port);
        }
        return match own[..] {
            [(_, port)] => Ok(*port),
            [] => Err(format!("[jobs.{name}] has no port")),
            _ => {
                let names = own
                    .iter()
                    .map(|(port, _)| format!("${{port.{reference}.{port}}}"));
                let names: Vec<String> = names.collect();
                Err(format!(
                    "[jobs.{name}] has several ports; write {}",
                    names.join(" or ")
                ))
            }
        };
    }
    // Names of jobs may have dots, so the last one parts job and port.
    let found = reference
        .rsplit_once('.')
        .and_then(|(name, port)| Some((job(name)?, port)));
    let Some((name, port)) = found else {
        return Err(format!("\"{reference}\" is not a job of this project"));
    };
    let own = ports.get(&name).and_then(|own| own.get(port));
    own.copied()
        .ok_or_else(|| format!("[jobs.{name}] has no port \"{port}\""))
}

/// The one port of a job that has a single or only one named port.
pub(super) fn single(own: &BTreeMap<String, u16>) -> Option<u16> {
    match own.get("") {
        Some(port) => Some(*port),
        None if own.len() == 1 => own.values().next().copied(),
        None => None,
    }
}

/// The variables with the ports of all jobs. A job with one port has one without the name of the port, too.
pub(super) fn variables(ports: &Ports) -> BTreeMap<String, u16> {
    let mut variables = BTreeMap::new();
    for (job, own) in ports {
        let named = own.iter().map(|(name, port)| (name.as_str(), *port));
        let only = single(own).map(|port| ("", port));
        let all = named.chain(only);
        variables.extend(all.map(|(name, port)| (variable(job, name), port)));
    }
    variables
}

/// The name of the variable with the port of a job: `BGPROC_PORT_WEB_DEV` for `web/dev`.
pub(super) fn variable(job: &str, name: &str) -> String {
    let mut variable = VARIABLE.to_owned();
    variable.push_str(job);
    if !name.is_empty() {
        variable.push('_');
        variable.push_str(name);
    }
    let upper = variable.chars().map(|c| match c {
        c if c.is_ascii_alphanumeric() => c.to_ascii_uppercase(),
        _ => '_',
    });
    upper.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_main_checkout_has_its_ports_as_written() {
        assert_eq!(offset(&[3000], true, |_| true), Some(0));
        assert_eq!(offset(&[3000], false, |_| false), Some(10));
        assert_eq!(offset(&[3000, 4000], false, |port| port == 4010), Some(20));
        // A shifted port may not be one that the main checkout uses.
        assert_eq!(offset(&[3000, 3010], false, |_| false), Some(20));
        assert_eq!(offset(&[65000], false, |port| port < 65530), Some(530));
        assert_eq!(offset(&[65535], false, |_| false), None);
        assert_eq!(offset(&[], false, |_| true), Some(10));
    }

    fn ports() -> Ports {
        let own = |list: &[(&str, u16)]| {
            let own = list.iter().map(|(name, port)| ((*name).to_owned(), *port));
            own.collect::<BTreeMap<_, _>>()
        };
        let jobs = [
            ("api", own(&[("http", 3000), ("admin", 3001)])),
            ("db.main", own(&[("", 5432)])),
            ("one", own(&[("http", 80)])),
            ("none", own(&[])),
            ("web/db.main", own(&[("", 5433)])),
        ];
        jobs.into_iter()
            .map(|(name, own)| (name.to_owned(), own))
            .collect()
    }

    #[test]
    fn references_mean_ports() {
        let ports = ports();
        for (from, reference, port) in [
            ("x", "api.http", 3000),
            ("x", "db.main", 5432),
            ("web/x", "db.main", 5433),
            ("x", "web/db.main", 5433),
            ("x", "one", 80),
            ("x", "one.http", 80),
        ] {
            assert_eq!(port_of(&ports, from, reference), Ok(port), "{reference}");
        }
        for (reference, why) in [
            (
                "api",
                "[jobs.api] has several ports; write ${port.api.admin} or ${port.api.http}",
            ),
            ("api.x", "[jobs.api] has no port \"x\""),
            ("none", "[jobs.none] has no port"),
            ("zebra", "\"zebra\" is not a job of this project"),
            ("zebra.x", "\"zebra.x\" is not a job of this project"),
        ] {
            assert_eq!(port_of(&ports, "x", reference), Err(why.to_owned()));
        }
    }

    #[test]
    fn variables_are_upper_case() {
        assert_eq!(variable("web/dev-1.x", ""), "BGPROC_PORT_WEB_DEV_1_X");
        assert_eq!(variable("api", "http"), "BGPROC_PORT_API_HTTP");
    }
}
