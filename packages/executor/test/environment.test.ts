/**
 * What a session's environment is made of: what is added, what is withheld, what never comes from the host.
 */
import { describe, expect, it } from "vitest";
import {
  type ChildEnvironmentOptions,
  checkCommandEnv,
  childEnvironment,
  ptyEnvironment,
} from "../src/environment/child-environment.ts";
import { NON_INTERACTIVE_ENV, nonInteractiveEnv } from "../src/environment/non-interactive.ts";

type Mode = ChildEnvironmentOptions["settings"]["bash.environment.withhold"];

function make(hostEnv: Record<string, string>, mode: Mode = "provider", allow: string[] = []) {
  return childEnvironment({
    hostEnv,
    settings: { "bash.environment.withhold": mode, "bash.environment.allow": allow },
    shell: "/bin/bash",
  });
}

describe("the non-interactive environment", () => {
  it("EV-01: has every pager, editor, prompt and automation variable of the specification", () => {
    const pagers = ["PAGER", "GIT_PAGER", "MANPAGER", "SYSTEMD_PAGER", "BAT_PAGER", "DELTA_PAGER", "GH_PAGER"];
    for (const name of [...pagers, "GLAB_PAGER", "PSQL_PAGER", "MYSQL_PAGER", "HOMEBREW_PAGER"]) {
      expect(NON_INTERACTIVE_ENV[name], name).toBe("cat");
    }
    for (const name of ["GIT_EDITOR", "VISUAL", "EDITOR", "GIT_SEQUENCE_EDITOR"]) {
      expect(NON_INTERACTIVE_ENV[name], name).toBe("true");
    }
    expect(NON_INTERACTIVE_ENV).toMatchObject({
      AWS_PAGER: "",
      LESS: "FRX",
      TERM: "dumb",
      NO_COLOR: "1",
      PYTHONUNBUFFERED: "1",
      GIT_TERMINAL_PROMPT: "0",
      SSH_ASKPASS: "/usr/bin/false",
      SSH_ASKPASS_REQUIRE: "force",
      CI: "1",
      AGENT: "1",
      npm_config_yes: "true",
      npm_config_update_notifier: "false",
      npm_config_fund: "false",
      npm_config_audit: "false",
      npm_config_progress: "false",
      PNPM_DISABLE_SELF_UPDATE_CHECK: "true",
      PNPM_UPDATE_NOTIFIER: "false",
      YARN_ENABLE_TELEMETRY: "0",
      YARN_ENABLE_PROGRESS_BARS: "0",
      CARGO_TERM_PROGRESS_WHEN: "never",
      DEBIAN_FRONTEND: "noninteractive",
      PIP_NO_INPUT: "1",
      PIP_DISABLE_PIP_VERSION_CHECK: "1",
      TF_INPUT: "0",
      TF_IN_AUTOMATION: "1",
      GH_PROMPT_DISABLED: "1",
      COMPOSER_NO_INTERACTION: "1",
      CLOUDSDK_CORE_DISABLE_PROMPTS: "1",
    });
  });

  it("wins over what the host has, and cannot be changed by a caller", () => {
    expect(make({ PAGER: "less", PATH: "/bin" }).env).toMatchObject({ PAGER: "cat", PATH: "/bin" });
    expect(Object.isFrozen(NON_INTERACTIVE_ENV)).toBe(true);
  });

  it("finds `false` on the path where it is not in its usual place", () => {
    const isExecutable = (path: string) => path === "/nix/bin/false";

    const env = nonInteractiveEnv({ hostEnv: { PATH: "relative:/nix/bin" }, isExecutable });

    expect(env["SSH_ASKPASS"]).toBe("/nix/bin/false");
    expect(env["GIT_ASKPASS"]).toBe("/nix/bin/false");
  });

  it("leaves `CI` out when the host asks for it", () => {
    expect(nonInteractiveEnv({ hostEnv: { PI_BASH_NO_CI: "1" } })).not.toHaveProperty("CI");
  });

  it("chooses UTF-8 on Windows where the host chose nothing", () => {
    const bare = nonInteractiveEnv({ hostEnv: {}, platform: "win32" });
    const chosen = nonInteractiveEnv({ hostEnv: { LC_CTYPE: "C", PYTHONUTF8: "0" }, platform: "win32" });

    expect(bare).toMatchObject({ PYTHONIOENCODING: "utf-8", PYTHONUTF8: "1", LANG: "C.UTF-8", LC_ALL: "C.UTF-8" });
    expect(chosen).not.toHaveProperty("LANG");
    expect(chosen).not.toHaveProperty("PYTHONIOENCODING");
  });
});

describe("names that never come from the host", () => {
  it("EV-03: leaves out what binds git to the repository of a hook", () => {
    const { env, stripped } = make({
      GIT_DIR: "/r/.git",
      GIT_INDEX_FILE: "i",
      GIT_WORK_TREE: "/r",
      GIT_AUTHOR_NAME: "A",
    });

    expect(env).not.toHaveProperty("GIT_DIR");
    expect(env["GIT_AUTHOR_NAME"]).toBe("A");
    expect(stripped).toEqual(["GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE"]);
  });

  it("EV-12: leaves out preloaded libraries unless they are allowed, and keeps search paths", () => {
    const host = { LD_PRELOAD: "/nonexistent.so", LD_LIBRARY_PATH: "/opt/lib" };

    expect(make(host).env).not.toHaveProperty("LD_PRELOAD");
    expect(make(host).env["LD_LIBRARY_PATH"]).toBe("/opt/lib");
    expect(make(host, "provider", ["LD_*"]).env["LD_PRELOAD"]).toBe("/nonexistent.so");
  });

  it("RC-03, RC-04: leaves out what steers a shell, and exported functions", () => {
    const { env } = make({ BASH_ENV: "f", SHELLOPTS: "xtrace", PS4: "+ ", "BASH_FUNC_ls%%": "() { :; }", OK: "1" });

    expect(Object.keys(env).filter((name) => /^(BASH_|SHELLOPTS|PS4)/.test(name))).toEqual([]);
    expect(env["OK"]).toBe("1");
  });

  it("leaves out the host's debugger and its channel to its own parent, and keeps other Node options", () => {
    expect(make({ NODE_OPTIONS: "--inspect-brk=9229", NODE_CHANNEL_FD: "3" }).stripped).toEqual([
      "NODE_CHANNEL_FD",
      "NODE_OPTIONS",
    ]);
    expect(make({ NODE_OPTIONS: "--max-old-space-size=4096" }).env["NODE_OPTIONS"]).toBe("--max-old-space-size=4096");
  });
});

describe("withheld variables", () => {
  const host = {
    ANTHROPIC_API_KEY: "secret-value-1",
    ANTHROPIC_BASE_URL: "http://localhost",
    MY_COPY: "secret-value-1",
    GITHUB_TOKEN: "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
    EMPTY_TOKEN: "",
    HOME: "/root",
  };

  it("EV-10: withholds the agent's own provider keys by default, under other names too", () => {
    const { env, withheld } = make(host);

    expect(withheld).toEqual([
      { name: "ANTHROPIC_API_KEY", reason: "provider" },
      { name: "MY_COPY", reason: "same-value" },
    ]);
    expect(JSON.stringify(env)).not.toContain("secret-value-1");
    expect(env).toMatchObject({ ANTHROPIC_BASE_URL: "http://localhost", GITHUB_TOKEN: host.GITHUB_TOKEN });
  });

  it("withholds everything that looks like a secret in the mode `secrets`", () => {
    const { env, withheld } = make({ ...host, PLAIN: "postgres://me:pw@db/x" }, "secrets");

    expect(withheld.map((variable) => variable.name)).toEqual([
      "ANTHROPIC_API_KEY",
      "ANTHROPIC_BASE_URL",
      "GITHUB_TOKEN",
      "MY_COPY",
      "PLAIN",
    ]);
    expect(env["HOME"]).toBe("/root");
    expect(env["EMPTY_TOKEN"]).toBe("");
  });

  it("withholds nothing in the mode `none`", () => {
    const { env, withheld } = make(host, "none");

    expect(withheld).toEqual([]);
    expect(env["ANTHROPIC_API_KEY"]).toBe("secret-value-1");
  });

  it("passes on what is allowed by name or pattern", () => {
    expect(make(host, "secrets", ["GITHUB_*"]).env["GITHUB_TOKEN"]).toBe(host.GITHUB_TOKEN);
    expect(make(host, "provider", ["ANTHROPIC_API_KEY"]).withheld).toEqual([]);
  });

  it("reports names and never values", () => {
    const { withheld } = make(host, "secrets");

    expect(JSON.stringify(withheld)).not.toMatch(/secret-value|ghp_/);
  });
});

describe("variables of one command", () => {
  it("EV-06, SC-10: refuses names that steer the shell or the loader, all in one error", () => {
    const env = { A: "1", BASH_ENV: "/tmp/evil", LD_PRELOAD: "x", UID: "5", PROMPT_COMMAND: "touch P" };

    expect(() => checkCommandEnv(env, [])).toThrowError(
      expect.objectContaining({ code: "PI_INVALID_ENV", names: ["BASH_ENV", "LD_PRELOAD", "UID", "PROMPT_COMMAND"] }),
    );
  });

  it("takes ordinary names, and refused ones that are allowed", () => {
    expect(() => checkCommandEnv({ PATH: "", EDITOR: "vi" }, [])).not.toThrow();
    expect(() => checkCommandEnv({ LD_PRELOAD: "x" }, ["LD_PRELOAD"])).not.toThrow();
  });
});

describe("the environment of a pseudoterminal", () => {
  const settings = { "bash.environment.withhold": "provider", "bash.environment.allow": [] } as const;
  const options = {
    hostEnv: { PAGER: "less", OPENAI_API_KEY: "abcdefghijklmnop" },
    settings: { ...settings, "bash.environment.allow": [] },
  };

  it("is the non-interactive one with a terminal type and the caller's variables last", () => {
    const env = ptyEnvironment({ ...options, ptyEnvironment: "hardened" }, { GIT_EDITOR: "vi" });

    expect(env).toMatchObject({ PAGER: "cat", TERM: "xterm-256color", GIT_EDITOR: "vi" });
  });

  it("is the person's own on request, still without the agent's keys", () => {
    const env = ptyEnvironment({ ...options, ptyEnvironment: "user" });

    expect(env).toEqual({ PAGER: "less", TERM: "xterm-256color" });
  });
});
