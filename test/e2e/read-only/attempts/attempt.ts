/**
 * What an attempt is, and words that several of them are made of.
 *
 * An attempt is text for bash, run in the world's workspace. It succeeds where the world is different afterwards, where it
 * prints `OUT`, which it does for what leaves no trace, or where it prints a secret. Variables name what can be reached:
 * `OUTSIDE` (a folder with `file`, `fifo`, `other-fifo` and `opened`), `VICTIM`, `SIBLING`, `SUPERVISOR`, `SESSION`, `HOST`
 * (processes), `PORT` (TCP and UDP), `SOCKET` (a path, and an abstract name), `TERMINAL`, `TOKEN`, `KEY` (names for what all
 * processes share), `NODE`, `EVIL` (an object whose constructor makes a file).
 */

/** One attempt. */
export interface Attempt {
  /** Lines, run one after the other as commands of one session. */
  readonly lines: readonly string[];
  /** Why the control may show nothing here, or is not made. Absent: it has to show its effect. */
  readonly uncontrolled?: string;
  /** True: the control is not made. */
  readonly isDangerous?: boolean;
}

/** Attempts by name. */
export type Attempts = Readonly<Record<string, string | readonly string[] | Attempt>>;

/** What an attempt prints that got through and leaves no trace. */
export const OUT = "got-through";

/** An attempt whose control depends on the machine. */
export function uncertain(reason: string, ...lines: readonly string[]): Attempt {
  return { lines, uncontrolled: reason };
}

/** An attempt that no machine should see unconfined. */
export function dangerous(reason: string, ...lines: readonly string[]): Attempt {
  return { lines, uncontrolled: reason, isDangerous: true };
}

/** A line that prints `OUT` where `command` succeeds. */
export function probe(command: string): string {
  return `${command} && echo ${OUT}`;
}

/** A program in Perl, which has system calls by number; `die` where it is refused. */
export function perl(code: string): string {
  return `perl -e '${code}; print "${OUT}\\n"'`;
}

/** The same, for what the world shows by itself. */
export function quietPerl(code: string): string {
  return `perl -e '${code}'`;
}

/** Numbers on x86-64 and arm64, where they differ; from 424 on they are the same. */
const CALLS = {
  add_key: [248, 217],
  chroot: [161, 51],
  fanotify_init: [300, 262],
  fchmodat2: [452, 452],
  fspick: [433, 433],
  io_uring_setup: [425, 425],
  kcmp: [312, 272],
  keyctl: [250, 219],
  memfd_create: [319, 279],
  move_pages: [279, 239],
  mq_open: [240, 180],
  pidfd_getfd: [438, 438],
  pidfd_open: [434, 434],
  pidfd_send_signal: [424, 424],
  process_vm_readv: [310, 270],
  ptrace: [101, 117],
  rt_tgsigqueueinfo: [297, 240],
  sched_setattr: [314, 274],
  setxattr: [188, 5],
  tgkill: [234, 131],
  tkill: [200, 130],
  unshare: [272, 97],
  userfaultfd: [323, 282],
  vhangup: [153, 58],
} as const;

/** The number of a system call on this processor. */
export function call(name: keyof typeof CALLS): number {
  return CALLS[name][process.arch === "x64" ? 0 : 1];
}
