/**
 * Reads `artifact://` addresses: which artifact, and which part of it.
 *
 * `artifact://<id>`, `artifact://<id>?lines=<a>-<b>` (counted from 1, both included; `<a>-` to the end, `<a>` one line),
 * `?tail=<n>` (last lines) and `?grep=<pattern>` (lines that match, with their numbers). `tail` and `grep` together give
 * the last matches. `artifact://<id>:<a>-<b>` is read as well; parsers of URLs take what follows its colon for a port.
 * Ids are looked up in a table, so nothing in an address can name a path (SC-02).
 */
import { ARTIFACT_ID_PATTERN } from "@pi-bash/contract";

/** Which lines are wanted. */
export interface ArtifactSelection {
  /** First line, from 1. */
  startLine?: number;
  /** Last line; absent: to the end. */
  endLine?: number;
  /** This many lines from the end, of the matching ones where `grep` is given. */
  tail?: number;
  /** Lines matching this pattern (RE2 syntax). */
  grep?: string;
}

/** An artifact, and what of it is asked for. */
export interface ArtifactAddress extends ArtifactSelection {
  id: string;
}

/** Why an address gives nothing. */
export type ArtifactErrorCode =
  | "PI_ARTIFACT_ADDRESS"
  | "PI_ARTIFACT_NOT_FOUND"
  | "PI_ARTIFACT_EXPIRED"
  | "PI_ARTIFACT_TOO_LARGE"
  | "PI_ARTIFACT_PATTERN"
  | "PI_ARTIFACT_UNREADABLE"
  | "PI_ARTIFACT_STORE";

/** An artifact cannot be read as asked; the message is for the model. */
export class ArtifactError extends Error {
  readonly code: ArtifactErrorCode;

  constructor(code: ArtifactErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.name = "ArtifactError";
    this.code = code;
  }
}

const SCHEME = "artifact://";
/** The longest address that makes sense: an id, a range and a pattern. */
const MAX_ADDRESS_CHARS = 4 * 1024;
const RANGE = /^([0-9]{1,15})(?:(-)([0-9]{1,15})?)?$/;

/** Reads an address; a bare id is taken too. Throws `ArtifactError`. */
export function parseArtifactAddress(address: string): ArtifactAddress {
  if (address.length > MAX_ADDRESS_CHARS) throw invalid(`${address.slice(0, 60)}…`, "is too long");
  const rest = address.startsWith(SCHEME) ? address.slice(SCHEME.length) : address;
  const question = rest.indexOf("?");
  const place = question === -1 ? rest : rest.slice(0, question);
  const query = question === -1 ? "" : rest.slice(question + 1);
  const colon = place.indexOf(":");
  const id = colon === -1 ? place : place.slice(0, colon);
  if (!ARTIFACT_ID_PATTERN.test(id)) {
    throw invalid(address, "has no valid id; an id has letters, digits, `_` and `-` only");
  }
  const range = colon === -1 ? {} : parseRange(place.slice(colon + 1), address);
  const asked = parseQuery(query, address);
  if (colon !== -1 && asked.startLine !== undefined) throw invalid(address, "has two line ranges");
  return { id, ...range, ...asked };
}

function parseRange(text: string, address: string): ArtifactSelection {
  const found = RANGE.exec(text);
  if (found === null)
    throw invalid(address, "has no valid line range; use `?lines=10-20`, `?lines=10-` or `?lines=10`");
  const startLine = Number(found[1]);
  if (startLine < 1) throw invalid(address, "begins at line 0; lines are counted from 1");
  if (found[2] === undefined) return { startLine, endLine: startLine };
  if (found[3] === undefined) return { startLine };
  const endLine = Number(found[3]);
  if (endLine < startLine) throw invalid(address, "ends before it begins");
  return { startLine, endLine };
}

function parseQuery(query: string, address: string): ArtifactSelection {
  const selection: ArtifactSelection = {};
  for (const pair of query === "" ? [] : query.split("&")) {
    const equals = pair.indexOf("=");
    const name = equals === -1 ? pair : pair.slice(0, equals);
    const value = decode(equals === -1 ? "" : pair.slice(equals + 1), address);
    if (name === "lines") Object.assign(selection, parseRange(value, address));
    else if (name === "tail") selection.tail = parseTail(value, address);
    else if (name === "grep") selection.grep = parseGrep(value, address);
    else throw invalid(address, `has an unknown parameter \`${name}\`; use \`lines\`, \`tail\` or \`grep\``);
  }
  return selection;
}

function parseTail(value: string, address: string): number {
  const count = /^[0-9]{1,9}$/.test(value) ? Number(value) : 0;
  if (count < 1) throw invalid(address, "has no valid `tail`; use a number of lines from 1");
  return count;
}

function parseGrep(value: string, address: string): string {
  if (value === "") throw invalid(address, "has an empty `grep`");
  return value;
}

/** `+` stays a plus: patterns have it far more often than blanks are written so. */
function decode(text: string, address: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A pattern written without encoding (`100%`) is taken as it stands.
    if (!/%[0-9A-Fa-f]{2}/.test(text)) return text;
    throw invalid(address, "has a wrongly encoded parameter");
  }
}

function invalid(address: string, problem: string): ArtifactError {
  return new ArtifactError("PI_ARTIFACT_ADDRESS", `artifact address \`${address}\` ${problem}`);
}
