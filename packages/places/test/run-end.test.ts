/** The end of a run is checked by hand where it is plain: as strictly as by its schema, and with the same result. */
import { describe, expect, it } from "vitest";
import { encodeObject, type Frame, FrameDecoder } from "../src/wire/frames.ts";
import { KIND } from "../src/wire/kinds.ts";
import { checked, EndOfRun } from "../src/wire/messages.ts";
import { plainEnd, runEndOf } from "../src/wire/run-end.ts";

const SUMMARY = {
  ...{ text: "a\n", truncated: false, totalBytes: 2, totalLines: 1, outputBytes: 2, outputLines: 1 },
  ...{ spilled: true, startLine: 1, endLine: 1, lateOutputBytes: 0 },
};
const OK = {
  ...{ exitCode: 0, cancelled: false, timedOut: false, workingDir: "/work\nspace", sessionReset: false },
  ...{ survivors: [], wallTimeMs: 0.25, output: SUMMARY },
};
/** What JSON can hold in the place of any member. */
const VALUES = [
  ...[null, true, false, 0, -0, -1, 1, 0.5, 255, 256, 2 ** 53, 1e308, "", "x", "/", "/a\0b", "/a\u001b[2J"],
  ...[[], [1], [null], {}, { pid: 1, command: "x", startedAtMs: 1 }, [{ pid: 1, command: "x", startedAtMs: 1 }]],
];

/** Each way to change a member of `object`, to leave it out, and to add one. */
function variants(object: Record<string, unknown>): Record<string, unknown>[] {
  const names = [...Object.keys(object), "signalNumber", "masked", "spillError", "junk", "sandbox", "minimized"];
  const changed = names.flatMap((name) => VALUES.map((value) => ({ ...object, [name]: value })));
  const without = names.map((name) => Object.fromEntries(Object.entries(object).filter(([one]) => one !== name)));
  return [...changed, ...without];
}

function bySchema(end: unknown): unknown {
  try {
    return checked(EndOfRun, "End", end);
  } catch {
    return "refused";
  }
}

function frameOf(end: object): Frame {
  const frames: Frame[] = [];
  new FrameDecoder().feed(encodeObject(KIND.end, 1, end), (frame) => frames.push(frame));
  const [frame] = frames;
  if (frame === undefined) throw new Error("there is no frame");
  return frame;
}

describe("the end of a run", () => {
  it("that is plain is not given to the schema", () => {
    expect(plainEnd({ ok: OK })).toEqual(OK);
    const { output: _, ...silent } = OK;
    expect(plainEnd({ ok: silent })).toEqual(silent);
  });

  it("is the same by hand and by the schema, whatever a member is", () => {
    const ends = [
      ...variants(OK).map((ok) => ({ ok })),
      ...variants(SUMMARY).map((output) => ({ ok: { ...OK, output } })),
      ...variants({ ok: OK, leftOutBytes: 1, endedBy: "lease", error: { code: "PI_X", message: "x" } }),
    ];
    for (const end of ends) {
      const text = JSON.stringify(end);
      const byHand = plainEnd(JSON.parse(text));
      if (byHand !== undefined) expect({ ok: byHand }, text).toEqual(bySchema(JSON.parse(text)));
    }
  });

  it("has no member without a value, so that it is what the native surface gives", () => {
    const full = {
      ...OK,
      survivors: [{ pid: 1, command: "x", startedAtMs: 1 }],
      sandbox: { mode: "read-only", backend: "landlock", network: false, degraded: [] },
      lostWithShell: null,
    };
    const end = runEndOf(frameOf({ ok: full, leftOutBytes: 3 }));
    expect(end.leftOutBytes).toBe(3);
    expect(JSON.parse(JSON.stringify(end))).toStrictEqual(end);
    expect(runEndOf(frameOf({ ok: OK }))).toStrictEqual({ ok: OK });
  });

  it("that is not one is refused, and nothing of it is said", () => {
    expect(() => runEndOf(frameOf({ ok: { ...OK, workingDir: "secret" } }))).toThrow(/^(?!.*secret)/);
    expect(() => runEndOf(frameOf({ ok: { ...OK, workingDir: "secret" } }))).toThrow("`End`");
  });
});
