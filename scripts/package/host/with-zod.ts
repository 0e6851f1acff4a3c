// A program of a host that has a zod of its own: our schemas are parts of the host's, and its zod reads them.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { BashParams, Settings } from "@pi-bash/contract";
import { BashParamsWithAsync, bashParams } from "@pi-bash/contract/internal";
import * as z from "zod";

const Call = z.object({
  call: BashParams,
  settings: Settings.optional(),
  either: z.union([z.string(), BashParamsWithAsync]),
  extended: BashParams.extend({ note: z.string() }),
});
type Call = z.infer<typeof Call>;
const call: Call = Call.parse({ call: { command: "ls" }, either: "x", extended: { command: "ls", note: "y" } });
const text: string = call.call.command;
// @ts-expect-error: the types came through, and not as `any`
const wrong: number = call.call.command;
assert.equal(text, "ls");
assert.equal(wrong, "ls");
const schema: z.core.$ZodType<BashParams> = BashParams;
assert.equal(
  z.safeParse(schema, { command: 1 }).error?.issues[0]?.message,
  "Invalid input: expected string, received number",
);
assert.ok(schema instanceof z.ZodObject);

// What a reviewer has read, as the contract's own tests compare it.
const reviewed = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8"));
assert.deepEqual(z.toJSONSchema(bashParams({ asyncEnabled: false })), reviewed.bash);
assert.deepEqual(z.toJSONSchema(bashParams({ asyncEnabled: true })), reviewed.bashWithAsync);
