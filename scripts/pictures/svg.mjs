/**
 * Rows of a terminal as an SVG: what `@pi-bash/renderer` wrote, with its colours, and nothing that it did not write.
 *
 * Knows the sequences that the renderer's rows can have (colours and links) and throws for any other, so that no picture
 * is quietly wrong.
 */
import { displayWidth } from "@pi-bash/renderer/internal";

/** Size of a cell and of the border, in pixels. */
const CELL = { width: 8, height: 18 };
const BORDER = 12;
const FONT_SIZE = 13;

/** What a terminal of each kind shows: its ground, its ink, SGR 30 to 37. */
export const PALETTES = {
  dark: {
    ground: "#0d1117",
    ink: "#e6edf3",
    colours: ["#6e7681", "#ff7b72", "#56d364", "#e3b341", "#79c0ff", "#d2a8ff", "#76e3ea", "#e6edf3"],
  },
  light: {
    ground: "#ffffff",
    ink: "#1f2328",
    colours: ["#24292f", "#cf222e", "#116329", "#7d4e00", "#0550ae", "#8250df", "#1b7c83", "#6e7781"],
  },
};

const ESC = "\x1b";
const SEQUENCE = new RegExp(`${ESC}\\[([0-9;]*)m|${ESC}\\]8;;[^${ESC}]*${ESC}\\\\`, "g");

/** The picture of some rows, `columns` wide. */
export function svgOf(rows, { columns, title, palette }) {
  const width = columns * CELL.width + 2 * BORDER;
  const height = rows.length * CELL.height + 2 * BORDER;
  const texts = rows.flatMap((row, at) => textsOf(row, BORDER + (at + 1) * CELL.height - 5, palette));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${width}" height="${height}" rx="6" fill="${palette.ground}"/>`,
    `<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,monospace" font-size="${FONT_SIZE}" fill="${palette.ink}">`,
    ...texts,
    "</g>",
    "</svg>",
    "",
  ].join("\n");
}

/** One element for each run; each says how wide it is, since fonts do not agree. */
function textsOf(row, y, palette) {
  const texts = [];
  let column = 0;
  for (const { text: run, style } of runsOf(row)) {
    const isInverse = style.includes("7");
    // Blanks at the ends are the ground.
    const text = isInverse ? run : run.trim();
    const columns = displayWidth(text);
    if (text !== "") {
      const x = BORDER + (column + (isInverse ? 0 : run.length - run.trimStart().length)) * CELL.width;
      const look = lookOf(style, palette);
      if (look.ground !== undefined) {
        const size = `width="${columns * CELL.width}" height="${CELL.height}"`;
        texts.push(`<rect x="${x}" y="${y - CELL.height + 5}" ${size} fill="${look.ground}"/>`);
      }
      const length = `textLength="${columns * CELL.width}" lengthAdjust="spacingAndGlyphs"`;
      texts.push(`<text x="${x}" y="${y}" ${length}${look.attributes}>${escaped(text)}</text>`);
    }
    column += displayWidth(run);
  }
  return texts;
}

function runsOf(row) {
  const runs = [];
  let style = "";
  let from = 0;
  for (const match of row.matchAll(SEQUENCE)) {
    if (match.index > from) runs.push({ text: row.slice(from, match.index), style });
    from = match.index + match[0].length;
    if (match[1] !== undefined) style = match[1] === "0" ? "" : match[1];
  }
  if (from < row.length) runs.push({ text: row.slice(from), style });
  const strange = runs.find(({ text }) => /\p{Cc}/u.test(text));
  if (strange !== undefined) throw new Error(`a row has a sequence that is no colour: ${JSON.stringify(strange.text)}`);
  return runs;
}

function lookOf(style, palette) {
  const attributes = [];
  let ground;
  for (const parameter of style === "" ? [] : style.split(";").map(Number)) {
    if (parameter === 1) attributes.push('font-weight="bold"');
    else if (parameter === 2) attributes.push('opacity=".6"');
    else if (parameter === 3) attributes.push('font-style="italic"');
    else if (parameter === 7) ground = palette.ink;
    else if (parameter >= 30 && parameter <= 37) attributes.push(`fill="${palette.colours[parameter - 30]}"`);
    else throw new Error(`no picture knows the colour ${parameter}`);
  }
  if (ground !== undefined) attributes.push(`fill="${palette.ground}"`);
  return { ground, attributes: attributes.map((attribute) => ` ${attribute}`).join("") };
}

function escaped(text) {
  // Whoever draws an SVG takes several blanks for one, but not these.
  return text.replaceAll("  ", " \u00a0").replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
