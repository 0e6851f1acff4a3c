/**
 * Which programs start others as one use among many, and where in their words the other program stands.
 *
 * Options are listed as far as it is common to give them before the command: behind one that is not, both readings
 * count. Sources: the manuals and `--help` of each program, named at its group.
 */
import { CONTAINERS, type Entry, HOME_SHARING } from "./launcher-containers.ts";
import { form, type Launcher } from "./launcher-spec.ts";

/** npm-exec(1), npm-explore(1), pnpm exec and dlx, yarn exec, dlx and workspace, bun(1), deno, lerna, nx, corepack. */
const NODE_FLAGS =
  "-y --yes --no -q --quiet -s --silent --ws --workspaces --offline --prefer-offline --bun -r --recursive --parallel";
const NODE_VALUES =
  "-p --package -w --workspace -C --dir --prefix --cwd --filter -F --loglevel --registry --userconfig";
const NODE = { flags: NODE_FLAGS, valued: NODE_VALUES };
const PACKAGE_RUNNERS: readonly Entry[] = [
  ["npx pnpx bunx", [form("", { ...NODE, texts: "-c --call", dashes: true })]],
  [
    "npm",
    [form("exec|exe|x", { ...NODE, texts: "-c --call", dashes: true }), form("explore *", { ...NODE, dashes: true })],
  ],
  ["pnpm", [form("exec|dlx", { ...NODE, flags: `${NODE_FLAGS} -c --shell-mode` })]],
  [
    "yarn yarnpkg",
    [
      form("exec|dlx", NODE),
      form("workspace * exec|dlx", NODE),
      form("workspaces foreach exec", {
        flags: "-A --all -p --parallel -v -R -i -t -W --worktree",
        valued: "-j --jobs --from --include --exclude",
      }),
    ],
  ],
  ["bun", [form("x|exec|run", NODE)]],
  ["lerna", [form("exec", { valued: "--scope --ignore --concurrency", dashes: true })]],
  ["nx", [form("exec", { dashes: true })]],
];

/** The options of the programs below that run a command in their own environment, where they are common. */
const RUN_FLAGS =
  "-q --quiet -v --verbose --no-capture-output --live-stream --isolated --frozen --locked --no-sync --active --all-extras --dev --no-dev";
const RUN_VALUES =
  "-n --name -p --prefix --python --with --with-requirements --with-editable --extra --group --env-file --package --index --index-url --project --directory -C --cwd -P --spec --cache-dir --config-file -e --env";
const RUN = { flags: RUN_FLAGS, valued: RUN_VALUES };

/**
 * uv(1), pipx, poetry, pipenv, pdm, hatch, rye, pixi, tox, conda, mamba, bundle-exec(1), mise, asdf, rbenv, pyenv,
 * nix(1), guix(1).
 */
const ENVIRONMENTS: readonly Entry[] = [
  [
    "uv",
    [
      form("run", { ...RUN, flags: `${RUN_FLAGS} -m --module -s --script` }),
      form("tool run", { ...RUN, valued: `${RUN_VALUES} --from` }),
    ],
  ],
  ["uvx", [form("", { ...RUN, valued: `${RUN_VALUES} --from` })]],
  [
    "pipx poetry pipenv pdm rye pixi rattler-index hatch",
    [form("run", RUN), form("shell", { startsShell: true, runs: "other" })],
  ],
  ["conda mamba micromamba", [form("run", RUN)]],
  ["bundle bundler", [form("exec|e|ex", { flags: "--keep-file-descriptors", valued: "--gemfile" })]],
  ["mise rtx", [form("exec|x", { ...RUN, texts: "-c --command", valued: "-C --cd -E --env -j --jobs", dashes: true })]],
  [
    "asdf rbenv pyenv nodenv goenv jenv plenv phpenv volta fnm nvm opam luarocks stack cabal",
    [form("exec", RUN), form("run", RUN), form("exec *", { ...RUN, dashes: true })],
  ],
  ["nix-shell", [form("", { texts: "--run --command", runs: "other", startsShell: true })]],
  [
    "nix",
    [
      form("shell|develop|run|env", {
        valued: "--option -f --file -I",
        programs: "-c --command",
        runs: "other",
        dashes: true,
        startsShell: true,
      }),
    ],
  ],
  [
    "guix",
    [
      form("shell|environment", { runs: "other", dashes: true, startsShell: true }),
      form("time-machine", { runs: "other" }),
    ],
  ],
  ["devbox", [form("run", { valued: "-c --config -e --env --env-file", dashes: true })]],
  ["devenv flox", [form("shell|activate", { texts: "-c --command", dashes: true, runs: "other", startsShell: true })]],
];

/**
 * op(1), doppler, aws-vault, dotenv, dotenvx, env-cmd, cross-env, chamber, sops, infisical, heroku, foreman,
 * envdir(8).
 */
const SECRETS: readonly Entry[] = [
  [
    "op infisical dotenvx teller railway vercel netlify honcho foreman envchain",
    [form("run|dev:exec", { valued: "-f --env-file -e --env --env -p --port", texts: "--command", dashes: true })],
  ],
  ["doppler", [form("run", { valued: "-p --project -c --config -t --token", texts: "--command", dashes: true })]],
  [
    "aws-vault",
    [
      form("exec *", {
        flags: "-n --no-session -j --json --server -s",
        valued: "-d --duration --region",
        dashes: true,
      }),
    ],
  ],
  ["chamber", [form("exec", { runs: "other", dashes: true })]],
  ["sops", [form("exec-env *", {}), form("exec-file *", {})]],
  [
    "dotenv",
    [
      form("", { flags: "-o --override -x", valued: "-e -f --file -c -v -p -q", dashes: true }),
      form("run", { valued: "-f --file -q --quote", dashes: true }),
    ],
  ],
  [
    "env-cmd",
    [
      form("", {
        flags: "--no-override --use-shell --expand-envs --silent --verbose -x",
        valued: "-f --file -e --environments -r --rc-file",
      }),
    ],
  ],
  ["cross-env cross-env-shell", [form("", { assignments: true })]],
  ["with-env envchain-run", [form("", { assignments: true }), form("*", {})]],
  ["envdir setlock", [form("*", { flags: "-n -N -x -X -d" })]],
];

/**
 * concurrently, nodemon, onchange, chokidar-cli, reflex, cargo-watch, start-server-and-test, pee(1) and ifne(1) of
 * moreutils.
 */
const WATCHERS: readonly Entry[] = [
  [
    "concurrently conc pee",
    [form("", { runs: "texts", valued: "-n --names -c --prefix-colors -m --max-processes -p --prefix" })],
  ],
  ["nodemon tsc-watch", [form("", { runs: "other", texts: "-x --exec --onSuccess --onFailure" })]],
  ["onchange reflex wait-on", [form("", { runs: "other", dashes: true })]],
  ["chokidar", [form("", { runs: "other", texts: "-c --command" })]],
  ["start-server-and-test", [form("", { runs: "texts" })]],
  ["cargo-watch", [form("", { runs: "other", texts: "-s --shell", dashes: true })]],
  ["cargo", [form("watch", { runs: "other", texts: "-s --shell", dashes: true })]],
  ["ifne", [form("", { flags: "-n" })]],
];

const IP_VALUES = "-n -netns -N -Numeric -b -batch -f -family -rc -rcvbuf -l -loops";

/**
 * ip(8), ip-netns(8), ip-vrf(8), ssh-agent(1), dbus-launch(1), trickle(1), coreutils(1), sshpass(1), the commands of
 * expect(1), and of macOS arch(1), xcrun(1), sandbox-exec(1); distrobox-host-exec(1), aa-exec(1), dtach(1),
 * abduco(1), xe(1).
 */
const SYSTEM: readonly Entry[] = [
  [
    "ip",
    [
      form("net|netn|netns e|ex|exe|exec *", { valued: IP_VALUES }),
      // With `-all` it runs in each namespace, and none is named.
      form("net|netn|netns e|ex|exe|exec", { flags: "-a -al -all", valued: IP_VALUES }),
      form("v|vr|vrf e|ex|exe|exec *", { valued: IP_VALUES }),
    ],
  ],
  ["ssh-agent", [form("", { flags: "-c -D -d -k -s -T -u -U", valued: "-a -E -O -P -t", startsShell: true })]],
  [
    "dbus-launch",
    [
      form("", {
        flags:
          "--sh-syntax --csh-syntax --auto-syntax --binary-syntax --close-stderr --exit-with-session --exit-with-x11",
        valued: "--config-file --autolaunch",
      }),
    ],
  ],
  ["trickle", [form("", { flags: "-s -v", valued: "-d -u -w -t -l -n -L -P" })]],
  ["coreutils", [form("", { programs: "--coreutils-prog" })]],
  ["sshpass", [form("", { flags: "-e -v", valued: "-p -f -d -P" })]],
  ["spawn", [form("", { flags: "-noecho -console -leaveopen -pty -nottycopy -nottyinit -ignore", valued: "-open" })]],
  ["arch", [form("", { flags: "-x86_64 -x86_64h -arm64 -arm64e -i386 -32 -64 -c -h", valued: "-arch -d -e" })]],
  [
    "xcrun",
    [
      form("", {
        flags: "-v --verbose -l --log -n --no-cache -k --kill-cache -r --run",
        valued: "--sdk --toolchain -sdk",
      }),
    ],
  ],
  ["sandbox-exec", [form("", { valued: "-f -n -p -D" })]],
  [
    "flatpak-spawn",
    [form("", { flags: "--host --clear-env --watch-bus --sandbox --no-network", valued: "--directory --env" })],
  ],
  ["distrobox-host-exec host-spawn", [form("", { flags: "-Y --yes -v --verbose -no-pty -pty", valued: "-env -cwd" })]],
  ["aa-exec", [form("", { flags: "-d --debug -i --immediate -v --verbose", valued: "-p --profile -n --namespace" })]],
  ["dtach", [form("*", { flags: "-A -c -n -N -E -z", valued: "-e -r -R" })]],
  ["abduco", [form("*", { flags: "-A -c -n -f -l -q", valued: "-e" })]],
  ["xe", [form("", { flags: "-0 -a -F -n -p -q -R -v -vv", valued: "-A -I -N -f -j -s" })]],
  ["k3s k0s rke2 sudo-rs", [form("", {})]],
  [
    "go",
    [
      form("run|test", { runs: "other", texts: "-exec --exec -toolexec" }),
      form("build|vet|install", { runs: "other", texts: "-toolexec --toolexec" }),
    ],
  ],
];

const TERMINAL = "-e -x --command --execute";
const KITTY_VALUES =
  "-o --override -c --config -d --directory --working-directory -D -T --title -t -N --name --class --app-id -a --session --listen-on -W -w -f --font -L -m --term --instance-group -F -u";
const PANE = {
  flags: "-f --floating -i --in-place -c --close-on-exit -s --start-suspended",
  valued: "-d --direction --cwd -n --name --width --height -x -y",
  dashes: true,
};

/**
 * xterm(1), gnome-terminal(1), konsole(1), alacritty(1) and their like, whose option takes a text or all words behind
 * it; kitty(1), foot(1), wezterm and zellij, which take operands.
 */
const TERMINALS: readonly Entry[] = [
  [
    "xterm uxterm lxterm urxvt urxvtc rxvt st konsole alacritty ghostty rio tilix terminator xfce4-terminal mate-terminal lxterminal qterminal terminology kgx ptyxis gnome-terminal x-terminal-emulator",
    [form("", { runs: "other", texts: TERMINAL, programs: TERMINAL, dashes: true })],
  ],
  ["kitty foot footclient", [form("", { flags: "-e --hold -1 --single-instance --detach", valued: KITTY_VALUES })]],
  [
    "wezterm",
    [
      form("start|ssh|connect", { valued: "--cwd --class --workspace --position", dashes: true }),
      form("cli spawn|split-pane", { valued: "--cwd --pane-id --window-id --workspace --percent", dashes: true }),
      form("", { runs: "other", programs: "-e" }),
    ],
  ],
  ["zellij", [form("run|r", PANE), form("action|ac new-pane", PANE)]],
];

/** What `cmd` runs stands behind one of these; a shell of MSYS wants the slash twice. */
const CMD_TEXT = "/c|/C|/k|/K|/r|/R|//c|//C|//k|//K";
const CMD_SWITCH = "/d|/D|/s|/S|/q|/Q|/v:on|/V:ON|/e:on|/E:ON";
const POWERSHELL = "-c -C -command -Command";

/** crontab(1), which runs its input later; launchctl(1); snap(8); cmd and PowerShell of Windows, as WSL calls them. */
const SERVICES: readonly Entry[] = [
  ["crontab", [form("", { runs: "other", valued: "-u", startsShell: true })]],
  ["launchctl", [form("submit", { valued: "-l -o -e", programs: "-p", dashes: true }), form("asuser|bsexec *", {})]],
  ["snap", [form("run", { runs: "other", texts: "-c" })]],
  [
    "cmd cmd.exe",
    [CMD_TEXT, `* ${CMD_TEXT}`, `* ${CMD_SWITCH} ${CMD_TEXT}`].map((path) => form(path, { runs: "joined" })),
  ],
  ["powershell powershell.exe pwsh.exe", [form("", { runs: "other", texts: POWERSHELL, programs: POWERSHELL })]],
];

/** Launchers by the name of their program. Those of git are in `unwrap-git.ts`. */
export const LAUNCHERS: ReadonlyMap<string, Launcher> = new Map([
  ...entries(
    [...PACKAGE_RUNNERS, ...ENVIRONMENTS, ...SECRETS, ...WATCHERS, ...SYSTEM, ...TERMINALS, ...SERVICES],
    false,
  ),
  ...entries(HOME_SHARING, true, true),
  ...entries(CONTAINERS, true),
]);

function entries(list: readonly Entry[], contained: boolean, sharesHome = false): (readonly [string, Launcher])[] {
  return list.flatMap(([names, forms]) =>
    names.split(" ").map((name) => [name, { forms, contained, sharesHome }] as const),
  );
}
