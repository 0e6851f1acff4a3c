/**
 * Which colour each part of a picture has. A theme is data (SGR parameters), so nothing that it says can be anything but
 * a colour, and two frames with the same theme are the same text.
 */

/** The parts that have a colour of their own. */
export type Role =
  | "prompt"
  | "directory"
  | "variable"
  | "command"
  | "keyword"
  | "string"
  | "option"
  | "operator"
  | "comment"
  | "label"
  | "dim"
  | "border"
  | "running"
  | "success"
  | "warning"
  | "error"
  | "accent";

/** SGR parameters for each role, e.g. `1;31`; empty for the terminal's own colour. */
export type Colours = Readonly<Record<Role, string>>;

/** Colours, and whether a command's own are shown. */
export interface Theme {
  readonly colours: Colours;
  /** Show the colours of output. */
  readonly hasColour: boolean;
}

const NONE = "";

/** The sixteen colours of every terminal, so that a person's own palette holds. */
export const DEFAULT_THEME: Theme = {
  hasColour: true,
  colours: {
    prompt: "2",
    directory: "34",
    variable: "35",
    command: "1",
    keyword: "36",
    string: "32",
    option: "33",
    operator: "2",
    comment: "2;3",
    label: "2",
    dim: "2",
    border: "2",
    running: "36",
    success: "32",
    warning: "33",
    error: "31",
    accent: "36;1",
  },
};

/** A theme without colours, for `NO_COLOR`, dumb terminals and files. */
export const PLAIN_THEME: Theme = {
  hasColour: false,
  colours: Object.fromEntries(Object.keys(DEFAULT_THEME.colours).map((role) => [role, NONE])) as Record<Role, string>,
};

/** The theme that an environment asks for: `NO_COLOR` set to anything (no-color.org) and `TERM=dumb` mean none. */
export function themeFor(env: Readonly<Record<string, string | undefined>>, theme: Theme = DEFAULT_THEME): Theme {
  const isPlain = (env["NO_COLOR"] ?? "") !== "" || env["TERM"] === "dumb";
  return isPlain ? PLAIN_THEME : theme;
}
