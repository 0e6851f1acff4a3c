/** Text for a terminal of 80 columns, which is what a page of help is written for. */
const COLUMNS = 80;

/** The words in lines that end before the last column; every line but the first begins with `indent` blanks. */
export function wrapped(text: string, indent: number): string {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last === undefined || indent + last.length + 1 + word.length > COLUMNS) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines.join(`\n${" ".repeat(indent)}`);
}
