/** The suites of failures and the oracle on each place, and links that are cut at random moments. */
import { describe, it } from "vitest";
import { PLACE } from "../places/variables.ts";
import { absenceOfPlace, type PlaceKind } from "../support/places.ts";
import { soakSeed } from "../support/random.ts";
import { soakCuts } from "./cuts.ts";
import { soakKeptCuts } from "./kept-cuts.ts";
import { passRoundWith } from "./round.ts";

/** Kinds of places, each with its name in the mode `places`. */
const PLACES: readonly (readonly [kind: PlaceKind, name: string])[] = [
  ["command", "pipe"],
  ["sshd", "ssh"],
  ["podman", "podman"],
  ["slurm", "slurm"],
];

/** Cuts of each place: 500 together, unless `PI_BASH_PLACE_CUTS` says how many. */
const CUTS = Number(process.env["PI_BASH_PLACE_CUTS"] ?? 125);
/** Cuts of a place that is kept, and the kinds that can be. */
const KEPT_CUTS = 500;
const KEPT: readonly PlaceKind[] = ["command", "sshd", "podman"];

describe.each(PLACES)("a place of the kind %s", (kind, name) => {
  const absence = absenceOfPlace(kind);
  const title = absence === undefined ? "" : ` (skipped: ${absence})`;

  it.skipIf(absence !== undefined)(`passes the suites of failures and the oracle${title}`, async () => {
    await passRoundWith({ [PLACE]: name }, "--mode", "places");
  });

  it.skipIf(absence !== undefined)(
    `settles all calls in time over ${CUTS} cuts, and keeps nothing${title}`,
    async () => {
      await soakCuts(kind, CUTS, soakSeed());
    },
  );

  it.skipIf(absence !== undefined || !KEPT.includes(kind))(
    `that is kept loses nothing over ${KEPT_CUTS} cuts, and gives no byte twice${title}`,
    async () => {
      const done = await soakKeptCuts(kind, KEPT_CUTS, soakSeed());
      process.stdout.write(`${kind}: ${JSON.stringify(done)}\n`);
    },
  );
});
