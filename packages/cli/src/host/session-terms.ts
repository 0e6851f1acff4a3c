/**
 * What a kept session was made with, and whether a client asks for the same.
 *
 * Policy, mode and all that decides about calls are the client's own and change with it. What the shell itself is made of
 * cannot change: a client that asks for another place or another sandbox is refused, so that it never runs in less than it
 * asked for without knowing.
 */
import { isDeepStrictEqual } from "node:util";
import { Settings } from "@pi-bash/contract";
import { checkedValue, type HostSeat, shortLine } from "@pi-bash/contract/internal";
import { HostError } from "./host-error.ts";

/** Settings that the executor reads, and so belong to the session. `test/host-terms.test.ts` holds that they are all. */
const OF_SESSION =
  /^(?:shellPath|shellPrefix|sandboxMode|sandbox\.|secrets\.|shellMinimizer\.|artifacts\.|tty\.record$|async\.maxJobs$|bash\.onInputWait$|bash\.usage$|bash\.environment\.)/;

/** Longest value in a refusal, in UTF-16 units. */
const MAX_VALUE_CHARS = 120;

/** Whether a setting is the session's, and not its client's. */
export function isSessionSetting(name: string): boolean {
  return OF_SESSION.test(name);
}

/**
 * The settings of a client, checked again: they came over the socket.
 *
 * @throws HostError `PI_HOST_PROTOCOL` for settings that there are not
 */
export function settingsOf({ settings }: HostSeat): Settings {
  const checked = checkedValue(Settings, settings, { whole: "the settings" });
  if ("value" in checked) return checked.value;
  throw new HostError("PI_HOST_PROTOCOL", `wrong settings: ${checked.problem}`);
}

/**
 * Refuses a client whose session would be another one.
 *
 * @throws HostError `PI_HOST_SESSION` that names the first difference
 */
export function checkSame(made: HostSeat, asked: HostSeat): void {
  const differ = (what: string, is: unknown, wanted: unknown): never => {
    throw new HostError(
      "PI_HOST_SESSION",
      `the session \`${made.name}\` was made with ${what} ${shown(is)}, and this client asks for ${shown(wanted)}; ask for the same, or take another \`--session\``,
    );
  };
  if (made.on !== asked.on) differ("the place", made.on ?? "local", asked.on ?? "local");
  if (made.keep !== asked.keep) differ("`--keep`", made.keep ?? "not given", asked.keep ?? "not given");
  if (made.artifacts !== asked.artifacts) differ("the artifact folder", made.artifacts, asked.artifacts);
  const isFolderMeant = asked.isCwdGiven || !asked.isNameGiven;
  if (isFolderMeant && made.cwd !== asked.cwd) differ("the folder", made.cwd, asked.cwd);
  const [own, other] = [settingsOf(made), settingsOf(asked)] as readonly Readonly<Record<string, unknown>>[];
  const names = new Set([...Object.keys(own ?? {}), ...Object.keys(other ?? {})]);
  for (const name of [...names].filter(isSessionSetting)) {
    if (!isDeepStrictEqual(own?.[name], other?.[name])) differ(`\`${name}\``, own?.[name], other?.[name]);
  }
}

function shown(value: unknown): string {
  return value === undefined ? "none" : `\`${shortLine(JSON.stringify(value)).slice(0, MAX_VALUE_CHARS)}\``;
}
