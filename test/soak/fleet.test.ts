/** A fleet of agents on Slurm, and thousands of sessions over one connection. */
import { describe, expect, it } from "vitest";
import { absenceOfPlace } from "../support/places.ts";
import { soakFleet } from "./fleet.ts";
import { soakPlaceSessions } from "./place-sessions.ts";

/** Agents of the fleet, and sessions over one connection; the variables say how many others. */
const AGENTS = Number(process.env["PI_BASH_FLEET_AGENTS"] ?? 64);
const SESSIONS = Number(process.env["PI_BASH_FLEET_SESSIONS"] ?? 2_000);

describe("a fleet", () => {
  const lack = absenceOfPlace("slurm");
  const why = lack === undefined ? "" : ` (skipped: ${lack})`;

  it.skipIf(lack !== undefined)(`of ${AGENTS} agents works on one Slurm, and leaves nothing${why}`, async () => {
    const accounts = await soakFleet(AGENTS);
    expect(accounts.length).toBe(AGENTS);
  });

  for (const kind of ["command", "slurm"] as const) {
    const absence = absenceOfPlace(kind);
    const title = absence === undefined ? "" : ` (skipped: ${absence})`;
    it.skipIf(absence !== undefined)(
      `of ${SESSIONS} sessions has one connection to a place of the kind ${kind}${title}`,
      async () => {
        expect((await soakPlaceSessions(kind, SESSIONS)).sessions).toBe(SESSIONS);
      },
    );
  }
});
