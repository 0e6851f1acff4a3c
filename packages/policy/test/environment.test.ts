/** The variables of a call: what asks, what passes, and what rules say about them. */
import { describe, expect, it } from "vitest";
import { classify } from "../src/classify.ts";
import { decide, type PolicyRequest } from "../src/decide.ts";
import { isDangerousVariable } from "../src/environment.ts";
import { parseRule, type RuleSource } from "../src/rules/rule.ts";
import { loadRules, type RuleFile } from "../src/rules/rule-file.ts";

const PLACE = { cwd: "/proj", workspace: "/proj", home: "/home/me" };

function verdict(
  command: string,
  env: Readonly<Record<string, string>>,
  rules: RuleFile = {},
  more: Partial<PolicyRequest> = {},
  source: RuleSource = "user",
) {
  return decide({ command, env, ...PLACE, ...more }, { ruleSets: [loadRules(rules, source)] });
}
const behavior = (...given: Parameters<typeof verdict>) => verdict(...given).behavior;

/** Names that make some program run, load or obey something; most of them no table can know. */
const STEERING =
  "COMPILER_PATH GCC_EXEC_PREFIX LIBRARY_PATH CPATH AR AS CPP CFLAGS CONFIG_SITE CMAKE_TOOLCHAIN_FILE PKG_CONFIG_PATH MAKE JAVA_HOME MAVEN_OPTS GRADLE_OPTS GRADLE_USER_HOME SBT_OPTS ANT_OPTS GOPATH GOROOT GOPROXY RUSTC RUSTC_WRAPPER PYTEST_ADDOPTS PYTEST_PLUGINS VIRTUAL_ENV BUNDLE_PATH GEMRC RAKEOPT COMPOSER_HOME RSYNC_RSH SVN_SSH CVS_RSH HGRCPATH PSQLRC MYSQL_HOME WGETRC CURL_HOME NETRC GNUPGHOME OPENSSL_CONF VIMINIT EXINIT EMACSLOADPATH MANPATH ELECTRON_RUN_AS_NODE ESBUILD_BINARY_PATH COMPOSE_FILE SCREENRC INPUTRC ZDOTDIR QT_PLUGIN_PATH GTK_MODULES GIO_EXTRA_MODULES DEBUG TEST_COMMAND MY_TOOL_PLUGIN LOG_FILE KUBE_EDITOR TF_CLI_ARGS AWS_CONFIG_FILE PLAYWRIGHT_BROWSERS_PATH WEBPACK_CONFIG NVM_DIR VOLTA_HOME HELM_PLUGINS CHROME_BIN foo x Path A-B".split(
    " ",
  );

describe("a variable of a call", () => {
  it.each(STEERING)("asks unless it is known to be harmless: %s", (name) => {
    const env = { [name]: "/evil" };

    expect(behavior("ls", env)).toBe("ask");
    expect(behavior("gcc -c m.c", env, { allow: ["Bash(gcc **)"] })).toBe("ask");
    expect(behavior("ls", env, {}, { mode: "plan" })).toBe("deny");
    expect(behavior("ls", env, {}, { interactive: false })).toBe("deny");
    expect(verdict("ls", env).concurrencySafe).toBe(false);
  });

  it.each([
    ["LANG", "de_DE.UTF-8"],
    ["LANG", "C"],
    ["LANG", ""],
    ["LANGUAGE", "de:en"],
    ["LC_ALL", "C.UTF-8"],
    ["LC_TIME", "ca_ES.UTF-8@valencia"],
    ["TZ", "UTC"],
    ["TZ", "Europe/Berlin"],
    ["TZ", "America/Argentina/Buenos_Aires"],
    ["TZ", "Etc/GMT+1"],
    ["TERM", "dumb"],
    ["TERM", "xterm-256color"],
    ["COLORTERM", "truecolor"],
    ["COLUMNS", "80"],
    ["NO_COLOR", "1"],
    ["FORCE_COLOR", "3"],
    ["CLICOLOR_FORCE", "1"],
    ["CI", "true"],
    ["CI", "1"],
    ["DO_NOT_TRACK", "1"],
    ["GIT_TERMINAL_PROMPT", "0"],
    ["DEBIAN_FRONTEND", "noninteractive"],
    ["NODE_ENV", "test"],
    ["NODE_ENV", "production"],
    ["RUST_BACKTRACE", "1"],
    ["RUST_LOG", "debug,hyper=info,app::db=trace"],
    ["PYTHONUNBUFFERED", "1"],
    ["PYTHONDONTWRITEBYTECODE", "1"],
    ["PYTHONHASHSEED", "0"],
    ["SOURCE_DATE_EPOCH", "1700000000"],
    ["GIT_OPTIONAL_LOCKS", "0"],
    ["GIT_PAGER", "cat"],
    ["PAGER", "cat"],
  ])("passes with a plain value: %s=%s", (name, value) => {
    expect(behavior("ls", { [name]: value })).toBe("allow");
    expect(behavior("npm test", { [name]: value }, { allow: ["Bash(npm test)"] })).toBe("allow");
    expect(classify(`${name}=${value} ls`).class).toBe("readonly");
  });

  it.each([
    ["LANG", "../../x"],
    ["LANG", "/evil/C"],
    ["LC_ALL", "/evil/.."],
    ["LC_ALL", "C;x"],
    ["LANGUAGE", "../x"],
    ["TZ", ":/evil"],
    ["TZ", ":Europe/Berlin"],
    ["TZ", "/etc/shadow"],
    ["TZ", "../../x"],
    ["TZ", "Europe/../../x"],
    ["TERM", "../x"],
    ["TERM", "/evil/x"],
    ["TERM", "x..y"],
    ["COLUMNS", "x[$(touch y)]"],
    ["NO_COLOR", "$(x)"],
    ["CI", "/x"],
    ["CI", "a b"],
    ["NODE_ENV", "../../evil"],
    ["NODE_ENV", "evil"],
    ["DEBIAN_FRONTEND", "Evil"],
    ["RUST_LOG", "/x"],
    ["PYTHONHASHSEED", "x"],
    ["GIT_PAGER", "cat x"],
    ["PAGER", "./cat"],
    ["GIT_OPTIONAL_LOCKS", "1"],
  ])("asks with another value: %s=%s", (name, value) => {
    expect(behavior("ls", { [name]: value })).toBe("ask");
    expect(classify(`${name}='${value}' ls`).class).not.toBe("readonly");
  });

  it("asks in mode yolo only where the name is known to be dangerous", () => {
    for (const mode of ["yolo", "auto"] as const) {
      const more = { mode, sandboxed: true };

      expect(behavior("make", { FEATURE_X: "1" }, {}, more)).toBe("allow");
      for (const name of ["LD_PRELOAD", "PATH", "GIT_SSH_COMMAND", "NODE_OPTIONS", "COMPILER_PATH", "JAVA_HOME"]) {
        expect(behavior("make", { [name]: "x" }, {}, more), name).toBe("ask");
      }
    }
  });

  it("says which, and which rule would allow it", () => {
    const asked = verdict("ls", { FEATURE_X: "1", LANG: "C" });

    expect(asked.reasons).toMatchObject([
      { code: "unknown-variable", message: expect.stringContaining("`FEATURE_X`") },
    ]);
    expect(asked.suggestedRules).toEqual(["Env(FEATURE_X)"]);
    expect(verdict("ls", { "A-B": "1" }).suggestedRules).toEqual([]);
  });

  it("is dangerous by name, whatever is allowed around it", () => {
    expect(behavior("ls", { PATH: "." }, { allow: ["Bash"] })).toBe("ask");
    expect(behavior("ls", { FEATURE_X: "." }, { allow: ["Bash"] })).toBe("allow");
    expect(["COMPILER_PATH", "CCACHE_PREFIX", "GTK_PATH"].every(isDangerousVariable)).toBe(true);
  });
});

describe("a rule about variables", () => {
  it.each([
    ["Env(FEATURE_X)", "FEATURE_X", true],
    ["Env(FEATURE_*)", "FEATURE_X", true],
    ["Env(FEATURE_*)", "FEATURE_", true],
    [" Env( FEATURE_X ) ", "FEATURE_X", true],
    ["Env(NODE_OPTIONS)", "NODE_OPTIONS", true],
    ["Env(FEATURE_X)", "FEATURE_XY", false],
    ["Env(FEATURE_X)", "feature_x", false],
    ["Env(FEATURE_*)", "FEATUREX", false],
    ["Env(FEATURE_*)", "XFEATURE_Y", false],
    ["Env(NODE_*)", "NODE_OPTIONS", false],
    ["Env(L*)", "LD_PRELOAD", false],
    ["Bash(ls)", "FEATURE_X", false],
  ])("allow %s: covers %s: %s", (rule, name, allowed) => {
    expect(behavior("ls", { [name]: "1" }, { allow: [rule] })).toBe(allowed ? "allow" : "ask");
  });

  it.each([
    ["ls", { AWS_PROFILE: "x" }],
    ["AWS_PROFILE=x ls", {}],
    ["export AWS_PROFILE=x", {}],
    ["AWS_PROFILE=x", {}],
    ["env AWS_PROFILE=x ls", {}],
    ["declare -x AWS_PROFILE=x", {}],
    ["printf -v AWS_PROFILE x", {}],
    ["for AWS_PROFILE in x; do :; done", {}],
    ["bash -c 'AWS_PROFILE=x ls'", {}],
    ["read AWS_PROFILE < f", {}],
  ])("deny Env(AWS_*) forbids %s", (command, env) => {
    expect(behavior(command, env, { allow: ["Bash"], deny: ["Env(AWS_*)"] }, { mode: "yolo" })).toBe("deny");
    expect(behavior(command, env, { allow: ["Bash"], ask: ["Env(AWS_PROFILE)"] }, { mode: "yolo" })).toBe("ask");
    expect(behavior(command, env, { allow: ["Bash"], deny: ["Env(GCP_*)"] }, { mode: "yolo" })).toBe("allow");
  });

  it("of a project counts only once the folder is trusted", () => {
    const rules = { allow: ["Env(FEATURE_X)"] };

    expect(behavior("ls", { FEATURE_X: "1" }, rules, {}, "project")).toBe("ask");
    expect(behavior("ls", { FEATURE_X: "1" }, rules, { trusted: true }, "project")).toBe("allow");
    expect(behavior("ls", { FEATURE_X: "1" }, { deny: ["Env(FEATURE_X)"] }, {}, "project")).toBe("deny");
  });

  it("covers no command", () => {
    expect(behavior("make", {}, { allow: ["Env(make)"] })).toBe("ask");
    expect(behavior("make", { FEATURE_X: "1" }, { allow: ["Env(FEATURE_X)"] })).toBe("ask");
  });

  it.each(["Env", "Env()", "Env(*)", "Env(A B)", "Env(A=1)", "Env(*_X)", "Env(1A)", "Env(A*B)"])(
    "is none: %s",
    (text) => {
      expect(parseRule(text, "allow", "user")).toMatchObject({ ok: false, problem: expect.stringContaining("Env(") });
    },
  );

  it("has examples that are names", () => {
    const good = loadRules({ allow: [{ rule: "Env(CI_*)", match: ["CI_JOB"], notMatch: ["CIX"] }] }, "user");
    const bad = loadRules({ allow: [{ rule: "Env(CI_*)", match: ["CIX"] }] }, "user");

    expect(good.problems).toEqual([]);
    expect(bad.problems).toEqual(["`Env(CI_*)` does not match `CIX`"]);
  });
});
