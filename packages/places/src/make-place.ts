/**
 * Makes places. Nothing is started or connected here: a place connects when it is first used.
 */
import {
  CommandOptions,
  ContainerOptions,
  checkedOptions,
  checkedWord,
  KubernetesOptions,
  PlaceOptionError,
  refuseKeep,
  SlurmOptions,
  SshOptions,
} from "./options.ts";
import { type LocalPlace, RemotePlace } from "./place.ts";
import { SessionPlaces } from "./session-places.ts";
import { slurmTransport } from "./slurm.ts";
import { commandTransport, containerTransport, kubernetesTransport, sshTransport } from "./transports.ts";

/** This machine, as without any place. */
export function local(): LocalPlace {
  return { kind: "local", name: "local" };
}

/**
 * A machine reached by `ssh`, with the user's own configuration and keys. It asks nothing: a key or an agent must let it in.
 *
 * ```ts
 * import { createExecutor } from "@pi-bash/executor";
 * import { ssh } from "@pi-bash/places";
 *
 * const executor = createExecutor({}, { place: ssh("build7") });
 * const { exitCode } = await executor.executeBash("make", { sessionKey: "agent-1" });
 * console.log(exitCode);
 * await executor.dispose(); // Ends everything over there.
 * ```
 *
 * @param destination as `ssh` takes it: a host of the configuration, or `user@host`
 * @throws PlaceOptionError for an option that there is not, and for a destination that `ssh` would take for an option
 */
export function ssh(destination: string, options: SshOptions = {}): RemotePlace {
  const checked = checkedOptions("ssh", SshOptions, options);
  return new RemotePlace(sshTransport(checkedWord("ssh", "the destination", destination), checked), checked);
}

/**
 * A container of podman or docker: one that runs, or one made of an image that lives as long as the connection.
 *
 * @throws PlaceOptionError for an option that there is not
 */
export function container(options: ContainerOptions): RemotePlace {
  const checked = checkedOptions("container", ContainerOptions, options);
  if (checked.image !== undefined) {
    refuseKeep(
      "container",
      checked,
      "a container made of an image ends with its connection; start one and give its `name`",
    );
  }
  return new RemotePlace(containerTransport(checked), checked);
}

/**
 * A container of a Kubernetes pod, reached by `kubectl exec`.
 *
 * @throws PlaceOptionError for an option that there is not
 */
export function kubernetes(options: KubernetesOptions): RemotePlace {
  const checked = checkedOptions("kubernetes", KubernetesOptions, options);
  return new RemotePlace(kubernetesTransport(checked), checked);
}

/**
 * A job of Slurm. It is asked for with the first use, which waits for the queue, and ended with the place. With `isolation:
 * "job"` each session has a job of its own, which is asked for with the session's first command and ends with the session.
 *
 * @throws PlaceOptionError for an option that there is not
 */
export function slurm(options: SlurmOptions & { isolation: "job" }): SessionPlaces;
export function slurm(options?: SlurmOptions): RemotePlace;
export function slurm(options: SlurmOptions = {}): RemotePlace {
  const checked = checkedOptions("slurm", SlurmOptions, options);
  refuseKeep("slurm", checked, "Slurm ends a job's step with the `srun` that carries it; leave `onCut` out");
  if (checked.isolation === "job") return new SessionPlaces((key) => slurmTransport(checked, key), checked);
  return new RemotePlace(slurmTransport(checked), checked);
}

/**
 * Any program that runs the words that follow its own and carries their standard input and output, e.g.
 * `command(["sudo", "-n", "-u", "build"])`.
 *
 * @throws PlaceOptionError for an option that there is not, or no words
 */
export function command(argv: readonly string[], options: CommandOptions = {}): RemotePlace {
  const checked = checkedOptions("command", CommandOptions, options);
  if (
    !Array.isArray(argv) ||
    argv.length === 0 ||
    argv.some((each) => typeof each !== "string" || each.includes("\0"))
  ) {
    throw new PlaceOptionError("`command`: the words are not a list of strings; give the program and its arguments");
  }
  if (checked.isWhole === true) {
    refuseKeep(
      "command",
      checked,
      "its words are whole, and `attach` needs others; give `hostPath` instead of `isWhole`",
    );
  }
  return new RemotePlace(commandTransport(argv, checked), checked);
}
