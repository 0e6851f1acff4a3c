/**
 * Package managers in a sandbox whose network has rules: each installs from a registry on loopback that a rule names, and
 * is refused at one that none names, by name. npm has its test in `network.test.ts`.
 */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { capabilities } from "@pi-bash/natives";
import { describe, expect, it, type TestContext } from "vitest";
import { openNetworkSandbox, visibleFolder } from "../../support/network-sandbox.ts";
import { GO_MODULE, startPackageRegistry } from "../../support/package-registries.ts";
import { PACKAGE, type Registry, startRegistry } from "../../support/registry.ts";

/** Time for a proof of a sandbox and two installations. */
const SLOW_MS = 90_000;

/** One manager. */
interface Manager {
  readonly name: string;
  /** Succeeds where it is installed; else the test is skipped. */
  readonly probe: string;
  readonly start: () => Promise<Registry>;
  /** Installs the package in the working directory, says so, and leaves its caches in `TMPDIR`. */
  readonly install: (url: string) => string;
  /** What is printed where it was installed. */
  readonly installed: RegExp;
  /** A name of this machine in place of the address, for who never asks a proxy for an address of loopback. */
  readonly host?: string;
  /** Files of the project. */
  readonly files?: Readonly<Record<string, string>>;
}

const NODE_PROJECT = { "package.json": '{ "name": "x", "version": "1.0.0", "private": true }\n' };
const PRINT = `node -p 'require("${PACKAGE}")'`;

const MANAGERS: readonly Manager[] = [
  {
    name: "pip",
    probe: "python3 -m pip --version",
    start: () => startPackageRegistry("pip"),
    install: (url) =>
      `python3 -m pip install -q --retries 0 --no-cache-dir --disable-pip-version-check --root-user-action ignore --target . --index-url ${url}simple/ pi-bash-real; python3 -c 'import pi_bash_real; print(pi_bash_real.value)'`,
    installed: /^real$/m,
  },
  {
    name: "uv",
    probe: "uv --version && python3 --version",
    start: () => startPackageRegistry("pip"),
    install: (url) =>
      `UV_HTTP_RETRIES=0 uv pip install -q --no-cache --python "$(command -v python3)" --target . --index-url ${url}simple/ pi-bash-real; python3 -c 'import pi_bash_real; print(pi_bash_real.value)'`,
    installed: /^real$/m,
  },
  {
    name: "cargo",
    probe: "cargo --version",
    start: () => startPackageRegistry("cargo"),
    install: (url) =>
      `export CARGO_HOME="$TMPDIR/cargo" CARGO_NET_RETRY=0 CARGO_REGISTRIES_OURS_INDEX=sparse+${url}; cargo fetch -q && cargo tree --offline`,
    installed: /pi-bash-real v1\.2\.3/,
    files: {
      "Cargo.toml":
        '[package]\nname = "x"\nversion = "1.0.0"\nedition = "2021"\n[dependencies]\npi-bash-real = { version = "1", registry = "ours" }\n',
      "src/lib.rs": "",
    },
  },
  {
    name: "go, by a name",
    // The machine's own name is one without a lookup on most; Go finds no proxy for `localhost`.
    probe: `go version && python3 --version && getent ahostsv4 ${hostname()} | grep -q '^127.0.0.1 '`,
    start: () => startPackageRegistry("go"),
    install: (url) =>
      `export GOPATH="$TMPDIR/go" GOCACHE="$TMPDIR/cache" GOFLAGS=-modcacherw GONOSUMDB='*' GOTOOLCHAIN=local GOPROXY=${url}; go get ${GO_MODULE} && go list -m all`,
    installed: /^example\.org\/real v1\.2\.3$/m,
    host: hostname(),
    files: { "go.mod": "module x\n\ngo 1.18\n" },
  },
  {
    name: "pnpm",
    probe: "pnpm --version",
    start: startRegistry,
    install: (url) =>
      `pnpm add --store-dir "$TMPDIR/store" --config.cache-dir="$TMPDIR/cache" --config.fetch-retries=0 --registry ${url} ${PACKAGE} && ${PRINT}`,
    installed: /^real$/m,
    files: NODE_PROJECT,
  },
  {
    name: "yarn 1",
    probe: "yarn --version | grep -q ^1",
    start: startRegistry,
    install: (url) =>
      `yarn add --no-progress --network-timeout 5000 --cache-folder "$TMPDIR/yarn" --registry ${url} ${PACKAGE} && ${PRINT}`,
    installed: /^real$/m,
    files: NODE_PROJECT,
  },
  {
    name: "yarn since 2",
    probe: "yarn --version | grep -q '^[2-9]'",
    start: startRegistry,
    install: (url) =>
      `export YARN_ENABLE_TELEMETRY=0 YARN_GLOBAL_FOLDER="$TMPDIR/yarn" YARN_HTTP_RETRY=0 YARN_NPM_MINIMAL_AGE_GATE=0 YARN_NODE_LINKER=node-modules YARN_NPM_REGISTRY_SERVER=${url} YARN_UNSAFE_HTTP_WHITELIST=127.0.0.1; touch yarn.lock; yarn add ${PACKAGE} && ${PRINT}`,
    installed: /^real$/m,
    files: NODE_PROJECT,
  },
];

// Elsewhere than in this project, whose own manager it names.
const isInstalled = (probe: string) => spawnSync("sh", ["-c", probe], { cwd: "/" }).status === 0;

/** A name that stands for an address of loopback needs that address, too. */
function rulesOf(host: string, port: number): string[] {
  return [...new Set([host, "127.0.0.1"])].map((each) => `${each}:${port}`);
}

describe.each(["bubblewrap", "landlock"] as const)("in %s", (backend) => {
  const isHere = capabilities().sandbox.includes(backend);

  for (const { name, probe, start, install, installed, host = "127.0.0.1", files = {} } of MANAGERS) {
    const works = isInstalled(probe);
    const reason = works ? "" : " (skipped: it is not installed, or this machine has no name on loopback)";
    const title = `${name} installs from a registry that is allowed, and is refused at another one${reason}`;
    it(title, { skip: !isHere || !works, timeout: SLOW_MS }, async (test: TestContext) => {
      const [allowed, other] = [await start(), await start()];
      const cwd = visibleFolder();
      const executor = await openNetworkSandbox(test, backend, { allow: rulesOf(host, allowed.port) }, cwd);
      const project = async (folder: string): Promise<void> => {
        await executor.executeBash(`mkdir -p ${folder}/src`);
        for (const [path, text] of Object.entries(files)) writeFileSync(join(cwd, folder, path), text);
      };
      await project("first");
      await project("second");

      const made = await executor.executeBash(`cd first && ${install(`http://${host}:${allowed.port}/`)}`);
      const refused = await executor.executeBash(`cd ../second && ${install(`http://${host}:${other.port}/`)}`);

      expect(made.output).toMatch(installed);
      expect(made.sandbox).not.toHaveProperty("refusals");
      expect(allowed.asked.length).toBeGreaterThan(1);
      expect(refused.exitCode).not.toBe(0);
      const target = `${host}:${other.port}`;
      expect(refused.sandbox?.refusals).toContainEqual(
        expect.objectContaining({ kind: "network", target, rule: target }),
      );
      expect(other.asked).toEqual([]);
    });
  }
});
