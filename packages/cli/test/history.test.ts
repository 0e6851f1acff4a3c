/** The console's history: kept from session to session, found again, private, bounded. */
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { decodeInput } from "@pi-bash/renderer/internal";
import { describe, expect, it } from "vitest";
import { scratchFolder } from "../../../test/support/scratch.ts";
import { historyPath, MAX_HISTORY, openHistory } from "../src/console/history-file.ts";
import { LineEditor } from "../src/console/line-editor.ts";
import { KEY, person } from "./console-person.ts";

const CTRL_R = "\x12";

function typed(keys: string, editor: LineEditor): string {
  for (const input of decodeInput(keys, { applicationCursor: false })) editor.take(input);
  return editor.text;
}

function entered(line: string, editor: LineEditor): void {
  editor.set(line);
  editor.submit();
}

describe("the history file", () => {
  it("has the lines of one session for the next, for their owner alone", async () => {
    const path = join(scratchFolder(), "state", "history");
    const editor = new LineEditor(await openHistory(path));
    for (const line of ["ls -l", "echo a\necho b", "ls é"]) entered(line, editor);

    expect((await openHistory(path)).lines).toEqual(["ls -l", "echo a\necho b", "ls é"]);
    if (process.platform === "win32") return;
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
  });

  it("has no line that begins with a blank, nor one that was pasted and is very long", async () => {
    const path = join(scratchFolder(), "history");
    const editor = new LineEditor(await openHistory(path));
    for (const line of [" export TOKEN=secret", "x".repeat(20_000), "ls"]) entered(line, editor);

    expect(readFileSync(path, "utf8")).toBe('"ls"\n');
    // In this session the line is there all the same.
    expect(typed(KEY.up + KEY.up, editor)).toBe("x".repeat(20_000));
  });

  it("is bounded, and what is no line in it is passed over", async () => {
    const path = join(scratchFolder(), "history");
    const lines = Array.from({ length: MAX_HISTORY + 50 }, (_, at) => JSON.stringify(`line ${at}`));
    writeFileSync(path, `${[...lines, "no JSON", "5"].join("\n")}\n`);

    expect((await openHistory(path)).lines.at(-1)).toBe(`line ${MAX_HISTORY + 49}`);
    expect(readFileSync(path, "utf8").trimEnd().split("\n")).toHaveLength(MAX_HISTORY);
  });

  it("that cannot be is none", async () => {
    const folder = scratchFolder();
    writeFileSync(join(folder, "file"), "");
    const history = await openHistory(join(folder, "file", "history"));

    history.add("ls");
    expect(history.lines).toEqual([]);
    expect((await openHistory(folder)).lines).toEqual([]);
  });

  it("is where the environment says, or nowhere", async () => {
    expect(historyPath({ PI_BASH_HISTFILE: "/x/h", HOME: "/home/ann" })).toBe("/x/h");
    expect(historyPath({ PI_BASH_HISTFILE: "", HOME: "/home/ann" })).toBeUndefined();
    expect(historyPath({ HOME: "/home/ann" })).toBe(join("/home/ann", ".local", "state", "pi-bash", "console-history"));
    expect(historyPath({ XDG_STATE_HOME: "/s" })).toBe(join("/s", "pi-bash", "console-history"));
    expect((await openHistory(undefined)).lines).toEqual([]);
  });
});

describe("ctrl+r", () => {
  const editor = () =>
    new LineEditor({ lines: ["make test", "git log", "make", "make test", "ls"], add: () => undefined });

  it("finds the newest line that has in it what is typed, and then older ones, each once", async () => {
    expect(typed(`make${CTRL_R}`, editor())).toBe("make test");
    expect(typed(`log${CTRL_R}`, editor())).toBe("git log");
    expect(typed(`${CTRL_R}${CTRL_R}`, editor())).toBe("make test");
    expect(typed(`t${CTRL_R}${CTRL_R}`, editor())).toBe("git log");
  });

  it("leaves a line of which there is none, and what was typed comes back", async () => {
    expect(typed(`nowhere${CTRL_R}`, editor())).toBe("nowhere");
    expect(typed(`ls${CTRL_R}x`, editor())).toBe("lsx");
    expect(typed(`git${CTRL_R}\x1b[B\x1b[B\x1b[B\x1b[B`, editor())).toBe("git");
  });
});

describe.skipIf(process.platform === "win32")("a console", () => {
  it("begins with the lines of the one before, and keeps its own", async () => {
    const state = join(scratchFolder(), "state");
    mkdirSync(state);
    const file = join(state, "history");
    writeFileSync(file, '"echo from before"\n');
    const at = await person("", { env: { PI_BASH_HISTFILE: file } });

    await at.does(`before${CTRL_R}`, /^ {2}│ from before\s*$/m);
    await at.does("echo new", /^ {2}│ new\s*$/m);
    at.type(KEY.ctrlD);
    expect(await at.end()).toBe(0);

    expect(existsSync(join(at.folder, ".local"))).toBe(false);
    expect((await openHistory(file)).lines).toEqual(["echo from before", "echo new"]);
  });
});
