/**
 * A development server from npm, as an agent has it: started by name, ready by its port, its page fetched, its log watched,
 * asked for again, gone at the end.
 */
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { freePort } from "../../../../test/support/ports.ts";
import { service } from "../support/services.ts";
import { textOf, until } from "../support/session.ts";
import { taskScene } from "../support/tasks.ts";

const MODULES = fileURLToPath(new URL("../../../../node_modules", import.meta.url));

it("vite is started, fetched, watched while a file breaks, used again, and gone at the end", async () => {
  const scene = await taskScene();
  const got = scene.delivered("agent-1");
  const port = await freePort();
  const site = join(scene.folder, "site");
  mkdirSync(site);
  symlinkSync(MODULES, join(site, "node_modules"));
  writeFileSync(join(site, "index.html"), '<h1>hello</h1><script type="module" src="/main.ts"></script>');
  writeFileSync(join(site, "main.ts"), "export const answer: number = 42;\n");
  const call = {
    script: `node node_modules/vite/bin/vite.js --port ${port} --strictPort --host 127.0.0.1`,
    cwd: "site",
    ready: { port },
  };

  const begun = await service(scene, call);

  expect(textOf(begun)).toMatch(/^### Service web \(bash:bg_1\): ready after /);
  const page = async (path: string): Promise<string> => (await fetch(`http://127.0.0.1:${port}${path}`)).text();
  expect(await page("/")).toContain("<h1>hello</h1>");
  expect(await page("/main.ts")).toContain("answer = 42");

  await scene.tools.task_await.execute("call", {
    task_ids: ["bash:bg_1"],
    filter: "main.ts:[0-9]+:[0-9]+: ERROR",
    notify: "wake",
  });
  writeFileSync(join(site, "main.ts"), "export const answer: number = ;\n");
  // The server may see the change a moment later.
  await until(async () => (await fetch(`http://127.0.0.1:${port}/main.ts`)).status === 500, "the file to be broken");
  await until(() => got.length > 0, "the agent to be notified of the error");
  expect(got[0]?.text).toMatch(/main\.ts:1:\d+: ERROR: Unexpected ";"/);
  expect(got[0]?.text).toMatch(/^### Watch of bash:bg_1 \(web\)/);

  const again = await service(scene, call);
  expect(textOf(again)).toContain("already ready");
  expect(again.details).toMatchObject({ taskId: "bash:bg_1" });
  expect(await scene.list()).toHaveLength(1);

  await scene.terminate("bash:bg_1");
  await expect(page("/")).rejects.toThrow();
});
