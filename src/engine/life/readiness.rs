//! Whether the current run is ready, as its probe says.

use serde::{Deserialize, Serialize};

use super::Life;

/// Result of a probe.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Probed {
    /// The probe held.
    Ready,
    /// The probe did not hold within its time limit. It continues.
    Late,
    /// The probe held, and does not any more. It continues.
    Lost,
}

/// What the probe of the current run has found.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Readiness {
    /// Absent while it has found nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    probed: Option<Probed>,
    /// Since when it is not ready any more, in boot-time milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    unready_since: Option<u64>,
}

/// Its readiness.
impl Life {
    /// Sets the result of the probe.
    pub fn set_probed(&mut self, probed: Probed) {
        self.readiness.probed = Some(probed);
        self.readiness.unready_since = None;
    }

    /// The probe does not hold any more, at `boot` (boot-time milliseconds).
    pub fn lost_readiness(&mut self, boot: u64) {
        self.set_probed(Probed::Lost);
        self.readiness.unready_since = Some(boot);
    }

    /// It could not be ready while it was paused: the time without readiness begins again at `boot` (boot-time
    /// milliseconds).
    pub fn forgive_unready(&mut self, boot: u64) {
        let since = &mut self.readiness.unready_since;
        *since = since.map(|_| boot);
    }

    /// Since when it is not ready any more, in boot-time milliseconds.
    pub fn unready_since(&self) -> Option<u64> {
        self.readiness.unready_since
    }

    /// Result of the probe in this run.
    pub fn probed(&self) -> Option<Probed> {
        self.readiness.probed
    }
}
