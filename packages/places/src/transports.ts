/**
 * The words of each transport: how `ssh`, container engines, `kubectl` and any other program run a program over there.
 *
 * Each only builds words, and none goes through a local shell. Where a remote shell joins them again, `joinWords` writes
 * them so that every login shell reads the same. `srun` has a file of its own (`slurm.ts`), because of its queue.
 */
import { joinWords } from "./bootstrap.ts";
import type { CommandOptions, ContainerOptions, KubernetesOptions, SshOptions } from "./options.ts";
import type { Transport } from "./transport.ts";

/** No terminal, no question, no forwarding that a configuration asks for, no escape character, and a dead peer is noticed. */
const SSH_WORDS = [
  "-T",
  "-o",
  "BatchMode=yes",
  "-o",
  "ServerAliveInterval=15",
  "-o",
  "ClearAllForwardings=yes",
  "-o",
  "EscapeChar=none",
] as const;

/** What `ssh` says where it was not let in, or will not go in. */
const SSH_REFUSALS =
  /Permission denied|Too many authentication failures|Host key verification failed|REMOTE HOST IDENTIFICATION HAS CHANGED|No supported authentication methods/;
/** What container engines and `kubectl` say of a container that is gone. */
const CONTAINER_REFUSALS =
  /no such container|no container with name or ID|pods? "[^"]*" not found|Unauthorized|Forbidden/i;

/** `ssh`, with the user's own configuration. */
export function sshTransport(destination: string, options: SshOptions): Transport {
  const { program = ["ssh"], configFile, port, identityFile } = options;
  const chosen = [
    ...(configFile === undefined ? [] : ["-F", configFile]),
    ...(port === undefined ? [] : ["-p", String(port)]),
    ...(identityFile === undefined ? [] : ["-i", identityFile]),
    ...(options.options ?? []).flatMap((option) => ["-o", option]),
  ];
  return {
    name: `ssh:${destination}`,
    argv: (words) => [...program, ...SSH_WORDS, ...chosen, "--", destination, joinWords(words)],
    isRefusal: (words) => SSH_REFUSALS.test(words),
  };
}

/** `podman exec` or `docker exec`; with an image, `run` of a container that lives as long as the link. */
export function containerTransport(options: ContainerOptions): Transport {
  const { runtime, name, image, user, program = [runtime] } = options;
  const asUser = user === undefined ? [] : ["--user", user];
  if (image === undefined) {
    return {
      name: `${runtime}:${name ?? ""}`,
      argv: (words) => [...program, "exec", "-i", ...asUser, name ?? "", ...words],
      isRefusal: (words) => CONTAINER_REFUSALS.test(words),
    };
  }
  return {
    name: `${runtime}:${image}`,
    // The image's own entry point would get the words as its arguments.
    argv: ([first = "", ...rest]) => [
      ...program,
      "run",
      "--rm",
      "-i",
      "--init",
      ...asUser,
      "--entrypoint",
      first,
      image,
      ...rest,
    ],
  };
}

/** `kubectl exec`. */
export function kubernetesTransport(options: KubernetesOptions): Transport {
  const { pod, namespace, container, context, program = ["kubectl"] } = options;
  const chosen = [
    ...(context === undefined ? [] : ["--context", context]),
    ...(namespace === undefined ? [] : ["--namespace", namespace]),
  ];
  const inside = container === undefined ? [] : ["--container", container];
  const shown = [namespace, pod, container].filter((part) => part !== undefined).join("/");
  return {
    name: `kubectl:${shown}`,
    argv: (words) => [...program, ...chosen, "exec", "--stdin", pod, ...inside, "--", ...words],
    isRefusal: (words) => CONTAINER_REFUSALS.test(words),
  };
}

/** Any program that runs the words that follow its own. */
export function commandTransport(argv: readonly string[], options: CommandOptions): Transport {
  const { name = `command:${argv[0] ?? ""}`, joinsWords = false, isWhole = false } = options;
  if (isWhole) return { name, isWhole, argv: () => [...argv] };
  return { name, argv: (words) => [...argv, ...(joinsWords ? [joinWords(words)] : words)] };
}
