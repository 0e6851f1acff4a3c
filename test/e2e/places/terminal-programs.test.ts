/**
 * A person's programs on a place, through the built program: `pi-bash run --pty --on` and a window of `pi-bash console --on`,
 * over a real ssh and into a container. The places are on this machine, so that files are seen from both sides.
 */
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { PROGRAM, person } from "../../../packages/cli/test/console-person.ts";
import { type Lab, startLab } from "../../support/lab.ts";
import { until } from "../../support/patience.ts";
import { absenceOfPlace } from "../../support/places.ts";
import { isInstalled, KEY, openConsole } from "../pty-console.ts";

const LIMIT_MS = 90_000;

/** A lab under the name `lab` for the user's own `ssh` or `podman`, by a script that stands first in `PATH`. */
function labOf(name: "sshd" | "podman") {
  let lab: Lab;
  beforeAll(async () => {
    lab = await startLab(name);
    const words = name === "sshd" ? lab.argv.slice(0, 3) : lab.argv.slice(0, lab.argv.indexOf("exec"));
    const bin = join(lab.folder, "bin");
    mkdirSync(bin);
    const script = join(bin, name === "sshd" ? "ssh" : "podman");
    const [program = ""] = words;
    const quoted = words.slice(1).map((word) => `'${word}'`);
    const found = `$(PATH="\${PATH#*:}" command -v ${program})`;
    writeFileSync(script, `#!/bin/sh\nexec "${found}" ${quoted.join(" ")} "$@"\n`);
    chmodSync(script, 0o755);
  }, 2 * LIMIT_MS);
  afterAll(() => lab?.stop(), LIMIT_MS);
  const environment = (): Record<string, string> => {
    const given = Object.entries({ ...lab.env, ...lab.variables }).filter(([key]) => /^(?:LAB_|CONTAINERS_)/.test(key));
    const cache = { PI_HOST_CACHE: join(lab.folder, "cache") };
    return { ...Object.fromEntries(given), ...cache, PATH: `${join(lab.folder, "bin")}:${lab.env["PATH"] ?? ""}` };
  };
  const on = name === "sshd" ? "ssh:lab" : "podman:lab";
  /** `pi-bash run --pty` there, at a terminal of 80 columns and 24 rows. */
  const run = (command: string) =>
    openConsole({
      command: `exec "$NODE" "$PROGRAM" run --on ${on} --pty "$COMMAND"`,
      env: { ...environment(), NODE: process.execPath, PROGRAM, COMMAND: command },
    });
  return { run, environment, on };
}

/** A folder that both sides see. */
function folder(): string {
  const made = mkdtempSync("/tmp/pi-terminal-");
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

const noSsh = absenceOfPlace("sshd");
describe.skipIf(noSsh !== undefined)(
  `programs over ssh${noSsh === undefined ? "" : ` (skipped: ${noSsh})`}`,
  {
    timeout: LIMIT_MS,
  },
  () => {
    const { run, environment, on } = labOf("sshd");

    it.skipIf(!isInstalled("vim"))("vim draws, takes keys, and writes its file over there", async () => {
      const file = join(folder(), "text");
      const vim = run(`exec vim -N -u NONE -i NONE ${file}`);
      await vim.shows("[New]");
      vim.press("i", "typed over the link", KEY.escape);
      await vim.shows("typed over the link");
      vim.press(":set nowrap | wq", KEY.enter);

      expect((await vim.ended()).exitCode).toBe(0);
      expect(readFileSync(file, "utf8")).toBe("typed over the link\n");
    });

    it.skipIf(!isInstalled("less"))("less follows keys and the size of our terminal", async () => {
      const file = join(folder(), "lines");
      writeFileSync(file, [...Array(500).keys()].map((line) => `line ${line}.\n`).join(""));
      const less = run(`LESS= exec less ${file}`);
      await less.shows("line 22.");
      less.press("G");
      await less.shows("line 499.");
      less.press("g", "/line 321", KEY.enter);
      await less.shows(/^line 321\.$/m);
      less.terminal.resize(80, 10);
      less.session.resize(80, 10);
      await until("the smaller window", () => !less.terminal.screen().join("\n").includes("line 335."));
      less.press("q");

      expect((await less.ended()).exitCode).toBe(0);
    });

    it("an interactive bash stops and goes on with a job, and a password is asked for without an echo", async () => {
      const bash = run("PS1='far> ' exec bash --norc --noprofile -i");
      await bash.shows("far>");
      bash.press("stty size; sleep 1000", KEY.enter);
      await bash.shows("24 80");
      bash.press(KEY.suspend);
      await bash.shows("Stopped");
      bash.press("fg", KEY.enter);
      await bash.shows(/^sleep 1000$/m);
      bash.press(KEY.interrupt);
      bash.press("read -rsp 'Password: ' word; echo; echo ${#word} characters", KEY.enter);
      await bash.shows(/^Password:/m);
      bash.press("hidden-words", KEY.enter);
      await bash.shows("12 characters");
      bash.press("exit 5", KEY.enter);

      expect((await bash.ended()).exitCode).toBe(5);
      expect(bash.raw()).not.toContain("hidden-words");
    });

    it.skipIf(!isInstalled("vim"))("a window of the console has vim on the place", async () => {
      const file = join(folder(), "text");
      const console = await person(`--on ${on}`, { env: environment() });
      console.type(`/pty vim -N -u NONE -i NONE ${file}\r`);
      await console.sees("[New]");
      console.type("ifrom a window\x1b");
      await console.sees("from a window");
      console.type(":wq\r");
      await until("the file to be written", () => {
        try {
          return readFileSync(file, "utf8") === "from a window\n";
        } catch {
          return false;
        }
      });
      await until("the prompt", () => console.terminal.screen().join("\n").includes("ctrl+d leaves"));
      console.type("\x04");
      expect(await console.end()).toBe(0);
    });
  },
);

const noPodman = absenceOfPlace("podman");
describe.skipIf(noPodman !== undefined)(
  `programs in a container${noPodman === undefined ? "" : ` (skipped: ${noPodman})`}`,
  {
    timeout: LIMIT_MS,
  },
  () => {
    const { run } = labOf("podman");

    it("vi and the size of the terminal are those of the container", async () => {
      const vi = run("stty size; busybox vi /tmp/in-the-container; cat /tmp/in-the-container; exit 4");
      await vi.shows("in-the-container");
      vi.press("i", "typed into a container", KEY.escape);
      await vi.shows("typed into a container");
      vi.press(":wq", KEY.enter);

      expect((await vi.ended()).exitCode).toBe(4);
      expect(vi.terminal.text()).toMatch(/^typed into a container$/m);
    });
  },
);
