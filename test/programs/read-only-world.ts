/**
 * A host whose read-only commands try to change a world, for tests that do so as several users.
 *
 *   read-only-world <empty folder of this user>
 *
 * Prints one line of JSON: what was different after each attempt, made as a read-only command and without.
 */
import { allAttempts } from "../e2e/read-only/attempts/all.ts";
import { OUT } from "../e2e/read-only/attempts/attempt.ts";
import { type Attacked, beginSession } from "../e2e/read-only/world/session.ts";
import { makeWorld, SECRETS } from "../e2e/read-only/world/world.ts";

/** What became of an attempt. */
export interface Outcome {
  /** What was different afterwards, or was printed; empty where nothing came of it. */
  readonly effects: readonly string[];
  /** What it printed. */
  readonly printed: string;
}

/** What became of all of them. */
export interface Outcomes {
  readonly confined: Readonly<Record<string, Outcome>>;
  readonly controls: Readonly<Record<string, Outcome>>;
}

const world = await makeWorld(process.argv[2] ?? "");

/** Everything that there is to see, from the world and from within the session. */
async function look(session: Attacked): Promise<Map<string, string>> {
  return new Map([...(await world.look(session.others)), ...(await session.state())]);
}

/** Longest wait for the effect of a control: what it signals may take its time to end. In milliseconds. */
const EFFECT_MS = 2_000;

/** Makes an attempt in a world that was seen `before`, and compares. An effect is waited for where it is `expected`. */
async function attempt(
  session: Attacked,
  lines: readonly string[],
  before: Map<string, string>,
  expected: boolean,
): Promise<Outcome> {
  const printed: string[] = [];
  const effects: string[] = [];
  for (const line of lines) {
    const { output, result } = await session.run(line);
    printed.push(output);
    if (result.sessionReset) effects.push("the session was lost");
  }
  const text = printed.join("");
  for (const word of [OUT, ...SECRETS]) if (text.includes(word)) effects.push(`printed ${word}`);
  const giveUp = performance.now() + (expected ? EFFECT_MS : 0);
  do effects.push(...differences(before, await look(session)));
  while (effects.length === 0 && performance.now() < giveUp);
  return { effects, printed: text.slice(-500) };
}

function differences(before: Map<string, string>, after: Map<string, string>): string[] {
  const names = [...new Set([...before.keys(), ...after.keys()])];
  const different = names.filter((name) => before.get(name) !== after.get(name));
  return different.map((name) => `${name}: ${before.get(name) ?? "absent"} → ${after.get(name) ?? "absent"}`);
}

const confined: Record<string, Outcome> = {};
let session = await beginSession(world, true);
// Where nothing came of an attempt, the world is as it was before.
let before = await look(session);
for (const [name, { lines }] of allAttempts()) {
  const made = await attempt(session, lines, before, false);
  confined[name] = made;
  if (made.effects.length === 0) continue;
  // The next ones are made in a world as it was.
  await session.close();
  await world.restore();
  session = await beginSession(world, true);
  before = await look(session);
}
await session.close();

const controls: Record<string, Outcome> = {};
session = await beginSession(world, false);
before = await look(session);
for (const [name, { lines, isDangerous, uncontrolled }] of allAttempts()) {
  if (isDangerous === true) continue;
  const made = await attempt(session, lines, before, uncontrolled === undefined);
  controls[name] = made;
  if (made.effects.length === 0) continue;
  await world.restore();
  // The next attempts are made in a session as it was, too.
  if (made.effects.some((effect) => /^(?:state|process|the session)/.test(effect))) {
    await session.close();
    session = await beginSession(world, false);
  }
  before = await look(session);
}
await session.close();
await world.close();
process.stdout.write(`${JSON.stringify({ confined, controls } satisfies Outcomes)}\n`);
