//! A descriptor that the event loop of an environment watches for us.
//!
//! The loop calls back on the JavaScript thread, in the turn in which the descriptor became readable. The handle does
//! not keep the loop alive. It is closed when it is dropped, or by the environment's clean-up if that comes first:
//! libuv wants each handle closed before its loop ends.
#![expect(unsafe_code, reason = "handles of libuv and callbacks of N-API are raw pointers")]

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::os::fd::{AsRawFd as _, BorrowedFd};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::rc::Rc;

use napi::bindgen_prelude::{Env, FunctionRef, Unknown};
use napi::sys;

use super::uv::{READABLE, Uv};

/// What is called on the JavaScript thread. Where it returns true, JavaScript is called after it.
type OnReady = Box<dyn Fn() -> bool>;

/// Alignment of a handle: that of the widest type which it may hold.
const HANDLE_ALIGNMENT: usize = 16;

/// A descriptor that is watched.
pub(crate) struct LoopWatch(Rc<Watched>);

struct Watched {
    uv: Uv,
    env: Env,
    /// Null once libuv is done with it.
    handle: Cell<*mut c_void>,
    layout: Layout,
    is_closing: Cell<bool>,
    /// The environment's clean-up waits until this hook is removed.
    hook: Cell<sys::napi_async_cleanup_hook_handle>,
    on_ready: OnReady,
    /// Called in the same turn, in a scope of its own, so that promises go on at once.
    drain: FunctionRef<(), Unknown<'static>>,
}

impl LoopWatch {
    /// Watches `descriptor`, which `on_ready` keeps open. None where the host has no loop that can do it.
    pub(crate) fn start(
        env: Env,
        descriptor: BorrowedFd<'_>,
        drain: FunctionRef<(), Unknown<'static>>,
        on_ready: OnReady,
    ) -> Option<Self> {
        let uv = Uv::get()?;
        let event_loop = env.get_uv_event_loop().ok()?;
        let layout = Layout::from_size_align(uv.poll_size(), HANDLE_ALIGNMENT).ok()?;
        // SAFETY: a handle is never of size 0.
        let handle = unsafe { alloc_zeroed(layout) }.cast::<c_void>();
        if handle.is_null() {
            return None;
        }
        // SAFETY: the loop is the environment's, this is its thread, and the memory is large enough.
        let failed = unsafe { (uv.poll_init)(event_loop.cast(), handle, descriptor.as_raw_fd()) };
        if failed != 0 {
            // SAFETY: libuv did not take the handle.
            unsafe { dealloc(handle.cast(), layout) };
            return None;
        }
        let watched = Rc::new(Watched {
            uv,
            env,
            handle: Cell::new(handle),
            layout,
            is_closing: Cell::new(false),
            hook: Cell::new(ptr::null_mut()),
            on_ready,
            drain,
        });
        let own = Rc::into_raw(Rc::clone(&watched)).cast_mut().cast::<c_void>();
        let mut hook = ptr::null_mut();
        // SAFETY: `own` lives until `on_closed`, which every way to close ends in.
        unsafe { (uv.set_data)(handle, own) };
        // SAFETY: a live handle of this thread's loop.
        unsafe { (uv.unref)(handle) };
        // SAFETY: the hook is removed before `own` is freed.
        unsafe {
            sys::napi_add_async_cleanup_hook(env.raw(), Some(on_cleanup), own, &raw mut hook)
        };
        watched.hook.set(hook);
        let watch = Self(watched);
        // SAFETY: the handle was made above and is not closed.
        let failed = unsafe { (uv.poll_start)(handle, READABLE, on_poll) };
        // Dropped, it is closed.
        (failed == 0 && !hook.is_null()).then_some(watch)
    }
}

impl Drop for LoopWatch {
    fn drop(&mut self) {
        self.0.close();
    }
}

impl Watched {
    fn close(&self) {
        let handle = self.handle.get();
        if handle.is_null() || self.is_closing.replace(true) {
            return;
        }
        // SAFETY: the handle is live, and this is its loop's thread.
        unsafe { (self.uv.poll_stop)(handle) };
        // SAFETY: as above, and it is closed once.
        unsafe { (self.uv.close)(handle, on_closed) };
    }

    /// Calls JavaScript as from the event loop: what it queues runs before the call returns.
    fn call_drain(&self) {
        let env = self.env.raw();
        let mut scope = ptr::null_mut();
        // SAFETY: on the thread of the environment, which is not over: its handles are closed before.
        if unsafe { sys::napi_open_handle_scope(env, &raw mut scope) } != sys::Status::napi_ok {
            return;
        }
        self.call_in_scope(env);
        // SAFETY: opened above.
        unsafe { sys::napi_close_handle_scope(env, scope) };
    }

    fn call_in_scope(&self, env: sys::napi_env) {
        let Ok(drain) = self.drain.borrow_back(&self.env) else { return };
        let (function, none) = (napi::JsValue::raw(&drain), ptr::null());
        let (mut global, mut result, mut error) =
            (ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
        // SAFETY: a handle scope of this environment is open, on its thread.
        unsafe { sys::napi_get_global(env, &raw mut global) };
        // SAFETY: as above; the values are of this scope. Without a context, the call is in none.
        let called = unsafe {
            sys::napi_make_callback(
                env,
                ptr::null_mut(),
                global,
                function,
                0,
                none,
                &raw mut result,
            )
        };
        if called != sys::Status::napi_pending_exception {
            return;
        }
        // SAFETY: as above.
        let cleared = unsafe { sys::napi_get_and_clear_last_exception(env, &raw mut error) };
        if cleared == sys::Status::napi_ok {
            // SAFETY: as above; the error is of this scope.
            unsafe { sys::napi_fatal_exception(env, error) };
        }
    }
}

/// The descriptor is readable, or cannot be watched any more.
unsafe extern "C" fn on_poll(handle: *mut c_void, _status: c_int, _events: c_int) {
    let Some(uv) = Uv::get() else { return };
    // SAFETY: a live handle.
    let own = unsafe { (uv.data)(handle) };
    // SAFETY: set when the handle was made; freed by `on_closed`, after which libuv does not call.
    let watched = unsafe { &*own.cast::<Watched>() };
    // No panic may leave this function, and there is nothing else to do about one.
    let has_more = catch_unwind(AssertUnwindSafe(|| (watched.on_ready)())).unwrap_or(true);
    if has_more {
        watched.call_drain();
    }
}

/// The environment ends.
unsafe extern "C" fn on_cleanup(_hook: sys::napi_async_cleanup_hook_handle, own: *mut c_void) {
    // SAFETY: removed by `on_closed` before `own` is freed.
    unsafe { &*own.cast::<Watched>() }.close();
}

/// Libuv is done with the handle.
unsafe extern "C" fn on_closed(handle: *mut c_void) {
    let Some(uv) = Uv::get() else { return };
    // SAFETY: the handle's memory is still ours.
    let own = unsafe { (uv.data)(handle) };
    // SAFETY: the count that `start` gave away comes back here, once.
    let watched = unsafe { Rc::from_raw(own.cast::<Watched>().cast_const()) };
    watched.handle.set(ptr::null_mut());
    // SAFETY: allocated with this layout, and libuv has no use for it any more.
    unsafe { dealloc(handle.cast(), watched.layout) };
    if !watched.hook.get().is_null() {
        // SAFETY: added once, and removed here once.
        unsafe { sys::napi_remove_async_cleanup_hook(watched.hook.get()) };
    }
}
