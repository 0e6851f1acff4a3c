//! Which ports the processes of a session listen on, and who has a port here.

use std::time::{SystemTime, UNIX_EPOCH};

use pi_shell::ListeningPort;
use serde_json::{Value, json};

use super::Engine;
use super::tasks::blocking;
use crate::message::{Failure, Listeners};

/// Most ports of one answer: more of them tell nothing more.
const MAX_PORTS: usize = 4_096;

impl Engine {
    /// Looks, where that holds nothing else up.
    pub(super) async fn ports(&self, of: Listeners) -> Result<Value, Failure> {
        let root = match of {
            // One that has not run a command has no process.
            Listeners::Session(session) => self.shell(session)?.root_pid(),
            Listeners::Port(_) => None,
        };
        let found = blocking(move || {
            Ok(match of {
                Listeners::Session(_) => pi_shell::listening_ports(root.as_slice()),
                Listeners::Port(port) => pi_shell::port_holder(port).into_iter().collect(),
            })
        });
        let found = found.await?;
        let ports: Vec<Value> = found.into_iter().take(MAX_PORTS).map(shown).collect();
        // Near cannot compare times of this clock with its own otherwise.
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
        Ok(json!({ "clockMs": u64::try_from(now).unwrap_or(u64::MAX), "ports": ports }))
    }
}

fn shown(found: ListeningPort) -> Value {
    let mut shown = json!({
        "port": found.port,
        "address": found.address.to_string(),
        "startedAtMs": found.started_at_ms,
        "isInside": found.is_inside,
    });
    if let Some((pid, program)) = found.program {
        shown["pid"] = pid.into();
        shown["program"] = program.into();
    }
    shown
}
