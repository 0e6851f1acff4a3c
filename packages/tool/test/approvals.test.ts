/**
 * Whether a call may run: what is always refused, and what the session's policy decides, before anything happens.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { jsonSchemaOf, type SettingsInput } from "@pi-bash/contract";
import { type Approval, createPolicy, type PolicyOptions } from "@pi-bash/policy";
import { describe, expect, it } from "vitest";
import { createBashTool } from "../src/bash-tool.ts";
import type { BashToolSession } from "../src/session.ts";
import { canConfine, jobs, type Scene, scene, textOf, thrown, until } from "./support/session.ts";

/** A session with a policy. */
function guarded(
  options: PolicyOptions = {},
  ports: Partial<BashToolSession> = {},
  settings: SettingsInput = {},
): Scene {
  return scene(settings, { policy: createPolicy(options), ...ports });
}

describe("a session without a policy", () => {
  it("runs whatever is not forbidden", async () => {
    const { bash, folder } = scene();

    await bash({ command: "touch made" });

    expect(existsSync(join(folder, "made"))).toBe(true);
  });

  it.each([
    ["rm -rf /", "`rm -r` on the root folder `/`"],
    ["cd / && rm -rf *", "`rm -r` on the root folder `/`"],
    ["x(){ x|x& };x", "the function `x` starts itself without end (a fork bomb)"],
    ["mkfs.ext4 /dev/sda1", "`mkfs.ext4` destroys the contents of `/dev/sda1`"],
  ])("refuses %s and says why", async (command, reason) => {
    const error = await thrown(scene().bash({ command }));

    expect(error.message).toContain("Command blocked by policy; do not retry it in another form.\n");
    expect(error.message).toContain(reason);
    expect(error.details?.refusal).toMatchObject({ by: "policy", class: "blocked", display: expect.any(String) });
  });

  it("refuses `blockedCommands` by their words, at any nesting, and nothing that only mentions them", async () => {
    const { bash, folder } = scene({ blockedCommands: ["git push --force", "touch x"] });

    for (const command of ["touch x", "true && 'touch' x", "bash -c 'touch x y'", "mkdir d && cd d && touch x"]) {
      const error = await thrown(bash({ command }));
      expect(error.message).toContain("Command contains blocked pattern: touch x");
    }
    expect(existsSync(join(folder, "x"))).toBe(false);
    expect(textOf(await bash({ command: "echo 'touch x'; touch xy" }))).toMatch(/^touch x\n/);
  });

  it("refuses without a policy what may be one of `blockedCommands`, and asks with one", async () => {
    const blocked = { blockedCommands: ["touch x"] };
    const { bash, folder } = scene(blocked);

    for (const command of ['t=touch; "$t" x', "echo 'touch x' | bash", "echo x | xargs -I{} sh -c 'touch {}'"]) {
      const error = await thrown(bash({ command }));
      expect(error.message, command).toContain("which is blocked");
    }
    expect(existsSync(join(folder, "x"))).toBe(false);

    const asked: string[] = [];
    const approve = (_: unknown, verdict: { reasons: readonly { code: string }[] }): Promise<Approval> => {
      asked.push(...verdict.reasons.map(({ code }) => code));
      return Promise.resolve({ behavior: "deny" });
    };
    const guard = guarded({}, { approve, policyContext: () => ({ mode: "yolo" }) }, blocked);
    await thrown(guard.bash({ command: 't=touch; "$t" x' }));
    expect(asked).toEqual(["blocked-command-doubt"]);
    expect(existsSync(join(guard.folder, "x"))).toBe(false);
  });

  it("wants a description where `requireDescription` is on", async () => {
    const { bash, session } = scene({ requireDescription: true });

    expect((await thrown(bash({ command: "true" }))).message).toContain(
      "- a description of what the command does is required (say in `description` what the command does)",
    );
    expect((await thrown(bash({ command: "true", description: " " }))).details?.refusal?.reasons[0]?.code).toBe(
      "description-required",
    );
    expect((await bash({ command: "true", description: "Do nothing" })).isError).toBeUndefined();
    const tool = createBashTool(session);
    expect(tool.description).toContain("Say in `description` what the command does");
    expect(jsonSchemaOf(tool.parameters)).toMatchObject({ required: ["command", "description"] });
    expect(jsonSchemaOf(createBashTool(scene().session).parameters)).toMatchObject({ required: ["command"] });
  });
});

describe("a session with a policy", () => {
  it("refuses what no one can be asked about, with reason, remedy and the rule that would allow it", async () => {
    const { bash, folder } = guarded();

    const error = await thrown(bash({ command: "npm install left-pad > log" }));

    expect(error.message).toBe(
      "Command blocked by policy; do not retry it in another form.\n" +
        "- `npm` runs code; only asking for its version is read-only\n" +
        "- `> log` writes a file\n" +
        "No one is there to be asked; a person can allow it with `Bash(npm install **)`.",
    );
    expect(error.details?.refusal).toMatchObject({
      by: "policy",
      class: "not-readonly",
      suggestedRules: ["Bash(npm install **)"],
    });
    expect(existsSync(join(folder, "log"))).toBe(false);
  });

  it("asks `approve` what the policy cannot decide, and does what it answers", async () => {
    const asked: string[] = [];
    const approve = async (request: { command: string; description?: string | undefined }): Promise<Approval> => {
      asked.push(`${request.command} (${request.description})`);
      return request.command === "touch a" ? { behavior: "allow" } : { behavior: "deny", reason: "not today" };
    };
    const { bash, folder } = guarded({}, { approve });

    await bash({ command: "touch a", description: "Make a file" });
    const error = await thrown(bash({ command: "touch b" }));
    await bash({ command: "ls" });

    expect(asked).toEqual(["touch a (Make a file)", "touch b (undefined)"]);
    expect(existsSync(join(folder, "a"))).toBe(true);
    expect(error.message).toBe("Command was not approved: not today.");
    expect(error.details?.refusal?.by).toBe("approval");
  });

  it("ends the question when the call is aborted", async () => {
    const aborted = new AbortController();
    const { bash } = guarded({}, { approve: () => new Promise<Approval>(() => aborted.abort()) });

    const error = await thrown(bash({ command: "touch a" }, { signal: aborted.signal }));

    expect(error.name).toBe("ToolAbortError");
  });

  it("judges the text that runs, in the folder where it runs, and denies what stands in either form", async () => {
    const { bash, folder } = guarded({
      deny: ["Bash(cd secret)", "Write(out/**)"],
      allow: ["Bash(touch **)"],
    } as PolicyOptions);
    for (const name of ["secret", "out", "fine"]) mkdirSync(join(folder, name));

    expect((await thrown(bash({ command: "cd secret && ls" }))).message).toContain("deny Bash(cd secret)");
    expect((await thrown(bash({ command: "echo x > out/f" }))).message).toContain("deny Write(out/**)");
    expect(textOf(await bash({ command: "cd fine && touch f && pwd" }))).toContain(join(folder, "fine"));
    expect(existsSync(join(folder, "fine", "f"))).toBe(true);
  });

  it("judges internal URLs as the paths they become, and makes no folder for a refused command", async () => {
    const place = guarded({ allow: ["Bash(echo **)"] } as PolicyOptions);
    const localRoot = join(place.folder, "local");
    Object.assign(place.session, { internalUrls: { localRoot } });

    const error = await thrown(place.bash({ command: "echo x > local://deep/file" }));
    expect(error.message).toContain(`${localRoot}/deep/file' writes a file`.slice(0, 40));
    expect((await thrown(place.bash({ command: "touch x", cwd: "local://there" }))).message).toContain("`touch`");
    expect(existsSync(localRoot)).toBe(false);

    Object.assign(place.session, { policy: createPolicy({ allow: ["Bash(echo **)", `Write(${localRoot}/**)`] }) });
    await place.bash({ command: "echo x > local://deep/file" });
    expect(readFileSync(join(localRoot, "deep", "file"), "utf8")).toBe("x\n");
  });

  it("asks before it passes a variable that makes programs run other code", async () => {
    const { bash } = guarded();

    const error = await thrown(bash({ command: "ls", env: { GIT_SSH_COMMAND: "./x" } }));

    expect(error.message).toContain("setting `GIT_SSH_COMMAND` can make programs run other code");
    expect((await bash({ command: "ls", env: { LANG: "C" } })).isError).toBeUndefined();
  });

  it("runs reading git calls hardened, so that they neither run a repository's programs nor write its index", async () => {
    const { bash, folder } = scene();
    const setUp = "git init -q . && echo a > f && git add f && git -c user.name=x -c user.email=x@y commit -qm a";
    expect((await bash({ command: setUp })).isError).toBeUndefined();
    const place = guarded({}, { cwd: folder });
    // Older than the index by its time alone: git would refresh the index.
    await bash({ command: "touch -d '2001-01-01' f" });
    const index = readFileSync(join(folder, ".git", "index"));

    expect(
      (await place.bash({ command: "git status --short; git diff; echo $GIT_OPTIONAL_LOCKS" })).isError,
    ).toBeUndefined();
    expect(readFileSync(join(folder, ".git", "index")).equals(index)).toBe(true);

    writeFileSync(join(folder, "evil.sh"), "#!/bin/sh\ntouch PWNED\n", { mode: 0o755 });
    await bash({ command: "git config diff.external ./evil.sh" });
    await bash({ command: "echo b > f" });
    const unheld = guarded({}, { cwd: folder }, { "readOnly.enforce": "off" });
    expect((await thrown(unheld.bash({ command: "git diff" }))).message).toContain(
      "the repository sets `diff.external`",
    );
    const held: unknown = await place.bash({ command: "git diff" }).catch((error: unknown) => error);
    const facts = (await canConfine(place)) ? { readOnly: { enforced: true } } : { refusal: { by: "policy" } };
    expect(held).toMatchObject({ details: facts });
    expect(existsSync(join(folder, "PWNED"))).toBe(false);
  });

  it("approves nothing by itself any more in a session that a command changed, and goes on in others", async () => {
    const policy = createPolicy();
    let mode: "yolo" | "default" = "yolo";
    const { bash } = scene({}, { policy, policyContext: () => ({ mode }) });
    const other = scene({}, { policy, getSessionId: () => "agent-2" });

    await bash({ command: "ls" });
    await bash({ command: "export NODE_ENV=test" });
    await bash({ command: "ls" });
    await bash({ command: "alias ls='touch PWNED'" });
    mode = "default";
    const error = await thrown(bash({ command: "ls" }));

    expect(error.message).toContain("`alias` changed this session earlier");
    expect((await other.bash({ command: "ls" })).isError).toBeUndefined();
  });

  it("runs a job in a shell of its own, which an earlier command has not changed", async () => {
    const { bash, session } = guarded(
      { allow: ["Bash"] } as PolicyOptions,
      { asyncJobManager: await jobs() },
      { "async.enabled": true },
    );

    await bash({ command: "alias x=y" });
    const started = await bash({ command: "echo in a job", async: true });

    expect(started.details?.async?.state).toBe("running");
    const id = started.details?.async?.jobId ?? "";
    await until(
      () => session.asyncJobManager?.list("agent-1").some((job) => job.id === id && job.state === "completed") === true,
      "the job ends",
    );
  });
});

describe("read-only commands", () => {
  it("run beside the command that has the session, without a word about the copy", async () => {
    const { bash, folder } = guarded({ allow: ["Bash(mkfifo **)"] } as PolicyOptions, {
      policyContext: () => ({ mode: "yolo" }),
    });
    const waiting = bash({ command: "mkfifo gate && cat gate" });
    await until(() => existsSync(join(folder, "gate")), "the first command runs");

    const beside = await bash({ command: "ls" });
    expect(textOf(beside)).toMatch(/^gate\n/);
    expect(textOf(beside)).not.toContain("copy");

    writeFileSync(join(folder, "gate"), "open\n");
    expect(textOf(await waiting)).toMatch(/^open\n/);
  });

  it("are distinguished for hosts that start calls at once", () => {
    const tool = createBashTool(guarded().session);

    expect(tool.isConcurrencySafe({ command: "ls | wc -l" })).toBe(true);
    for (const params of [
      { command: "touch x" },
      { command: "cd x" },
      { command: "ls &" },
      { command: "ls", async: true },
      { command: 1 },
      null,
    ]) {
      expect(tool.isConcurrencySafe(params)).toBe(false);
    }
    expect(createBashTool(scene().session).isConcurrencySafe({ command: "ls" })).toBe(true);
  });

  it("are not those whose parameters cannot be read", () => {
    const throws = () => {
      throw new TypeError("closed");
    };
    const { session } = guarded();
    const tool = createBashTool(session);
    const closed = new Proxy({}, { get: throws, has: throws, ownKeys: throws, getOwnPropertyDescriptor: throws });

    for (const params of [
      closed,
      { command: closed },
      { command: "ls", env: closed },
      Object.defineProperty({}, "command", { get: throws, enumerable: true }),
      Symbol("ls"),
    ]) {
      expect(tool.isConcurrencySafe(params)).toBe(false);
    }
  });
});

describe("deadlines of the settings", () => {
  it("are the default and the most a call may name", async () => {
    const { bash } = scene({ defaultTimeout: 2_000, maxTimeout: 3_000 });

    expect((await bash({ command: "true" })).details?.timeoutSeconds).toBe(2);
    const clamped = await bash({ command: "true", timeout: 10 });
    expect(clamped.details).toMatchObject({ timeoutSeconds: 3, requestedTimeoutSeconds: 10 });
    expect(textOf(clamped)).toContain("Timeout clamped to 3s (requested 10s; allowed range 1-3s).");
  });
});
