//! Instructions of a processor that the compiler does not use by itself.

#[cfg(target_arch = "x86_64")]
pub(crate) mod blocks;
pub(crate) mod vector_utf16;
