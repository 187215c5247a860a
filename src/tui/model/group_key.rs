//! What identifies a group of the list.

use std::fmt;

/// The key of a group: its host, and what its jobs have in common there. The order is that of the headings of one host
/// that nothing else puts in order.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct GroupKey {
    /// The host of its jobs; `None` for this machine.
    pub host: Option<String>,
    /// What they have in common.
    pub inner: Inner,
}

/// What the jobs of a group have in common.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Inner {
    /// Only their host: they have neither group nor project.
    Nothing,
    /// The directory in which they run.
    Dir(String),
    /// The name of their group.
    Named(String),
    /// The directory of their project.
    Project(String),
}

/// The beginning of the text of a key with a host. The name of the host follows.
const HOST: &str = "h:";

/// What stands between the host and the rest in that text.
const REST: char = '/';

impl GroupKey {
    /// The key of a group on this machine.
    pub fn here(inner: Inner) -> Self {
        Self { host: None, inner }
    }

    /// The key of a group on a host.
    pub fn on_host(host: &str, inner: Inner) -> Self {
        Self {
            host: Some(host.to_owned()),
            inner,
        }
    }

    /// The host of its jobs; `None` for this machine.
    pub fn host(&self) -> Option<&str> {
        self.host.as_deref()
    }

    /// The name of the group, if it is one of this machine that has a name.
    pub fn name_here(&self) -> Option<&str> {
        match (&self.host, &self.inner) {
            (None, Inner::Named(name)) => Some(name),
            _ => None,
        }
    }

    /// The directory of the project whose jobs it has, on its host.
    pub fn project(&self) -> Option<&str> {
        match &self.inner {
            Inner::Project(dir) => Some(dir),
            _ => None,
        }
    }

    /// The directory of the project, if it is one of this machine.
    pub fn project_here(&self) -> Option<&str> {
        self.project().filter(|_| self.host.is_none())
    }

    /// Parses the text of a key, as the file has it in which the view of the list is kept.
    pub fn parse(text: &str) -> Option<Self> {
        let Some(rest) = text.strip_prefix(HOST) else {
            return Some(Self::here(Inner::parse(text)?));
        };
        Some(match rest.split_once(REST) {
            Some((host, inner)) => Self::on_host(host, Inner::parse(inner)?),
            None => Self::on_host(rest, Inner::Nothing),
        })
    }
}

/// `g:shop`, `h:gpu1/p:/srv/shop`, `h:gpu1`.
impl fmt::Display for GroupKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.host, &self.inner) {
            (None, inner) => write!(f, "{inner}"),
            (Some(host), Inner::Nothing) => write!(f, "{HOST}{host}"),
            (Some(host), inner) => write!(f, "{HOST}{host}{REST}{inner}"),
        }
    }
}

impl Inner {
    fn parse(text: &str) -> Option<Self> {
        let (kind, rest) = text.split_once(':')?;
        let rest = rest.to_owned();
        match kind {
            "d" => Some(Self::Dir(rest)),
            "g" => Some(Self::Named(rest)),
            "p" => Some(Self::Project(rest)),
            _ => None,
        }
    }
}

impl fmt::Display for Inner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => Ok(()),
            Self::Dir(dir) => write!(f, "d:{dir}"),
            Self::Named(name) => write!(f, "g:{name}"),
            Self::Project(dir) => write!(f, "p:{dir}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_read_as_it_is_written() {
        let named = Inner::Named("shop/a:b".to_owned());
        for (key, text) in [
            (GroupKey::here(named.clone()), "g:shop/a:b"),
            (GroupKey::here(Inner::Dir("/tmp".to_owned())), "d:/tmp"),
            (
                GroupKey::here(Inner::Project("/srv/shop".to_owned())),
                "p:/srv/shop",
            ),
            (GroupKey::on_host("gpu-1", named), "h:gpu-1/g:shop/a:b"),
            (GroupKey::on_host("gpu-1", Inner::Nothing), "h:gpu-1"),
        ] {
            assert_eq!(key.to_string(), text);
            assert_eq!(GroupKey::parse(text), Some(key));
        }
        assert_eq!(GroupKey::parse("x:y"), None);
        assert_eq!(GroupKey::parse(""), None);
    }

    #[test]
    fn names_and_projects_of_hosts_are_not_those_of_this_machine() {
        let far = GroupKey::on_host("gpu1", Inner::Project("/srv".to_owned()));
        assert_eq!((far.project(), far.project_here()), (Some("/srv"), None));
        let far = GroupKey::on_host("gpu1", Inner::Named("shop".to_owned()));
        assert_eq!(far.name_here(), None);
        let here = GroupKey::here(far.inner);
        assert_eq!(here.name_here(), Some("shop"));
    }
}
