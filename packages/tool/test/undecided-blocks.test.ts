/**
 * The setting `askUndecidedBlocks`, and sessions without a policy, where such a command runs.
 */
import { createPolicy } from "@pi-bash/policy";
import { describe, expect, it } from "vitest";
import { scene, thrown } from "./support/session.ts";

const command = 'rm -rf "$NOT_SET_ANYWHERE"';
const ports = { policy: createPolicy(), policyContext: () => ({ mode: "yolo" }) as const };

describe("a block that cannot be decided", () => {
  it("asks in every mode, unless the setting switches that off", async () => {
    const error = await thrown(scene({}, ports).bash({ command }));

    expect(error.message).toContain("whether this is a hard block cannot be decided");
    expect((await scene({ askUndecidedBlocks: false }, ports).bash({ command })).isError).toBeUndefined();
  });

  it("runs where there is no policy, and what is decided does not", async () => {
    expect((await scene().bash({ command })).isError).toBeUndefined();
    expect((await thrown(scene().bash({ command: "X=/; rm -rf $X" }))).message).toContain("the root folder");
  });
});
