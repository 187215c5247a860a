//! Links to other hosts: any command whose stdin and stdout reach a `bgproc relay` there.
//!
//! `ssh HOST …` is such a command, `docker exec -i …` and `kubectl exec -i …` are others. [`host`] says how a host
//! is reached, [`script`] is what its shell runs, [`spawn`] starts the command and waits until the relay answers,
//! and [`fault`] turns what the command said on stderr into an error. [`install`] copies bgproc to a host.
//!
//! A link carries channels: each is one connection to the daemon of that host. [`frames`] is their form on the
//! link, [`channels`] their state (windows, turns), and [`mux`] moves the bytes between the link and sockets. Both
//! ends use it; they differ only in who opens channels.
//!
//! So what speaks to a socket speaks to a link unchanged. Nothing here knows what the daemons say to each other.

pub mod channels;
pub mod fault;
pub mod frames;
pub mod host;
pub mod install;
pub mod mux;
pub mod script;
pub mod spawn;

pub use host::Host;
pub use spawn::Link;
