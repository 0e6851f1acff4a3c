/** Attempts at the kernel: what all processes share, mounts, namespaces, keys, and calls that make others. */
import { type Attempts, call, perl, probe, uncertain } from "./attempt.ts";

const IPC = "use IPC::SysV; my $k = hex($ENV{KEY}); $k -= 1 << 32 if $k >> 31";
const ROOT = "only root's";

export const KERNEL: Attempts = {
  "make shared memory": perl(`${IPC}; defined(shmget($k, 64, 01600)) or die`),
  "make semaphores": perl(`${IPC}; defined(semget($k, 1, 01600)) or die`),
  "make a message queue": perl(`${IPC}; defined(msgget($k, 01600)) or die`),
  "make shared memory by a program":
    'ipcmk -M 64 > /dev/null && ipcrm -M "$(ipcs -m | tail -2 | cut -d" " -f1)" 2> /dev/null; ipcmk -Q | grep -q id && echo got-through',
  "make a POSIX queue": perl(
    `my $n = "pi-$ENV{TOKEN}"; my $a = pack("L!8", 0, 1, 8, 0); syscall(${call("mq_open")}, $n, 0102, 0600, $a) >= 0 or die`,
  ),
  "add a key": uncertain(
    "the kernel keeps no keys",
    perl(`my ($t, $d, $p) = ("user", $ENV{TOKEN}, "x"); syscall(${call("add_key")}, $t, $d, $p, 1, -4) > 0 or die`),
  ),
  "read keys": uncertain("the kernel keeps no keys", perl(`syscall(${call("keyctl")}, 0, -4, 1, 0, 0) > 0 or die`)),
  "have a user namespace": uncertain("the machine gives none", probe("unshare -Ur true")),
  "have a namespace by its call": uncertain(ROOT, perl(`syscall(${call("unshare")}, 0x20000) == 0 or die`)),
  mount: uncertain(ROOT, probe('mount --bind "$OUTSIDE" empty && umount empty')),
  "have another root": uncertain(ROOT, perl(`my $p = "."; syscall(${call("chroot")}, $p) == 0 or die`)),
  "pick a mount": uncertain(ROOT, perl(`my $p = "/"; syscall(${call("fspick")}, -100, $p, 0) >= 0 or die`)),
  "watch what others open": uncertain(ROOT, perl(`syscall(${call("fanotify_init")}, 4, 0) >= 0 or die`)),
  "hang up a terminal": uncertain("root's, of a terminal", perl(`syscall(${call("vhangup")}) == 0 or die`)),
  "handle faults": uncertain("root's on many machines", perl(`syscall(${call("userfaultfd")}, 0) >= 0 or die`)),
  "have a ring of calls": uncertain(
    "the machine allows none",
    perl(`my $p = "\\0" x 120; syscall(${call("io_uring_setup")}, 1, $p) >= 0 or die`),
  ),
  "set a kernel's value": uncertain(ROOT, probe("exec 3> /proc/sys/vm/drop_caches")),
  "name the machine": uncertain(ROOT, probe("exec 3> /proc/sys/kernel/hostname")),
  "write to a group of processes": uncertain(
    ROOT,
    probe('mkdir "/sys/fs/cgroup/pi-$TOKEN" && rmdir "/sys/fs/cgroup/pi-$TOKEN"'),
  ),
  "read the kernel's messages": uncertain(ROOT, probe("dmesg > /dev/null")),
  "become another user": uncertain(ROOT, perl("use POSIX; setuid(12345) or die; $< == 12345 or die")),
  "have a right back": uncertain(ROOT, probe("capsh --has-p=cap_sys_admin 2> /dev/null")),
  "be root by a set-id program": uncertain(
    "asks for a password",
    probe("timeout 2 su -c true < /dev/null 2> /dev/null"),
  ),
  "make a device": uncertain(ROOT, probe("mknod null c 1 3")),
  "start a job of the machine's": uncertain(
    "there is no such daemon",
    probe('echo "touch made" | at now 2> /dev/null'),
  ),
  "have a table of jobs": uncertain("there is no such daemon", probe('echo "# x" | crontab - 2> /dev/null')),
};
