//! What a program is started with, and its frame on the wire.

use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt as _;
use std::path::PathBuf;

use pi_supervisor::wire::{Limit, MAX_DESCRIPTORS, Request, Resource, Spawn, SpawnStep};

use super::SpawnFailure;
use super::transport::Frame;
use crate::ResourceLimits;

/// A program to start.
#[derive(Debug, Default)]
pub struct SpawnRequest {
    /// Path of the program, then its arguments. The path is not looked up in `PATH`; a relative
    /// one starts at `cwd`.
    pub argv: Vec<OsString>,
    /// The whole environment.
    pub env: Vec<(OsString, OsString)>,
    /// Working directory, absolute. Empty: `/`.
    pub cwd: PathBuf,
    /// Become 0, 1, … in their order; the program has no other. At most 64. With fewer than
    /// three, the remaining standard streams are closed.
    pub descriptors: Vec<OwnedFd>,
    /// Descriptor 0 is a terminal, to become the controlling one of the new session.
    pub controlling_terminal: bool,
    /// File mode creation mask, 0 to 0o777. `None`: the host's.
    pub umask: Option<u32>,
    /// Upper bounds; one above the host's own is lowered to it.
    pub limits: ResourceLimits,
}

impl SpawnRequest {
    /// The frame, or why it cannot be one.
    pub(super) fn into_frame(self, id: u32) -> Result<Frame, SpawnFailure> {
        let count = self.descriptors.len();
        if count > MAX_DESCRIPTORS {
            return Err(SpawnFailure::new(SpawnStep::Descriptors, libc::E2BIG));
        }
        let argv: Vec<Vec<u8>> = self.argv.into_iter().map(OsString::into_vec).collect();
        let env: Vec<Vec<u8>> = self.env.into_iter().map(entry).collect();
        let cwd = self.cwd.into_os_string().into_vec();
        // The supervisor takes malformed requests for a host gone mad and ends the session.
        let has_nul = |value: &Vec<u8>| value.contains(&0);
        if argv.is_empty() || argv.iter().chain(&env).any(has_nul) {
            return Err(SpawnFailure::new(SpawnStep::Execute, libc::EINVAL));
        }
        if has_nul(&cwd) {
            return Err(SpawnFailure::new(SpawnStep::ChangeDirectory, libc::EINVAL));
        }
        let spawn = Spawn {
            id,
            argv,
            env,
            cwd,
            descriptors: u32::try_from(count).unwrap_or(u32::MAX),
            controlling_terminal: self.controlling_terminal,
            umask: self.umask,
            limits: limits(self.limits),
        };
        let bytes = Request::Spawn(spawn)
            .encode()
            .map_err(|_| SpawnFailure::new(SpawnStep::Request, libc::E2BIG))?;
        Ok(Frame::with_descriptors(bytes, self.descriptors))
    }
}

fn entry((name, value): (OsString, OsString)) -> Vec<u8> {
    let mut entry = name.into_vec();
    entry.push(b'=');
    entry.extend(value.into_vec());
    entry
}

fn limits(limits: ResourceLimits) -> Vec<Limit> {
    [
        (Resource::AddressSpace, limits.address_space),
        (Resource::OpenFiles, limits.open_files),
        (Resource::Processes, limits.processes),
        (Resource::FileSize, limits.file_size),
        (Resource::CpuSeconds, limits.cpu_seconds),
        (Resource::Data, limits.data),
        (Resource::CoreSize, limits.core_size.or(Some(0))),
    ]
    .into_iter()
    .filter_map(|(resource, value)| {
        let soft = value?;
        let hard = match resource {
            // Where both are the same the kernel kills at once, and the cause of the kill is unknown.
            Resource::CpuSeconds => soft.saturating_add(1),
            // 1 dumps nothing either, and is what read-only copies need (`pi-sandbox`, `read_only`).
            Resource::CoreSize => soft.max(1),
            _ => soft,
        };
        Some(Limit { resource, soft, hard })
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_may_have_as_many_descriptors_as_a_message_carries_and_no_more() {
        let frame = |count| {
            let null = std::fs::File::open("/dev/null").unwrap();
            let descriptors = (0..count).map(|_| null.try_clone().unwrap().into()).collect();
            let argv = vec!["/bin/true".into()];
            SpawnRequest { argv, descriptors, ..SpawnRequest::default() }.into_frame(1)
        };

        assert!(frame(MAX_DESCRIPTORS).is_ok());
        let failure = frame(MAX_DESCRIPTORS + 1).unwrap_err();
        assert_eq!(failure.step, SpawnStep::Descriptors);
    }

    #[test]
    fn a_limit_is_what_a_program_may_raise_it_to_but_for_time_and_core_dumps() {
        let wanted = ResourceLimits {
            open_files: Some(100),
            cpu_seconds: Some(5),
            ..ResourceLimits::default()
        };
        let set: Vec<_> =
            limits(wanted).iter().map(|one| (one.resource, one.soft, one.hard)).collect();
        let expected = [
            (Resource::OpenFiles, 100, 100),
            (Resource::CpuSeconds, 5, 6),
            (Resource::CoreSize, 0, 1),
        ];
        assert_eq!(set, expected);
    }
}
