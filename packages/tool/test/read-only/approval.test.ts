/** What follows a refused read-only run: a report, or the host's approval and one more run. Never a run without one. */
import { existsSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { BashDetails, jsonSchemaOf } from "@pi-bash/contract";
import { capabilities } from "@pi-bash/natives";
import { type Approval, createPolicy, type Verdict } from "@pi-bash/policy";
import { describe, expect, it } from "vitest";
import { createBashTool } from "../../src/bash-tool.ts";
import type { BashToolSession } from "../../src/session.ts";
import { jobs, type Scene, scene, textOf, thrown } from "../support/session.ts";

// The kernel holds commands on Linux alone, with Landlock and seccomp, where bash takes the driver.
const { available } = capabilities().readOnly;

/** Says something, and tries to write. */
const WRITES = `node -e 'console.log("tried"); require("fs").appendFileSync("made", "x")'`;

/** A session whose person answers so; `asked` has the verdicts. */
function answering(
  behavior: Approval["behavior"] | undefined,
  settings = {},
  ports = {},
): Scene & { asked: Verdict[] } {
  const asked: Verdict[] = [];
  const approve = async (_: unknown, verdict: Verdict): Promise<Approval> => {
    asked.push(verdict);
    return { behavior: behavior ?? "deny" };
  };
  const made = scene(settings, {
    policy: createPolicy(),
    ...(behavior === undefined ? {} : { approve }),
    ...ports,
  });
  return { ...made, asked };
}

const ASK = { "readOnly.onRefusal": "ask" } as const;

describe.runIf(available)("after a refusal", () => {
  it("the result is a report, unless settings say otherwise: nothing is asked, and nothing runs again", async () => {
    const { bash, folder, asked } = answering("allow");

    const result = await bash({ command: WRITES });

    expect(asked).toEqual([]);
    expect(existsSync(join(folder, "made"))).toBe(false);
    expect(result).toMatchObject({ isError: true, details: { readOnly: { enforced: true } } });
    expect(result.details?.readOnly).not.toHaveProperty("answer");
  });

  it.each([
    ["in the foreground", {}],
    [
      "that may go to the background",
      { "bash.autoBackground.enabled": true, "bash.autoBackground.thresholdMs": 60_000 },
    ],
  ])("with `ask` an approved command runs once more, and the first run stays in the result: %s", async (_, more) => {
    const { bash, folder, asked } = answering("allow", { ...ASK, ...more }, { asyncJobManager: await jobs() });

    const result = await bash({ command: WRITES });

    expect(asked.map(({ reasons }) => reasons.map(({ code }) => code))).toEqual([["refused-read-only"]]);
    expect(asked[0]?.reasons[0]?.message).toMatch(
      /^it ran read-only, and by what it printed it was refused: writing \(`.*made`\)$/,
    );
    expect(readFileSync(join(folder, "made"), "utf8")).toBe("x");
    expect(result.isError).toBeUndefined();
    const details = BashDetails.parse(result.details);
    expect(details.readOnly).toMatchObject({
      enforced: true,
      answer: "approved",
      refusals: [{ kind: "read-only-path" }],
      firstRun: { exitCode: 1, output: expect.stringContaining("EACCES") },
    });
    const text = textOf(result);
    expect(text).toMatch(/^\[Read-only run\]\ntried\n[\s\S]*EACCES[\s\S]*\n\[Approved run\]\ntried\n\n/);
    expect(text).toContain("It ran read-only first and was refused: writing (");
    expect(text).toContain("It was approved, and ran again where it can write.");
  });

  it("with `ask` a denied command does not run again, and the result says that it was not approved", async () => {
    const { bash, folder, asked } = answering("deny", ASK);

    const result = await bash({ command: WRITES });

    expect(asked).toHaveLength(1);
    expect(existsSync(join(folder, "made"))).toBe(false);
    expect(result.details?.readOnly).toMatchObject({ answer: "denied" });
    expect(textOf(result)).toContain("It was not approved to run where it can write.");
  });

  it.each([
    ["there is no one to ask", undefined, {}],
    ["the mode asks nothing", "allow", { policyContext: () => ({ mode: "dontAsk" }) }],
    ["the mode only plans", "allow", { policyContext: () => ({ mode: "plan" }) }],
  ] as const)("with `ask` it is reported where %s", async (_, behavior, ports) => {
    const { bash, folder, asked } = answering(behavior, ASK, ports);

    const result = await bash({ command: WRITES });

    expect(asked).toEqual([]);
    expect(existsSync(join(folder, "made"))).toBe(false);
    expect(result.details?.readOnly).not.toHaveProperty("answer");
    expect(textOf(result)).toContain("call again with `unconfined: true`");
  });

  it("with `ask` what the first run left in the background is reported with what the second one left", async () => {
    const { bash } = answering("allow", ASK);

    const result = await bash({ command: `sleep 300 & ${WRITES}` });

    const survivors = result.details?.survivors ?? [];
    expect(survivors.map(({ command }) => command)).toEqual(["sleep 300", "sleep 300"]);
    expect(textOf(result)).toMatch(new RegExp(`Still running: ${survivors[0]?.pid} .*, ${survivors[1]?.pid} `));
  });

  it("with `ask` the person reads that a program says so, which may say what it likes", async () => {
    const { bash, asked } = answering("deny", ASK);

    await bash({ command: `node -e 'console.error("EACCES: permission denied, open notes"); process.exit(1)'` });

    const [first] = asked.flatMap(({ reasons }) => reasons);
    expect(first?.message).toMatch(/^it ran read-only, and by what it printed it was refused: /);
  });

  it("with `ask` a policy of the host's own that keeps to reading is not an approval", async () => {
    const ours = createPolicy();
    const policy: BashToolSession["policy"] = {
      observe: ours.observe,
      // It does not look at what the call asks for.
      authorize: ({ unconfined: _, doubts: __, ...request }, options) => ours.authorize(request, options),
    };
    const { bash, folder, asked } = answering("allow", ASK, { policy });

    const result = await bash({ command: WRITES });

    expect(asked).toEqual([]);
    expect(existsSync(join(folder, "made"))).toBe(false);
    expect(result.details?.readOnly).not.toHaveProperty("answer");
  });

  it("with `ask` a command that failed for a reason of its own is not asked about", async () => {
    const { bash, asked } = answering("allow", ASK);

    await bash({ command: "cat missing" });
    await bash({ command: "git frobnicate" }).catch(() => undefined);

    expect(asked.flatMap(({ reasons }) => reasons.map(({ code }) => code))).not.toContain("refused-read-only");
  });

  it("with `ask` an approval for a folder that is exchanged meanwhile runs nothing", async () => {
    const made = scene(ASK, {
      policy: createPolicy(),
      approve: async (request): Promise<Approval> => {
        renameSync(request.cwd ?? "", `${request.cwd}.old`);
        mkdirSync(request.cwd ?? "");
        return { behavior: "allow" };
      },
    });
    mkdirSync(join(made.folder, "work"));

    const error = await thrown(made.bash({ command: WRITES, cwd: "work" }));

    expect(error.message).toContain("The working directory changed after");
    expect(existsSync(join(made.folder, "work", "made"))).toBe(false);
  });
});

describe.runIf(available)("`unconfined`", () => {
  it("asks for what would run read-only, and runs it where it can write", async () => {
    const { bash, folder, asked } = answering("allow");

    const result = await bash({ command: WRITES, unconfined: true });

    expect(asked.map(({ reasons }) => reasons[0]?.code)).toEqual(["asks-to-write"]);
    expect(readFileSync(join(folder, "made"), "utf8")).toBe("x");
    expect(result.details).not.toHaveProperty("readOnly");
  });

  it("is refused where it is not approved, with the reason", async () => {
    const { bash } = answering(undefined);

    const error = await thrown(bash({ command: "git status", unconfined: true }));

    expect(error.details?.refusal?.reasons.map(({ code }) => code)).toEqual(["asks-to-write"]);
  });

  it("offers no rule, which would let such lines run unconfined from then on", async () => {
    const { bash, asked } = answering("deny");

    for (const command of ["git status", "ls -la", "cat x | head -1"]) {
      await bash({ command, unconfined: true }).catch(() => undefined);
    }

    expect(asked.map(({ suggestedRules }) => suggestedRules)).toEqual([[], [], []]);
  });

  it("is not a call that a host may start beside others", () => {
    const bash = createBashTool(answering("deny").session);

    expect(bash.isConcurrencySafe({ command: "sed -n 1p f" })).toBe(true);
    expect(bash.isConcurrencySafe({ command: "sed -n 1p f", unconfined: true })).toBe(false);
  });

  it("is asked about with no other line: builtins and what a rule allows run as they do", async () => {
    const { bash, session, asked } = answering("deny");

    expect((await bash({ command: "echo hi", unconfined: true })).isError).toBeUndefined();
    Object.assign(session, { policy: createPolicy({ allow: ["Bash(ls)"] }) });
    expect((await bash({ command: "ls", unconfined: true })).isError).toBeUndefined();
    expect(asked).toEqual([]);
  });
});

describe("the parameters of the tool", () => {
  const hasIt = ({ session }: Scene) =>
    "unconfined" in ((jsonSchemaOf(createBashTool(session).parameters) as { properties: object }).properties ?? {});

  it("have `unconfined` where a policy may confine a call, and nowhere else", () => {
    expect(hasIt(answering("deny"))).toBe(true);
    expect(hasIt(answering("deny", { "readOnly.enforce": "off" }))).toBe(false);
    expect(hasIt(scene())).toBe(false);
  });
});
