/**
 * Stops, aborts and kills at random moments, and many commands and sessions, on the place that the mode `places` names: the
 * code of the soaks, which knows of no place. A killed host is one that has its session on the place.
 *
 * `PI_BASH_PLACE_ROUNDS` multiplies the numbers.
 */
import { expect, it } from "vitest";
import { soakAborts } from "../soak/aborts.ts";
import { soakCommands } from "../soak/commands.ts";
import { soakKills } from "../soak/kills.ts";
import { soakSessions } from "../soak/sessions.ts";
import { soakStops } from "../soak/stops.ts";
import { soakSeed } from "../support/random.ts";
import { PLACE } from "./variables.ts";

const ROUNDS = Number(process.env["PI_BASH_PLACE_ROUNDS"] ?? 1);
/** Most time of a test, in milliseconds, for each round: a busy machine kills and stops for a while. */
const LIMIT_MS = 180_000 * ROUNDS;

it("the place is the one that was asked for", () => {
  expect(process.env[PLACE]).toMatch(/^(?:pipe|ssh|podman|slurm)$/);
});

it(`${120 * ROUNDS} stops at random moments keep the session and leave nothing behind`, {
  timeout: LIMIT_MS,
}, async () => {
  await soakStops(120 * ROUNDS, soakSeed());
});

it(`${40 * ROUNDS} aborts at random moments lose no session and leave nothing behind`, {
  timeout: LIMIT_MS,
}, async () => {
  await soakAborts(40 * ROUNDS, soakSeed());
});

it(`${40 * ROUNDS} kills of a part or a host at random moments are reported truthfully and leave nothing behind`, {
  timeout: LIMIT_MS,
}, async () => {
  await soakKills(40 * ROUNDS, soakSeed());
});

it(`${400 * ROUNDS} commands in one session get their answers, and nothing grows`, { timeout: LIMIT_MS }, async () => {
  await soakCommands(400 * ROUNDS);
});

it(`${40 * ROUNDS} sessions opened and closed leave nothing behind`, { timeout: LIMIT_MS }, async () => {
  await soakSessions(40 * ROUNDS);
});
