//! Locking without poison.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks a mutex, also where a panic of another thread poisoned it: no change of what is locked so may be left half-done.
pub fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
