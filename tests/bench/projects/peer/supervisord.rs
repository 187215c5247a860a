//! supervisord, which has neither watches nor schedules.

use std::path::Path;
use std::process::Command;

use super::{Job, Peer};

pub(super) struct Supervisord;

impl Peer for Supervisord {
    fn name(&self) -> &'static str {
        "supervisord"
    }

    fn program(&self) -> Option<&'static str> {
        Some("supervisord")
    }

    fn reacts(&self) -> bool {
        false
    }

    fn write(&self, dir: &Path, jobs: &[Job]) {
        let place = dir.display();
        let mut file = format!(
            "[supervisord]\nlogfile={place}/supervisord.log\npidfile={place}/supervisord.pid\nchildlogdir={place}\n\
             minfds=4096\n[unix_http_server]\nfile={place}/socket\n\
             [rpcinterface:supervisor]\n\
             supervisor.rpcinterface_factory=supervisor.rpcinterface:make_main_rpcinterface\n\
             [supervisorctl]\nserverurl=unix://{place}/socket\n"
        );
        for Job { name, line, .. } in jobs {
            file += &format!("[program:{name}]\ncommand=/bin/sh -c '{line}'\n");
        }
        std::fs::write(dir.join("supervisord.conf"), file).unwrap();
    }

    fn up(&self, _: &Path) -> Command {
        let mut command = Command::new("supervisord");
        command.args(["-c", "supervisord.conf"]);
        command
    }

    fn down(&self, _: &Path) -> Command {
        let mut command = Command::new("supervisorctl");
        command.args(["-c", "supervisord.conf", "stop", "all"]);
        command
    }
}
