/** Attempts at processes: signals, tracing, what is known of them, and their priorities, limits and processors. */
import { type Attempts, call, dangerous, perl, probe, quietPerl, uncertain } from "./attempt.ts";

const PIDFD = `my $p = syscall(${call("pidfd_open")}, 0+$ENV{VICTIM}, 0); $p >= 0 or die`;
const TRACING = "tracing is bounded by the machine (Yama, or no capability)";
const RAISING = "a right that only some users have";

export const PROCESSES: Attempts = {
  "signal a process": 'kill -USR1 "$VICTIM"',
  "signal by a program": 'env kill -USR1 "$VICTIM"',
  "end a process": 'kill -9 "$VICTIM"',
  "stop a process": 'kill -STOP "$VICTIM"',
  "ask whether a process is there": probe('kill -0 "$VICTIM"'),
  "signal a group": 'kill -USR1 -- "-$VICTIM"',
  "signal a thread": quietPerl(`syscall(${call("tgkill")}, 0+$ENV{VICTIM}, 0+$ENV{VICTIM}, 10) == 0 or die`),
  "signal a thread by an older call": quietPerl(`syscall(${call("tkill")}, 0+$ENV{VICTIM}, 10) == 0 or die`),
  "signal by a descriptor": uncertain(
    "the kernel has no descriptors of processes",
    quietPerl(`${PIDFD}; syscall(${call("pidfd_send_signal")}, $p, 10, 0, 0) == 0 or die`),
  ),
  "have a pipe signal a process": perl("use Fcntl; pipe(R, W); fcntl(R, F_SETOWN, 0+$ENV{VICTIM}) or die"),
  "have a lease signal": perl('use Fcntl; open(F, "<", "file") or die; fcntl(F, 1024, 0) or die'),
  "end the command beside it": 'kill -9 "$SIBLING"',
  "stop the command beside it": 'kill -STOP "$SIBLING"',
  "end the shell of the session": 'kill -9 "$SESSION"',
  "stop the shell of the session": dangerous("the session would not answer again", 'kill -STOP "$SESSION"'),
  "end the supervisor": 'kill -9 "$SUPERVISOR"',
  "end the host": dangerous("the host would see nothing of the others", 'kill -9 "$HOST"; kill -STOP "$HOST"'),
  "end a job of the session": 'kill -9 "$JOB" 2> /dev/null; kill -9 %1',
  "signal every process": dangerous("every process of this user would get it", "kill -URG -1; kill -9 -1"),
  "trace a process": uncertain(TRACING, perl(`syscall(${call("ptrace")}, 0x4206, 0+$ENV{VICTIM}, 0, 0) == 0 or die`)),
  "attach a debugger": uncertain(
    `${TRACING}, or there is no gdb`,
    probe('timeout 20 gdb -p "$VICTIM" -batch -ex detach 2>&1 | grep -q "detached"'),
  ),
  "read the memory of a process": uncertain(TRACING, probe('exec 3< "/proc/$VICTIM/mem"')),
  "write the memory of a process": uncertain(TRACING, probe('exec 3<> "/proc/$VICTIM/mem"')),
  "read memory by a call": uncertain(
    TRACING,
    perl(
      `my $b = "x" x 8; my $v = pack("PL!", $b, 0); syscall(${call("process_vm_readv")}, 0+$ENV{VICTIM}, $v, 1, $v, 1, 0) >= 0 or die`,
    ),
  ),
  "read the maps of a process": uncertain(TRACING, probe('head -c 1 "/proc/$VICTIM/maps" | grep -q .')),
  "read the environment of a process": uncertain(TRACING, 'cat "/proc/$VICTIM/environ"'),
  "read the environment of the host": uncertain(TRACING, probe('head -c 1 "/proc/$HOST/environ" | grep -q .')),
  "look through the root of a process": uncertain(TRACING, probe('ls "/proc/$VICTIM/root/" > /dev/null')),
  "look through the folder of a process": uncertain(TRACING, probe('ls "/proc/$VICTIM/cwd/" > /dev/null')),
  "write by the root of a process": uncertain(TRACING, 'echo x > "/proc/$VICTIM/root$PWD/new"'),
  "write by a descriptor of a process": uncertain(TRACING, 'echo x >> "/proc/$VICTIM/fd/3"'),
  "take a descriptor of a process": uncertain(
    TRACING,
    perl(`${PIDFD}; syscall(${call("pidfd_getfd")}, $p, 3, 0) >= 0 or die`),
  ),
  "compare two processes": uncertain(
    TRACING,
    perl(`syscall(${call("kcmp")}, 0+$ENV{VICTIM}, 0+$ENV{HOST}, 1, 0, 0) >= 0 or die`),
  ),
  "move the pages of a process": uncertain(
    TRACING,
    perl(`syscall(${call("move_pages")}, 0+$ENV{VICTIM}, 0, 0, 0, 0, 0) == 0 or die`),
  ),
  "change a priority": 'renice -n 19 -p "$VICTIM" > /dev/null',
  "change the priority of all": dangerous(
    "all processes of this user would be slower",
    'renice -n 19 -u "$(id -u)" > /dev/null',
  ),
  "change a class of input and output": uncertain(RAISING, probe('ionice -c 3 -p "$VICTIM"')),
  "change processors": 'taskset -p 1 "$VICTIM" > /dev/null; taskset -p 2 "$VICTIM" > /dev/null',
  "change a scheduler": 'chrt -b -p 0 "$VICTIM"',
  "change a limit": 'prlimit --pid "$VICTIM" --nofile=99:99',
  "have a process killed first": 'echo 500 > "/proc/$VICTIM/oom_score_adj"',
  "rename a process": probe('exec 3> "/proc/$VICTIM/comm"'),
  "choose what is dumped of a process": probe('exec 3> "/proc/$VICTIM/coredump_filter"'),
};
