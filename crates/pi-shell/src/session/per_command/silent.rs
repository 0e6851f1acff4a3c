//! A run whose output has no reader: a snapshot's, before the session's first command.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::job::Job;
use crate::observer::{Observer, SinkUpdate};
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

impl Observer for Silent {
    fn wants_chunks(&self) -> bool {
        false
    }

    fn chunk(&self, _text: &str) {}

    fn room(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(std::future::ready(()))
    }

    fn wants_updates(&self) -> bool {
        false
    }

    fn update(&self, _update: SinkUpdate) {}
}
