/** A few seconds of what `npm run soak` does with places at length, with the same code. */
import { describe, expect, it } from "vitest";
import { PLACE } from "../../places/variables.ts";
import { soakCuts } from "../../soak/cuts.ts";
import { soakKeptCuts } from "../../soak/kept-cuts.ts";
import { passRoundWith } from "../../soak/round.ts";
import { absenceOfPlace } from "../../support/places.ts";
import { soakSeed } from "../../support/random.ts";

describe("a sample of the soak on places", () => {
  const absence = absenceOfPlace("command");
  const title = absence === undefined ? "" : ` (skipped: ${absence})`;

  it.skipIf(absence !== undefined)(
    `the suite of framing holds over a stream${title}`,
    { timeout: 120_000 },
    async () => {
      await passRoundWith({ [PLACE]: "pipe" }, "--mode", "places", "test/e2e/failures/framing.test.ts");
    },
  );

  it.skipIf(absence !== undefined)(
    `stops, aborts and kills at random moments hold over a stream${title}`,
    { timeout: 180_000 },
    async () => {
      const variables = { [PLACE]: "pipe", PI_BASH_PLACE_ROUNDS: "0.25" };
      await passRoundWith(variables, "--mode", "places", "test/places/random-moments.test.ts");
    },
  );

  for (const kind of ["command", "sshd"] as const) {
    const lack = absenceOfPlace(kind);
    const why = lack === undefined ? "" : ` (skipped: ${lack})`;
    it.skipIf(lack !== undefined)(`12 cuts of ${kind} leave nothing${why}`, { timeout: 120_000 }, async () => {
      await soakCuts(kind, 12, soakSeed());
    });

    it.skipIf(lack !== undefined)(
      `8 cuts of ${kind} that is kept lose no byte${why}`,
      { timeout: 120_000 },
      async () => {
        expect(await soakKeptCuts(kind, 8, soakSeed())).toMatchObject({ cuts: 8 });
      },
    );
  }
});
