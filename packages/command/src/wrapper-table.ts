/**
 * How the programs that run another program take their options, so that the other program can be found.
 *
 * Only what the tables name is understood: an option missing here makes the wrapper unresolved, which a policy must
 * treat as "runs something unknown". All long names of a program belong here, because names may be abbreviated. Sources:
 * the manuals of GNU coreutils, util-linux, findutils, procps, bash, numactl(8), strace(1), ltrace(1), ssh(1). Wrappers
 * that change user, root or namespace are in `privileged-wrappers.ts`; programs of which running another is one use
 * among many (`npx`, `docker`, `git`) are in `launcher-table.ts`.
 */
import { PRIVILEGED_WRAPPERS } from "./privileged-wrappers.ts";
import { longOptions, type WrapperSpec, wrapper } from "./wrapper-spec.ts";

/** Programs that run another one, whose options are not listed: never a proof, and a reason to ask for every rule. */
const UNREAD =
  "setarch uname26 linux32 linux64 i386 i486 i586 i686 athlon x86_64 ppc ppc32 ppc64 ppc64le s390 s390x sparc sparc32 sparc32bash sparc64 mips mips32 mips64 parisc parisc32 parisc64 ia64 aarch64 arm64 armv7l riscv64 fakeroot fakechroot firejail bwrap proot torsocks torify proxychains proxychains4 perf gdb catchsegv cgexec choom uclampset tini dumb-init eatmydata faketime gosu su-exec runcon sg capsh daemonize start-stop-daemon softlimit chpst setuidgid direnv entr watchexec tmux screen expect coredumpctl rr heaptrack machinectl systemd-cat cpulimit hyperfine chronic sem s6-setuidgid s6-applyuidgid s6-envuidgid s6-envdir s6-softlimit s6-setsid ld-linux-x86-64.so.2 ld-linux-aarch64.so.1 ld.so";

/** The dynamic loader runs the program that it is given, under many names: ld.so(8), musl's, FreeBSD's and Android's. */
const LOADER = /^(?:ld(?:64|-linux|-musl|-elf|-\d)?[\w.-]*\.so(?:\.\d+)?|linker(?:64)?)$/;

const COREUTILS: readonly (readonly [string, WrapperSpec])[] = [
  ["nohup", wrapper("", "")],
  ["nice", wrapper("", "n", { longValued: ["--adjustment"], numericFlag: true })],
  ["stdbuf", wrapper("", "ioe", { longValued: longOptions("input output error") })],
  [
    "timeout",
    wrapper("v", "ks", {
      operands: 1,
      long: longOptions("foreground preserve-status verbose"),
      longValued: longOptions("kill-after signal"),
    }),
  ],
  [
    "env",
    // `-P`, `-L` and `-U` are those of FreeBSD and macOS.
    wrapper("i0v", "uCSaPLU", {
      dash: true,
      optionsAlter: true,
      assignments: true,
      long: longOptions("ignore-environment null debug block-signal default-signal ignore-signal list-signal-handling"),
      longValued: longOptions("unset chdir split-string argv0"),
      splitText: ["-S", "--split-string"],
      folder: ["-C", "--chdir"],
    }),
  ],
];

const PARALLEL = wrapper("kuvX0", "jIN", {
  appends: true,
  noisy: true,
  joinsToShell: true,
  privileged: true,
  startsShell: true,
});

/** Wrappers by program name. Shells, `find`, `eval` and `trap` have rules of their own in `unwrap.ts`. */
export const WRAPPERS: ReadonlyMap<string, WrapperSpec> = new Map<string, WrapperSpec>([
  ...COREUTILS,
  // GNU's, under the names that Homebrew and FreeBSD give them.
  ...COREUTILS.map(([name, spec]): [string, WrapperSpec] => [`g${name}`, spec]),
  ["builtin", wrapper("", "")],
  ["command", wrapper("p", "", { stops: ["-v", "-V"] })],
  ["exec", wrapper("cl", "a", { privileged: true })],
  [
    "ionice",
    wrapper("t", "cn", {
      long: ["--ignore"],
      longValued: longOptions("class classdata"),
      stops: ["-p", "-P", "-u", "--pid", "--pgid", "--uid"],
    }),
  ],
  ["setsid", wrapper("cfw", "", { optionsAlter: true, long: longOptions("ctty fork wait") })],
  [
    "time",
    wrapper("apvq", "fo", {
      noisy: true,
      optionsAlter: true,
      long: longOptions("portability verbose append quiet"),
      longValued: longOptions("format output"),
    }),
  ],
  ["taskset", wrapper("ac", "", { operands: 1, long: longOptions("all-tasks cpu-list"), stops: ["-p", "--pid"] })],
  [
    "chrt",
    wrapper("abdfiorRv", "DPT", {
      operands: 1,
      operand: /^\d+$/,
      long: longOptions("all-tasks batch deadline fifo idle other rr reset-on-fork verbose"),
      longValued: longOptions("sched-runtime sched-period sched-deadline"),
      stops: ["-p", "-m", "--pid", "--max"],
    }),
  ],
  [
    "numactl",
    wrapper("labt", "NmCipPwSfLOMTu", {
      long: longOptions("localalloc all balancing strict touch dump dump-nodes huge"),
      longValued: longOptions(
        "cpunodebind membind physcpubind interleave preferred preferred-many weighted-interleave shm file length offset shmmode shmid",
      ),
      stops: ["-s", "-H", "--show", "--hardware"],
    }),
  ],
  [
    "strace",
    wrapper("cCdDfFhiknNqrtTvVwxyYzZA", "abeEIoOpPsSuUX", {
      noisy: true,
      privileged: true,
      long: longOptions(
        "follow-forks output-separately daemonize successful-only failed-only instruction-pointer stack-traces syscall-number output-append-mode quiet relative-timestamps absolute-timestamps syscall-times no-abbrev strings-in-hex decode-fds decode-pids summary-only summary summary-wall-clock debug seccomp-bpf tips",
      ),
      longValued: longOptions(
        "env attach user detach-on interruptible trace signal status trace-path columns abbrev verbose raw read write kvm output string-limit const-print-style summary-syscall-overhead summary-sort-by summary-columns inject fault argv0",
      ),
    }),
  ],
  [
    "ltrace",
    wrapper("cCfhiLrStTV", "aAeDFlnopsuwx", {
      noisy: true,
      privileged: true,
      long: longOptions("demangle indent no-signals"),
      longValued: longOptions("align config debug library output where"),
    }),
  ],
  ["valgrind", wrapper("vq", "", { noisy: true, privileged: true })],
  [
    "watch",
    wrapper("bcCdegprtwx", "nqs", {
      noisy: true,
      joinsToShell: true,
      privileged: true,
      long: longOptions(
        "beep color no-color differences errexit chgexit precise no-rerun no-title no-wrap no-linewrap exec",
      ),
      longValued: longOptions("interval equexit shotsdir"),
    }),
  ],
  [
    "ssh",
    wrapper("46AaCfGgKkMNnqsTtVvXxYy", "BbcDEeFIiJLlmOopPQRSWw", {
      operands: 1,
      optionsBehind: true,
      joinsToShell: true,
      privileged: true,
      startsShell: true,
    }),
  ],
  [
    "xargs",
    wrapper("0oprtx", "adEILnPs", {
      appends: true,
      noisy: true,
      long: longOptions("null no-run-if-empty verbose exit replace max-lines eof interactive open-tty show-limits"),
      longValued: longOptions("arg-file delimiter max-args max-procs max-chars process-slot-var"),
      altering: ["--process-slot-var"],
    }),
  ],
  ["busybox", wrapper("", "", {})],
  ["toybox", wrapper("", "", {})],
  // The programs of ShellJS by their names; they prove nothing, since they are not those of the system.
  ["shx", wrapper("s", "", { privileged: true, long: ["--silent"], stops: ["--help", "--version"] })],
  ["parallel", PARALLEL],
  // A function of GNU parallel, which gives the command the variables of the shell.
  ["env_parallel", PARALLEL],
  ["caffeinate", wrapper("dimsu", "tw", {})],
  [
    "dbus-run-session",
    wrapper("", "", { privileged: true, startsShell: true, longValued: longOptions("config-file dbus-daemon") }),
  ],
  [
    "xvfb-run",
    wrapper("al", "efnpsw", {
      noisy: true,
      privileged: true,
      long: longOptions("auto-servernum auto-display listen-tcp"),
      longValued: longOptions("auth-file error-file server-num xauth-protocol server-args wait"),
    }),
  ],
  ["unbuffer", wrapper("p", "", { privileged: true })],
  ["rlwrap", wrapper("", "", { privileged: true })],
  ...PRIVILEGED_WRAPPERS,
  ...UNREAD.split(" ").map((name): [string, WrapperSpec] => [
    name,
    wrapper("", "", { unread: true, privileged: true }),
  ]),
]);

/** The wrapper of a name; a dynamic loader is one by whatever name its system gives it. */
export function wrapperOf(name: string): WrapperSpec | undefined {
  return WRAPPERS.get(name) ?? (LOADER.test(name) ? WRAPPERS.get("ld.so") : undefined);
}
