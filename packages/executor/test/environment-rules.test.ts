/** The rules of what a child sees of the host's environment, one by one: patterns, keys under other names, locales. */
import { delimiter, join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  checkCommandEnv,
  childEnvironment,
  InvalidEnvironmentError,
  nameMatcher,
  ptyEnvironment,
  withheldEnvironment,
} from "../src/environment/child-environment.ts";
import { isControlVariable, isRefusedName } from "../src/environment/control-names.ts";
import { nonInteractiveEnv } from "../src/environment/non-interactive.ts";
import { isProviderKeyName, isSecretName, isSecretValue } from "../src/environment/secret-names.ts";

const settings = (withhold: "provider" | "secrets" | "none" = "provider", allow: string[] = []) => ({
  "bash.environment.withhold": withhold,
  "bash.environment.allow": allow,
});

describe("a pattern of names", () => {
  it.each([
    ["A", ["A"], ["AA", "", "a"]],
    ["", [""], ["A"]],
    ["*", ["", "A", "ABC"], []],
    ["A*", ["A", "AB"], ["BA", "", "BAB"]],
    ["*A", ["A", "BA"], ["AB", ""]],
    ["A*A", ["AA", "ABA"], ["A", "AB", "BA"]],
    ["AB*BA", ["ABBA", "ABxBA"], ["ABA", "AB"]],
    ["A*B*C", ["ABC", "AxBxC", "ABBC"], ["AC", "ACB", "AxC", "ABCx"]],
    ["A*BB*B", ["ABBB", "AxBBxB"], ["ABB", "ABxB"]],
    ["A**C", ["AC", "ABC"], ["A", "C"]],
    ["A*B*B*", ["ABB", "ABxBx"], ["AB", "AxB"]],
  ])("%s is matched by whole names", (pattern, matching, others) => {
    const matches = nameMatcher([pattern]);
    expect([matching.filter((name) => !matches(name)), others.filter(matches)]).toEqual([[], []]);
  });

  it("matches nothing where there is none, and one of several is enough", () => {
    expect(nameMatcher([])("A")).toBe(false);
    expect(nameMatcher(["X", "A*"])("AB")).toBe(true);
  });
});

describe("what is withheld", () => {
  const of = (hostEnv: Record<string, string | undefined>, ...rest: Parameters<typeof settings>) =>
    withheldEnvironment({ hostEnv, settings: settings(...rest) });

  it.each([
    ["of twelve characters", "k".repeat(12), ["A_COPY", "OPENAI_API_KEY"]],
    ["of eleven characters", "k".repeat(11), ["OPENAI_API_KEY"]],
  ])("has the same key under another name where it is one %s", (_, value, names) => {
    const { env, withheld } = of({ OPENAI_API_KEY: value, A_COPY: value, B: "other", Z: undefined });
    expect(withheld.map(({ name }) => name)).toEqual(names);
    expect(env).toEqual(names.length === 2 ? { B: "other" } : { A_COPY: value, B: "other" });
  });

  it("has no copy of what was not a provider's, none that is allowed, and nothing empty", () => {
    const value = "postgres://me:pw@db/x";
    expect(of({ DB: value, COPY: value, OPENAI_API_KEY: "" }, "secrets").withheld).toEqual([
      { name: "COPY", reason: "value" },
      { name: "DB", reason: "value" },
    ]);
    const key = "k".repeat(12);
    expect(of({ OPENAI_API_KEY: key, COPY: key }, "provider", ["COPY"]).withheld).toEqual([
      { name: "OPENAI_API_KEY", reason: "provider" },
    ]);
    expect(of({ OPENAI_API_KEY: key, COPY: key }, "provider", ["OPENAI_API_KEY"]).withheld).toEqual([]);
  });

  it("has a reason each: whose it is, its name or its value", () => {
    const found = of(
      { OPENAI_API_KEY: "k", MY_TOKEN: "t", PLAIN: "sk-ant-0123456789", SAFE: "x", SECRET_BUT_EMPTY: "" },
      "secrets",
    );
    expect(found.withheld).toEqual([
      { name: "MY_TOKEN", reason: "name" },
      { name: "OPENAI_API_KEY", reason: "provider" },
      { name: "PLAIN", reason: "value" },
    ]);
    expect(found.env).toEqual({ SAFE: "x", SECRET_BUT_EMPTY: "" });
  });

  it("is beside what is stripped always, which is sorted and may be allowed", () => {
    const host = { PS1: "$", BASH_ENV: "/x", A: "1" };
    expect(of(host).stripped).toEqual(["BASH_ENV", "PS1"]);
    expect(of(host, "none", ["BASH_*"])).toEqual({
      env: { BASH_ENV: "/x", A: "1" },
      withheld: [],
      stripped: ["PS1"],
    });
  });
});

describe("the environment of a child", () => {
  const base = { hostEnv: { PATH: "/bin", PAGER: "less" }, settings: settings(), isExecutable: () => true };
  it("has the shell that commands run in, where that is given", () => {
    expect(childEnvironment({ ...base, shell: "/x/bash" }).env).toMatchObject({ SHELL: "/x/bash", PAGER: "cat" });
    expect(childEnvironment(base).env).not.toHaveProperty("SHELL");
  });

  it("of a pseudoterminal is a person's own or hardened, and the caller's variables win", () => {
    expect(ptyEnvironment({ ...base, ptyEnvironment: "user" })).toEqual({
      PATH: "/bin",
      PAGER: "less",
      TERM: "xterm-256color",
    });
    expect(ptyEnvironment({ ...base, ptyEnvironment: "hardened" }, { TERM: "vt100" })).toMatchObject({
      PAGER: "cat",
      TERM: "vt100",
    });
  });

  it("of a command may not steer its shell; the error names all that would", () => {
    const refused = (): void => checkCommandEnv({ ENV: "1", A: "2", PS4: "3" }, ["X"]);
    expect(refused).toThrow(InvalidEnvironmentError);
    expect(refused).toThrow("environment variable `ENV`, `PS4` steers the shell or the loader; remove it or allow it");
    expect(() => checkCommandEnv({ ENV: "1" }, ["E*"])).not.toThrow();
  });
});

describe("variables that keep programs from waiting", () => {
  const of = (hostEnv: Record<string, string>, more: Partial<Parameters<typeof nonInteractiveEnv>[0]> = {}) =>
    nonInteractiveEnv({ hostEnv, platform: "linux", isExecutable: () => false, ...more });

  it.each([
    ["where it usually is", "/opt/bin", ["/usr/bin/false", "/opt/bin/false"], "/usr/bin/false"],
    [
      "in the first folder of the path that has it",
      ["/a", "/b", "/c"].join(delimiter),
      ["/b/false", "/c/false"],
      "/b/false",
    ],
    ["by its name where there is none", "/a", [], "false"],
    ["by its name where it is in a relative folder", "a", [join("a", "false")], "false"],
  ])("refuse a question by `false` %s", (_, path, there, expected) => {
    const env = of({ PATH: path }, { isExecutable: (each) => there.includes(each) });
    for (const name of ["GIT_ASKPASS", "SSH_ASKPASS", "SUDO_ASKPASS"]) expect(env[name]).toBe(expected);
  });

  it("are without a path, too, and know this machine's own", () => {
    expect(of({})["GIT_ASKPASS"]).toBe("false");
    expect(nonInteractiveEnv({ hostEnv: { PATH: "/usr/bin:/bin" } })["GIT_ASKPASS"]).toMatch(/^\/.*\/false$/);
  });

  it("say that it is an automation, unless the host wants otherwise", () => {
    expect([of({})["CI"], of({ PI_BASH_NO_CI: "1" })["CI"], of({ PI_BASH_NO_CI: "" })["CI"]]).toEqual([
      "1",
      undefined,
      "1",
    ]);
  });

  it.each<[string, Record<string, string>, (string | undefined)[]]>([
    ["nothing", {}, ["utf-8", "1", "C.UTF-8", "C.UTF-8"]],
    ["Python's encoding", { PYTHONIOENCODING: "latin1" }, [undefined, undefined, "C.UTF-8", "C.UTF-8"]],
    ["Python's mode", { PYTHONUTF8: "0" }, [undefined, undefined, "C.UTF-8", "C.UTF-8"]],
    ["a language", { LANG: "de" }, ["utf-8", "1", undefined, undefined]],
    ["a locale", { LC_TIME: "de" }, ["utf-8", "1", undefined, undefined]],
    ["a name like those", { MY_LC_TIME: "de", LANGUAGE: "de" }, ["utf-8", "1", "C.UTF-8", "C.UTF-8"]],
  ])("choose UTF-8 on Windows alone where the host has chosen %s", (_, hostEnv, values) => {
    const names = ["PYTHONIOENCODING", "PYTHONUTF8", "LANG", "LC_ALL"];
    const env = of(hostEnv, { platform: "win32" });
    expect(names.map((name) => env[name])).toEqual(values);
    const elsewhere = of(hostEnv);
    expect(names.filter((name) => name in elsewhere)).toEqual([]);
  });
});

describe("names and values", () => {
  it.each([
    ["BASH_FUNC_ls%%", "x", true],
    ["MY_BASH_FUNC_", "x", false],
    ["__pi_x", "x", true],
    ["x__pi_", "x", false],
    ["GIT_DIR", "x", true],
    ["GIT_CONFIG_COUNT", "1", false],
    ["NODE_CHANNEL_FD", "3", true],
    ["LD_PRELOAD", "x", true],
    ["LD_LIBRARY_PATH", "x", false],
    ["NODE_OPTIONS", "--inspect=0", true],
    ["NODE_OPTIONS", "--max-old-space-size=1 --debug", true],
    ["NODE_OPTIONS", "--no-inspect", false],
    ["OTHER_OPTIONS", "--inspect", false],
  ])("%s=%s steers shells, loaders or git: %s", (name, value, is) => {
    expect(isControlVariable(name, value)).toBe(is);
  });

  it.each([
    ["BASH_FUNC_ls%%", true],
    ["__pi_x", true],
    ["LD_AUDIT", true],
    ["UID", true],
    ["PATH", false],
    ["GIT_DIR", false],
    ["xBASH_FUNC_", false],
  ])("%s may not be set by a caller: %s", (name, is) => {
    expect(isRefusedName(name)).toBe(is);
  });

  it.each([
    ["aws_region", false],
    ["AWS_PROFILE", false],
    ["AWS_ANYTHING", true],
    ["MONGODB_HOST", true],
    ["xAWS_ANYTHING", false],
    ["ssh_auth_sock", false],
    ["kubeconfig", true],
    ["MY_CONNECTION_STRING_1", true],
    ["A_dsn_B", true],
    ["PLAIN", false],
  ])("%s usually holds a secret: %s", (name, is) => {
    expect(isSecretName(name)).toBe(is);
  });

  it("of providers' keys begin with the provider and end like a key, in any case", () => {
    expect(["OPENAI_API_KEY", "openai_ORG_API_KEY", "co_api_key"].map(isProviderKeyName)).toEqual([true, true, true]);
    expect(
      ["OPENAI", "OPENAI_", "MY_OPENAI_API_KEY", "OPENAIX_API_KEY", "OPENAI_API_KEY_FILE"].map(isProviderKeyName),
    ).toEqual([false, false, false, false, false]);
  });

  it("are looked at from 8 characters up to 64 Ki", () => {
    const key = "sk-ant-0123456789";
    expect(isSecretValue("a://b:c@")).toBe(false);
    expect(isSecretValue("ab://c:d@")).toBe(true);
    expect(isSecretValue("ab://:@x")).toBe(false);
    expect(isSecretValue(`${key} ${"x".repeat(65_536 - key.length - 1)}`)).toBe(true);
    expect(isSecretValue(`${key} ${"x".repeat(65_536 - key.length)}`)).toBe(false);
  });
});
