/** Whether commands can be held read-only: what the system claims, what a proof finds, and what takes it back. */
import { describe, expect, it } from "vitest";
import type { NativesPort } from "../src/natives-port.ts";
import { ConfinementProof, checkClaim, ReadOnlyUnavailableError } from "../src/read-only/confinement.ts";
import { enforcedOutcome } from "../src/read-only/read-only-result.ts";
import { ended, FakeNatives } from "./support/fake-natives.ts";

type Claim = NonNullable<FakeNatives["readOnly"]>;
const CAN = { available: true, degraded: ["signal"] } as unknown as Claim;
const unavailable = (more: object = {}) =>
  Object.assign(new Error("the message"), { code: "PI_READ_ONLY_UNAVAILABLE", ...more });

function proofOf(readOnly: Claim | undefined = CAN) {
  const natives = new FakeNatives();
  natives.readOnly = readOnly;
  natives.behaviour = async () => ended({}, { readOnly: { degraded: ["proven"], stateDropped: false } });
  let places = 0;
  const proof = new ConfinementProof(async () => {
    places += 1;
    return { natives, session: { shell: "/bin/bash" } };
  });
  return { natives, proof, places: () => places };
}

describe("a claim", () => {
  it.each<[string, Claim | undefined, boolean, string | undefined]>([
    ["of a system that can", CAN, true, undefined],
    ["of one that makes no copies", CAN, false, "this backend cannot confine a command"],
    ["of a backend that knows nothing of it", undefined, true, "this backend cannot confine a command"],
    [
      "of one that cannot",
      { available: false, degraded: [], reason: "no Landlock" } as unknown as Claim,
      true,
      "no Landlock",
    ],
    [
      "of one that does not say why",
      { available: false, degraded: [] } as unknown as Claim,
      true,
      "this system cannot confine a command",
    ],
  ])("%s", (_, readOnly, clone, reason) => {
    const natives = { capabilities: () => ({ session: "persistent", clone, readOnly }) } as unknown as NativesPort;
    if (reason === undefined) expect(() => checkClaim(natives)).not.toThrow();
    else {
      expect(() => checkClaim(natives)).toThrow(ReadOnlyUnavailableError);
      expect(() => checkClaim(natives)).toThrow(`the command cannot run read-only: ${reason}`);
    }
  });

  it("that is not given is not put to the proof", async () => {
    const { proof, natives } = proofOf({ available: false, degraded: [] } as unknown as Claim);
    expect(await proof.found()).toMatchObject({ available: false });
    expect(natives.shells).toEqual([]);
  });
});

describe("a proof", () => {
  it("runs nothing, read-only, in a shell of its own that is closed; once", async () => {
    const { proof, natives, places } = proofOf();
    expect([await proof.found(), await proof.found()]).toEqual([
      { available: true, degraded: ["proven"] },
      { available: true, degraded: ["proven"] },
    ]);
    expect(natives.runs.map(({ options }) => options)).toEqual([{ command: ":", readOnly: true, timeoutMs: 20_000 }]);
    expect([natives.shells.map(({ isClosed }) => isClosed), places()]).toEqual([[true], 1]);
  });

  it.each([
    ["is not said to have been read-only", ended()],
    ["fails", ended({}, { exitCode: 1, readOnly: { degraded: [], stateDropped: false } })],
  ])("that %s proves nothing", async (_, result) => {
    const { proof, natives } = proofOf();
    natives.behaviour = async () => result;
    expect(await proof.found()).toEqual({ available: false, reason: "the proof did not end" });
    expect(natives.shells[0]?.isClosed).toBe(true);
  });

  it.each([
    ["a reason", unavailable({ reason: "no Landlock" }), "no Landlock"],
    ["a message", unavailable(), "the message"],
    ["a reason that is not text", unavailable({ reason: 7 }), "the message"],
  ])("that was refused has %s, which stays", async (_, error, reason) => {
    const { proof, natives } = proofOf();
    natives.behaviour = () => Promise.reject(error);
    expect(await proof.found()).toEqual({ available: false, reason });
    natives.behaviour = async () => ended({}, { readOnly: { degraded: [], stateDropped: false } });
    expect(await proof.found()).toEqual({ available: false, reason });
  });

  it.each([
    ["an error", new Error("no shell"), "no shell"],
    ["something else", "odd", "odd"],
  ])("that could not be made says so by %s, and is tried again", async (_, error, reason) => {
    const { proof, natives } = proofOf();
    natives.behaviour = () => Promise.reject(error);
    expect(await proof.found()).toEqual({ available: false, reason });
    natives.behaviour = async () => ended({}, { readOnly: { degraded: [], stateDropped: false } });

    expect(await proof.found()).toEqual({ available: true, degraded: [] });
    await proof.settled();
  });

  it.each([
    ["that it cannot run read-only", unavailable({ reason: "gone" }), { available: false, reason: "gone" }],
    ["another error", Object.assign(new Error("x"), { code: "PI_OTHER" }), { available: true, degraded: ["proven"] }],
    ["an error without a code", new Error("x"), { available: true, degraded: ["proven"] }],
    ["no error", { code: "PI_READ_ONLY_UNAVAILABLE" }, { available: true, degraded: ["proven"] }],
  ])("after a command was rejected with %s", async (_, error, found) => {
    const { proof } = proofOf();
    await proof.found();
    let thrown: unknown;
    try {
      proof.rejected(error);
    } catch (caught) {
      thrown = caught;
    }

    expect(thrown).toBe(error);
    expect(await proof.found()).toEqual(found);
  });
});

it("what was enforced is a copy of the core's report, without refusals so far", () => {
  const degraded = ["signal"];
  const outcome = enforcedOutcome({ degraded, stateDropped: true });
  expect(outcome).toEqual({ enforced: true, degraded: ["signal"], stateDropped: true, refusals: [] });
  expect(outcome.degraded).not.toBe(degraded);
});
