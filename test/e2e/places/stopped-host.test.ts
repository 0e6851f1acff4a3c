/** What a host reads that stood still for longer than the lease, itself and not its connection: a laptop that slept. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startHost } from "../../support/host.ts";
import { pause } from "../../support/patience.ts";
import { absenceOfPlace, hostBinary, type PlaceOptions } from "../../support/places.ts";
import { scratchFolder } from "../../support/scratch.ts";

const LIMIT_MS = 60_000;

describe("a host that is stopped", () => {
  const absence = absenceOfPlace("command");
  const why = absence === undefined ? "" : ` (skipped: ${absence})`;
  const cases: readonly (readonly [name: string, onCut: PlaceOptions["onCut"], result: object])[] = [
    ["reads that the place has ended its command meanwhile, and why", "end", { cancelled: true }],
    ["finds its command where it was kept", { keepMs: 60_000 }, { exitCode: 0, cancelled: false }],
  ];

  it.skipIf(absence !== undefined).each(cases)(`%s${why}`, { timeout: LIMIT_MS }, async (_, onCut, expected) => {
    const folder = scratchFolder();
    const leaseMs = 1_500;
    const options = {
      hostBinary: hostBinary(),
      workspace: folder,
      env: { HOME: folder, PI_HOST_CACHE: join(folder, "cache") },
      leaseMs,
      onCut,
    };
    const command = "echo begun; sleep 5; echo went on";
    const host = startHost("sleeping-host", { args: [JSON.stringify({ options, command })] });
    await host.printed("begun");
    process.kill(host.pid, "SIGSTOP");
    // Its own clock has to go on for longer than the lease, whatever else happens.
    await pause(leaseMs * 2);
    process.kill(host.pid, "SIGCONT");
    expect(await host.ended()).toEqual({ code: 0, signal: null });
    const result = JSON.parse(host.stdout().trim().split("\n").at(-1) ?? "");
    expect(result).toMatchObject(expected);
    if (onCut === "end")
      expect(result.output).toMatch(/heard nothing for 1\.5 s and ended .* at about [\d:]{8} \(this host was asleep\)/);
    else {
      expect(result.output).toBe("begun\nwent on\n");
      expect(result.notices?.map(({ text }: { text: string }) => text).join()).toMatch(/was away for/);
    }
  });
});
