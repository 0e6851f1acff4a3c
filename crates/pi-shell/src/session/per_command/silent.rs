//! A run whose output has no reader: a snapshot's, before the session's first command.

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::job::Job;
use crate::observer::Observer;
use crate::request::RunOptions;

/// Time that a snapshot may take.
const SNAPSHOT_LIMIT: Duration = Duration::from_secs(5);

/// A run of nothing, for the sake of the state that it leaves.
pub(super) fn silent_job(cancel: &CancellationToken) -> Job {
    Job {
        options: RunOptions { timeout: Some(SNAPSHOT_LIMIT), ..RunOptions::default() },
        observer: Arc::new(Silent),
        cancel: cancel.clone(),
    }
}

/// Hears nothing.
struct Silent;

impl Observer for Silent {}
