/** Services and watches on a place whose connection is cut and comes back. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createExecutor, type JobDelivery, JobManager } from "@pi-bash/executor";
import { toolsForModel } from "@pi-bash/tool";
import { expect, it, onTestFinished } from "vitest";
import { until, within } from "../../support/patience.ts";
import { describeOn, PLACE_LIMIT_MS } from "../../support/place-suite.ts";
import type { PlaceKind } from "../../support/places.ts";
import { freePort, listenerOnPlace } from "../../support/ports.ts";
import { scratchFolder } from "../../support/scratch.ts";

/** An answer about a place that is away may take so long, in milliseconds: nothing of it waits for the connection. */
const ANSWER_MS = 10_000;

for (const kind of ["command", "sshd"] satisfies PlaceKind[]) {
  describeOn(kind, "services that are kept", (places) => {
    it("outlive a cut of the connection, and their watch misses no line and repeats none", async () => {
      const gate = join(scratchFolder(), "gate");
      const place = places().make({ onCut: { keepMs: 60_000 }, gate });
      const executor = createExecutor({}, { place, usesSnapshot: false });
      const asyncJobManager = await JobManager.open();
      onTestFinished(async () => {
        rmSync(gate, { force: true });
        await asyncJobManager.dispose();
        await executor.dispose();
        await place.close();
      }, PLACE_LIMIT_MS);
      const got: JobDelivery[] = [];
      asyncJobManager.subscribe("agent", (batch) => void got.push(...batch));
      const at = await executor.placeOf();
      if (at === undefined) throw new Error("the session is on this machine");
      const tools = toolsForModel({ cwd: at.cwd, place: at, executor, asyncJobManager, getSessionId: () => "agent" });
      const call = async (name: string, params: object): Promise<string> => {
        const { content } = (await tools.find((each) => each.name === name)?.execute("call", params as never)) ?? {};
        return content?.map((part) => ("text" in part ? part.text : "")).join("") ?? "";
      };
      const lastLine = () => Math.max(0, ...namedIn(got).numbers);

      const port = await freePort();
      const script = `(${listenerOnPlace(port)}) >/dev/null 2>&1 & for ((i = 1; ; i++)); do echo "ERROR $i"; sleep 0.02; done`;
      const web = { kind: "service", name: "web", script, ready: { port } };
      const begun = await call("task", web);
      const pid = /pid (\d+)/.exec(begun)?.[1];
      expect(pid).toBeDefined();
      await call("task_await", { task_ids: ["bash:bg_1"], filter: "ERROR", notify: "wake" });
      await until("the first event", () => lastLine() > 0);

      writeFileSync(gate, "no way\n");
      await place.cut();
      // The ports of the last look are good for a second.
      await until("a list without the ports over there", async () => {
        const away = await within("the list while it is away", call("task_list", {}), ANSWER_MS);
        expect(away).toContain("service ready");
        return !away.includes("listens on");
      });
      const before = lastLine();
      rmSync(gate);
      // Fifty lines a second: what was written while it was away is long past then.
      await until("the lines after the cut", () => lastLine() > before + 150, PLACE_LIMIT_MS / 2);

      const again = await call("task", web);
      expect(again).toContain("(bash:bg_1): already ready");
      expect(again).toContain(`pid ${pid})`);
      await call("task_terminate", { task_ids: ["bash:bg_1"] });
      const { numbers, counted } = namedIn(got);
      const first = Math.min(...numbers);
      expect([...numbers].sort((one, other) => one - other)).toEqual(
        Array.from({ length: numbers.size }, (_, at) => first + at),
      );
      expect(counted).toBe(numbers.size);
    });
  });
}

/** Numbers of the lines that events show or count, and how many matches they say there were. */
function namedIn(got: readonly JobDelivery[]): { numbers: Set<number>; counted: number } {
  const events = got.map(({ text }) => text).filter((text) => text.startsWith("### Watch of"));
  const numbers = events.flatMap((text) => {
    const shown = [...text.matchAll(/^(\d+): ERROR/gm)].map(([, number]) => Number(number));
    const range = /more match(?:es)?, lines? (\d+)(?:-(\d+))?/.exec(text);
    const from = Number(range?.[1] ?? 0);
    const unshown = range === null ? 0 : Number(range[2] ?? from) - from + 1;
    return [...shown, ...Array.from({ length: unshown }, (_, at) => from + at)];
  });
  const counts = events.map((text) => Number(/: (\d+) lines? match/.exec(text)?.[1] ?? 0));
  return { numbers: new Set(numbers), counted: counts.reduce((sum, count) => sum + count, 0) };
}
