/**
 * How control sequences are cut out of a text (ECMA-48): the one grammar for what is drawn and for what is passed on.
 *
 * Groups: 1 the parameters and 2 the final character of a CSI, 3 the text of an OSC. An OSC, a DCS and the like without
 * their terminator end at the next escape or at their line's end, so that they cannot swallow what follows.
 */

const CSI = String.raw`(?:\x1b\[|\x9b)([0-?]*)[ -/]*([@-~]?)`;
const OSC = String.raw`(?:\x1b\]|\x9d)([^\x07\x1b\x9c\x9d\x18\x1a\n]*)(?:\x07|\x1b\\|\x9c)?`;
const STRING = String.raw`(?:\x1b[PX^_]|[\x90\x98\x9e\x9f])[^\x1b\x90\x98\x9c\x9e\x9f\x18\x1a\n]*(?:\x1b\\|\x9c)?`;
const OTHER_ESCAPE = String.raw`\x1b[ -/]*[0-~]?`;
const CONTROL = String.raw`\r?\n|[\x00-\x1f\x7f-\x9f]`;

/** Finds one control sequence or control character after another; new at each call, because it keeps its place. */
export function escapePattern(): RegExp {
  return new RegExp([CSI, OSC, STRING, OTHER_ESCAPE, CONTROL].join("|"), "g");
}
