//! `extends`: a process that takes what it does not say from another one.

use super::super::source::Source;
use super::super::yaml::{Node, Value};
use crate::project::Fault;

/// How long a chain of processes may be.
const MAX_CHAIN: usize = 32;

/// A process with what it takes from the one that it extends.
pub(super) fn resolved(
    source: &Source<'_>,
    processes: &[(String, Node)],
    node: &Node,
) -> Result<Node, Fault> {
    let mut resolved = node.clone();
    let mut last = node;
    for _ in 0..MAX_CHAIN {
        let Some(extends) = last.get("extends").filter(|extends| !extends.is_null()) else {
            return Ok(resolved);
        };
        let base = extends
            .text()
            .and_then(|name| processes.iter().find(|(known, _)| known == name));
        let Some((_, base)) = base else {
            return Err(source.fault(extends, "extends a process that is not in the file"));
        };
        lay(&mut resolved, base, "");
        last = base;
    }
    Err(source.fault(
        node,
        "extends itself, or too many processes one after the other",
    ))
}

/// Adds to `own`, the value of `key`, what only `base` says. Of variables, the own ones come last and win.
fn lay(own: &mut Node, base: &Node, key: &str) {
    match (&mut own.value, &base.value) {
        (Value::Map(own), Value::Map(base)) => {
            for (name, node) in base {
                match own.iter_mut().find(|(known, _)| known == name) {
                    Some((_, known)) => lay(known, node, name),
                    None => own.push((name.clone(), node.clone())),
                }
            }
        }
        (Value::List(own), Value::List(base)) if key == "environment" => {
            own.splice(0..0, base.iter().cloned());
        }
        _ => {}
    }
}
