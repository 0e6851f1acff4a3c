/**
 * Which secrets are masked in outputs, and where the executor itself has to do it.
 *
 * The native sink masks what a run writes. What reaches a model by another way (a file that is read again, a text of the
 * minimizer, a terminal's screen) is masked here, by the same mask. Values go from the agent's environment into the mask
 * and nowhere else.
 */
import type { MaskedSecrets, ProcessInfo, Settings } from "@pi-bash/contract";
import type { CommandResult, ExecutorNotice } from "./command-result.ts";
import {
  type EnvironmentSettings,
  nameMatcher,
  type WithheldVariable,
  withheldEnvironment,
} from "./environment/child-environment.ts";
import type { NativesPort, OutputMask } from "./natives-port.ts";
import { usableNatives } from "./usable-natives.ts";

/** Which settings decide. */
type SecretSettings = Pick<Settings, "secrets.mask" | "secrets.names" | "secrets.allow">;

/** Most values that the native mask takes, and most bytes of all of them. */
const MAX_VALUES = 256;
const MAX_TOTAL_BYTES = 128 * 1024;
/** A longer value is a document; the native mask leaves it out too. */
const MAX_VALUE_BYTES = 16 * 1024;

/** Bytes before a part of a file that a secret may have begun in: the longest one with lines has as many. */
export const LOOK_BACK_BYTES = 16 * 1024;

export interface SecretSource {
  settings: SecretSettings;
  hostEnv: Readonly<Record<string, string | undefined>>;
  /** The environment of a place. A name that both have is masked with both of its values. */
  farEnv?: Readonly<Record<string, string | undefined>>;
  withheld: readonly WithheldVariable[];
}

/** Reported once, where the runtime has no mask. */
const UNMASKED_NOTICE =
  "Secrets in outputs are not masked: the native addon is missing; `pi-bash doctor` says how to get it.";

interface SecretsSource {
  settings: SecretSettings & EnvironmentSettings;
  hostEnv: Readonly<Record<string, string | undefined>>;
  farEnv?: Readonly<Record<string, string | undefined>>;
  natives: NativesPort | undefined;
}

/** The mask of an executor, made when it is first asked for. */
export class Secrets {
  readonly #source: SecretsSource;
  #mask: Promise<OutputMask | undefined> | undefined;
  #isReported = false;

  constructor(source: SecretsSource) {
    this.#source = source;
  }

  /** The mask; undefined where nothing is masked. Loads the native runtime. A function of its own: stores are given it. */
  readonly mask = (): Promise<OutputMask | undefined> => {
    this.#mask ??= this.#make().catch((error: unknown) => {
      this.#mask = undefined;
      throw error;
    });
    return this.#mask;
  };

  /** What is said once where `mask` was wanted and is not there. */
  untoldNotices(mask: OutputMask | undefined): ExecutorNotice[] {
    if (mask !== undefined || this.#isReported || !this.#source.settings["secrets.mask"]) return [];
    this.#isReported = true;
    return [{ kind: "secrets", text: UNMASKED_NOTICE }];
  }

  async #make(): Promise<OutputMask | undefined> {
    const { settings, hostEnv, farEnv = {} } = this.#source;
    if (!settings["secrets.mask"]) return undefined;
    const natives = this.#source.natives ?? (await usableNatives());
    const { withheld } = withheldEnvironment({ hostEnv: { ...hostEnv, ...farEnv }, settings });
    return makeMask(natives, { settings, hostEnv, farEnv, withheld });
  }
}

/** Makes the mask of an executor. Undefined: nothing is masked, or there is no addon that could. */
export function makeMask(natives: Pick<NativesPort, "SecretMask">, source: SecretSource): OutputMask | undefined {
  const { settings } = source;
  if (!settings["secrets.mask"] || natives.SecretMask === undefined) return undefined;
  return new natives.SecretMask({ values: secretValues(source), shapes: true, allow: settings["secrets.allow"] });
}

/** The values that are masked, those that were withheld first: a bound on all of them cuts off the others. */
function secretValues({ settings, hostEnv, farEnv = {}, withheld }: SecretSource): { name: string; value: string }[] {
  const isNamed = nameMatcher(settings["secrets.names"]);
  const named = Object.keys({ ...hostEnv, ...farEnv })
    .filter(isNamed)
    .sort();
  const names = new Set([...withheld.map((variable) => variable.name), ...named]);
  // This host's first: a place with many variables leaves no room for fewer of them.
  const candidates = [hostEnv, farEnv].flatMap((env) => [...names].map((name) => ({ name, value: env[name] ?? "" })));
  const known = new Set<string>();
  const values: { name: string; value: string }[] = [];
  let total = 0;
  for (const { name, value } of candidates) {
    if (known.has(value)) continue;
    known.add(value);
    const bytes = Buffer.byteLength(value);
    if (bytes === 0 || bytes > MAX_VALUE_BYTES || total + bytes > MAX_TOTAL_BYTES) continue;
    if (values.length === MAX_VALUES) break;
    total += bytes;
    values.push({ name, value });
  }
  return values;
}

/** A result whose text did not go through a native sink, masked. */
export function maskResult<T extends CommandResult>(mask: OutputMask | undefined, result: T): T {
  if (mask === undefined) return result;
  const { text, count, names } = mask.text(result.output);
  return count === 0 ? result : { ...result, output: text, masked: sumOf(result.masked, { count, names }) };
}

/** Command lines of processes: variables that they were started with stand in them. */
export function maskProcesses(mask: OutputMask | undefined, processes: readonly ProcessInfo[]): ProcessInfo[] {
  if (mask === undefined) return [...processes];
  return processes.map((each) => ({ ...each, command: mask.text(each.command).text }));
}

/** What two texts had masked. */
function sumOf(
  known: MaskedSecrets | undefined,
  { count, names }: { count: number; names: readonly string[] },
): MaskedSecrets {
  if (known === undefined) return { count, names: [...names] };
  return { count: known.count + count, names: [...new Set([...known.names, ...names])].sort() };
}
