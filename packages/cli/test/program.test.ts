/**
 * `pi-bash` as a person meets it: a process with output, exit status and signals.
 *
 * Runs the built program (`npm run build`), because that is what is installed; no terminal is there in tests.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { isAlive } from "../../../test/support/process.ts";

const PROGRAM = fileURLToPath(new URL("../bin/pi-bash.mjs", import.meta.url));
/** A test that waits longer for a process than this has found a hang. */
const LIMIT_MS = 40_000;
/** The tour moves a gigabyte and waits for a deadline. */
const TOUR_LIMIT_MS = 180_000;

interface Ended {
  status: number | null;
  stdout: string;
  stderr: string;
}

const started = new Set<ChildProcess>();
let folder: string;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "pi-bash-cli-")));
});

afterEach(async () => {
  for (const child of started) child.kill("SIGKILL");
  started.clear();
  await rm(folder, { recursive: true, force: true });
});

function start(words: readonly string[], limitMs = LIMIT_MS): { child: ChildProcess; ended: Promise<Ended> } {
  const child = spawn(process.execPath, [PROGRAM, ...words], { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  started.add(child);
  const text = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    text.stdout += chunk;
  });
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    text.stderr += chunk;
  });
  const limit = setTimeout(() => child.kill("SIGKILL"), limitMs);
  const ended = once(child, "close").then(([status]) => {
    clearTimeout(limit);
    return { status: typeof status === "number" ? status : null, ...text };
  });
  return { child, ended };
}

async function pollUntil(condition: () => Promise<boolean>, what: string): Promise<void> {
  const end = performance.now() + LIMIT_MS;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`${what} did not happen within ${LIMIT_MS / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const readText = (name: string): Promise<string> => readFile(join(folder, name), "utf8").catch(() => "");

describe("pi-bash run", () => {
  it("prints both streams and ends with the command's own status", async () => {
    const ended = await start(["run", "echo one; echo two >&2; echo three; exit 7"]).ended;

    expect(ended).toEqual({ status: 7, stdout: "one\nthree\n", stderr: "two\n" });
  });

  it("gives the command folder and variables, and no standard input", async () => {
    const command = 'printf "%s %s %s" "$PWD" "$A" "$(cat | wc -c)"';

    const ended = await start(["run", "--cwd", folder, "--env", "A=1=2", command]).ended;

    expect(ended).toMatchObject({ status: 0, stdout: `${folder} 1=2 0` });
  });

  it("keeps state from command to command in a session", async () => {
    const ended = await start(["run", "--session", "cd /; x=5", 'echo "$PWD $x"; false']).ended;

    expect(ended).toEqual({ status: 1, stdout: "/ 5\n", stderr: "" });
  });

  it("goes on with all that was set after a command that ended the session's shell", async () => {
    const ended = await start(["run", "--session", "x=5", "y=6; exit 3", 'echo "$x$y"']).ended;

    expect(ended).toMatchObject({ status: 0, stdout: "56\n", stderr: "" });
  });

  it("goes on with the state from before a command whose shell was killed, and says so", async () => {
    const ended = await start(["run", "--session", "x=5", "x=6; kill -9 $$", 'echo "$x"']).ended;

    expect(ended).toMatchObject({ status: 0, stdout: "5\n" });
    expect(ended.stderr).toContain("pi-bash: the command ended the session's shell; another one stands in its place\n");
  });

  it("ends a command at its deadline with status 124 and says so", async () => {
    const ended = await start(["run", "--timeout", "1", "echo begun; sleep 600"]).ended;

    expect(ended).toMatchObject({ status: 124, stdout: "begun\n" });
    expect(ended.stderr).toContain("took longer than 1 s");
  });

  it("runs what the rules allow and what only reads, and refuses the rest with status 125 (`--policy`)", async () => {
    await writeFile(join(folder, "rules.json"), JSON.stringify({ allow: ["Bash(touch a)"] }));
    const rules = ["run", "--policy", join(folder, "rules.json"), "--cwd", folder];

    expect(await start([...rules, "touch a; ls a"]).ended).toMatchObject({ status: 0, stdout: "a\n" });
    const refused = await start([...rules, "--session", "echo first", "touch b", "echo never"]).ended;
    expect(refused).toMatchObject({ status: 125, stdout: "first\n" });
    expect(refused.stderr).toContain("`touch` changes files");
    expect(await start([...rules, "--mode", "yolo", "touch b; ls b"]).ended).toMatchObject({ stdout: "b\n" });
  });

  it("tells as JSON what it tells in words otherwise", async () => {
    const ended = await start(["run", "--json", "echo text; exit 4"]).ended;

    expect(ended.status).toBe(4);
    expect(JSON.parse(ended.stdout)).toMatchObject({
      command: "echo text; exit 4",
      exitCode: 4,
      cancelled: false,
      timedOut: false,
      output: { text: "text\n", totalBytes: 5, truncated: false },
    });
  });

  it("gives up the connection to a place at the first SIGINT, and leaves with its status", async () => {
    // Any file stands in for what would be sent: the place never asks.
    vi.stubEnv("PI_HOST_BINARY", PROGRAM);
    onTestFinished(() => void vi.unstubAllEnvs());
    await writeFile(join(folder, "silent"), "echo $$ > pid; exec sleep 600\n");
    const { child, ended } = start(["run", "--on", "command:sh silent", "true"]);
    await pollUntil(async () => (await readText("pid")).endsWith("\n"), "the connection's start");

    child.kill("SIGINT");

    expect(await ended).toMatchObject({ status: 130, stdout: "" });
    const pid = Number(await readText("pid"));
    await pollUntil(async () => !isAlive(pid), "the end of the program that connects");
  });

  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const)("ends the command at the first %s, and leaves with status %i", async (signal, status) => {
    const { child, ended } = start(["run", "echo $$ > pid; sleep 600"]);
    await pollUntil(async () => (await readText("pid")).endsWith("\n"), "the command's start");

    child.kill(signal);

    expect(await ended).toMatchObject({ status });
    const pid = Number(await readText("pid"));
    await pollUntil(async () => !isAlive(pid), "the end of the command's shell");
  });

  it("ends when the reader of its output went away", async () => {
    await writeFile(join(folder, "pipe.sh"), `"${process.execPath}" "${PROGRAM}" run yes | head -c 10; echo end\n`);
    const child = spawn("bash", [join(folder, "pipe.sh")], { cwd: folder, stdio: ["ignore", "pipe", "ignore"] });
    started.add(child);
    let stdout = "";
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      stdout += chunk;
    });
    const limit = setTimeout(() => child.kill("SIGKILL"), LIMIT_MS);

    await once(child, "close");
    clearTimeout(limit);

    expect(stdout).toBe("y\ny\ny\ny\ny\nend\n");
  });

  it("says why a command could not be started, with status 125", async () => {
    const ended = await start(["run", "--cwd", join(folder, "missing"), "true"]).ended;

    expect(ended).toMatchObject({ status: 125, stdout: "" });
    expect(ended.stderr).toContain(`Working directory does not exist: ${join(folder, "missing")}`);
  });

  it("refuses a wrong command line with status 2 and runs nothing", async () => {
    const ended = await start(["run", "touch a", "touch b"]).ended;

    expect(ended).toMatchObject({ status: 2, stdout: "" });
    expect(await readText("a")).toBe("");
    expect(ended.stderr).toContain("`run` takes one command");
  });
});

describe("pi-bash doctor", () => {
  it("names the bash that answered and ends with 0 where all that is needed is there", async () => {
    const ended = await start(["doctor", "--json"]).ended;

    expect(ended.status).toBe(0);
    const findings: unknown = JSON.parse(ended.stdout);
    expect(findings).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: "bash", state: "ok", found: expect.stringMatching(/^\/.*bash \d+\.\d+/) }),
        expect.objectContaining({ name: "addon", state: "ok" }),
      ]),
    );
  });

  it.skipIf(process.platform !== "linux")(
    "says of a bash driver that sessions do without that it is not used (Linux)",
    async () => {
      vi.stubEnv("PI_BASH_SESSION", "per-command");
      onTestFinished(() => void vi.unstubAllEnvs());
      const ended = await start(["doctor", "--json"]).ended;

      expect(JSON.parse(ended.stdout)).toContainEqual({
        name: "bash driver",
        state: "limited",
        found: expect.stringMatching(/^\/.*pi-driver\.so is not used$/),
        remedy: expect.stringContaining("`PI_BASH_SESSION`"),
      });
    },
  );

  it("ends without complaint when the reader of its output went away", async () => {
    const script = `"${process.execPath}" "${PROGRAM}" doctor 2>errors.txt | true; echo "\${PIPESTATUS[0]}" >status.txt`;
    await writeFile(join(folder, "pipe.sh"), `cd "${folder}"; ${script}\n`);
    const child = spawn("bash", [join(folder, "pipe.sh")], { stdio: "ignore" });
    started.add(child);
    const limit = setTimeout(() => child.kill("SIGKILL"), LIMIT_MS);

    await once(child, "close");
    clearTimeout(limit);

    expect(await readText("errors.txt")).toBe("");
    expect(await readText("status.txt")).toBe("0\n");
  });
});

describe("pi-bash tour", () => {
  it("makes claims and all of them hold", { timeout: TOUR_LIMIT_MS + 10_000 }, async () => {
    const ended = await start(["tour"], TOUR_LIMIT_MS).ended;

    expect(ended.stdout).not.toContain("FAILED");
    expect(ended.stdout).toMatch(/\n(\d+) of \1 claims held\n$/);
    expect(ended).toMatchObject({ status: 0, stderr: "" });
  });
});

describe("pi-bash", () => {
  it("knows its commands and refuses others", async () => {
    const help = await start(["--help"]).ended;
    const other = await start(["dance"]).ended;

    expect(help).toMatchObject({ status: 0, stderr: "" });
    expect(help.stdout).toContain("pi-bash run");
    for (const word of ["version", "--version", "-V", "-v"]) {
      expect((await start([word]).ended).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    }
    expect(other).toMatchObject({ status: 2, stdout: "" });
    expect(other.stderr).toContain("unknown command `dance`");
  });
});
