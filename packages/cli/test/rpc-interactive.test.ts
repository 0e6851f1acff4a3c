/** A program that asks, by RPC: its client is notified who waits, and types a person's secret. */
import { expect, it } from "vitest";
import { until } from "../../../test/support/patience.ts";
import { client } from "./rpc-client.ts";

const SECRET = "open sesame 9";

it.skipIf(process.platform !== "linux")(
  "a secret is asked of the client by RPC, and typed (who waits is known on Linux)",
  async () => {
    const { send, response, messages } = client(["--mode", "yolo"]);
    const script = "read -s -p 'Token: ' t; echo; echo \"got $t\"; read -p 'more? ' x";
    const params = { kind: "bash", script, timeout_secs: 60, display_name: "x", tty: true };
    send({ id: 1, type: "tool", tool: "task", params });
    expect((await response(1)).data).toMatchObject({ details: { status: "running", waiting: { kind: "secret" } } });
    const event = () => messages.find(({ type }) => type === "task_waiting");
    await until("the event", () => event() !== undefined);
    expect(event()).toMatchObject({
      taskId: "bash:bg_1",
      waiting: { kind: "secret", prompt: "Token:", certain: true },
    });

    send({ id: 2, type: "answer_secret", taskId: "bash:bg_1", secret: SECRET });
    expect(await response(2)).toMatchObject({ success: true, data: { typed: true } });
    // It answers with what is new: at first that may be the end of the prompt's line alone.
    let asked = 10;
    await until("the masked answer", async () => {
      asked += 1;
      send({ id: asked, type: "tool", tool: "task_await", params: { task_ids: ["bash:bg_1"], timeout_secs: 1 } });
      return JSON.stringify((await response(asked)).data).includes("got [secret]");
    });
    send({ id: 4, type: "tool", tool: "task_send", params: { task_id: "bash:bg_1", text: "x" } });
    expect((await response(4)).data).toMatchObject({ details: { result: { status: "completed", exitCode: 0 } } });
    expect(JSON.stringify(messages)).not.toContain(SECRET);

    for (const [id, taskId, secret] of [
      [5, "bash:bg_1", SECRET],
      [6, "bash:bg_9", SECRET],
      [7, " ", SECRET],
    ] as const) {
      send({ id, type: "answer_secret", taskId, secret });
      const refused = await response(id);
      expect(refused).toMatchObject({ success: false, code: "PI_RPC_UNKNOWN_ID" });
      expect(JSON.stringify(refused)).not.toContain(SECRET);
    }
  },
);
