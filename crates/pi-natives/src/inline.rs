//! Runs that the JavaScript thread polls itself: begun in the call, and ended in the turn of the event loop in which
//! the shell's report came. What that is good for stands in `pi-shell`'s `inline`; here it meets libuv.

#[cfg(target_os = "linux")]
pub(crate) use linux::Inline;

#[cfg(target_os = "linux")]
mod linux {
    use std::os::fd::AsFd as _;
    use std::sync::Arc;
    use std::time::Duration;

    use napi::bindgen_prelude::{Env, FunctionRef, Unknown};
    use pi_shell::InlineRuns;
    use tokio::runtime::Handle;

    use crate::mailbox::ReadyQueue;
    use crate::runtime;
    use crate::sys::LoopWatch;

    /// The inline runs of one environment; none where its host has no event loop for them.
    #[derive(Default)]
    pub(crate) struct Inline(Option<(Arc<InlineRuns>, LoopWatch)>);

    impl Inline {
        /// Inline runs whose ends JavaScript takes by `drain`.
        pub(crate) fn start(
            env: Env,
            drain: FunctionRef<(), Unknown<'static>>,
            queue: &Arc<ReadyQueue>,
        ) -> Self {
            Self::try_start(env, drain, queue).unwrap_or_default()
        }

        fn try_start(
            env: Env,
            drain: FunctionRef<(), Unknown<'static>>,
            queue: &Arc<ReadyQueue>,
        ) -> Option<Self> {
            let runs = InlineRuns::new(runtime::handle().ok()?).ok()?;
            let (watched, queue) = (Arc::clone(&runs), Arc::clone(queue));
            let on_ready = move || {
                let hush = queue.hush();
                watched.turn();
                hush.end()
            };
            let watch = LoopWatch::start(env, runs.as_fd(), drain, Box::new(on_ready))?;
            Some(Self(Some((runs, watch))))
        }

        /// Begins an operation on this thread, and waits here for its end for at most `spin`.
        pub(crate) fn begin(
            &self,
            handle: &Handle,
            operation: impl Future<Output = ()> + Send + 'static,
            spin: Duration,
        ) {
            let Some((runs, _)) = &self.0 else {
                drop(handle.spawn(operation));
                return;
            };
            runs.begin(operation);
            if !spin.is_zero() {
                runs.turn_within(spin);
            }
        }
    }
}

#[cfg(not(target_os = "linux"))]
pub(crate) use elsewhere::Inline;

#[cfg(not(target_os = "linux"))]
mod elsewhere {
    use std::sync::Arc;
    use std::time::Duration;

    use napi::bindgen_prelude::{Env, FunctionRef, Unknown};
    use tokio::runtime::Handle;

    use crate::mailbox::ReadyQueue;

    /// No session keeps a bash here that could report at once, so every operation is the runtime's.
    #[derive(Default)]
    pub(crate) struct Inline(());

    impl Inline {
        /// There are none.
        pub(crate) fn start(
            _env: Env,
            _drain: FunctionRef<(), Unknown<'static>>,
            _queue: &Arc<ReadyQueue>,
        ) -> Self {
            Self::default()
        }

        /// Begins an operation in the runtime.
        #[expect(clippy::unused_self, reason = "the same form as on Linux")]
        pub(crate) fn begin(
            &self,
            handle: &Handle,
            operation: impl Future<Output = ()> + Send + 'static,
            _spin: Duration,
        ) {
            drop(handle.spawn(operation));
        }
    }
}
