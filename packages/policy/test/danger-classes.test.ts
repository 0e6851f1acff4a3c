/** Hard blocks by class: many spellings of one meaning, and honest work that only looks like it. */
import { describe, expect, it } from "vitest";
import { classify } from "../src/classify.ts";
import { decide, type PolicyRequest } from "../src/decide.ts";
import { findForbidden } from "../src/forbidden.ts";
import { BLOCKED_PROGRAMS } from "./support/danger-cases/blocked-programs.ts";
import { BLOCKED_TARGETS } from "./support/danger-cases/blocked-targets.ts";
import { BLOCKED_FOLLOWED, ORDINARY_FOLLOWED, UNDECIDED_FOLLOWED } from "./support/danger-cases/followed.ts";
import { BLOCKED_MACHINES, ORDINARY_MACHINES, UNDECIDED_MACHINES } from "./support/danger-cases/machines.ts";
import { BLOCKED_MOVES } from "./support/danger-cases/moves-blocked.ts";
import { ORDINARY } from "./support/danger-cases/ordinary.ts";
import { ORDINARY_SEARCHES, UNDECIDED_SEARCHES } from "./support/danger-cases/searches.ts";
import { BLOCKED_SEARCHES } from "./support/danger-cases/searches-blocked.ts";
import { ORDINARY_TEXTS, UNDECIDED_TEXTS } from "./support/danger-cases/shell-texts.ts";
import { BLOCKED_TEXTS } from "./support/danger-cases/shell-texts-blocked.ts";
import { UNDECIDED } from "./support/danger-cases/undecided.ts";
import { BLOCKED_VARIABLE_WORDS } from "./support/danger-cases/variable-words.ts";
import { BLOCKED_WRAPPED, ORDINARY_WRAPPED, UNDECIDED_WRAPPED } from "./support/danger-cases/wrappers.ts";

const PLACE = { cwd: "/home/me/code/app", workspace: "/home/me/code/app", home: "/home/me" };

const linesOf = (cases: Readonly<Record<string, readonly string[]>>) =>
  Object.entries(cases).flatMap(([name, lines]) => lines.map((line) => [name, line] as const));

const UNDECIDED_LINES = linesOf({
  ...UNDECIDED,
  ...UNDECIDED_SEARCHES,
  ...UNDECIDED_WRAPPED,
  ...UNDECIDED_TEXTS,
  ...UNDECIDED_MACHINES,
  ...UNDECIDED_FOLLOWED,
});

const ORDINARY_LINES = linesOf({
  ...ORDINARY,
  ...ORDINARY_SEARCHES,
  ...ORDINARY_WRAPPED,
  ...ORDINARY_TEXTS,
  ...ORDINARY_MACHINES,
  ...ORDINARY_FOLLOWED,
});

describe("a hard block", () => {
  it.each(
    linesOf({
      ...BLOCKED_TARGETS,
      ...BLOCKED_PROGRAMS,
      ...BLOCKED_SEARCHES,
      ...BLOCKED_MOVES,
      ...BLOCKED_WRAPPED,
      ...BLOCKED_TEXTS,
      ...BLOCKED_VARIABLE_WORDS,
      ...BLOCKED_MACHINES,
      ...BLOCKED_FOLLOWED,
    }),
  )("knows %s: %s", (_, line) => {
    const { class: kind, findings } = classify(line, PLACE);

    expect(kind).toBe("blocked");
    expect(findings[0]?.severity).toBe("block");
  });

  it.each(UNDECIDED_LINES)("is undecided for %s: %s", (_, line) => {
    const { class: kind, undecided } = classify(line, PLACE);

    expect(kind).not.toBe("blocked");
    expect(undecided[0]).toMatchObject({ code: "undecided-block", hint: expect.any(String) });
  });

  it.each(ORDINARY_LINES)("is not found in %s: %s", (_, line) => {
    const { class: kind, undecided } = classify(line, PLACE);

    expect(kind).not.toBe("blocked");
    expect(undecided).toEqual([]);
  });
});

const MODES = ["default", "acceptEdits", "auto", "yolo"] as const;

describe("a block that cannot be decided", () => {
  const ask = (command: string, more: Partial<PolicyRequest> = {}, config = {}) =>
    decide({ command, ...PLACE, ...more }, config).behavior;

  it.each(MODES)("asks in mode %s, sandboxed or not", (mode) => {
    expect(ask('rm -rf "$X"', { mode, sandboxed: true })).toBe("ask");
    expect(ask('rm -rf "$X"', { mode })).toBe("ask");
    expect(ask("cat list | xargs rm -rf", { mode, sandboxed: true })).toBe("ask");
  });

  it.each(UNDECIDED_LINES)("asks in mode yolo for %s: %s", (_, command) => {
    expect(ask(command, { mode: "yolo" })).toBe("ask");
  });

  it.each(ORDINARY_LINES)("does not ask in mode yolo for %s: %s", (_, command) => {
    const { behavior, reasons } = decide({ command, ...PLACE, mode: "yolo", gitDangers: [] }, {});

    expect(behavior).not.toBe("deny");
    expect(reasons.map(({ code }) => code)).not.toContain("undecided-block");
  });

  it("says why and what would help", () => {
    const { reasons } = decide({ command: 'rm -rf "$X"', ...PLACE, mode: "yolo" }, {});

    expect(reasons[0]?.message).toContain("whether this is a hard block cannot be decided");
    expect(reasons[0]?.message).toContain("may be the root folder `/`");
    expect(reasons[0]?.hint).toContain("write the path out");
  });

  it("is denied where no one can answer", () => {
    expect(ask('rm -rf "$X"', { mode: "yolo", interactive: false })).toBe("deny");
    expect(ask('rm -rf "$X"', { mode: "dontAsk" })).toBe("deny");
  });

  it("is an ordinary command where the user switched the question off", () => {
    const config = { askUndecidedBlocks: false };

    expect(ask('rm -rf "$X"', { mode: "yolo" }, config)).toBe("allow");
    expect(ask('rm -rf "$X"', { mode: "yolo", askUndecidedBlocks: false })).toBe("allow");
    expect(ask('rm -rf "$X"', { mode: "yolo", askUndecidedBlocks: true }, config)).toBe("allow");
    expect(ask('rm -rf "$X"', { mode: "default" }, config)).toBe("ask");
    expect(ask("rm -rf /", { mode: "yolo" }, config)).toBe("deny");
  });

  it("is looked for in the text that the caller gave as well", () => {
    const original = { command: 'cd "$X" && rm -rf *', cwd: "/" };

    expect(ask("rm -rf *", { mode: "yolo", original })).toBe("ask");
  });

  it("passes where a host has no policy", () => {
    expect(findForbidden({ command: 'rm -rf "$X"', ...PLACE }, {})).toMatchObject({ findings: [] });
    expect(findForbidden({ command: "X=/; rm -rf $X", ...PLACE }, {}).findings).toHaveLength(1);
  });
});

describe("a workspace below a folder of the system", () => {
  it.each(["/usr/src/app", "/var/www/site", "/var/lib/jenkins/job", "/etc/nixos", "/private/var/folders/x/y/ws"])(
    "is its owner's: %s",
    (workspace) => {
      const place = { cwd: workspace, workspace, home: "/home/me" };

      for (const line of [
        "rm -rf node_modules",
        "rm -rf *",
        `rm -rf ${workspace}/dist`,
        "chmod -R u+w .",
        "find . -delete",
      ]) {
        expect(classify(line, place), line).toMatchObject({ undecided: [] });
        expect(classify(line, place).class, line).not.toBe("blocked");
      }
      expect(classify("rm -rf ..", place).class).toBe("blocked");
      expect(classify("rm -rf /usr/lib", place).class).toBe("blocked");
    },
  );

  it("is none where the workspace is such a folder itself", () => {
    for (const workspace of ["/", "/etc", "/usr"]) {
      expect(classify(`rm -rf ${workspace === "/" ? "" : workspace}/lib`, { cwd: workspace, workspace }).class).toBe(
        "blocked",
      );
    }
  });
});
