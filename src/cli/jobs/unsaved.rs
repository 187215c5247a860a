//! What a person is told of a change that the disk has refused.

use crate::cli::output::note;

/// Says that a change of a job is in memory only. `unsaved` is what the record in the reply says.
pub(in crate::cli) fn tell(unsaved: bool) {
    if unsaved {
        note(
            "the change is kept in memory until there is room on the disk; it is lost only if daemon and keeper \
             both end before",
        );
    }
}
