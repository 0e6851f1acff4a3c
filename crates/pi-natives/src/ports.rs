//! Listening ports: looked for on a thread of the pool, since a tree of processes takes some milliseconds.

use napi::bindgen_prelude::AsyncTask;
use napi::{Env, Task};
use napi_derive::napi;

/// A TCP port that a program listens on.
#[napi(object, object_from_js = false)]
pub struct ListeningPort {
    /// Number of the port.
    pub port: u16,
    /// Where it is bound, e.g. `127.0.0.1` or `::`.
    pub address: String,
    /// The process that has the socket; absent where it is another user's.
    pub pid: Option<i32>,
    /// Short name of its program.
    pub program: Option<String>,
    /// When that process started, in milliseconds since the Unix epoch; 0 where that is not known.
    pub started_at_ms: f64,
    /// It is in another network namespace and cannot be reached from here.
    pub is_inside: bool,
}

impl From<pi_shell::ListeningPort> for ListeningPort {
    #[expect(clippy::cast_precision_loss, reason = "milliseconds of a date are exact in a double")]
    fn from(found: pi_shell::ListeningPort) -> Self {
        let (pid, program) = found.program.unzip();
        let pi_shell::ListeningPort { port, address, started_at_ms, is_inside, .. } = found;
        let started_at_ms = started_at_ms as f64;
        Self { port, address: address.to_string(), pid, program, started_at_ms, is_inside }
    }
}

/// Whose ports are looked for.
enum Question {
    Below(Vec<i32>),
    On(u16),
}

/// One look at ports.
pub struct Looking(Question);

impl Task for Looking {
    type Output = Vec<pi_shell::ListeningPort>;
    type JsValue = Vec<ListeningPort>;

    fn compute(&mut self) -> napi::Result<Self::Output> {
        Ok(match &self.0 {
            Question::Below(roots) => pi_shell::listening_ports(roots),
            Question::On(port) => pi_shell::port_holder(*port).into_iter().collect(),
        })
    }

    fn resolve(&mut self, _env: Env, output: Self::Output) -> napi::Result<Self::JsValue> {
        Ok(output.into_iter().map(ListeningPort::from).collect())
    }
}

/// The ports of processes and of everything below them, by number and address.
#[napi(catch_unwind, ts_return_type = "Promise<Array<ListeningPort>>")]
pub fn listening_ports(roots: Vec<i32>) -> AsyncTask<Looking> {
    AsyncTask::new(Looking(Question::Below(roots)))
}

/// Who listens on a port of this machine; nothing where it is free.
#[napi(catch_unwind, ts_return_type = "Promise<Array<ListeningPort>>")]
pub fn port_holder(port: u16) -> AsyncTask<Looking> {
    AsyncTask::new(Looking(Question::On(port)))
}
