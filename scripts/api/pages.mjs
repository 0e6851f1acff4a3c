/**
 * The pages of the API reference: one for each package, a list of all names first.
 *
 * They are the snapshot of the public surface too: `test/checks/api.test.ts` compares them with what the sources say.
 */
import { docMarkdown, firstSentence } from "./doc-comment.mjs";
import { isInternal } from "./entries.mjs";

const KINDS = [
  ["function", "Functions"],
  ["class", "Classes"],
  ["schema", "Schemas"],
  ["constant", "Constants"],
  ["type", "Types"],
];

/** @returns {Map<string, string>} file names in `docs/api` with their contents */
export function apiPages(surface) {
  const pages = new Map([["README.md", overview(surface)]]);
  for (const found of surface) pages.set(`${found.folder}.md`, packagePage(found));
  return pages.set("migration.md", migration(surface));
}

/** Where the names are that were in the main entry of a package once: none was renamed. */
function migration(surface) {
  const parts = surface.flatMap(({ name, entries }) =>
    entries.filter(isInternal).flatMap((internal) => {
      const rows = internal.exports.map((exported) => line(exported, ""));
      return [`## \`${name}\` → \`${internal.name}\``, rows.join("\n")];
    }),
  );
  const head = [
    "# Names that moved",
    "Written by `npm run api`. The main entry of a package has what hosts use. What only packages of pi-bash share is in its" +
      " entry `internal`, and in entries below that, and may change in any version. Each name below was in the main entry, or in" +
      " one of that name without `internal`, and kept its name: import it from the other entry, or better, tell us what you need" +
      " it for.",
  ];
  return `${[...head, ...parts].join("\n\n")}\n`;
}

function overview(surface) {
  const rows = surface.map(
    ({ name, folder, description, entries }) =>
      `| [${name}](${folder}.md) | ${description} | ${entries.reduce((sum, entry) => sum + (isInternal(entry) ? 0 : entry.exports.length), 0)} |`,
  );
  return [
    "# API reference",
    "",
    "Written by `npm run api` of the sources and their comments; a check compares it with them, so that the public",
    "surface changes only on purpose. What a model is given are the [JSON Schemas](schemas.json) of the tools.",
    "Names that are not for hosts are in entries called `internal` and not counted here: [names that moved](migration.md).",
    "",
    "| package | what it is | names |",
    "|---|---|---|",
    ...rows,
    "",
  ].join("\n");
}

function packagePage({ name, folder, description, entries }) {
  const parts = [`# ${name}`, `${description}. Written by \`npm run api\`; [all packages](README.md).`];
  for (const entry of entries) {
    const several = entries.length > 1;
    if (several) parts.push(`## ${entry.name}`);
    parts.push(contents(entry, folder));
    parts.push(...entry.exports.filter((exported) => exported.folder === folder).map(section));
  }
  return `${parts.join("\n\n")}\n`;
}

function contents({ exports }, folder) {
  const lists = KINDS.map(([kind, title]) => {
    const rows = exports.filter((exported) => exported.kind === kind).map((exported) => line(exported, folder));
    return rows.length === 0 ? "" : `**${title}**\n\n${rows.join("\n")}`;
  });
  return lists.filter((list) => list !== "").join("\n\n");
}

function line({ name, folder, doc }, here) {
  const address = folder === here ? `#${name.toLowerCase()}` : `${folder}.md#${name.toLowerCase()}`;
  const sentence = firstSentence(doc);
  return `- [\`${name}\`](${address})${sentence === "" ? "" : ` ${sentence}`}`;
}

function section({ name, doc, text, source }) {
  const words = docMarkdown(doc);
  return [`### ${name}`, words, `\`\`\`ts\n${text}\n\`\`\``, `[${source}](../../${source})`]
    .filter((part) => part !== "")
    .join("\n\n");
}
