/**
 * What `docs/sandbox.md` says about work in a sandbox, its lists and its numbers. Titles quote the page; attempts to get out are in
 * `escapes.test.ts`, what is left behind in `plants.test.ts`.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Settings, type SettingsInput } from "@pi-bash/contract";
import { createExecutor, type Executor } from "@pi-bash/executor";
import { capabilities } from "@pi-bash/natives";
import { describe, expect, it, onTestFinished, type TestContext } from "vitest";
import { startHost } from "../../support/host.ts";
import { until } from "../../support/patience.ts";

/** Time for a proof of a sandbox and some commands. */
const SLOW_MS = 60_000;

const read = (path: string) => readFileSync(fileURLToPath(new URL(`../../../${path}`, import.meta.url)), "utf8");
const PAGE = read("docs/sandbox.md");
/** Each paragraph, entry of a list and row of a table on one line. */
const ITEMS = PAGE.replaceAll(/\n(?![\n|`#]| *- )\s*/g, " ").split("\n");
const LAYOUT = read("crates/pi-sandbox/src/layout/mod.rs");
const SURVEY = read("crates/pi-sandbox/src/plants/survey.rs");

/** The strings of a constant of Rust. */
function stringsOf(source: string, constant: string): string[] {
  const [, body = ""] = new RegExp(`const ${constant}: [^=]*=\\s*\\[([^;]*?)\\];`).exec(source) ?? [];
  return [...body.matchAll(/"([^"]+)"/g)].map(([, text = ""]) => text);
}

/** The value of a number of Rust, where tests have a tenth of it. */
function numberOf(source: string, constant: string): string {
  const [, digits = "", scaled] = new RegExp(`const ${constant}: \\w+ = ([\\d_]+)( \\* SCALE)?;`).exec(source) ?? [];
  return (Number(digits.replaceAll("_", "")) * (scaled === undefined ? 1 : 10)).toLocaleString("en");
}

/** The words in code of the first entry of the page that has `start`. */
function listedBehind(start: string): string[] {
  const line = ITEMS.find((each) => each.includes(start)) ?? "";
  return [...line.matchAll(/`([^`]+)`/g)].map(([, text = ""]) => text);
}

describe("the page lists", () => {
  it("what stays read-only in each writable folder", () => {
    const listed = listedBehind("- A stand-in takes the place of these");

    const others = [".git", "sandbox.protectedPaths"];
    expect(listed.toSorted()).toEqual([...stringsOf(LAYOUT, "PROTECTED"), ...others].toSorted());
  });

  it("what stays read-only where it is there, and is named where it is new", () => {
    const listed = listedBehind("- These are protected where they exist");

    expect(listed.toSorted()).toEqual(stringsOf(LAYOUT, "PROTECTED_IF_THERE").toSorted());
  });

  it("folders whose repositories are not protected", () => {
    const listed = listedBehind("are not protected, so that these folders");

    expect(listed).toEqual(expect.arrayContaining(stringsOf(SURVEY, "INSTALLED")));
    expect(stringsOf(SURVEY, "INSTALLED")).toHaveLength(6);
  });

  it("what tools obey", () => {
    const listed = listedBehind("- `tool-configuration` is").slice(1);

    expect(listed.toSorted()).toEqual(stringsOf(SURVEY, "TOOLS").toSorted());
  });

  it("the devices that can be used", () => {
    const shared = stringsOf(read("crates/pi-sandbox/src/devices.rs"), "SHARED");

    expect(shared).toHaveLength(7);
    expect(listedBehind("- Of `/dev`")).toEqual(expect.arrayContaining(shared));
  });

  it.each([
    ["MOST_REPOSITORIES", "crates/pi-sandbox/src/layout/repositories.rs", "up to % more repositories"],
    ["MOST_TOLD", "crates/pi-sandbox/src/plants/mod.rs", "at most % entries"],
    ["MOST_FOLDERS", "crates/pi-sandbox/src/plants/survey.rs", "% folders, "],
    ["MOST_OF_ONE", "crates/pi-sandbox/src/plants/survey.rs", "% entries of one folder"],
    ["MOST_ENTRIES", "crates/pi-sandbox/src/plants/survey.rs", "% entries for one command"],
    ["MAX_REMEMBERED", "crates/pi-sandbox/src/proven.rs", "last % configurations"],
    ["MAX_LINES", "packages/executor/src/refusals.ts", "last % lines"],
  ])("the bound %s", (name, file, words) => {
    const source = read(file).replace(/^const (\w+) = /m, "const $1: n = ");

    expect(ITEMS.join("\n")).toContain(words.replace("%", numberOf(source, name)));
  });

  it("every setting with its default", () => {
    const settings: Record<string, unknown> = Settings.parse({});
    const rows = [...PAGE.matchAll(/^\| `(sandbox[\w.]+)` \| [^|]+ \| ([^|]+) \|$/gm)];
    const defaults: Readonly<Record<string, unknown>> = {
      "`full`": "full",
      "`false`": false,
      none: [],
      "the first that works": undefined,
    };

    expect(rows.map(([, name]) => name)).toEqual([
      "sandboxMode",
      ...["network", "backend", "writablePaths", "protectedPaths", "hiddenPaths", "allowDegraded"].map(
        (name) => `sandbox.${name}`,
      ),
    ]);
    for (const [, name = "", text = ""] of rows) expect(settings[name], name).toEqual(defaults[text.trim()]);
  });
});

/** A folder with a workspace in it, not in `/tmp`, which is private in a sandbox. */
function place() {
  const folder = mkdtempSync("/var/tmp/pi-bash-documents-");
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [cwd, other] = [join(folder, "workspace"), join(folder, "other")];
  for (const path of [cwd, other]) mkdirSync(path);
  return { folder, cwd, other };
}

/** What a command printed; the test is skipped where this user has no sandbox. */
async function printed(test: TestContext, executor: Executor, command: string, cwd?: string): Promise<string> {
  const run = executor.executeBash(command, { timeoutMs: 20_000, ...(cwd === undefined ? {} : { cwd }) });
  const result = await run.catch((error: Error & { code?: string }) => {
    if (error.code === "PI_SANDBOX_UNAVAILABLE") test.skip(`this user has none: ${error.message}`);
    throw error;
  });
  return result.output;
}

function sandboxed(cwd: string, settings: SettingsInput): Executor {
  const executor = createExecutor({ sandboxMode: "workspace-write", ...settings }, { cwd, usesSnapshot: false });
  onTestFinished(() => executor.dispose());
  return executor;
}

describe.each(["bubblewrap", "landlock"] as const)("in %s", (backend) => {
  // A kernel or a machine without it.
  const when = { skip: !capabilities().sandbox.includes(backend), timeout: SLOW_MS };
  const isBubblewrap = backend === "bubblewrap";

  it("`cwd` never becomes writable by being named, and the home folder is read-only", when, async (test) => {
    const { cwd, other } = place();
    const executor = sandboxed(cwd, { "sandbox.backend": backend });

    expect(await printed(test, executor, "touch made 2>&1 || echo refused", other)).toMatch(/refused\n$/);
    expect(await printed(test, executor, "touch ~/pi-bash-made 2>&1 || echo refused", cwd)).toMatch(/refused\n$/);
    expect(existsSync(join(other, "made"))).toBe(false);
  });

  it("`TMPDIR` is the session's, root has no capabilities, and devices are few", when, async (test) => {
    const { cwd } = place();
    const executor = sandboxed(cwd, { "sandbox.backend": backend });
    const lines = [
      "echo $TMPDIR; touch $TMPDIR/own && echo own",
      "touch /tmp/pi-bash-made 2>/dev/null && echo made",
      "grep CapEff /proc/self/status",
      'for one in /dev/*; do [ -c "$one" ] && { : < "$one"; } 2>/dev/null && echo "$one"; done; true',
      "touch /dev/shm/pi-bash-x 2>/dev/null && echo shared",
      "[ $$ -lt 100 ] && echo namespace",
    ];

    const [temporary, tmp, capability, devices, shared, pids] = await Promise.all(
      lines.map((line) => printed(test, executor, line)),
    );

    expect(temporary).toMatch(isBubblewrap ? /^\/tmp\nown\n$/ : /^(?!\/tmp\n)\/\S+\nown\n$/);
    expect(tmp).toBe(isBubblewrap ? "made\n" : "");
    expect(existsSync("/tmp/pi-bash-made")).toBe(false);
    expect(capability).toMatch(/CapEff:\s0+\n$/);
    const known = ["null", "zero", "full", "random", "urandom", "tty", "ptmx", "stdin"].map((name) => `/dev/${name}`);
    expect(devices?.trim().split("\n")).toContain("/dev/null");
    expect(
      devices
        ?.trim()
        .split("\n")
        .filter((one) => !known.includes(one)),
    ).toEqual([]);
    expect(shared).toBe(isBubblewrap ? "shared\n" : "");
    if (isBubblewrap) expect(pids).toBe("namespace\n");
  });

  it("servers on loopback work between commands, unreached from outside, and are named by the host's numbers", {
    ...when,
  }, async (test) => {
    const { cwd } = place();
    const executor = sandboxed(cwd, { "sandbox.backend": backend });
    const serve = `require("http").createServer((_, answer) => answer.end("inside")).listen(0, "127.0.0.1", function () { require("fs").writeFileSync("port", String(this.address().port)); })`;
    await printed(test, executor, "true");

    const started = await executor.executeBash(`${process.execPath} -e '${serve}' > /dev/null 2>&1 &
      for i in {1..200}; do [ -s port ] && break; sleep 0.05; done; cat port`);
    const port = started.output.trim();
    const ask = `exec 3<>/dev/tcp/127.0.0.1/${port}; printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&3; tail -n 1 <&3`;

    expect(await printed(test, executor, ask)).toContain("inside");
    await expect(fetch(`http://127.0.0.1:${port}`)).rejects.toThrow();
    const [pid] = (started.survivors ?? []).map((survivor) => survivor.pid);
    expect(readFileSync(`/proc/${pid}/cmdline`, "utf8")).toContain("createServer");
    await executor.dispose();
    await until("what the session started is gone", () => !existsSync(`/proc/${pid}`));
  });

  it("results of a workspace with more folders than are searched say so: `partlySearched`", when, async (test) => {
    const { cwd } = place();
    for (let number = 0; number < 2_100; number++) mkdirSync(join(cwd, String(number)));
    const executor = sandboxed(cwd, { "sandbox.backend": backend });
    await printed(test, executor, "true");

    expect((await executor.executeBash("true")).sandbox).toMatchObject({ partlySearched: true });
    const few = sandboxed(place().cwd, { "sandbox.backend": backend });
    expect((await few.executeBash("true")).sandbox).not.toHaveProperty("partlySearched");
  });

  it(
    "`clone3` and `openat2` answer as if the kernel were older, and Landlock can be used inside",
    when,
    async (test) => {
      const executor = sandboxed(place().cwd, { "sandbox.backend": backend });
      const newer = "for (435, 437) { syscall($_, 0, 0, 0, 0); print $!{ENOSYS} ? 'older ' : 'known ' }";
      expect(await printed(test, executor, `perl -e "${newer.replaceAll("$", "\\$")}"`)).toBe("older older ");
      // landlock_create_ruleset for writing files, landlock_restrict_self.
      const inner = `$a = pack("Q", 2); syscall(446, syscall(444, $a, 8, 0), 0) == 0 or die $!; print open(F, ">", "x") ? "free" : "held"`;

      expect(await printed(test, executor, `: > x && echo written; perl -e '${inner}'`)).toBe("written\nheld");
    },
  );

  it("`bwrap` cannot be nested, and a repository of the start cannot be removed", when, async (test) => {
    const { cwd } = place();
    spawnSync("git", ["init", "-q", join(cwd, "sub")]);
    const executor = sandboxed(cwd, { "sandbox.backend": backend });

    expect(await printed(test, executor, "unshare -Ur true 2>/dev/null || echo refused")).toBe("refused\n");
    expect(await printed(test, executor, "bwrap --ro-bind / / true 2>/dev/null || echo refused")).toBe("refused\n");
    expect(await printed(test, executor, "rm -r sub 2>/dev/null || echo refused")).toBe("refused\n");
    expect(existsSync(join(cwd, "sub/.git/config"))).toBe(true);
  });

  it("`hiddenPaths` cannot be seen, and are refused with `landlock`", when, async (test) => {
    const { cwd, other } = place();
    const executor = sandboxed(cwd, { "sandbox.backend": backend, "sandbox.hiddenPaths": [other] });
    await printed(test, sandboxed(cwd, { "sandbox.backend": backend }), `touch made; ls -d ${other}`);

    if (isBubblewrap) {
      spawnSync("touch", [join(other, "secret")]);
      expect(await printed(test, executor, `cat ${other}/secret 2>/dev/null || echo hidden`)).toBe("hidden\n");
    } else {
      await expect(executor.executeBash("true")).rejects.toMatchObject({
        code: "PI_SANDBOX_UNAVAILABLE",
        message: expect.stringContaining("cannot hide paths"),
      });
    }
  });

  it("stand-ins of a host that was killed stay until the next session, which removes them", when, async (test) => {
    const { cwd } = place();
    const host = startHost("sandbox-holder", { args: [backend, cwd] });
    await Promise.race([host.printed("open"), host.printed("unavailable")]);
    if (host.stdout().includes("unavailable")) test.skip("this user has none");

    host.process.kill("SIGKILL");
    await host.ended();
    expect(readdirSync(cwd)).toContain(".envrc");

    const next = sandboxed(cwd, { "sandbox.backend": backend });
    await printed(test, next, "true");
    await next.dispose();
    await until("stand-ins are removed", () => readdirSync(cwd).length === 0);
  });

  it('`protectedPaths: [".git"]`: commits are made outside', when, async (test) => {
    const { cwd } = place();
    const commit = "git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x 2>/dev/null && echo committed";
    spawnSync("git", ["init", "-q", cwd]);

    const free = await printed(test, sandboxed(cwd, { "sandbox.backend": backend }), commit);
    const settings: SettingsInput = { "sandbox.backend": backend, "sandbox.protectedPaths": [".git"] };
    const kept = await printed(test, sandboxed(cwd, settings), `${commit}; true`);

    expect([free, kept]).toEqual(["committed\n", ""]);
    expect(spawnSync("bash", ["-c", commit], { cwd }).stdout.toString()).toBe("committed\n");
  });
});
