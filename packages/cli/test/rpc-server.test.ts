/** The server of `pi-bash rpc` by itself, with a reader that a test holds. */
import { Writable } from "node:stream";
import { BashParams } from "@pi-bash/contract";
import type { UserShell } from "@pi-bash/executor";
import type { AnyTool } from "@pi-bash/tool";
import { expect, it } from "vitest";
import { ApprovalDesk } from "../src/rpc/approval-desk.ts";
import { LineOutput } from "../src/rpc/line-output.ts";
import { RpcServer } from "../src/rpc/rpc-server.ts";

const NEVER = new AbortController().signal;

/** A server whose answer to `list_tools` has a megabyte, and whose reader takes nothing until `read`. */
function server(): { take(line: string, stop?: AbortSignal): Promise<void>; read(): void } {
  const waiting: (() => void)[] = [];
  let isReading = false;
  const stream = new Writable({
    write(_chunk, _encoding, done) {
      if (isReading) done();
      else waiting.push(done);
    },
  });
  const output = new LineOutput(stream);
  // Only what `list_tools` looks at: nothing is called here.
  const tool = { name: "big", description: "x".repeat(1024 * 1024), parameters: BashParams } as unknown as AnyTool;
  const tools = new Map([["big", tool]]);
  const parts = {
    output,
    shell: {} as UserShell,
    tools: () => tools,
    approvals: new ApprovalDesk(output),
    terminal: () => undefined,
  };
  const made = new RpcServer(parts);
  return {
    take: (line, stop = NEVER) => made.take(line, stop),
    read() {
      isReading = true;
      for (const done of waiting) done();
    },
  };
}

/** Whether work that needs no timer and no reader goes on. */
async function isHeld(work: Promise<void>): Promise<boolean> {
  const turn = new Promise<boolean>((resolve) => setImmediate(() => resolve(true)));
  return Promise.race([work.then(() => false), turn]);
}

it("takes no further request while 16 MiB of answers wait, and goes on when they are read", async () => {
  const { take, read } = server();
  let asked = 1;
  let last = take('{"type":"list_tools"}');
  while (!(await isHeld(last))) {
    asked += 1;
    last = take('{"type":"list_tools"}');
    expect(asked).toBeLessThan(20);
  }
  expect(asked).toBeGreaterThan(15);

  read();

  await last;
  expect(await isHeld(take('{"type":"list_tools"}'))).toBe(false);
});

it("waits for no reader once it is asked to stop", async () => {
  const { take } = server();
  const stop = new AbortController();
  let last = take('{"type":"list_tools"}', stop.signal);
  while (!(await isHeld(last))) last = take('{"type":"list_tools"}', stop.signal);

  stop.abort();

  expect(await isHeld(last)).toBe(false);
});
