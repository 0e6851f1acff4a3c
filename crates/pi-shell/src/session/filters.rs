//! Filters that a command leaves behind: bash does not wait for `>(…)`, which still has to pass on what
//! the command wrote.

use std::collections::HashSet;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use pi_process::stop::StopPlan;
use pi_process::tree::{self, ProcessIdentity, inode_of};

use super::tail::{FileId, Sight};

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

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use std::process::{Child, Command, Stdio};
    use std::time::{Duration, Instant};

    use super::*;

    fn ends(input: Option<u64>, reads: &[u64], writes: &[u64]) -> Ends {
        let (reads, writes) = (reads.iter().copied().collect(), writes.iter().copied().collect());
        Ends { input, reads, writes, sockets: HashSet::from([9]), has_output: false }
    }

    #[test]
    fn a_fork_has_not_settled_while_it_has_both_ends_of_a_pipe_or_reads_one_beside_its_input() {
        for (one, has_not_settled) in [
            (ends(None, &[], &[1]), false),
            (ends(Some(1), &[1], &[2]), false),
            (ends(Some(1), &[1], &[1]), true),
            (ends(None, &[1], &[2]), true),
            (ends(None, &[], &[]), false),
        ] {
            assert_eq!(one.has_not_settled(), has_not_settled, "{:?}", (one.reads, one.writes));
        }
    }

    #[test]
    fn a_fork_of_the_shell_is_being_made_while_it_has_what_the_shell_reports_on() {
        let both = ends(Some(1), &[1], &[1, 2]);
        assert!(both.is_being_made(Some(2)) && both.is_being_made(Some(9)));
        assert!(!both.is_being_made(Some(3)) && !both.is_being_made(None));
        assert!(!ends(Some(1), &[1], &[2]).is_being_made(Some(2)), "it has them in their places");
    }

    /// Killed and reaped at the end of its test.
    struct Running(Child);

    impl Drop for Running {
        fn drop(&mut self) {
            self.0.kill().ok();
            self.0.wait().ok();
        }
    }

    fn inode(descriptor: &impl std::os::fd::AsFd) -> FileId {
        file_id_of(descriptor.as_fd().try_clone_to_owned().unwrap()).unwrap()
    }

    /// Those of `cat` as a program: for a moment it is a fork of this process. What other tests do not keep to
    /// themselves, it has as well.
    fn settled(command: &mut Command, output: FileId, input: Option<u64>) -> (Running, Ends) {
        let running = Running(command.spawn().unwrap());
        let pid = i32::try_from(running.0.id()).unwrap();
        let bound = Instant::now() + Duration::from_secs(30);
        loop {
            let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).unwrap();
            let found = ends_of(pid, output);
            if name == "cat\n" && found.input == input {
                return (running, found);
            }
            assert!(Instant::now() < bound, "it never became its program");
            std::thread::yield_now();
        }
    }

    #[test]
    fn the_ends_that_a_program_has_are_those_of_its_descriptors() {
        let (input, keeps_open) = std::io::pipe().unwrap();
        let (_reads, output) = std::io::pipe().unwrap();
        let (_other_reads, errors) = std::io::pipe().unwrap();
        let (given, out, other) = (inode(&input).1, inode(&output), inode(&errors).1);
        let mut cat = Command::new("cat");
        cat.stdin(input).stdout(output).stderr(errors);

        let (_running, ends) = settled(&mut cat, out, Some(given));

        assert!(ends.has_output);
        assert!(ends.reads.contains(&given) && !ends.reads.contains(&other));
        assert!(ends.writes.contains(&other) && !ends.writes.contains(&given));
        assert!(!ends.reads.contains(&out.1) && !ends.writes.contains(&out.1));
        drop(keeps_open);
    }

    #[test]
    fn an_output_that_is_no_pipe_is_found_by_its_file() {
        let (ours, theirs) = std::os::unix::net::UnixStream::pair().unwrap();
        let socket = inode(&theirs).1;
        let file = tempfile::NamedTempFile::new().unwrap();
        let output = file_id(file.path()).unwrap();
        let mut cat = Command::new("cat");
        cat.stdin(std::os::fd::OwnedFd::from(theirs)).stdout(Stdio::null()).stderr(Stdio::null());
        let (running, found) = settled(&mut cat, output, None);
        assert!(!found.has_output);
        assert!(found.sockets.contains(&socket));
        drop(running);

        let again = ours.try_clone().unwrap();
        let mut cat = Command::new("cat");
        cat.stdin(std::os::fd::OwnedFd::from(again)).stdout(file.reopen().unwrap());
        let (mut running, found) = settled(cat.stderr(Stdio::null()), output, None);
        assert!(found.has_output);
        running.0.kill().unwrap();
        running.0.wait().unwrap();
        let pid = i32::try_from(running.0.id()).unwrap();
        let gone = ends_of(pid, output);
        assert!(!gone.has_output && gone.input.is_none() && gone.sockets.is_empty());
    }
}
