/**
 * Installs what is published as its users do, by each package manager into an empty folder, and uses it: a command, a
 * session of several, a place, and an agent author's program.
 *
 * The registry is npm's, or the one that `npm_config_registry` names. The managers come from it as well, into
 * `build/managers/`.
 */
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isPublished, releaseNames, versionOf } from "./registry.mjs";
import { runNpm, runStep } from "./run-step.mjs";
import { ownTarget, packageOf } from "./targets.mjs";

/** How long a registry may take to show what was published a moment ago. */
const APPEARANCE_LIMIT_MS = 600_000;
const PAUSE_MS = 5_000;

const BUN_CPU = { x64: "x64", arm64: "aarch64" };
const MANAGERS = [
  "pnpm@10.34.9",
  "@yarnpkg/cli-dist@4.18.1",
  `@oven/bun-${process.platform}-${BUN_CPU[process.arch]}@1.4.5`,
];

const registry = process.env.npm_config_registry ?? "https://registry.npmjs.org/";

/**
 * How each manager is given the registry, adds packages, starts a package's command and a program. Several refuse
 * versions of the last day unless an option says not to.
 */
function managersIn(folder) {
  const modules = join(folder, "node_modules");
  const pnpm = [process.execPath, join(modules, "pnpm", "bin", "pnpm.cjs")];
  const yarn = [process.execPath, join(modules, "@yarnpkg", "cli-dist", "bin", "yarn.js")];
  const bun = [join(modules, MANAGERS[2].replace(/@[^@]*$/, ""), "bin", "bun")];
  const npmrc = `registry=${registry}\n`;
  const yarnrc = (linker) =>
    `npmRegistryServer: "${registry}"\nunsafeHttpWhitelist: ["127.0.0.1"]\nenableTelemetry: false\n` +
    `npmMinimalAgeGate: 0\nnodeLinker: ${linker}\nenableGlobalCache: false\n`;
  return [
    {
      name: "npm",
      files: { ".npmrc": npmrc },
      add: (project, words) => runNpm(["install", ...words], project),
      exec: (project, words) => runNpm(["exec", "--offline", "--", ...words], project),
      node: [process.execPath],
    },
    {
      name: "pnpm",
      files: { ".npmrc": npmrc, "pnpm-workspace.yaml": "minimumReleaseAge: 0\n" },
      add: (project, words) => runStep(pnpm[0], [pnpm[1], "add", "--workspace-root", ...words], project),
      exec: (project, words) => runStep(pnpm[0], [pnpm[1], "exec", ...words], project),
      node: [process.execPath],
    },
    ...["pnp", "node-modules"].map((linker) => ({
      name: `yarn (${linker})`,
      files: { ".yarnrc.yml": yarnrc(linker), "yarn.lock": "" },
      add: (project, words) => runStep(yarn[0], [yarn[1], "add", ...words], project),
      exec: (project, words) => runStep(yarn[0], [yarn[1], "run", ...words], project),
      node: [...yarn, "node"],
    })),
    {
      name: "bun",
      files: { "bunfig.toml": `[install]\nregistry = "${registry}"\nminimumReleaseAge = 0\n` },
      add: (project, words) => runStep(bun[0], ["add", ...words], project),
      exec: (project, words) => runStep(bun[0], ["run", ...words], project),
      node: bun,
    },
  ];
}

function installManagers(root) {
  const folder = join(root, "build", "managers");
  if (existsSync(join(folder, "node_modules", "pnpm"))) return folder;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{"private":true}\n');
  runNpm(["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", ...MANAGERS], folder);
  return folder;
}

async function waitUntilShown(root, version) {
  const deadline = Date.now() + APPEARANCE_LIMIT_MS;
  for (let names = releaseNames(root); names.length > 0; ) {
    names = names.filter((name) => !isPublished(root, name, version));
    if (names.length > 0 && Date.now() > deadline) throw new Error(`the registry does not show ${names.join(", ")}`);
    if (names.length > 0) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

function requireText(what, printed, expected) {
  if (!expected.test(printed)) throw new Error(`${what} printed:\n${printed}`);
}

/** Installs by one manager and uses what came. */
function tryManager(manager, version) {
  const project = mkdtempSync(join(tmpdir(), "pi-bash-published-"));
  try {
    for (const [file, text] of Object.entries(manager.files)) writeFileSync(join(project, file), text);
    writeFileSync(join(project, "package.json"), '{"name":"empty","version":"1.0.0","private":true,"type":"module"}\n');
    manager.add(
      project,
      ["cli", "executor", "tool"].map((name) => `@pi-bash/${name}@${version}`),
    );
    requireText("a command", manager.exec(project, ["pi-bash", "run", "echo $((6 * 7))"]), /^42$/m);
    const session = ["pi-bash", "run", "--session", "n=20", "cd /", "echo $((n + 1)) $PWD"];
    requireText("a session", manager.exec(project, session), /^21 \/$/m);
    const doctor = manager.exec(project, ["pi-bash", "doctor"]);
    requireText("the doctor", doctor, new RegExp(packageOf(ownTarget()).slice(1)));
    if (process.platform === "linux") requireText("the doctor", doctor, /^ok +bash driver .*bash-driver.*\.so$/m);
    if (process.platform === "linux") {
      const onPlace = ["--on", "command:env"];
      requireText("a place", manager.exec(project, ["pi-bash", "run", ...onPlace, "echo $((6 * 7))"]), /^42$/m);
      requireText("its doctor", manager.exec(project, ["pi-bash", "doctor", ...onPlace]), /^ok +pi-host /m);
    }
    copyFileSync(fileURLToPath(new URL("embed.mjs", import.meta.url)), join(project, "embed.mjs"));
    runStep(manager.node[0], [...manager.node.slice(1), "embed.mjs"], project);
    console.log(`installed by ${manager.name}: a command, a session, a place, the doctor and an embedded tool`);
  } finally {
    rmSync(project, { recursive: true, force: true });
  }
}

/** Tries all managers with the version of the checkout; prints a line for each. */
export async function verifyPublished(root) {
  const version = versionOf(root);
  await waitUntilShown(root, version);
  for (const manager of managersIn(installManagers(root))) tryManager(manager, version);
}
