/**
 * Launchers whose command runs in a container or on another machine: what it removes there is not here, unless that has
 * the user's home folder in it.
 *
 * Sources: docker(1), podman(1), kubectl, lxc(1), incus, multipass, vagrant, limactl, colima, OrbStack, devcontainer,
 * distrobox, toolbox, flatpak, wsl, systemd-nspawn(1), arch-chroot(8), apptainer, minikube, mosh(1), adb, gcloud,
 * ansible(1).
 */
import { form, type LaunchForm } from "./launcher-spec.ts";

/** A line of a table: programs by their names, and the ways in which they start a command. */
export type Entry = readonly [names: string, forms: readonly LaunchForm[]];

const CONTAINER_FLAGS =
  "-i -t -d --interactive --tty --detach --rm --init --privileged --read-only --publish-all -P --no-deps -T --no-TTY --build --quiet -q --all -a --stdin --service-ports";
const CONTAINER_VALUES =
  "-u --user -e --env --env-file -w --workdir -v --volume -p --publish --name --network --net --mount -l --label -m --memory --cpus --gpus --platform --hostname -h --ip --link --add-host --cap-add --cap-drop --device --dns --entrypoint --expose --group-add --ipc --isolation --log-driver --log-opt --pid --pull --restart --runtime --security-opt --shm-size --stop-signal --stop-timeout --tmpfs --ulimit --userns --uts --volumes-from --volume-driver --cidfile --cgroupns --cpuset-cpus --detach-keys --index --context -H --host --config -f --file --project-name --profile --project-directory -c --container -n --namespace --kubeconfig --image --cluster --as --image-pull-policy --override-type --overrides --remote";
const CONTAINER = { flags: CONTAINER_FLAGS, valued: CONTAINER_VALUES };
const ORB = { flags: "-s --shell", valued: "-m --machine -u --user -w --workdir -p --path", dashes: true };
const DEVCONTAINER_VALUES =
  "--workspace-folder --container-id --id-label --config --override-config --remote-env --user-data-folder --container-data-folder --docker-path --docker-compose-path --log-level --log-format --default-user-env-probe --terminal-columns --terminal-rows";

const NSPAWN_FLAGS =
  "-q --quiet -a --as-pid2 -b --boot -x --ephemeral -n --network-veth -U -j -P --pipe --private-network --read-only --register --keep-unit";
const NSPAWN_VALUES =
  "-D --directory -M --machine -i --image -u --user --template --oci-bundle --bind --bind-ro --tmpfs --overlay --chdir -E --setenv -p --port -S --slice --hostname --uuid --capability --drop-capability --link-journal --volatile --console --network-zone --network-bridge --private-users";

/** Launchers by the names of their programs. */
export const CONTAINERS: readonly Entry[] = [
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
  ["multipass limactl", [form("exec|shell|run *", { valued: "--workdir -d --working-directory", dashes: true })]],
  ["devcontainer", [form("exec", { flags: "--mount-workspace-git-root", valued: DEVCONTAINER_VALUES })]],
  ["lima", [form("", { valued: "--workdir", dashes: true })]],
  ["crictl pct", [form("exec *", { ...CONTAINER, dashes: true })]],
  ["vagrant", [form("ssh", { runs: "other", texts: "-c --command" })]],
  ["flatpak", [form("run", { runs: "other", programs: "--command" })]],
  [
    "wsl wsl.exe",
    [form("", { valued: "-d --distribution -u --user --cd --shell-type", programs: "-e --exec --", dashes: true })],
  ],
  ["systemd-nspawn", [form("", { flags: NSPAWN_FLAGS, valued: NSPAWN_VALUES, startsShell: true })]],
  ["arch-chroot artix-chroot", [form("*", { flags: "-N -r -S -d", valued: "-u", startsShell: true })]],
  ["minikube", [form("ssh", { runs: "joined", valued: "-p --profile -n --node", dashes: true })]],
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

/** Those whose containers have the user's home folder in them, so that their command can remove it. */
export const HOME_SHARING: readonly Entry[] = [
  ["orbctl", [form("run", ORB)]],
  // The words of `orb` alone are a command in its machine, unless they are one of its own.
  ["orb", [form("run", ORB), form("", ORB)]],
  ["colima", [form("ssh", { valued: "-p --profile", dashes: true })]],
  ["distrobox", [form("enter", { runs: "other", programs: "-e --exec", dashes: true }), form("enter *", {})]],
  ["distrobox-enter", [form("", { runs: "other", programs: "-e --exec", dashes: true })]],
  ["toolbox", [form("run", { valued: "-c --container -d --distro -r --release" })]],
  ["apptainer singularity", [form("exec|run|shell *", { valued: "-B --bind --pwd --env --env-file -H --home" })]],
];
