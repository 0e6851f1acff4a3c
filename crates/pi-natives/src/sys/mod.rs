//! What the binding needs of the host below napi-rs: its event loop. The one place of this crate with raw calls.

#[cfg(target_os = "linux")]
mod event_loop;
#[cfg(target_os = "linux")]
mod uv;

#[cfg(target_os = "linux")]
pub(crate) use event_loop::LoopWatch;
