/**
 * Makes attempts one after the other in a world, and compares it before and after each.
 *
 * Where nothing came of an attempt, the next one is made in the same world and session; after an effect both are made
 * again, as far as it went.
 */
import { type Attempt, OUT } from "../attempts/attempt.ts";
import type { Attacked } from "./session.ts";
import { SECRETS, type World } from "./world.ts";

/** What became of an attempt. */
export interface Outcome {
  /** What was different afterwards, or was printed; empty where nothing came of it. */
  readonly effects: readonly string[];
  /** What it printed. */
  readonly printed: string;
  /** How many of its lines were not refused beforehand. */
  readonly ran: number;
}

/** What became of several, by name. */
export type Trial = Readonly<Record<string, Outcome>>;

/** How they are made. */
export interface TrialOptions {
  /** Begins a session in the world. */
  readonly begin: () => Promise<Attacked>;
  /** Effects are expected: they are waited for, and dangerous attempts are not made. Default false. */
  readonly isControl?: boolean;
}

/** Longest wait for the effect of a control: what it signals may take its time to end. In milliseconds. */
const EFFECT_MS = 2_000;

/** Makes all attempts. The world is made again where an effect was seen, so that its other users begin with it as it was. */
export async function tryAttempts(
  world: World,
  attempts: ReadonlyMap<string, Attempt>,
  { begin, isControl = false }: TrialOptions,
): Promise<Trial> {
  const trial: Record<string, Outcome> = {};
  const look = async (of: Attacked): Promise<Map<string, string>> =>
    new Map([...(await world.look(of.others)), ...(await of.state())]);
  let session = await begin();
  let before = await look(session);
  for (const [name, { lines, isDangerous, uncontrolled }] of attempts) {
    if (isControl && isDangerous === true) continue;
    const patienceMs = isControl && uncontrolled === undefined ? EFFECT_MS : 0;
    const made = await attempt(session, lines, { before, look, patienceMs });
    trial[name] = made;
    if (made.effects.length === 0) continue;
    // A confined attempt that had an effect may have had any; a control's is known.
    const isSessions = made.effects.some((effect) => /^(?:state|process|the session)/.test(effect));
    if (!isControl) await session.close();
    await world.restore();
    if (isControl && isSessions) await session.close();
    if (!isControl || isSessions) session = await begin();
    before = await look(session);
  }
  await session.close();
  return trial;
}

/** Makes one, in a world that was seen `before`. An effect is waited for up to `patienceMs`. */
async function attempt(
  session: Attacked,
  lines: readonly string[],
  {
    before,
    look,
    patienceMs,
  }: { before: Map<string, string>; look: (of: Attacked) => Promise<Map<string, string>>; patienceMs: number },
): Promise<Outcome> {
  const printed: string[] = [];
  const effects: string[] = [];
  let ran = 0;
  for (const line of lines) {
    const { output, sessionReset, isRefused } = await session.run(line);
    if (isRefused) continue;
    ran++;
    printed.push(output);
    if (sessionReset) effects.push("the session was lost");
  }
  const text = printed.join("");
  for (const word of [OUT, ...SECRETS]) if (text.includes(word)) effects.push(`printed ${word}`);
  const giveUp = performance.now() + patienceMs;
  do effects.push(...differences(before, await look(session)));
  while (effects.length === 0 && performance.now() < giveUp);
  return { effects, printed: text.slice(-500), ran };
}

function differences(before: Map<string, string>, after: Map<string, string>): string[] {
  const names = [...new Set([...before.keys(), ...after.keys()])];
  const different = names.filter((name) => before.get(name) !== after.get(name));
  return different.map((name) => `${name}: ${before.get(name) ?? "absent"} → ${after.get(name) ?? "absent"}`);
}
