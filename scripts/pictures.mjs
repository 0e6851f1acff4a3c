/**
 * The pictures in `docs/images`, and in `light` those of a light terminal: each state of a call, tasks, a person's command and the console, as the renderer draws
 * real commands.
 *
 *   node scripts/pictures.mjs           writes them
 *   node scripts/pictures.mjs --check   says which of them are not what the renderer draws now; status 1 then
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { COLUMNS, playScenes } from "./pictures/scenes.mjs";
import { PALETTES, svgOf } from "./pictures/svg.mjs";

const folder = fileURLToPath(new URL("../docs/images/", import.meta.url));
const place = realpathSync(mkdtempSync(join(tmpdir(), "pi-bash-pictures-")));
mkdirSync(join(place, "packages"));
writeFileSync(join(place, "package.json"), "{}\n");

/** Name of each file and what is to be in it. */
async function pictures() {
  try {
    const scenes = await playScenes(place);
    return new Map(
      Object.entries(PALETTES).flatMap(([kind, palette]) =>
        scenes.map(({ name, title, rows }) => [
          kind === "dark" ? `${name}.svg` : join(kind, `${name}.svg`),
          svgOf(rows, { columns: COLUMNS, title, palette }),
        ]),
      ),
    );
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

function isCurrent(name, text) {
  try {
    return readFileSync(join(folder, name), "utf8") === text;
  } catch (error) {
    if (error.code === "ENOENT") return false;
    throw error;
  }
}

const made = await pictures();
if (process.argv.includes("--check")) {
  const stale = [...made].filter(([name, text]) => !isCurrent(name, text)).map(([name]) => name);
  const there = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".svg"));
  const foreign = there.filter((name) => !made.has(name));
  for (const name of stale) console.log(`docs/images/${name} is not what is drawn now`);
  for (const name of foreign) console.log(`docs/images/${name} is none of the pictures`);
  if (stale.length + foreign.length > 0) console.log("write them again: node scripts/pictures.mjs");
  process.exitCode = stale.length + foreign.length > 0 ? 1 : 0;
} else {
  mkdirSync(join(folder, "light"), { recursive: true });
  for (const [name, text] of made) writeFileSync(join(folder, name), text);
  console.log(`${made.size} pictures, ${[...made.values()].reduce((sum, text) => sum + text.length, 0)} characters`);
}
