/** Where nothing confines a call: the strict half of the tables, a question, or the whole tables, as the setting says. */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SettingsInput } from "@pi-bash/contract";
import type { Executor } from "@pi-bash/executor";
import { type Approval, createPolicy } from "@pi-bash/policy";
import { describe, expect, it } from "vitest";
import type { BashToolSession } from "../../src/session.ts";
import { type Scene, scene, textOf, thrown } from "../support/session.ts";

const REASON = "there is no Landlock";

/** The executor with some of its methods replaced. */
function replaced(executor: Executor, methods: Partial<Executor>): Executor {
  return new Proxy(executor, {
    get: (target, name) => {
      const own = Reflect.get(methods, name) ?? Reflect.get(target, name);
      return typeof own === "function" ? own.bind(target) : own;
    },
  });
}

/** A session on a system that confines nothing. */
function unheld(settings: SettingsInput = {}, ports: Partial<BashToolSession> = {}): Scene {
  const made = scene(settings, { policy: createPolicy(), ...ports });
  writeFileSync(join(made.folder, "f"), "one two\n");
  const confinement = async () => ({ available: false, reason: REASON }) as const;
  Object.assign(made.session, { executor: replaced(made.session.executor, { confinement }) });
  return made;
}

describe("where nothing can be confined", () => {
  it("strict readers run, and details say that nothing held them, and why", async () => {
    const result = await unheld().bash({ command: "cat f | head -1" });

    expect(textOf(result)).toMatch(/^one two\n/);
    expect(result.details?.readOnly).toEqual({ enforced: false, reason: REASON });
    expect(textOf(result)).not.toContain("read-only");
  });

  it.each(["awk '{ print $1 }' f", "sed -n 1p f", "git blame f", "node -p 1"])("others ask: %s", async (command) => {
    const asked: string[] = [];
    const approve = async (): Promise<Approval> => ({ behavior: asked.push(command) > 0 ? "deny" : "allow" });

    const error = await thrown(unheld({}, { approve }).bash({ command }));

    expect(asked).toEqual([command]);
    expect(error.details?.refusal?.by).toBe("approval");
  });

  it("with `required` strict readers ask as well, and builtins alone run", async () => {
    const { bash } = unheld({ "readOnly.enforce": "required" });

    const error = await thrown(bash({ command: "cat f" }));

    expect(error.message).toContain("`cat` has to run confined, and this system cannot confine it");
    expect(textOf(await bash({ command: "echo hi" }))).toMatch(/^hi\n/);
  });

  it.each(["node_modules/.bin", "FOLDER/node_modules/.bin", "."])(
    "readers ask where a program of the project may have their names: %s first in the path",
    async (folder) => {
      const made = unheld();
      const PATH = `${folder.replace("FOLDER", made.folder)}:/usr/bin:/bin`;
      const { executor } = made.session;
      const environment = () => ({ ...executor.environment(), env: { PATH } });
      Object.assign(made.session, { executor: replaced(executor, { environment }) });

      const error = await thrown(made.bash({ command: "cat f" }));

      expect(error.details?.refusal?.reasons.map(({ code }) => code)).toEqual(["needs-confinement"]);
      expect(textOf(await made.bash({ command: "echo hi" }))).toMatch(/^hi\n/);
    },
  );

  it("with `off` the whole tables decide, and nothing is said of it", async () => {
    const result = await unheld({ "readOnly.enforce": "off" }).bash({ command: "awk '{ print $2 }' f" });

    expect(textOf(result)).toMatch(/^two\n/);
    expect(result.details).not.toHaveProperty("readOnly");
  });
});

describe("a call that cannot be confined after all", () => {
  /** The executor believes that it can confine, and cannot. */
  function deceived(): Scene {
    const made = scene({}, { policy: createPolicy() });
    writeFileSync(join(made.folder, "f"), "one two\n");
    const { executor } = made.session;
    let isKnown = false;
    const methods: Partial<Executor> = {
      confinement: async () => (isKnown ? { available: false, reason: REASON } : { available: true, degraded: [] }),
      executeBash: async (command, options = {}) => {
        if (options.readOnly !== true) return executor.executeBash(command, options);
        isKnown = true;
        throw Object.assign(new Error("cannot"), { code: "PI_READ_ONLY_UNAVAILABLE", reason: REASON });
      },
    };
    Object.assign(made.session, { executor: replaced(executor, methods) });
    return made;
  }

  it("is judged again without the kernel, and a strict reader runs", async () => {
    const result = await deceived().bash({ command: "cat f" });

    expect(textOf(result)).toMatch(/^one two\n/);
    expect(result.details?.readOnly).toEqual({ enforced: false, reason: REASON });
  });

  it("is judged again without the kernel, and another one asks", async () => {
    const error = await thrown(deceived().bash({ command: "sed -n 1p f" }));

    expect(error.details?.refusal?.reasons.map(({ code }) => code)).toEqual(["needs-confinement"]);
  });
});

it("a policy of the host's own that wants a call confined where nothing can runs nothing", async () => {
  const ours = createPolicy();
  const { bash, folder } = unheld(
    {},
    {
      policy: { observe: ours.observe, authorize: (request) => ours.authorize({ ...request, hold: "kernel" }) },
    },
  );

  const error = await thrown(bash({ command: `node -e 'fs.writeFileSync("made", "")'` }));

  expect(error.message).toContain("only where it runs confined");
  expect(existsSync(join(folder, "made"))).toBe(false);
});

describe("a call that the executor does not run", () => {
  it("is not held in the client's terminal, where the strict half decides", async () => {
    const bridge = {
      capabilities: { terminal: true },
      createTerminal: () => Promise.reject(new Error("not reached")),
    };
    const { bash } = scene({}, { policy: createPolicy(), getClientBridge: () => bridge });

    const error = await thrown(bash({ command: "sed -n 1p f" }));

    expect(error.details?.refusal?.reasons.map(({ code }) => code)).toEqual(["needs-confinement"]);
  });

  it("is not held on a person's console either", async () => {
    const pty = { run: () => Promise.reject(new Error("not reached")) };
    const { bash } = scene({}, { policy: createPolicy(), pty });

    const error = await thrown(bash({ command: "sed -n 1p f", pty: true }));

    expect(error.details?.refusal?.reasons.map(({ code }) => code)).toEqual(["needs-confinement"]);
  });
});
