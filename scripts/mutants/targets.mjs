/**
 * What `npm run mutants` changes, by which tool, and how many changes may go unnoticed.
 *
 * `survivors` is the floor: the largest share of judged mutants that no test may notice. Lower it when a soak of 300
 * shows that it can be lower; never raise it.
 */

/**
 * @typedef {object} Target
 * @property {string} name crate, or package without its scope
 * @property {"cargo-mutants" | "stryker"} tool
 * @property {string} folder
 * @property {string[]} [crates] what is changed, where that is more than the crate of that name
 * @property {number} survivors the floor
 * @property {string[]} [alsoTestedBy] folders whose tests judge it too, for what only its users can show
 * @property {string[]} [firstTestedBy] its tests that notice most mutants, to run before the others
 * @property {string[]} [notTestedBy] its tests that do not judge: one that takes half a minute, for each mutant that it covers
 */

/** @type {readonly Target[]} */
export const TARGETS = [
  {
    name: "pi-shell",
    tool: "cargo-mutants",
    folder: "crates/pi-shell",
    // What it stands on: the tests of its sessions judge that, too.
    crates: ["pi-shell", "pi-process", "pi-mask", "pi-output", "pi-sandbox"],
    survivors: 0.1,
  },
  { name: "pi-supervisor", tool: "cargo-mutants", folder: "crates/pi-supervisor", survivors: 0.1 },
  {
    name: "policy",
    tool: "stryker",
    folder: "packages/policy",
    survivors: 0.1,
    firstTestedBy: ["packages/policy/test/recorded.test.ts"],
    notTestedBy: ["packages/policy/test/differential/**"],
  },
  { name: "executor", tool: "stryker", folder: "packages/executor", survivors: 0.1, alsoTestedBy: ["packages/tool"] },
  { name: "tool", tool: "stryker", folder: "packages/tool", survivors: 0.1 },
];

/** @param {string} name as in `TARGETS`, or the folder's path */
export function targetOf(name) {
  const target = TARGETS.find((one) => one.name === name || one.folder === name);
  if (target !== undefined) return target;
  throw new Error(`\`${name}\` is not a target; choose from ${TARGETS.map((one) => one.name).join(", ")}`);
}
