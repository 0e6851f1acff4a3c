/**
 * How the programs that run another program take their options, so that the other program can be found.
 *
 * Only what the tables name is understood: an option missing here makes the wrapper unresolved, which a policy must
 * treat as "runs something unknown". Sources: the GNU coreutils, util-linux, sudo, findutils, bash and strace manuals.
 */

/** Options and operands that stand before the wrapped command. */
export interface WrapperSpec {
  /** Short options without a value, as one string. */
  readonly flags: string;
  /** Short options with a value, attached (`-n5`) or the next word. */
  readonly valued: string;
  /** Long options without a value (or with one after `=` only). */
  readonly long?: readonly string[];
  /** Long options with a value, after `=` or as the next word. */
  readonly longValued?: readonly string[];
  /** Words before the command, such as the duration of `timeout`. */
  readonly operands?: number;
  /** `NAME=value` words may stand before the command, with any name. */
  readonly assignments?: boolean;
  /** A lone `-` is an option: `env - x`. */
  readonly dash?: boolean;
  /** Options may stand behind the operands as well: `ssh HOST -t x`. */
  readonly optionsBehind?: boolean;
  /** A lone number option such as `nice -10`. */
  readonly numericFlag?: boolean;
  /** The rest is one text for a shell when true: `watch`, `ssh`. */
  readonly joinsToShell?: boolean;
  /** Runs elsewhere or as someone else: looking through it is for deny rules, never a proof of harmlessness. */
  readonly privileged?: boolean;
  /** Any option of it changes more than how the command is started: its environment, its directory, a file. */
  readonly optionsAlter?: boolean;
  /** Adds words of its own to the command: `xargs`. */
  readonly appends?: boolean;
  /** Prints something of its own, or runs the command more than once: no single command's output. */
  readonly noisy?: boolean;
  /** Options that make it do something else than running the rest. */
  readonly stops?: readonly string[];
  /** Options whose value is split into words that are read in their place: `env -S`. */
  readonly splitText?: readonly string[];
  /** The words behind the operands may be `-c TEXT`: `flock FILE -c 'x'`. */
  readonly textOption?: boolean;
  /** Without a command it starts a shell that reads its input: always, or with one of these options. */
  readonly startsShell?: true | readonly string[];
  /** Its options are not listed here: each of its words may be the program. */
  readonly unread?: boolean;
}

const wrapper = (flags: string, valued: string, rest: Omit<WrapperSpec, "flags" | "valued"> = {}): WrapperSpec => ({
  flags,
  valued,
  ...rest,
});

/** Programs that run another one, whose options are not listed: never a proof, and a reason to ask for every rule. */
const UNREAD =
  "setarch linux32 linux64 i386 x86_64 nsenter fakeroot fakechroot firejail bwrap proot torsocks torify proxychains proxychains4 perf gdb catchsegv cgexec choom uclampset tini dumb-init eatmydata faketime gosu su-exec runcon sg capsh daemonize start-stop-daemon softlimit chpst setuidgid direnv entr watchexec tmux screen expect coredumpctl rr heaptrack machinectl systemd-inhibit systemd-cat systemd-nspawn cpulimit hyperfine chronic sem crontab ld-linux-x86-64.so.2 ld-linux-aarch64.so.1 ld.so";

/** Wrappers by program name. Shells, `find`, `eval` and `trap` have rules of their own in `unwrap.ts`. */
export const WRAPPERS: ReadonlyMap<string, WrapperSpec> = new Map<string, WrapperSpec>([
  ["nohup", wrapper("", "")],
  ["builtin", wrapper("", "")],
  ["command", wrapper("p", "", { stops: ["-v", "-V"] })],
  ["exec", wrapper("cl", "a", { privileged: true })],
  ["nice", wrapper("", "n", { longValued: ["--adjustment"], numericFlag: true })],
  [
    "ionice",
    wrapper("t", "cn", { long: ["--ignore"], longValued: ["--class", "--classdata"], stops: ["-p", "-P", "-u"] }),
  ],
  ["setsid", wrapper("cfw", "", { optionsAlter: true, long: ["--ctty", "--fork", "--wait"] })],
  ["stdbuf", wrapper("", "ioe", { longValued: ["--input", "--output", "--error"] })],
  [
    "timeout",
    wrapper("v", "ks", {
      operands: 1,
      long: ["--foreground", "--preserve-status", "--verbose"],
      longValued: ["--kill-after", "--signal"],
    }),
  ],
  [
    "gtimeout",
    wrapper("v", "ks", {
      operands: 1,
      long: ["--foreground", "--preserve-status"],
      longValued: ["--kill-after", "--signal"],
    }),
  ],
  [
    "time",
    wrapper("apvq", "fo", {
      noisy: true,
      optionsAlter: true,
      long: ["--portability", "--verbose", "--append"],
      longValued: ["--format", "--output"],
    }),
  ],
  [
    "env",
    wrapper("i0v", "uCS", {
      dash: true,
      optionsAlter: true,
      assignments: true,
      long: ["--ignore-environment", "--null", "--debug"],
      longValued: ["--unset", "--chdir", "--split-string"],
      splitText: ["-S", "--split-string"],
    }),
  ],
  [
    "sudo",
    wrapper("AbEHknPSis", "CDghpRrtTu", {
      assignments: true,
      privileged: true,
      startsShell: ["-i", "-s", "--login", "--shell"],
      long: [
        "--askpass",
        "--background",
        "--preserve-env",
        "--set-home",
        "--non-interactive",
        "--preserve-groups",
        "--stdin",
        "--reset-timestamp",
        "--login",
        "--shell",
      ],
      longValued: [
        "--chdir",
        "--close-from",
        "--group",
        "--host",
        "--prompt",
        "--role",
        "--type",
        "--user",
        "--command-timeout",
      ],
      stops: ["-e", "--edit", "-l", "--list", "-v", "--validate", "-K"],
    }),
  ],
  ["doas", wrapper("nLs", "Cu", { privileged: true, startsShell: ["-s"] })],
  ["pkexec", wrapper("", "", { privileged: true, startsShell: true, longValued: ["--user"] })],
  // Not a program: how `runuser` is read once `-u` was found.
  [
    "runuser -u",
    wrapper("lmPf", "ugGsw", {
      privileged: true,
      longValued: ["--user", "--group", "--supp-group", "--shell", "--whitelist-environment"],
      long: ["--login", "--preserve-environment", "--pty", "--fast"],
    }),
  ],
  [
    "chroot",
    wrapper("", "", {
      operands: 1,
      privileged: true,
      startsShell: true,
      longValued: ["--userspec", "--groups"],
      long: ["--skip-chdir"],
    }),
  ],
  ["unshare", wrapper("imnpuUCTrcf", "SGR", { privileged: true, startsShell: true })],
  [
    "setpriv",
    wrapper("", "", {
      privileged: true,
      long: ["--no-new-privs", "--clear-groups"],
      longValued: ["--reuid", "--regid", "--groups"],
    }),
  ],
  ["taskset", wrapper("c", "", { operands: 1, stops: ["-p"] })],
  ["chrt", wrapper("bfior", "", { operands: 1, stops: ["-p"] })],
  ["numactl", wrapper("", "NmC", { long: ["--localalloc"], longValued: ["--cpunodebind", "--membind"] })],
  [
    "prlimit",
    wrapper("", "", {
      privileged: true,
      long: "as core cpu data fsize locks memlock msgqueue nice nofile nproc rss rtprio rttime sigpending stack"
        .split(" ")
        .map((name) => `--${name}`),
      stops: ["-p", "--pid"],
    }),
  ],
  [
    "flock",
    wrapper("exsunoFv", "wE", {
      operands: 1,
      privileged: true,
      textOption: true,
      long: ["--exclusive", "--shared", "--nonblock", "--close", "--verbose"],
      longValued: ["--timeout", "--wait"],
    }),
  ],
  ["strace", wrapper("fcCdqrtTvVxyz", "eoOpPsSaEuX", { noisy: true, privileged: true })],
  ["ltrace", wrapper("cCfhiLrStTV", "aAeDFlnopsux", { noisy: true, privileged: true })],
  ["valgrind", wrapper("vq", "", { noisy: true, privileged: true })],
  [
    "watch",
    wrapper("bcdegptwx", "n", { noisy: true, joinsToShell: true, privileged: true, longValued: ["--interval"] }),
  ],
  [
    "ssh",
    wrapper("46AaCfGgKkMNnqsTtVvXxYy", "BbcDEeFIiJLlmOopQRSWw", {
      operands: 1,
      optionsBehind: true,
      joinsToShell: true,
      privileged: true,
      startsShell: true,
    }),
  ],
  [
    "xargs",
    wrapper("0prtx", "adEILnPs", {
      appends: true,
      noisy: true,
      long: ["--null", "--no-run-if-empty", "--verbose", "--exit", "--replace", "--max-lines", "--eof"],
      longValued: ["--arg-file", "--delimiter", "--max-args", "--max-procs", "--max-chars"],
    }),
  ],
  ["busybox", wrapper("", "", {})],
  ["toybox", wrapper("", "", {})],
  [
    "parallel",
    wrapper("kuvX0", "jIN", { appends: true, noisy: true, joinsToShell: true, privileged: true, startsShell: true }),
  ],
  ["caffeinate", wrapper("dimsu", "tw", {})],
  [
    "systemd-run",
    wrapper("", "pu", {
      privileged: true,
      long: ["--user", "--scope", "--pty", "--wait", "--collect", "--quiet"],
      longValued: ["--unit", "--property"],
    }),
  ],
  ["dbus-run-session", wrapper("", "", { privileged: true, startsShell: true })],
  [
    "xvfb-run",
    wrapper("a", "nes", { noisy: true, privileged: true, long: ["--auto-servernum"], longValued: ["--server-args"] }),
  ],
  ["unbuffer", wrapper("p", "", { privileged: true })],
  ["rlwrap", wrapper("", "", { privileged: true })],
  ...UNREAD.split(" ").map((name): [string, WrapperSpec] => [
    name,
    wrapper("", "", { unread: true, privileged: true }),
  ]),
]);
