//! The functions of libuv that are used, looked up in the process that loaded the addon.
//!
//! Node exports them. Bun exports names that end the process when they are called, so whoever asks has to know the
//! host first; a host without them has no event loop to watch with.
#![expect(unsafe_code, reason = "C functions, found by name")]

use std::ffi::{CStr, c_int, c_uint, c_void};
use std::sync::OnceLock;

/// `UV_POLL` of `uv_handle_type`, the same in all of libuv 1.
const POLL_HANDLE: c_uint = 8;

/// `UV_READABLE`.
pub(super) const READABLE: c_int = 1;

/// Called with the handle, a status (negative: an error) and what the descriptor is ready for.
pub(super) type OnReady = unsafe extern "C" fn(*mut c_void, c_int, c_int);

/// Called once libuv is done with a handle.
pub(super) type OnClosed = unsafe extern "C" fn(*mut c_void);

/// The functions.
#[derive(Clone, Copy)]
pub(super) struct Uv {
    handle_size: unsafe extern "C" fn(c_uint) -> usize,
    pub(super) poll_init: unsafe extern "C" fn(*mut c_void, *mut c_void, c_int) -> c_int,
    pub(super) poll_start: unsafe extern "C" fn(*mut c_void, c_int, OnReady) -> c_int,
    pub(super) poll_stop: unsafe extern "C" fn(*mut c_void) -> c_int,
    pub(super) close: unsafe extern "C" fn(*mut c_void, OnClosed),
    pub(super) unref: unsafe extern "C" fn(*mut c_void),
    pub(super) set_data: unsafe extern "C" fn(*mut c_void, *mut c_void),
    pub(super) data: unsafe extern "C" fn(*const c_void) -> *mut c_void,
}

impl Uv {
    /// None where the process does not export one of them.
    pub(super) fn get() -> Option<Self> {
        static FOUND: OnceLock<Option<Uv>> = OnceLock::new();
        *FOUND.get_or_init(Self::find)
    }

    fn find() -> Option<Self> {
        Some(Self {
            handle_size: function(c"uv_handle_size")?,
            poll_init: function(c"uv_poll_init")?,
            poll_start: function(c"uv_poll_start")?,
            poll_stop: function(c"uv_poll_stop")?,
            close: function(c"uv_close")?,
            unref: function(c"uv_unref")?,
            set_data: function(c"uv_handle_set_data")?,
            data: function(c"uv_handle_get_data")?,
        })
    }

    /// Size of a handle that watches a descriptor, in bytes.
    pub(super) fn poll_size(&self) -> usize {
        // SAFETY: reads nothing of ours.
        unsafe { (self.handle_size)(POLL_HANDLE) }
    }
}

/// The function of that name, as the type that libuv's header, version 1, gives it: `F` is a pointer to a function.
fn function<F: Copy>(name: &CStr) -> Option<F> {
    const { assert!(size_of::<F>() == size_of::<*mut c_void>()) };
    // SAFETY: a C string that lives through the call.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    // SAFETY: of the same size; not null, and of that type as the header says, whose interface is stable.
    (!found.is_null()).then(|| unsafe { std::mem::transmute_copy::<*mut c_void, F>(&found) })
}
