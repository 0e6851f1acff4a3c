//! Filters that a command leaves behind: bash does not wait for `>(…)`, which still has to pass on what
//! the command wrote.

use std::collections::HashSet;

use crate::stop::StopPlan;

/// The living processes of a command that end by themselves when they have read what the command
/// wrote: their standard input is a pipe that nobody else can write to any more.
///
/// `sleep 9 | cat &` has none: the pipe still has a writer.
pub(super) fn are_at_work(plan: &StopPlan) -> bool {
    let report = plan.report.map(|(_device, inode)| inode);
    let mut filters: Vec<Ends> = Vec::new();
    let mut writable = ends_of(plan.shell.identity().pid).writes;
    for entry in plan.left_behind() {
        let ends = ends_of(entry.identity.pid);
        if ends.is_being_made(report) {
            return true;
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
    !filters.is_empty()
}

/// The ends of pipes that a process has, by inode.
#[derive(Default)]
struct Ends {
    /// Where its standard input comes from.
    input: Option<u64>,
    reads: HashSet<u64>,
    writes: HashSet<u64>,
}

impl Ends {
    /// Whether it is a fork of the shell, with its report pipe, that has both ends of another: bash has
    /// not given them out yet.
    fn is_being_made(&self, report: Option<u64>) -> bool {
        report.is_some_and(|report| self.writes.contains(&report))
            && !self.reads.is_disjoint(&self.writes)
    }
}

/// Read from `/proc/<pid>/fd`, `proc_pid_fd(5)`: nothing where there is none, or for a process that is gone.
fn ends_of(pid: i32) -> Ends {
    let mut ends = Ends::default();
    let Ok(entries) = std::fs::read_dir(format!("/proc/{pid}/fd")) else { return ends };
    for entry in entries.flatten() {
        let Some(pipe) = std::fs::read_link(entry.path()).ok().and_then(|link| pipe_of(&link))
        else {
            continue;
        };
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
    use std::os::unix::fs::MetadataExt as _;
    link.mode() & 0o200 != 0
}

/// The inode in `pipe:[inode]`.
fn pipe_of(link: &std::path::Path) -> Option<u64> {
    link.to_str()?.strip_prefix("pipe:[")?.strip_suffix(']')?.parse().ok()
}
