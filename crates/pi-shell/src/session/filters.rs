//! Filters that a command leaves behind: bash does not wait for `>(…)`, which still has to pass on what
//! the command wrote.

use std::collections::HashSet;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use super::tail::{FileId, Sight};
use crate::stop::StopPlan;
use crate::tree::{self, ProcessIdentity, inode_of};

/// Looks at what lives of the command whose output goes to `output`.
pub(super) fn look(plan: &StopPlan, output: FileId) -> Sight {
    let report = plan.report.map(|(_device, inode)| inode);
    look_with(plan, output, |_, ends| ends.is_being_made(report))
}

/// The same where the shell is gone with its command. A fork of it has the command line that it had.
pub(super) fn look_for_forks_of(plan: &StopPlan, output: FileId, command_line: &str) -> Sight {
    look_with(plan, output, |identity, ends| {
        ends.has_not_settled()
            && tree::describe(identity).is_some_and(|one| one.command == command_line)
    })
}

fn look_with(
    plan: &StopPlan,
    output: FileId,
    is_being_made: impl Fn(ProcessIdentity, &Ends) -> bool,
) -> Sight {
    if !cfg!(target_os = "linux") {
        // Without `/proc` nothing can be distinguished.
        return Sight::Others;
    }
    let mut filters: Vec<Ends> = Vec::new();
    let shell = ends_of(plan.shell.identity().pid, output);
    let mut is_found = shell.has_output;
    let mut writable = shell.writes;
    for entry in plan.left_behind() {
        let ends = ends_of(entry.identity.pid, output);
        is_found |= ends.has_output;
        if is_being_made(entry.identity, &ends) {
            return Sight::Filters;
        }
        if ends.input.is_some() {
            filters.push(ends);
        } else {
            writable.extend(ends.writes);
        }
    }
    // One whose writer goes on is a writer that goes on itself.
    while let Some(at) =
        filters.iter().position(|one| one.input.is_some_and(|pipe| writable.contains(&pipe)))
    {
        writable.extend(filters.swap_remove(at).writes);
    }
    match (filters.is_empty(), is_found) {
        (false, _) => Sight::Filters,
        (true, true) => Sight::Others,
        (true, false) => Sight::Unheld,
    }
}

/// That of an open file. By the standard library, whose numbers have one width on every system.
pub(super) fn file_id_of(descriptor: OwnedFd) -> io::Result<FileId> {
    let found = File::from(descriptor).metadata()?;
    Ok((found.dev(), found.ino()))
}

/// That of what a name leads to.
fn file_id(path: &Path) -> Option<FileId> {
    std::fs::metadata(path).ok().map(|found| (found.dev(), found.ino()))
}

/// The ends of pipes that a process has, by inode.
#[derive(Default)]
struct Ends {
    /// Where its standard input comes from.
    input: Option<u64>,
    reads: HashSet<u64>,
    writes: HashSet<u64>,
    sockets: HashSet<u64>,
    /// It has the command's output open.
    has_output: bool,
}

impl Ends {
    /// Whether it has both ends of a pipe, or reads one that is not its standard input: a fork of bash that is to become
    /// a filter has not put them in their places.
    fn has_not_settled(&self) -> bool {
        !self.reads.is_disjoint(&self.writes) || (self.input.is_none() && !self.reads.is_empty())
    }

    /// Whether it is a fork of the shell, with what it reports on, that has both ends of another: bash has
    /// not given them out yet.
    fn is_being_made(&self, report: Option<u64>) -> bool {
        report.is_some_and(|report| self.writes.contains(&report) || self.sockets.contains(&report))
            && !self.reads.is_disjoint(&self.writes)
    }
}

/// Read from `/proc/<pid>/fd`, `proc_pid_fd(5)`: nothing for a process that is gone. One that may not be
/// looked at, as `sudo` has made it, counts as one that has the output: it is not waited for.
fn ends_of(pid: i32, output: FileId) -> Ends {
    let mut ends = Ends::default();
    let entries = match std::fs::read_dir(format!("/proc/{pid}/fd")) {
        Ok(entries) => entries,
        Err(error) => {
            ends.has_output = error.kind() == io::ErrorKind::PermissionDenied;
            return ends;
        }
    };
    for entry in entries.flatten() {
        let link = std::fs::read_link(entry.path()).ok();
        if let Some(socket) = link.as_deref().and_then(|link| inode_of(link, "socket:[")) {
            ends.sockets.insert(socket);
            continue;
        }
        let Some(pipe) = link.as_deref().and_then(|link| inode_of(link, "pipe:[")) else {
            ends.has_output |= file_id(&entry.path()) == Some(output);
            continue;
        };
        if pipe == output.1 {
            ends.has_output = true;
            continue;
        }
        // The modes of the link are those of the opening.
        if std::fs::symlink_metadata(entry.path()).is_ok_and(|link| may_write(&link)) {
            ends.writes.insert(pipe);
            continue;
        }
        ends.reads.insert(pipe);
        if entry.file_name() == "0" {
            ends.input = Some(pipe);
        }
    }
    ends
}

fn may_write(link: &std::fs::Metadata) -> bool {
    link.mode() & 0o200 != 0
}
