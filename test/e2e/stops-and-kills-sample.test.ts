/** A few seconds of the stops and kills that `npm run soak` does at length, with the same code. */
import { describe, it } from "vitest";
import { soakKills } from "../soak/kills.ts";
import { soakStops } from "../soak/stops.ts";
import { soakSeed } from "../support/random.ts";

const isLinux = process.platform === "linux";

describe.skipIf(!isLinux)(`a sample of the soak${isLinux ? "" : " (Linux needed: it reads /proc)"}`, () => {
  it("120 stops at random moments keep the session and leave nothing behind", async () => {
    await soakStops(120, soakSeed());
  });

  it("40 kills of a part at random moments are reported truthfully and leave nothing behind", async () => {
    await soakKills(40, soakSeed());
  });
});
