/**
 * Options of places, as schemas: a name that is none of these is refused, with the one that may have been meant.
 */

import { checkedValue } from "@pi-bash/contract/internal";
import { MAX_TIMER_MS } from "@pi-bash/contract/internal/abort";
import * as z from "zod";

/** A word that a program does not take for an option. */
const word = z
  .string()
  .min(1)
  .regex(/^[^-\0][^\0]*$/, "may not begin with `-`");
/** Words of a program that carries the streams. */
const words = z.array(z.string().min(1)).min(1);
const milliseconds = z.number().int().min(1).max(MAX_TIMER_MS);

/** Longest time that `pi-host` is kept (`MAX_KEEP` of the crate), in milliseconds: a week. */
const MAX_KEEP_MS = 7 * 24 * 3_600_000;

/** What every place takes. */
const common = {
  /** First directory of sessions there. Default: where the transport starts programs. */
  workspace: z.string().startsWith("/").optional(),
  /** Path of a `pi-host` that is there already. Default: this installation's is put in place. */
  hostPath: z.string().startsWith("/").optional(),
  /** Path here of the `pi-host` that is sent, for a place of this machine's architecture. Default: this installation's. */
  hostBinary: z.string().startsWith("/").optional(),
  /** Time for a connection to stand, in milliseconds. Default 30,000. */
  connectMs: milliseconds.optional(),
  /** Silence after which either side counts the other as gone, in milliseconds, at least 100. Default 60,000. */
  leaseMs: milliseconds.min(100).optional(),
  /**
   * What a cut connection means over there: `"end"` ends everything at once (default); with `keepMs` sessions and commands go
   * on for so long, in milliseconds, at most a week, and this side comes back to them.
   */
  onCut: z.union([z.literal("end"), z.strictObject({ keepMs: milliseconds.min(1_000).max(MAX_KEEP_MS) })]).optional(),
  /** Variables for the local program that carries the streams, on top of the host's. */
  env: z.record(z.string(), z.string()).optional(),
};

/** Options of `ssh`, beside the user's own configuration. */
export const SshOptions = z.strictObject({
  ...common,
  /** A file for `ssh -F`. Default: the user's own configuration. */
  configFile: z.string().min(1).optional(),
  port: z.number().int().min(1).max(65_535).optional(),
  /** A file for `ssh -i`. */
  identityFile: z.string().min(1).optional(),
  /** Options for `ssh -o`, e.g. `ProxyJump=gate`. */
  options: z.array(z.string().min(1)).optional(),
  /** Words of the program. Default `["ssh"]`. */
  program: words.optional(),
});
export type SshOptions = z.infer<typeof SshOptions>;

/** Options of `container`: runtime, and the name of one that runs or the image of a new one. */
export const ContainerOptions = z
  .strictObject({
    ...common,
    runtime: z.enum(["podman", "docker"]),
    /** A container that runs. */
    name: word.optional(),
    /** An image, of which a container is made that lives as long as the link. */
    image: word.optional(),
    /** User in the container, as the runtime takes it. */
    user: word.optional(),
    /** Words of the program. Default: the runtime's name. */
    program: words.optional(),
  })
  .refine(({ name, image }) => (name === undefined) !== (image === undefined), "give either `name` or `image`");
export type ContainerOptions = z.infer<typeof ContainerOptions>;

/** Options of `kubernetes`: pod, namespace, container. */
export const KubernetesOptions = z.strictObject({
  ...common,
  pod: word,
  namespace: word.optional(),
  container: word.optional(),
  context: word.optional(),
  /** Words of the program. Default `["kubectl"]`. */
  program: words.optional(),
});
export type KubernetesOptions = z.infer<typeof KubernetesOptions>;

/** Options of `slurm`: partition, time, and whether each session has a job of its own. */
export const SlurmOptions = z.strictObject({
  ...common,
  partition: word.optional(),
  account: word.optional(),
  qos: word.optional(),
  /** Time limit of the job, as Slurm takes it: minutes, or `D-HH:MM:SS`. */
  time: z
    .string()
    .regex(/^[0-9:-]+$/)
    .optional(),
  cpus: z.number().int().min(1).optional(),
  /** Memory, as Slurm takes it, e.g. `4G`. */
  memory: z
    .string()
    .regex(/^\d+[KMGT]?$/)
    .optional(),
  /** Generic resources, e.g. `gpu:1`. */
  gres: word.optional(),
  /** Longest wait of a job in the queue, in milliseconds. Default: an hour. */
  queueTimeoutMs: milliseconds.optional(),
  /** `place`: all sessions share one job. `job`: each session has one of its own, with these limits. Default `place`. */
  isolation: z.enum(["place", "job"]).optional(),
  /** Takes what the queue says while a job waits, and the session that it is for, where it is for one. */
  onQueue: z
    .custom<(text: string, sessionKey?: string) => void>((value) => typeof value === "function", "is not a function")
    .optional(),
});
export type SlurmOptions = z.infer<typeof SlurmOptions>;

/** Options of `command`: any program that carries two streams as the way to a place. */
export const CommandOptions = z.strictObject({
  ...common,
  /** What people call the place. Default: `command:` and the first word. */
  name: word.optional(),
  /** The words are joined to one line for a remote shell, as `ssh` does it. Default false. */
  joinsWords: z.boolean().optional(),
  /** The words start `pi-host` themselves, e.g. `["/opt/pi-host", "stdio"]`; nothing is put in place. Default false. */
  isWhole: z.boolean().optional(),
});
export type CommandOptions = z.infer<typeof CommandOptions>;

/** Options that all places have. */
export type CommonOptions = Pick<
  CommandOptions,
  "workspace" | "hostPath" | "hostBinary" | "connectMs" | "leaseMs" | "onCut" | "env"
>;

/** Time for which a place keeps what it has without a connection, in milliseconds; undefined: not at all. */
export function keepMsOf({ onCut = "end" }: Pick<CommonOptions, "onCut">): number | undefined {
  return onCut === "end" ? undefined : onCut.keepMs;
}

/** Refuses to keep sessions where the way to the place does not allow it. Throws `PlaceOptionError`. */
export function refuseKeep(taker: string, options: Pick<CommonOptions, "onCut">, why: string): void {
  if (keepMsOf(options) === undefined) return;
  throw new PlaceOptionError(`\`${taker}\`: \`onCut: { keepMs }\` is not for this place: ${why}`);
}

/** A place's options are wrong. */
export class PlaceOptionError extends TypeError {
  override readonly name = "PlaceOptionError";
  readonly code = "PI_INVALID_OPTION";
}

/** `given` as its schema has it. Throws `PlaceOptionError`. */
export function checkedOptions<Schema extends z.ZodType>(
  taker: string,
  schema: Schema,
  given: unknown,
): z.output<Schema> {
  const checked = checkedValue(schema, given, { whole: `the options of \`${taker}\`` });
  if ("problem" in checked) throw new PlaceOptionError(`\`${taker}\`: ${checked.problem}`, { cause: checked.cause });
  return checked.value;
}

/** A word that stands where a program could take it for an option. Throws `PlaceOptionError`. */
export function checkedWord(taker: string, name: string, value: unknown): string {
  if (typeof value === "string" && word.safeParse(value).success) return value;
  const shown = typeof value === "string" ? `\`${value}\`` : `of type ${typeof value}`;
  throw new PlaceOptionError(
    `\`${taker}\`: ${name} is ${shown}; give a name that is not empty and does not begin with \`-\``,
  );
}
