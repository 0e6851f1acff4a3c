//! Errors on their way to JavaScript: a code that callers branch on, and the core's message.

use std::any::Any;
use std::io;

use napi_derive::napi;
use pi_shell::ShellError;

/// The code of an error of ours that should not exist.
const INTERNAL: &str = "PI_INTERNAL";

/// An error thrown from a call; its `code` in JavaScript is the string.
pub(crate) type ThrownError = napi::Error<&'static str>;

/// Why an operation could not be done.
#[napi(object, object_from_js = false)]
pub struct Failure {
    /// Stays the same between releases, e.g. `PI_MISSING_CWD`.
    pub code: String,
    /// For people: names the thing and the remedy.
    pub message: String,
    /// The reason by itself, of a read-only command that could not be run.
    pub reason: Option<String>,
}

impl Failure {
    /// A panic, which is a bug of ours and never the caller's.
    pub(crate) fn panicked(payload: &(dyn Any + Send)) -> Self {
        let said = payload
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| payload.downcast_ref::<&str>().copied())
            .unwrap_or("no message");
        Self::internal(format!(
            "internal error: {said}; this is a bug in pi-bash, please report it"
        ))
    }

    /// The operation's task was dropped before it ended.
    pub(crate) fn dropped() -> Self {
        Self::internal("internal error: the operation was dropped before it ended".to_owned())
    }

    fn internal(message: String) -> Self {
        Self { code: INTERNAL.to_owned(), message, reason: None }
    }
}

impl From<ShellError> for Failure {
    fn from(error: ShellError) -> Self {
        let (code, message) = (error.code().to_owned(), error.to_string());
        let reason = match error {
            ShellError::ReadOnlyUnavailable { reason } => Some(reason),
            _ => None,
        };
        Self { code, message, reason }
    }
}

/// A core error as an exception.
pub(crate) fn thrown(error: ShellError) -> ThrownError {
    ThrownError::new(error.code(), error.to_string())
}

/// No thread for the runtime.
pub(crate) fn no_runtime(source: io::Error) -> ThrownError {
    thrown(ShellError::system("start the threads of the runtime", source))
}
