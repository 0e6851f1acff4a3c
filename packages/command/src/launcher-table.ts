/**
 * Which programs start others as one use among many, and where in their words the other program stands.
 *
 * Options are listed as far as it is common to give them before the command: behind one that is not, both readings
 * count. Sources: the manuals and `--help` of each program, named at its group.
 */
import { form, type Launcher, type LaunchForm } from "./launcher-spec.ts";

type Entry = readonly [names: string, forms: readonly LaunchForm[]];

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
 * expect(1), and of macOS arch(1), xcrun(1), sandbox-exec(1).
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
  ["k3s k0s rke2 sudo-rs", [form("", {})]],
  [
    "go",
    [
      form("run|test", { runs: "other", texts: "-exec --exec -toolexec" }),
      form("build|vet|install", { runs: "other", texts: "-toolexec --toolexec" }),
    ],
  ],
];

/**
 * docker(1), podman(1), kubectl, lxc(1), incus, multipass, vagrant, limactl, distrobox, toolbox, flatpak, wsl,
 * mosh(1), adb, gcloud, ansible(1).
 */
const CONTAINER_FLAGS =
  "-i -t -d --interactive --tty --detach --rm --init --privileged --read-only --publish-all -P --no-deps -T --no-TTY --build --quiet -q --all -a --stdin --service-ports";
const CONTAINER_VALUES =
  "-u --user -e --env --env-file -w --workdir -v --volume -p --publish --name --network --net --mount -l --label -m --memory --cpus --gpus --platform --hostname -h --ip --link --add-host --cap-add --cap-drop --device --dns --entrypoint --expose --group-add --ipc --isolation --log-driver --log-opt --pid --pull --restart --runtime --security-opt --shm-size --stop-signal --stop-timeout --tmpfs --ulimit --userns --uts --volumes-from --volume-driver --cidfile --cgroupns --cpuset-cpus --detach-keys --index --context -H --host --config -f --file --project-name --profile --project-directory -c --container -n --namespace --kubeconfig --image --cluster --as --image-pull-policy --override-type --overrides --remote";
const CONTAINER = { flags: CONTAINER_FLAGS, valued: CONTAINER_VALUES };
const CONTAINERS: readonly Entry[] = [
  [
    "docker podman nerdctl finch docker-compose podman-compose podman-remote",
    [
      form("exec|run|create *", { ...CONTAINER, programs: "--entrypoint" }),
      form("compose|container exec|run|create *", { ...CONTAINER, programs: "--entrypoint" }),
    ],
  ],
  [
    "kubectl oc kubecolor",
    [
      form("exec|rsh *", { ...CONTAINER, dashes: true }),
      form("run|debug|create|job *", { ...CONTAINER, runs: "other", dashes: true }),
    ],
  ],
  [
    "lxc incus",
    [form("exec *", { ...CONTAINER, valued: "--cwd --env --mode -e --user --group --project", dashes: true })],
  ],
  [
    "multipass limactl orb orbctl",
    [form("exec|shell|run *", { valued: "--workdir -d --working-directory -m -u", dashes: true })],
  ],
  ["lima", [form("", { valued: "--workdir", dashes: true })]],
  ["crictl pct", [form("exec *", { ...CONTAINER, dashes: true })]],
  ["vagrant", [form("ssh", { runs: "other", texts: "-c --command" })]],
  ["distrobox", [form("enter", { runs: "other", programs: "-e --exec", dashes: true }), form("enter *", {})]],
  ["distrobox-enter", [form("", { runs: "other", programs: "-e --exec", dashes: true })]],
  ["toolbox", [form("run", { valued: "-c --container -d --distro -r --release" })]],
  ["flatpak", [form("run", { runs: "other", programs: "--command" })]],
  [
    "wsl wsl.exe",
    [form("", { valued: "-d --distribution -u --user --cd --shell-type", programs: "-e --exec --", dashes: true })],
  ],
  ["adb", [form("shell|exec-out", { runs: "joined", valued: "-s -t -H -P" })]],
  ["gcloud", [form("compute ssh", { runs: "other", texts: "--command", dashes: true })]],
  ["mosh autossh et", [form("*", { runs: "joined", valued: "-p --ssh --server --port -P -M -i -l -o", dashes: true })]],
  [
    "rsh remsh pdsh clush plink dsh pssh parallel-ssh",
    [
      form("*", { runs: "joined", valued: "-w -l -p -P -i -h -H -f -m -g" }),
      form("", { runs: "joined", valued: "-w -l -p -P -i -h -H -f -m -g" }),
    ],
  ],
  ["ansible", [form("", { runs: "other", texts: "-a --args" })]],
  ["heroku", [form("run|local:run", { valued: "-a --app -s --size -e --env", dashes: true })]],
  ["fly flyctl", [form("ssh console", { runs: "other", texts: "-C --command" })]],
];

/** Launchers by the name of their program. Those of git are in `unwrap-git.ts`. */
export const LAUNCHERS: ReadonlyMap<string, Launcher> = new Map([
  ...entries([...PACKAGE_RUNNERS, ...ENVIRONMENTS, ...SECRETS, ...WATCHERS, ...SYSTEM], false),
  ...entries(CONTAINERS, true),
]);

function entries(list: readonly Entry[], contained: boolean): (readonly [string, Launcher])[] {
  return list.flatMap(([names, forms]) => names.split(" ").map((name) => [name, { forms, contained }] as const));
}
