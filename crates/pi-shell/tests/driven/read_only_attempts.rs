//! What a read-only command must not be able to: each attempt is made in one, and must change nothing; then the same
//! attempt is made without, and must change something, so that the test would notice.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

use pi_shell::{
    Concurrency, RunOptions, SandboxBackend, SandboxMode, SandboxNetwork, SandboxOptions, Shell,
};

use crate::read_only::{read, read_only};
use crate::support::{attempt, eventually, output_of, run, session, shell_options};

/// Lines that change the folder they are run in, which has a file, a folder with one, a script and a link.
const CHANGES: [&str; 34] = [
    "echo x > file",
    "echo x >> file",
    ": > file",
    "> new",
    "truncate -s 0 file",
    "dd if=/dev/zero of=file bs=1 count=1 conv=notrunc 2>/dev/null",
    "cp /dev/null file",
    "tee file < /dev/null",
    "sed -i s/kept/lost/ file",
    "rm -f file",
    "unlink file",
    "rm -rf folder",
    "rmdir empty",
    "mkdir made",
    "mkfifo made",
    "mknod made p",
    "ln -s file made",
    "ln file made",
    "mv file moved",
    "mv file folder/",
    "install -m 600 file made",
    "ln file $TMPDIR/x && echo x > $TMPDIR/x",
    "ln -s $PWD/file $TMPDIR/y && echo x > $TMPDIR/y",
    "mv file $TMPDIR/",
    "chmod 777 file",
    "chmod +x folder",
    "touch -d 2001-01-01 file",
    "touch file",
    "(echo x > file)",
    "echo x | { cat > file; }",
    "echo x > /proc/self/cwd/file",
    "exec 3< file; echo x > /proc/self/fd/3",
    "setsid sh -c 'echo x > file'",
    "bash -c 'echo x > file' & wait",
];

/// What can be seen of a file: kind and mode, owner, links, change of contents and of anything, contents.
type Facts = (u32, u32, u64, (i64, i64), (i64, i64), Option<Vec<u8>>);

fn facts(path: &Path) -> Facts {
    let found = fs::symlink_metadata(path).unwrap();
    let contents = found.is_file().then(|| fs::read(path).unwrap());
    let modified = (found.mtime(), found.mtime_nsec());
    (
        found.mode(),
        found.uid(),
        found.nlink(),
        modified,
        (found.ctime(), found.ctime_nsec()),
        contents,
    )
}

fn tree(folder: &Path) -> BTreeMap<PathBuf, Facts> {
    let mut all = BTreeMap::from([(folder.to_path_buf(), facts(folder))]);
    for entry in fs::read_dir(folder).unwrap().flatten() {
        if entry.file_type().unwrap().is_dir() {
            all.extend(tree(&entry.path()));
        } else {
            all.insert(entry.path(), facts(&entry.path()));
        }
    }
    all
}

fn initialize(folder: &Path) {
    for name in ["folder", "empty"] {
        fs::create_dir_all(folder.join(name)).unwrap();
    }
    fs::write(folder.join("file"), "kept\n").unwrap();
    fs::write(folder.join("folder/inner"), "kept\n").unwrap();
    std::os::unix::fs::symlink("file", folder.join("link")).unwrap();
}

#[tokio::test]
async fn no_file_is_changed() {
    let shell = session();
    for line in CHANGES {
        let scratch = tempfile::tempdir().unwrap();
        initialize(scratch.path());
        let before = tree(scratch.path());
        let here = |text: &str, read_only: bool| RunOptions {
            cwd: Some(scratch.path().to_path_buf()),
            env: vec![("TMPDIR".to_owned(), std::env::temp_dir().display().to_string())],
            read_only,
            ..crate::support::command(text)
        };

        let refused = RunOptions { env: Vec::new(), ..here(line, true) };
        let refused = attempt(&shell, refused).await.unwrap();

        assert!(refused.read_only.is_some());
        assert_eq!(
            tree(scratch.path()),
            before,
            "`{line}` changed something: {}",
            output_of(&refused)
        );
        let control = line.replace("$TMPDIR", "folder");
        attempt(&shell, here(&control, false)).await.unwrap();
        assert_ne!(tree(scratch.path()), before, "`{control}` changes nothing anyway");
    }
    shell.close().await;
}

/// A program outside, ended with the test.
struct Outsider(Child);

impl Outsider {
    fn begin() -> Self {
        Self(Command::new("sleep").arg("600").spawn().unwrap())
    }

    fn lives(&mut self) -> bool {
        self.0.try_wait().unwrap().is_none()
    }
}

impl Drop for Outsider {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

#[tokio::test]
async fn no_process_outside_is_reached() {
    let shell = session();
    let mut outsider = Outsider::begin();
    let pid = outsider.0.id();
    for line in [
        format!("kill -9 {pid}"),
        format!("kill -STOP {pid}"),
        "kill -9 -1".to_owned(),
        format!("renice -n 5 -p {pid}"),
        format!("cat /proc/{pid}/environ"),
        format!("cat /proc/{pid}/maps"),
        format!("head -c 1 /proc/{pid}/mem"),
        format!("ls /proc/{pid}/root/"),
        format!("echo 500 > /proc/{pid}/oom_score_adj"),
        format!("prlimit --pid {pid} --nofile=10"),
        format!("taskset -p 1 {pid}"),
        format!("ionice -c 3 -p {pid}"),
    ] {
        let (output, status) = read(&shell, &line).await;
        assert!(line == "kill -9 -1" || status != 0, "`{line}`: {output}");
    }
    assert!(outsider.lives());
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    assert!(stat.contains(") S "), "it was stopped: {stat}");

    run(&shell, &format!("kill -9 {pid}")).await;
    eventually("the control ends it", || !outsider.lives()).await;
    shell.close().await;
}

#[tokio::test]
async fn a_command_beside_it_is_not_reached_either() {
    let shell = session();
    let scratch = tempfile::tempdir().unwrap();
    let (pid_file, go) = (scratch.path().join("pid"), scratch.path().join("go"));
    let beside = RunOptions {
        concurrency: Concurrency::Clone,
        ..read_only(&format!(
            "echo $BASHPID > $TMPDIR/pid; until [ -e {} ]; do sleep 0.01; done; echo lived",
            go.display()
        ))
    };
    let begun = tokio::spawn({
        let shell = shell.clone();
        async move { attempt(&shell, beside).await.unwrap() }
    });
    let text = "until [ -s $TMPDIR/pid ]; do sleep 0.01; done; kill -9 $(< $TMPDIR/pid); kill -9 -1; kill -9 $PPID";
    let killer = RunOptions { concurrency: Concurrency::Clone, ..read_only(text) };

    attempt(&shell, killer).await.unwrap();

    fs::write(&go, "").unwrap();
    let result = tokio::time::timeout(crate::support::PATIENCE, begun).await.unwrap().unwrap();
    assert_eq!(output_of(&result), "lived\n");
    assert!(!pid_file.exists());
    shell.close().await;
}

#[tokio::test]
async fn no_socket_is_reached() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("socket");
    let unix = std::os::unix::net::UnixListener::bind(&path).unwrap();
    let tcp = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let udp = std::net::UdpSocket::bind(tcp.local_addr().unwrap()).unwrap();
    unix.set_nonblocking(true).unwrap();
    tcp.set_nonblocking(true).unwrap();
    udp.set_nonblocking(true).unwrap();
    let port = tcp.local_addr().unwrap().port();
    let shell = session();
    let came = || {
        let mut datagram = [0; 16];
        (tcp.accept().is_ok(), udp.recv(&mut datagram).is_ok())
    };
    let tcp_line = format!("exec 3<>/dev/tcp/127.0.0.1/{port}");
    let udp_line = format!("echo x > /dev/udp/127.0.0.1/{port}");

    assert_ne!(read(&shell, &tcp_line).await.1, 0);
    assert_ne!(read(&shell, &udp_line).await.1, 0);
    assert_eq!(came(), (false, false));

    run(&shell, &format!("{tcp_line}; {udp_line}; exec 3>&-")).await;
    let (mut has_tcp, mut has_udp) = (false, false);
    eventually("the control arrives", || {
        let (tcp, udp) = came();
        has_tcp |= tcp;
        has_udp |= udp;
        has_tcp && has_udp
    })
    .await;
    shell.close().await;
}

#[tokio::test]
async fn no_descriptor_that_the_session_opened_leads_out() {
    let scratch = tempfile::tempdir().unwrap();
    let file = scratch.path().join("file");
    let shell = session();
    run(&shell, &format!("exec 7> {0}; exec {{high}}>> {0}; coproc cat", file.display())).await;

    let (output, status) =
        read(&shell, "echo x >&7 || echo y >&$high || echo z >&${COPROC[1]}").await;

    assert_ne!(status, 0, "{output}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "");
    run(&shell, "echo x >&7").await;
    assert_eq!(fs::read_to_string(&file).unwrap(), "x\n");
    shell.close().await;
}

#[tokio::test]
async fn no_terminal_is_reached() {
    let flags = rustix::pty::OpenptFlags::RDWR | rustix::pty::OpenptFlags::NOCTTY;
    let terminal = rustix::pty::openpt(flags).unwrap();
    rustix::pty::grantpt(&terminal).unwrap();
    rustix::pty::unlockpt(&terminal).unwrap();
    let name = rustix::pty::ptsname(&terminal, Vec::new()).unwrap().into_string().unwrap();
    let shell = session();

    for line in [
        format!("echo x > {name}"),
        format!("exec 3< {name}"),
        "exec 3< /dev/tty".to_owned(),
        "exec 3<> /dev/ptmx".to_owned(),
    ] {
        assert_ne!(read(&shell, &line).await.1, 0, "`{line}`");
    }
    assert_eq!(
        run(&shell, &format!("echo x > {name}")).await.outcome,
        pi_shell::ExitOutcome::Exited { code: 0 }
    );
    shell.close().await;
}

#[tokio::test]
async fn no_right_is_left_or_comes_back() {
    let shell = session();
    let status = "grep -E '^(Cap(Inh|Prm|Eff|Bnd|Amb)|NoNewPrivs|Seccomp):' /proc/self/status | tr -d '\\t '";

    let (seen, _) = read(&shell, status).await;

    for line in seen.lines() {
        let (name, value) = line.split_once(':').unwrap();
        match name {
            "NoNewPrivs" => assert_eq!(value, "1"),
            "Seccomp" => assert_eq!(value, "2"),
            // Where this user may not lower its bounds, `no_new_privs` keeps it from what they allow.
            "CapBnd" if !rustix::process::geteuid().is_root() => {}
            _ => assert!(value.bytes().all(|digit| digit == b'0'), "{line}"),
        }
    }
    assert_eq!(seen.lines().count(), 7);
    for line in ["unshare -Ur true", "unshare -m true", "mount -t tmpfs x /mnt", "chroot / true"] {
        assert_ne!(read(&shell, line).await.1, 0, "`{line}`");
    }
    shell.close().await;
}

fn sandboxed(backend: SandboxBackend, folder: &Path) -> Shell {
    let mut options = shell_options();
    options.cwd = Some(folder.to_path_buf());
    options.sandbox = Some(SandboxOptions {
        backend: Some(backend),
        writable_paths: vec![folder.to_path_buf()],
        allow_degraded: true,
        ..SandboxOptions::new(SandboxMode::WorkspaceWrite, SandboxNetwork::None)
    });
    Shell::new(options).unwrap()
}

/// Where a backend cannot be had, there is nothing to confine within it; `test/e2e/sandbox` sees to that it can.
async fn is_confined_within(backend: SandboxBackend) {
    if !pi_shell::capabilities().sandbox.contains(&backend.name()) {
        return;
    }
    // In the workspace of the tests, which a private `/tmp` does not hide.
    let scratch = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    initialize(scratch.path());
    let shell = sandboxed(backend, scratch.path());
    run(&shell, "echo mine > file; echo x > $TMPDIR/own; V=kept").await;
    let before = tree(scratch.path());

    let (output, status) =
        read(&shell, "cat file $TMPDIR/../tmp/own /tmp/own 2> /dev/null; echo $V; cat /proc/self/comm; echo x > file").await;

    assert!(output.starts_with("mine\n"), "{output}");
    assert!(output.contains("kept\ncat\n"), "{output}");
    assert_ne!(status, 0, "{output}");
    assert_eq!(tree(scratch.path()), before);
    assert_eq!(read(&shell, "echo y > $TMPDIR/z && cat $TMPDIR/z").await, ("y\n".to_owned(), 0));
    run(&shell, "echo x > file").await;
    assert_ne!(tree(scratch.path()), before, "the control changes nothing");
    shell.close().await;
}

#[tokio::test]
async fn it_is_one_more_layer_in_bubblewrap() {
    is_confined_within(SandboxBackend::Bubblewrap).await;
}

#[tokio::test]
async fn it_is_one_more_layer_in_landlock() {
    is_confined_within(SandboxBackend::Landlock).await;
}
