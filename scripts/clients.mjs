/**
 * `npm run clients`: real clients against the engine as it is built here, with a script on loopback for a model.
 *
 * Clients come from their registries into a folder outside of the checkout; nothing else leaves this machine. A run of all of
 * them writes the table of docs/clients.md, which says what is tried and what each column means.
 *
 *   node scripts/clients.mjs                       all clients
 *   node scripts/clients.mjs --client codex        one; may be given several times
 *   node scripts/clients.mjs --list                their names and versions
 *   node scripts/clients.mjs --keep                keeps the folders of the rounds: what was asked, answered and printed
 */
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { DRIVERS } from "./clients/drivers/all.mjs";
import { CACHE, installClient, installClientNode } from "./clients/install.mjs";
import { makePlace, ROOT } from "./clients/place.mjs";
import { playRounds } from "./clients/rounds.mjs";
import { isGood, plainTable, writePage } from "./clients/table.mjs";
import { VERSIONS } from "./clients/versions.mjs";

const { values: options } = parseArgs({
  options: {
    client: { type: "string", multiple: true, default: [] },
    list: { type: "boolean", default: false },
    keep: { type: "boolean", default: false },
  },
});

const unknown = options.client.find((name) => !(name in VERSIONS));
if (unknown !== undefined) throw new Error(`no client \`${unknown}\`; there are ${Object.keys(VERSIONS).join(", ")}`);
if (process.platform !== "linux" || process.arch !== "x64") throw new Error("clients are installed for Linux x64 only");

/** @returns {Promise<{ driver: object, cells?: Map<string, object>, missing?: string }>} `missing` says why it was not tried */
async function tryClient(driver, bin) {
  const parent = join(CACHE, "rounds", driver.id);
  rmSync(parent, { recursive: true, force: true });
  console.log(`${VERSIONS[driver.id].title} …`);
  let folder;
  try {
    folder = installClient(driver.id);
  } catch (error) {
    return { driver, missing: error.message.split("\n").slice(0, 3).join(" ") };
  }
  const makeRound = (round) => {
    const path = join(parent, round);
    mkdirSync(path, { recursive: true });
    return makePlace(bin, path);
  };
  const cells = await playRounds(driver, { folder, bin, makePlace: makeRound });
  if (options.keep) console.log(`  kept in ${parent}`);
  else rmSync(parent, { recursive: true, force: true, maxRetries: 3 });
  return { driver, cells };
}

if (options.list) {
  for (const [id, { packages }] of Object.entries(VERSIONS)) console.log(`${id.padEnd(14)} ${packages.join(" ")}`);
} else {
  const bin = installClientNode();
  const rows = [];
  for (const driver of DRIVERS) {
    if (options.client.length > 0 && !options.client.includes(driver.id)) continue;
    rows.push(await tryClient(driver, bin));
  }
  console.log(`\n${plainTable(rows)}`);
  // A page with some of the clients would say that the others were not tried.
  if (options.client.length === 0) writePage(ROOT, rows);
  process.exitCode = rows.every(isGood) ? 0 : 1;
}
