/**
 * What the formats of models have in common: a reply of the script, and results as plain text. How each format writes
 * and reads them is in the files beside this one.
 *
 * @typedef {object} Call one call of a tool
 * @property {string} id
 * @property {string} name as the client has declared it
 * @property {string} [namespace] in the Responses format, the group in which the client has declared it
 * @property {object} input
 *
 * @typedef {object} Reply what the model says next: calls, or last words
 * @property {Call[]} calls
 * @property {string} text empty where there are calls
 *
 * @typedef {object} Declared a tool that the request offers
 * @property {string} name
 * @property {string} [namespace]
 *
 * @typedef {object} Asked what a request has in it, whatever its format
 * @property {Declared[]} tools
 * @property {{ id: string | undefined, text: string }[]} results of all calls so far, in order
 * @property {boolean} isStream
 *
 * @typedef {object} Wire one format
 * @property {(path: string) => boolean} serves whether a request with this path is of the format
 * @property {(body: object, path: string) => Asked} read
 * @property {(reply: Reply, body: object) => string} whole the answer to a request that wants no stream, as JSON
 * @property {(reply: Reply, body: object) => string[]} stream the frames of a stream
 */

/** What a model is given for a result: a string, or a list of parts with a text each. Parts of other kinds are shown. */
export function textOf(content) {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return JSON.stringify(content ?? null);
  return content.map((part) => (typeof part.text === "string" ? part.text : JSON.stringify(part))).join("\n");
}

/** One event of a stream; formats without names for events leave `event` out. */
export function frame(data, event) {
  const text = typeof data === "string" ? data : JSON.stringify(data);
  return `${event === undefined ? "" : `event: ${event}\n`}data: ${text}\n\n`;
}
