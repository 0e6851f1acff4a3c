/** The parameters of the bash tool: what a model may say, and the JSON Schema it is shown. */
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { BashParams, bashParams, ENV_NAME_PATTERN } from "../src/bash-params.ts";

const goldenPath = new URL("./golden/bash-params.schema.json", import.meta.url);

function publishedSchemas(): string {
  const schemas = {
    bash: z.toJSONSchema(bashParams({ asyncEnabled: false })),
    bashWithAsync: z.toJSONSchema(bashParams({ asyncEnabled: true })),
  };
  return `${JSON.stringify(schemas, null, 2)}\n`;
}

describe("parameters of the bash tool", () => {
  // A change of the file is reviewed like one of the public interface.
  it("are published as the reviewed JSON Schema", async () => {
    await expect(publishedSchemas()).toMatchFileSnapshot(fileURLToPath(goldenPath));
  });

  it("offer `async` only in a session that has background jobs", () => {
    const call = { command: "npm test", async: true };

    expect(bashParams({ asyncEnabled: true }).safeParse(call).success).toBe(true);
    expect(bashParams({ asyncEnabled: false }).safeParse(call).success).toBe(false);
  });

  it("offer `unconfined` only in a session whose calls may be confined", () => {
    const call = { command: "npm ls", unconfined: true };

    expect(bashParams({ asyncEnabled: false, mayConfine: true }).safeParse(call).success).toBe(true);
    expect(bashParams({ asyncEnabled: false }).safeParse(call).success).toBe(false);
  });

  it("refuse a call without a command, with a wrong type and with a field that does not exist", () => {
    expect(BashParams.safeParse({}).success).toBe(false);
    expect(BashParams.safeParse({ command: "ls", timeout: "10" }).success).toBe(false);
    expect(BashParams.safeParse({ command: "ls", head: 10 }).success).toBe(false);
  });

  it("leave names, directory and range of the timeout to the tool, which has a message for each", () => {
    const call = { command: "", env: { "not a name": "x" }, cwd: "/missing", timeout: -1 };

    expect(BashParams.parse(call)).toEqual(call);
  });

  it("know which names a shell variable can have", () => {
    expect(["A", "_", "PATH_2"].every((name) => ENV_NAME_PATTERN.test(name))).toBe(true);
    expect(["", "2A", "A-B", "A B", "A=B", "Ä"].some((name) => ENV_NAME_PATTERN.test(name))).toBe(false);
  });
});
