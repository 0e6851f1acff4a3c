/**
 * Secrets in what a model reads, by real commands through the tool (issue 20, Build 6).
 *
 * Tokens are put together from parts, so that scanners of secrets do not find any in this file.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BashToolUpdate, SettingsInput } from "@pi-bash/contract";
import { createExecutor } from "@pi-bash/executor";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Scene, scene, textOf, until } from "./support/session.ts";

const API_KEY = "zz9-Plural-Z-Alpha-42";
const TOKEN = `gh${"p"}_${"aB3dE5fG7hJ9kL2mN4pQ6rS8tU1vW0xYzaB3"}`;
const BODY = `${"aB3dE5fG7hJ9kL2m".repeat(4)}\n`;
const KEY = `-----BEGIN RSA ${"PRIVATE"} KEY-----\n${BODY.repeat(6)}-----END RSA ${"PRIVATE"} KEY-----\n`;

/** A scene whose agent has a key that commands do not see. */
function secretScene(settings: SettingsInput = {}, ports: Parameters<typeof scene>[1] = {}): Scene {
  const hostEnv = { PATH: process.env["PATH"] ?? "/usr/bin:/bin", HOME: "/nonexistent", OPENAI_API_KEY: API_KEY };
  const executor = createExecutor(settings, { hostEnv, usesSnapshot: false });
  onTestFinished(() => executor.dispose());
  return scene(settings, { executor, ...ports });
}

/** Whether four characters in a row of a secret are in a text. */
function hasPiece(text: string, secret: string): boolean {
  return Array.from({ length: secret.length - 3 }, (_, at) => secret.slice(at, at + 4)).some((part) =>
    text.includes(part),
  );
}

describe("a command that prints a secret", () => {
  it("shows a marker in its place, and the result counts and names it", async () => {
    const { bash, folder } = secretScene();
    writeFileSync(join(folder, ".env"), `OPENAI_API_KEY=${API_KEY}\nGITHUB_TOKEN="${TOKEN}"\nDEBUG=1\n`);

    const result = await bash({ command: "cat .env" });

    expect(textOf(result)).toMatch(
      /^OPENAI_API_KEY=\[masked: OPENAI_API_KEY\]\nGITHUB_TOKEN="\[masked: github-token\]"\nDEBUG=1\n/,
    );
    expect(textOf(result)).toContain("Masked 2 secrets (secrets.mask): OPENAI_API_KEY, github-token.");
    expect(result.details?.masked).toEqual({ count: 2, names: ["OPENAI_API_KEY", "github-token"] });
    expect(hasPiece(JSON.stringify(result), API_KEY)).toBe(false);
  });

  it("says nothing of secrets where there are none", async () => {
    const { bash } = secretScene();

    const result = await bash({ command: "git --version; echo 4c633a7d9f0b1e2c3a4d5e6f708192a3b4c5d6e7" });

    expect(result.details?.masked).toBeUndefined();
    expect(textOf(result)).not.toContain("secret");
  });

  it("masks what comes in pieces with pauses, and no update shows a part", async () => {
    const { bash } = secretScene();
    const updates: BashToolUpdate[] = [];
    const [first, second, third] = [API_KEY.slice(0, 7), API_KEY.slice(7, 12), API_KEY.slice(12)];

    const result = await bash(
      { command: `printf '%s' 'key: ${first}'; sleep 0.2; printf '%s' '${second}'; sleep 0.2; echo '${third} end'` },
      { updates },
    );

    expect(textOf(result)).toMatch(/^key: \[masked: OPENAI_API_KEY\] end\n/);
    expect(updates.length).toBeGreaterThan(1);
    for (const update of updates) expect(hasPiece(textOf(update), API_KEY)).toBe(false);
  });

  it("shows a prompt at once, though its last letters may begin a token", async () => {
    const { bash, folder } = secretScene();
    const updates: BashToolUpdate[] = [];
    const command = "printf 'Overwrite? [y/N] gh'; until [ -e go ]; do sleep 0.02; done";
    const running = bash({ command }, { updates });

    await until(() => updates.some((update) => textOf(update).includes("Overwrite? [y/N] gh")), "the prompt");

    writeFileSync(join(folder, "go"), "");
    await running;
  });

  it("masks a private key as one, and lines keep their numbers", async () => {
    const { bash, folder } = secretScene();
    writeFileSync(join(folder, "key.pem"), KEY);

    const result = await bash({ command: "cat key.pem; echo after" });

    expect(textOf(result)).toMatch(/^\[masked: private-key\]\n{8}after\n/);
    expect(result.details?.masked).toEqual({ count: 1, names: ["private-key"] });
  });

  it("masks the password of a remote, and its host stays", async () => {
    const { bash } = secretScene();

    const result = await bash({
      command: "git init -q . && git remote add origin https://me:hunter2secret@example.org/r.git && git remote -v",
    });

    expect(textOf(result)).toContain("https://me:[masked: url-password]@example.org/r.git (fetch)");
    expect(textOf(result)).not.toContain("hunter2");
  });

  it("finds what a terminal would show: overwritten, coloured and between arbitrary bytes", async () => {
    const { bash } = secretScene();
    const half = TOKEN.slice(0, 12);

    const overwritten = await bash({ command: `printf '${half}xx\\b\\b${TOKEN.slice(12)}\\n'` });
    const coloured = await bash({ command: `printf '${half}\\033[31m${TOKEN.slice(12)}\\033[0m\\n'` });
    const binary = await bash({ command: `printf '\\377\\000\\303${TOKEN}\\303\\251${API_KEY}\\377\\n'` });

    expect(textOf(overwritten)).toMatch(/^\[masked: github-token\]\n/);
    expect(textOf(coloured)).toMatch(/^\[masked: github-token\]\n/);
    expect(textOf(binary)).toContain("[masked: github-token]é[masked: OPENAI_API_KEY]");
  });

  it("masks the basic authorization that has it", async () => {
    const { bash } = secretScene();
    const basic = Buffer.from(`user:${API_KEY}`).toString("base64");

    const result = await bash({ command: `echo 'Authorization: Basic ${basic}'` });

    expect(textOf(result)).toContain("[masked: OPENAI_API_KEY]");
    expect(hasPiece(textOf(result), basic.slice(8, -4))).toBe(false);
  });

  it("leaves it as it is where the setting is off, or its name is allowed", async () => {
    const off = await secretScene({ "secrets.mask": false }).bash({ command: `echo ${TOKEN}` });
    expect(textOf(off)).toContain(TOKEN);
    expect(off.details?.masked).toBeUndefined();

    const allowed = await secretScene({ "secrets.allow": ["github-*"] }).bash({ command: `echo ${TOKEN} ${API_KEY}` });
    expect(textOf(allowed)).toContain(`${TOKEN} [masked: OPENAI_API_KEY]`);
  });

  it("masks variables that commands see, where their names are listed", async () => {
    const settings = { "secrets.names": ["LICENCE_*"] };
    const hostEnv = { PATH: process.env["PATH"] ?? "/usr/bin:/bin", LICENCE_CODE: "q7-x9-Z3-licence" };
    const executor = createExecutor(settings, { hostEnv, usesSnapshot: false });
    onTestFinished(() => executor.dispose());

    const result = await scene(settings, { executor }).bash({ command: 'echo "$LICENCE_CODE"' });

    expect(textOf(result)).toMatch(/^\[masked: LICENCE_CODE\]\n/);
  });
});

describe("an output that is longer than its window", () => {
  const long = `seq 1 12000; cat key.pem; echo "${API_KEY} and ${TOKEN}"; seq 1 5000`;

  it("masks it in the text and in what is read of the artifact, whose file is exact", async () => {
    const { bash, folder, session } = secretScene();
    writeFileSync(join(folder, "key.pem"), KEY);

    const result = await bash({ command: long });

    const id = result.details?.artifactId ?? result.details?.meta?.truncation?.artifactId ?? "";
    const { artifacts } = session.executor;
    const path = (await artifacts.get(id))?.path ?? "";
    expect(readFileSync(path, "utf8")).toContain(KEY);
    expect(result.details?.masked?.count).toBe(3);
    for (const query of ["", "?tail=5002", "?lines=12003-12012", "?grep=aB3d", "?tail=5006", "?grep=and"]) {
      const { text } = await artifacts.read(`artifact://${id}${query}`);
      expect(hasPiece(text.replaceAll("masked", ""), TOKEN), query).toBe(false);
      expect(hasPiece(text, API_KEY), query).toBe(false);
    }
    expect((await artifacts.read(`artifact://${id}?grep=masked`)).text).toBe(
      "12001:[masked: private-key]\n12009:[masked: OPENAI_API_KEY] and [masked: github-token]\n",
    );
    const counted = await bash({ command: `wc -c < artifact://${id}` });
    expect(textOf(counted)).toContain(String(readFileSync(path).length));
  });

  it("masks it in the file too, where the setting says so", async () => {
    const { bash, folder, session } = secretScene({ "secrets.maskArtifacts": true });
    writeFileSync(join(folder, "key.pem"), KEY);

    const result = await bash({ command: long });

    const id = result.details?.meta?.truncation?.artifactId ?? "";
    const written = readFileSync((await session.executor.artifacts.get(id))?.path ?? "", "utf8");
    expect(written).toContain(
      "12000\n[masked: private-key]\n\n\n\n\n\n\n\n[masked: OPENAI_API_KEY] and [masked: github-token]\n1\n",
    );
    expect(written.split("\n")).toHaveLength(12_000 + 8 + 1 + 5_000 + 1);
    expect(result.details?.masked).toEqual({ count: 3, names: ["OPENAI_API_KEY", "github-token", "private-key"] });
  });

  it("shows no part of one that the border of its window cuts", async () => {
    const settings = { "bash.outputMaxBytes": 4_096, "bash.outputHeadBytes": 1_024 };
    const { bash } = secretScene(settings);
    for (const before of [1_000, 1_010, 1_020, 1_030]) {
      const command = `printf '%${before}s${TOKEN}' ''; printf '%60000s${TOKEN}%${3_000 - before}s\\n' '' ''`;

      const result = await bash({ command });

      expect(hasPiece(textOf(result).replaceAll("masked", ""), TOKEN.slice(4)), String(before)).toBe(false);
    }
  });
});
