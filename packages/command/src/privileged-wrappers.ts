/**
 * Wrappers that run their command as someone else, below another root or in another namespace.
 *
 * They are looked through for deny rules and hard blocks, and never a proof. Sources: sudo(8), doas(1), pkexec(1),
 * runuser(1), chroot(1), unshare(1), nsenter(1), setpriv(1), prlimit(1), flock(1), systemd-run(1), run0(1), systemd-inhibit(1).
 */
import { longOptions, type WrapperSpec, wrapper } from "./wrapper-spec.ts";

const LIMITS = "core data nice fsize sigpending memlock rss nofile msgqueue rtprio stack cpu nproc as locks rttime";

/** By program name. */
export const PRIVILEGED_WRAPPERS: readonly (readonly [string, WrapperSpec])[] = [
  [
    "sudo",
    // `-a` and `-c` are those of BSD; `-h` alone asks for help, and nothing runs.
    wrapper("ABbEHkNnPSis", "aCcDghpRrTtUu", {
      assignments: true,
      privileged: true,
      startsShell: ["-i", "-s", "--login", "--shell"],
      long: longOptions(
        "askpass background bell preserve-env set-home non-interactive no-update preserve-groups stdin reset-timestamp login shell",
      ),
      longValued: longOptions(
        "auth-type login-class chdir chroot close-from group host prompt role type user other-user command-timeout",
      ),
      folder: ["-D", "--chdir", "-R", "--chroot"],
      stops: [
        ..."elvKV".split("").map((letter) => `-${letter}`),
        ...longOptions("edit list validate remove-timestamp help version"),
      ],
    }),
  ],
  ["doas", wrapper("nLs", "aCu", { privileged: true, startsShell: ["-s"] })],
  [
    "pkexec",
    wrapper("", "", {
      privileged: true,
      startsShell: true,
      long: longOptions("disable-internal-agent keep-cwd"),
      longValued: ["--user"],
    }),
  ],
  // Not a program: how `runuser` is read once `-u` was found.
  [
    "runuser -u",
    wrapper("lmpPf", "ugGsw", {
      privileged: true,
      longValued: longOptions("user group supp-group shell whitelist-environment"),
      long: longOptions("login preserve-environment pty fast"),
    }),
  ],
  [
    "chroot",
    wrapper("", "", {
      operands: 1,
      folderOperand: true,
      privileged: true,
      startsShell: true,
      longValued: longOptions("userspec groups"),
      long: ["--skip-chdir"],
    }),
  ],
  [
    "unshare",
    wrapper("imnpuUCTrcf", "SGRwl", {
      privileged: true,
      startsShell: true,
      folder: ["-R", "--root", "-w", "--wd"],
      long: longOptions(
        "mount uts ipc net pid user cgroup time fork map-root-user map-current-user map-auto kill-child mount-proc mount-binfmt keep-caps forward-signals",
      ),
      longValued: longOptions(
        "map-user map-group map-users map-groups owner propagation setgroups root wd setuid setgid monotonic boottime load-interp",
      ),
    }),
  ],
  [
    "nsenter",
    wrapper("aceFkZ", "tSGWN", {
      attached: "muinpCUTrw",
      privileged: true,
      startsShell: true,
      // Whoever enters another mount namespace begins at its root: setns(2).
      folder: ["-r", "--root", "-w", "--wd", "-W", "--wdns", "-m", "--mount", "-a", "--all"],
      long: longOptions(
        "all mount uts ipc net pid cgroup user time preserve-credentials keep-caps root wd env no-fork follow-context join-cgroup user-parent",
      ),
      longValued: longOptions("target setuid setgid wdns net-socket"),
    }),
  ],
  [
    "setpriv",
    wrapper("", "", {
      privileged: true,
      long: longOptions("nnp no-new-privs clear-groups keep-groups init-groups reset-env"),
      longValued: longOptions(
        "ambient-caps inh-caps bounding-set ruid euid rgid egid reuid regid groups securebits pdeathsig ptracer selinux-label apparmor-profile landlock-access landlock-rule seccomp-filter",
      ),
      stops: ["-d", "--dump"],
    }),
  ],
  [
    "prlimit",
    wrapper("", "o", {
      privileged: true,
      attached: "cdefilmnqrstuvxy",
      long: longOptions(`${LIMITS} noheadings raw verbose`),
      longValued: ["--output"],
      stops: ["-p", "--pid"],
    }),
  ],
  [
    "flock",
    wrapper("exsunoFv", "wE", {
      operands: 1,
      privileged: true,
      textOption: true,
      long: longOptions("exclusive shared unlock nonblock nb close no-fork fcntl verbose"),
      longValued: longOptions("timeout wait conflict-exit-code start length"),
    }),
  ],
  [
    "systemd-inhibit",
    wrapper("", "", {
      privileged: true,
      long: longOptions("no-ask-password no-pager no-legend"),
      longValued: longOptions("what who why mode"),
      stops: ["--list"],
    }),
  ],
  [
    "systemd-run",
    wrapper("dtPqGrvS", "HMCupE", {
      privileged: true,
      startsShell: ["-S", "--shell"],
      folder: ["--working-directory"],
      long: longOptions(
        "no-ask-password user system scope slice-inherit no-block remain-after-exit wait send-sighup same-dir pty pty-late pipe quiet verbose collect shell on-timezone-change on-clock-change ignore-failure expand-environment no-pager",
      ),
      longValued: longOptions(
        "host machine capsule unit property description slice service-type uid gid nice working-directory root-directory setenv background job-mode path-property socket-property on-active on-boot on-startup on-unit-active on-unit-inactive on-calendar timer-property json",
      ),
    }),
  ],
  [
    "run0",
    wrapper("i", "ugD", {
      privileged: true,
      startsShell: true,
      folder: ["-D", "--chdir"],
      long: longOptions("no-ask-password slice-inherit pty pty-late pipe via-shell lightweight same-root-dir empower"),
      longValued: longOptions(
        "unit property description slice user group nice chdir setenv background machine shell-prompt-prefix area",
      ),
      stops: ["-h", "-V", ...longOptions("help version")],
    }),
  ],
];
