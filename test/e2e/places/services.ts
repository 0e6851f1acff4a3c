/**
 * What services and ports promise on a place, the same for each kind: as on this machine. `describeServices` is called by a test
 * file for each kind.
 */
import { createExecutor, JobManager } from "@pi-bash/executor";
import { ToolError, toolsForModel } from "@pi-bash/tool";
import { expect, it, onTestFinished } from "vitest";
import { describeOn, PLACE_LIMIT_MS } from "../../support/place-suite.ts";
import type { PlaceKind } from "../../support/places.ts";
import { freePort, listenerOnPlace } from "../../support/ports.ts";

/** All tests of one kind of place, skipped with the reason where there is none. */
export function describeServices(kind: PlaceKind): void {
  describeOn(kind, "services", (places) => {
    async function open() {
      const place = places().make();
      const executor = createExecutor({}, { place, usesSnapshot: false });
      const asyncJobManager = await JobManager.open();
      onTestFinished(async () => {
        await asyncJobManager.dispose();
        await executor.dispose();
        await place.close();
      }, PLACE_LIMIT_MS);
      const at = await executor.placeOf();
      if (at === undefined) throw new Error("the session is on this machine");
      const tools = toolsForModel({ cwd: at.cwd, place: at, executor, asyncJobManager, getSessionId: () => "agent" });
      const call = async (name: string, params: object): Promise<{ text: string; details: Found }> => {
        const tool = tools.find((each) => each.name === name);
        if (tool === undefined) throw new Error(`no tool ${name}`);
        const { content, details } = await tool.execute("call", params as never);
        const text = content.map((part) => ("text" in part ? part.text : "")).join("");
        return { text, details: details as Found };
      };
      const service = (params: object) => call("task", { kind: "service", name: "web", ...params });
      return { executor, call, service };
    }

    it("are ready by port and by HTTP, named with their ports, and one of each name", async () => {
      const { call, service } = await open();
      const port = await freePort();
      const script = listenerOnPlace(port);

      const begun = await service({
        script,
        ready: { port, http: { url: `http://127.0.0.1:${port}/absent`, status: 404 } },
      });
      const again = await service({ script });
      const listed = await call("task_list", {});

      const [found] = begun.details.ports ?? [];
      expect(found).toMatchObject({ port, address: "127.0.0.1", pid: expect.any(Number) });
      expect(found).not.toHaveProperty("inside");
      expect(begun.text).toMatch(
        new RegExp(
          `^### Service web \\(bash:bg_1\\): ready after .*\nports: 127\\.0\\.0\\.1:${port} \\(.+, pid \\d+\\)$`,
        ),
      );
      expect(again.text).toContain("already ready");
      expect(again.details.ports).toEqual(begun.details.ports);
      expect(listed.text).toContain(`listens on 127.0.0.1:${port}`);
    });

    it("are replaced only when their port is free", async () => {
      const { service } = await open();
      const port = await freePort();
      const script = listenerOnPlace(port);
      const first = await service({ script, ready: { port } });

      const second = await service({ script: `true; ${script}`, ready: { port }, replace: true });

      expect(second.details).toMatchObject({ taskId: "bash:bg_2", service: "ready", ports: [{ port }] });
      expect(second.details.ports?.[0]?.pid).not.toBe(first.details.ports?.[0]?.pid);
    });

    it("fail at once where their port has another program, with its pid over there", async () => {
      const { executor, call, service } = await open();
      const port = await freePort();
      const other = { sessionKey: "other" };
      const left = await executor.executeBash(`(${listenerOnPlace(port)}) >/dev/null 2>&1 & echo $!`, other);
      await executor.executeBash(`until echo >/dev/tcp/127.0.0.1/${port}; do sleep 0.05; done 2>/dev/null`, other);

      const refused = await service({ script: "sleep 60", ready: { port } }).catch((error: unknown) => error);

      expect(refused).toBeInstanceOf(ToolError);
      expect(refused).toMatchObject({
        message: expect.stringContaining(`port ${port} is taken by pid ${left.output.trim()} (`),
      });
      expect((await call("task_list", {})).details.tasks).toEqual([]);
    });

    it("that are not ready in time are answered with what listens instead", async () => {
      const { service } = await open();
      const port = await freePort();
      const wanted = port === 65_535 ? 1_024 : port + 1;

      const late = await service({ script: listenerOnPlace(port), ready: { port: wanted, timeout_secs: 3 } });

      expect(late.text).toMatch(
        new RegExp(`not ready after 3\\.0 s; it still runs\\. Not met: port ${wanted} \\(.+ listens on ${port}\\)`),
      );
    });

    it("and what a command leaves running is named with its port", async () => {
      const { executor } = await open();
      const port = await freePort();
      const wait = `until echo >/dev/tcp/127.0.0.1/${port}; do sleep 0.05; done 2>/dev/null`;

      const { survivors } = await executor.executeBash(`(${listenerOnPlace(port)}) >/dev/null 2>&1 & ${wait}`);

      // A shell between them may be there still.
      expect(survivors?.flatMap(({ ports = [] }) => ports)).toEqual([port]);
    });

    it("by https are refused before anything is started", async () => {
      const { call, service } = await open();

      const refused = await service({ script: "sleep 60", ready: { http: { url: "https://localhost/" } } }).catch(
        (error: unknown) => error,
      );

      expect(refused).toBeInstanceOf(ToolError);
      expect(refused).toMatchObject({
        message: expect.stringMatching(/^ready\.http cannot be asked: on .+ only http is asked/),
      });
      expect((await call("task_list", {})).details.tasks).toEqual([]);
    });
  });
}

/** What the answers of the tools have that is looked at here. */
interface Found {
  ports?: { port: number; pid?: number }[];
  tasks?: unknown[];
}
