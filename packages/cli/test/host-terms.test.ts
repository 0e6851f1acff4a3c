/** What of a kept session is its own, and what its client's: a client that means another session is refused. */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Settings } from "@pi-bash/contract";
import type { HostSeat } from "@pi-bash/contract/internal";
import { describe, expect, it } from "vitest";
import { nameOf } from "../src/host/relay.ts";
import { checkSame, isSessionSetting, settingsOf } from "../src/host/session-terms.ts";

const SEAT: HostSeat = {
  name: "web",
  isNameGiven: true,
  cwd: "/srv/web",
  isCwdGiven: false,
  settings: {},
  givenSettings: [],
  requireSessions: false,
  env: {},
};

describe("the terms of a kept session", () => {
  it("have every setting that the executor reads, and none that decides about calls", () => {
    const sources = fileURLToPath(new URL("../../executor/src/", import.meta.url));
    const read = readdirSync(sources, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".ts"))
      .map((path) => readFileSync(`${sources}${path}`, "utf8"))
      .join("\n");
    const names = Object.keys(Settings.shape).filter(
      (name) => read.includes(`settings["${name}"]`) || new RegExp(`settings\\.${name}\\b`).test(read),
    );

    expect(names.length).toBeGreaterThan(15);
    expect(names.filter((name) => !isSessionSetting(name))).toEqual([]);
    for (const name of ["blockedCommands", "bash.allowUnasked", "defaultTimeout", "bash.outputMaxBytes"]) {
      expect(isSessionSetting(name)).toBe(false);
    }
  });

  it("let a client in that asks for the same, with a policy and limits of its own", () => {
    const asked = { ...SEAT, mode: "plan", rules: { path: "r", text: "{}" }, env: { A: "1" }, cwd: "/" };

    expect(() => checkSame(SEAT, { ...asked, settings: { defaultTimeout: 5_000 } })).not.toThrow();
    expect(() => checkSame(SEAT, { ...asked, settings: { sandboxMode: "full" } })).not.toThrow();
  });

  it.each([
    ["the place", { on: "ssh:build7" }],
    ["the artifact folder", { artifacts: "/tmp/a" }],
    ["the folder", { cwd: "/", isCwdGiven: true }],
    ["the folder", { cwd: "/other/web", isNameGiven: false }],
    ["`sandboxMode`", { settings: { sandboxMode: "workspace-write" } }],
    ["`secrets.mask`", { settings: { "secrets.mask": false } }],
    ["`async.maxJobs`", { settings: { "async.maxJobs": 1 } }],
    ["`shellPrefix`", { settings: { shellPrefix: "nice" } }],
  ] as const)("refuse one that differs in %s", (what, difference) => {
    expect(() => checkSame(SEAT, { ...SEAT, ...difference })).toThrow(`was made with ${what}`);
  });

  it("refuse settings that there are not", () => {
    expect(() => settingsOf({ ...SEAT, settings: { sandboxMode: "none" } })).toThrow("wrong settings");
  });

  it("name a session by its folder, with what can be typed", () => {
    expect(["/srv/web", "/srv/my web!", "/", "/srv/.hidden", "/srv/日本", `/${"x".repeat(99)}`].map(nameOf)).toEqual([
      "web",
      "my-web-",
      "main",
      "hidden",
      "main",
      "x".repeat(64),
    ]);
  });
});
