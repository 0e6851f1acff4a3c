/**
 * Tasks of an agent with outputs that are too long, too odd, or not for its eyes.
 */
import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { DEFAULT_MAX_BYTES } from "@pi-bash/contract";
import { INLINE_SLACK_BYTES } from "@pi-bash/contract/internal";
import { describe, expect, it } from "vitest";
import { bash, createAgent } from "./support/agent.ts";
import { place } from "./support/place.ts";

const INLINE_BYTES = DEFAULT_MAX_BYTES + INLINE_SLACK_BYTES;

/** The address in a text; fails where there is none. */
function addressIn(text: string | undefined): string {
  const [address] = /artifact:\/\/[a-z0-9]{8}/.exec(text ?? "") ?? [];
  if (address === undefined) throw new Error(`no address in ${text?.slice(-300)}`);
  return address;
}

describe("an agent and a long output", () => {
  it("finds the one error in a huge log by the artifact", async () => {
    const agent = await createAgent({ cwd: place() });
    const build =
      "i=0; while ((i++ < 30000)); do ((i == 12345)) && echo 'ERROR: unit 12345 is broken'; echo \"building unit $i of 30000\"; done; exit 2";

    const { readings, answer } = await agent.run(function* () {
      const [build1] = yield bash(build);
      const address = addressIn(build1?.text);
      const [found] = yield bash(`grep -n ERROR ${address}`);
      const [around] = yield bash(`sed -n 12344,12346p ${address}`);
      return `${found?.text.split("\n")[0]} / ${around?.text.split("\n")[0]}`;
    });

    expect(readings[0]).toMatchObject({ isError: true, details: { exitCode: 2 } });
    expect(readings[0]?.text).toMatch(/\[Showing lines \d+-30001 of 30001 \(50\.0KB limit\)\. Full: artifact:\/\//);
    expect(readings[0]?.text).toMatch(/\nCommand exited with code 2$/);
    expect(Buffer.byteLength(readings[0]?.text ?? "")).toBeLessThanOrEqual(INLINE_BYTES);
    expect(answer).toBe("12345:ERROR: unit 12345 is broken / building unit 12344 of 30000");
  });

  it("reads parts of an artifact by its address", async () => {
    const agent = await createAgent({ cwd: place() });
    const { readings } = await agent.run(function* () {
      yield bash("seq 1 100000");
      return "counted";
    });
    const { artifacts } = agent.executor;
    const address = addressIn(readings[0]?.text);

    expect((await artifacts.read(`${address}:50000-50002`)).text).toBe("50000\n50001\n50002\n");
    expect((await artifacts.read(`${address}?tail=2`)).text).toBe("99999\n100000\n");
    expect((await artifacts.read(`${address}?grep=^9999.$`)).matches).toBe(10);
  });

  it("gets at what a trailing `tail` has hidden", async () => {
    const agent = await createAgent({ cwd: place() });

    const { readings } = await agent.run(function* () {
      const [run] = yield bash("{ echo FIRST; seq 1 3000; } | tail -2");
      yield bash(`head -1 ${addressIn(run?.text)}`);
      return "seen";
    });

    expect(readings[0]?.text).toMatch(/^2999\n3000\n\n`\| tail -2` read 3001 lines/);
    expect(readings[1]?.text).toMatch(/^FIRST\n/);
  });

  it("is shown a single endless line in part, and has it whole", async () => {
    const cwd = place();
    const agent = await createAgent({ cwd });

    const { readings } = await agent.run(function* () {
      yield bash("seq -s , 1 200000 | tee whole.json");
      return "shown";
    });

    expect(Buffer.byteLength(readings[0]?.text ?? "")).toBeLessThan(10_000);
    const id = addressIn(readings[0]?.text);
    const path = (await agent.executor.artifacts.get(id.slice("artifact://".length)))?.path ?? "";
    const hash = (file: string) => createHash("sha256").update(readFileSync(file)).digest("hex");
    expect(hash(path)).toBe(hash(join(cwd, "whole.json")));
  });

  it("ends a producer that never would, with the beginning it asked for", async () => {
    const agent = await createAgent({ cwd: place() });

    const { readings } = await agent.run(function* () {
      yield bash("yes endless | head -3", { timeout: 60 });
      yield bash("yes endless", { timeout: 2 });
      yield bash("echo still here");
      return "ended";
    });

    expect(readings[0]?.text).toMatch(/^endless\nendless\nendless\n/);
    expect(readings[1]).toMatchObject({ isError: true, thrown: "ToolError" });
    expect(Buffer.byteLength(readings[1]?.text ?? "")).toBeLessThanOrEqual(INLINE_BYTES);
    expect(readings[2]?.text).toMatch(/^still here\n/);
  });
});

describe("an agent and an odd output", () => {
  it("reads binary data without harm, and the next command is sound", async () => {
    const agent = await createAgent({ cwd: place() });

    const { readings } = await agent.run(function* () {
      yield bash("head -c 20000 /dev/urandom; printf '\\033[2J\\033]0;title\\007\\033[?1049h'");
      yield bash("echo plain");
      return "survived";
    });

    // Of control characters, only tabs and newlines reach a model.
    const isControl = (char: string) => (char < " " && char !== "\n" && char !== "\t") || char === "\u007f";
    expect([...(readings[0]?.text ?? "")].filter(isControl)).toEqual([]);
    expect(readings[1]?.text).toMatch(/^plain\n/);
  });

  it("reads the last state of a progress line, without colours", async () => {
    const agent = await createAgent({ cwd: place() });

    const { readings } = await agent.run(function* () {
      yield bash("for i in 10 50 100; do printf '\\r\\033[32mloading %d%%\\033[0m' $i; done; echo; echo done");
      return "read";
    });

    expect(readings[0]?.text).toMatch(/^loading 100%\ndone\n\nWall time/);
  });

  it("reads any alphabet, and works with any file name", async () => {
    const cwd = place();
    const agent = await createAgent({ cwd });
    const name = "ein Ordner – 文件 🙂 'quoted' $HOME";

    const { readings } = await agent.run(function* () {
      yield bash('mkdir -- "$NAME" && touch "$NAME/a b" && ls "$NAME"', { env: { NAME: name } });
      yield bash("pwd; ls", { cwd: name });
      return "read";
    });

    expect(readings[1]?.text.startsWith(`${cwd}/${name}\na b\n`)).toBe(true);
    expect(statSync(join(cwd, name, "a b")).size).toBe(0);
  });

  it("has both streams in the order they were written", async () => {
    const agent = await createAgent({ cwd: place() });

    const { readings } = await agent.run(function* () {
      yield bash("for i in 1 2 3; do echo out$i; echo err$i >&2; done");
      return "read";
    });

    expect(readings[0]?.text).toMatch(/^out1\nerr1\nout2\nerr2\nout3\nerr3\n/);
  });

  it("never reads the keys of the agent, and hears which were kept from it", async () => {
    const agent = await createAgent({
      cwd: place(),
      hostEnv: { ANTHROPIC_API_KEY: "sk-ant-very-secret-value", GREETING: "hello" },
    });

    const { readings } = await agent.run(function* () {
      yield bash("env; tr '\\0' '\\n' < /proc/$PPID/environ 2>/dev/null; echo $GREETING");
      yield bash("declare -p ANTHROPIC_API_KEY");
      return "looked";
    });

    expect(JSON.stringify(readings)).not.toContain("very-secret");
    expect(readings[0]?.text).toContain(
      "hello\n\nNot passed to commands (bash.environment.withhold): ANTHROPIC_API_KEY.",
    );
    expect(readings[1]).toMatchObject({ isError: true });
  });
});
