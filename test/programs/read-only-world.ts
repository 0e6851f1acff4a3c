/**
 * A host whose read-only commands try to change a world, for tests that do so as several users.
 *
 *   read-only-world <empty folder of this user>
 *
 * Prints one line of JSON: what was different after each attempt, made as a read-only command and without.
 */
import { allAttempts } from "../e2e/read-only/attempts/all.ts";
import { nativeWay } from "../e2e/read-only/world/native-way.ts";
import { beginSession } from "../e2e/read-only/world/session.ts";
import { type Trial, tryAttempts } from "../e2e/read-only/world/trial.ts";
import { makeWorld } from "../e2e/read-only/world/world.ts";

/** What became of all of them. */
export interface Outcomes {
  readonly confined: Trial;
  readonly controls: Trial;
}

const world = await makeWorld(process.argv[2] ?? "");
const begin = (readOnly: boolean) => () => beginSession(world, nativeWay(world.workspace, readOnly));
const confined = await tryAttempts(world, allAttempts(), { begin: begin(true) });
const controls = await tryAttempts(world, allAttempts(), { begin: begin(false), isControl: true });
await world.close();
process.stdout.write(`${JSON.stringify({ confined, controls } satisfies Outcomes)}\n`);
