/** Calls that wait for a connection: it is made as long as one of them waits, and given up with the last. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { until } from "../../../test/support/patience.ts";
import { processesWith } from "../../../test/support/places.ts";
import { command, type RemotePlace } from "../src/index.ts";

const fake = fileURLToPath(new URL("fake-host.mjs", import.meta.url));

/** A place whose program waits, as `srun` does in a queue, until `let in` is called; `starts` counts its starts. */
function queuedPlace(): { place: RemotePlace; folder: string; starts: () => number; letIn: () => void } {
  const folder = mkdtempSync(join(tmpdir(), "pi-attempt-"));
  const [log, gate] = [join(folder, "log"), join(folder, "gate")];
  writeFileSync(log, "");
  const script = 'echo start >> "$1"; while [ ! -e "$2" ]; do sleep 0.02; done; shift 2; exec "$@"';
  const argv = ["sh", "-c", script, "queued", log, gate, process.execPath, fake, "{}"];
  const place = command(argv, { name: "far", isWhole: true });
  onTestFinished(async () => {
    await place.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const starts = (): number => readFileSync(log, "utf8").split("\n").length - 1;
  return { place, folder, starts, letIn: () => writeFileSync(gate, "") };
}

it("a connection goes on while one call waits for it, and is given up with the last", async () => {
  const { place, folder, starts, letIn } = queuedPlace();
  const [first, second] = [new AbortController(), new AbortController()];
  const calls = [first, second].map(({ signal }) => place.open({ signal }).catch((error: unknown) => error));
  await until("the program to wait", () => starts() === 1);

  first.abort();
  expect(await calls[0]).toMatchObject({ code: "PI_PLACE_UNREACHABLE", message: "the call no longer waits for far" });
  expect(processesWith(folder)).not.toEqual([]);

  second.abort();
  expect(await calls[1]).toMatchObject({ code: "PI_PLACE_UNREACHABLE" });
  await until("the program to be ended", () => processesWith(folder).length === 0);

  // It was not a failure: the next call does not wait for a pause between tries.
  const next = place.open();
  await until("the program to be started again", () => starts() === 2);
  letIn();
  expect((await next).facts.host).toBe("faraway");
});

it("a call whose signal is aborted already neither waits nor keeps a connection", async () => {
  const { place, folder } = queuedPlace();
  await expect(place.open({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: "PI_PLACE_UNREACHABLE" });
  await until("the program to be ended", () => processesWith(folder).length === 0);
});

it("a connection that stands is not affected by the signals of those who waited for it", async () => {
  const { place, starts, letIn } = queuedPlace();
  letIn();
  const caller = new AbortController();
  const { facts } = await place.open({ signal: caller.signal });
  caller.abort();
  expect((await place.open()).facts.instance).toBe(facts.instance);
  expect(starts()).toBe(1);
});
