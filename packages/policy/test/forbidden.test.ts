/** What never runs, whatever rules and modes say: in the text that runs, and in the text that it was made of. */
import { describe, expect, it } from "vitest";
import { type ForbiddenConfig, type ForbiddenRequest, findForbidden } from "../src/forbidden.ts";

const PLACE = { cwd: "/home/me/app", workspace: "/home/me/app", home: "/home/me" };

/** The class, the codes of what forbids, of what is doubtful and of what cannot be decided. */
function found(command: string, config: ForbiddenConfig = {}, more: Partial<ForbiddenRequest> = {}) {
  const { classification, findings, doubts, undecided } = findForbidden({ command, ...PLACE, ...more }, config);
  const codes = (list: readonly { readonly code: string }[]): string[] => list.map(({ code }) => code);
  return [classification.class, codes(findings), codes(doubts), codes(undecided)];
}

describe("what is forbidden", () => {
  it("is nothing in a usual line", () => {
    expect(found("ls")).toEqual(["readonly", [], [], []]);
    expect(found("make")).toEqual(["not-readonly", [], [], []]);
    expect(found("ls 'x")).toEqual(["unparseable", [], [], []]);
  });

  it("is a hard block, with what else cannot be decided", () => {
    expect(found("rm -rf /")).toEqual(["blocked", ["remove-system"], [], []]);
    expect(found('rm -rf "$X"; mkfs /dev/sda')).toEqual(["blocked", ["writes-device"], [], ["undecided-block"]]);
    expect(found('rm -rf "$X"')).toEqual(["not-readonly", [], [], ["undecided-block"]]);
  });

  it("is stopping the machine, unless the owner lets it", () => {
    expect(found("reboot")).toEqual(["blocked", ["shutdown"], [], []]);
    expect(found("reboot", { blockShutdown: true })).toEqual(["blocked", ["shutdown"], [], []]);
    expect(found("reboot", { blockShutdown: false })).toEqual(["not-readonly", [], [], []]);
  });

  it("is a command of the owner's list, whose class it becomes", () => {
    const config = { blockedCommands: ["terraform apply"] };

    expect(found("terraform apply", config)).toEqual(["blocked", ["blocked-command"], [], []]);
    expect(found("terraform plan", config)).toEqual(["not-readonly", [], [], []]);
    expect(found('rm -rf "$X"; terraform apply', config)).toEqual([
      "blocked",
      ["blocked-command"],
      [],
      ["undecided-block"],
    ]);
    // A hard block is said before.
    expect(found("terraform apply; rm -rf /", config)).toEqual(["blocked", ["remove-system"], [], []]);
    expect(findForbidden({ command: "a; terraform apply", ...PLACE }, config).findings).toEqual([
      {
        code: "blocked-command",
        severity: "block",
        message: "Command contains blocked pattern: terraform apply",
        span: { start: 3, end: 18 },
      },
    ]);
  });

  it("is doubtful where only the run shows it", () => {
    const config = { blockedCommands: ["terraform apply"] };

    expect(found("$x apply", config)).toEqual(["not-readonly", [], ["blocked-command-doubt"], []]);
    expect(found("terraform $x", config)).toEqual(["not-readonly", [], ["blocked-command-doubt"], []]);
    expect(found("terraform $x")).toEqual(["not-readonly", [], [], []]);
    expect(found("$x y")).toEqual(["not-readonly", [], [], []]);
    expect(found("make $x", config)).toEqual(["not-readonly", [], [], []]);
  });
});

describe("the text that a command was made of", () => {
  const original = (command: string, cwd?: string) => ({ original: { command, cwd } });

  it("may hide nothing that is forbidden, and is judged in its own folder", () => {
    expect(found("ls", {}, original("cd / && rm -rf *"))).toEqual(["blocked", ["remove-system"], [], []]);
    expect(found("ls", {}, original("ls 2>&1"))).toEqual(["readonly", [], [], []]);
    expect(found("ls", { blockedCommands: ["terraform apply"] }, original("terraform apply"))).toEqual([
      "blocked",
      ["blocked-command"],
      [],
      [],
    ]);
    expect(found("ls", {}, original("rm -rf *", "/"))).toEqual(["blocked", ["remove-system"], [], []]);
    expect(found("ls", {}, original("rm -rf *", "/home/me/app"))).toEqual(["readonly", [], [], []]);
    expect(found("ls", { blockShutdown: false }, original("reboot"))).toEqual(["readonly", [], [], []]);
    // The folders of home and workspace are those of the call.
    expect(found("ls", {}, original("rm -rf ~"))).toEqual(["blocked", ["remove-system"], [], []]);
    expect(found("ls", {}, original("rm -rf /home/me"))).toEqual(["blocked", ["remove-system"], [], []]);
  });

  it("adds what cannot be decided", () => {
    expect(found("ls", {}, original('rm -rf "$X"'))).toEqual(["readonly", [], [], ["undecided-block"]]);
    expect(found('rm -rf "$Y"', {}, original('rm -rf "$X"'))[3]).toEqual(["undecided-block", "undecided-block"]);
    expect(found("rm -rf /", {}, original('rm -rf "$X"'))[3]).toEqual(["undecided-block"]);
  });

  it("does not make the class of what runs", () => {
    expect(found("ls", {}, original("make"))[0]).toBe("readonly");
    expect(found("rm -rf /", {}, original("ls"))[0]).toBe("blocked");
  });
});

describe("a description", () => {
  const required = { requireDescription: true };

  it("is required where the owner says so, and blanks are not one", () => {
    for (const description of [undefined, "", " \n\t"]) {
      expect(found("ls", required, { description })).toEqual(["readonly", ["description-required"], [], []]);
      expect(found("ls", {}, { description })).toEqual(["readonly", [], [], []]);
      expect(found("ls", { requireDescription: false }, { description })).toEqual(["readonly", [], [], []]);
    }
    expect(found("ls", required, { description: "List" })).toEqual(["readonly", [], [], []]);
  });

  it("that is missing is said, with what to do", () => {
    expect(findForbidden({ command: "ls" }, required).findings).toEqual([
      {
        code: "description-required",
        severity: "unknown",
        message: "a description of what the command does is required",
        hint: "say in `description` what the command does",
        span: { start: 0, end: 0 },
      },
    ]);
  });

  it("does not come before what is forbidden", () => {
    expect(found("rm -rf /", required)).toEqual(["blocked", ["remove-system"], [], []]);
    expect(found("x y", { ...required, blockedCommands: ["x y"] })).toEqual(["blocked", ["blocked-command"], [], []]);
  });
});
