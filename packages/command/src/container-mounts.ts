/**
 * What a container reaches of this machine: `docker run -v /:/host alpine rm -rf /host` removes everything here.
 *
 * The container's command is written as one of this machine, with the folder here in place of each mounted one. Not here:
 * what a launcher starts (`unwrap-launcher.ts`).
 *
 * Source: docker-run(1), "Mount volume", `--mount`, `--device`, `--privileged`, `--pid`.
 */
import { literalWord, type Word } from "./word.ts";

/** A folder or device of this machine, and where a container sees it. */
interface Mount {
  readonly here: string;
  readonly there: string;
}

/** An option with its value, the next word or attached. */
const OPTION = /^(--volume|--mount|--device|--workdir|--pid|--privileged|-v|-w)(?:=?(.*))$/s;

/** Letters of options without a value that may stand before one of them: `-itv`. */
const FLAGS_BEFORE = /^-[diqtPT]+(?=[vw])/;

/** A place of this machine as it is written for `-v`: other names are those of volumes. */
const PLACE = /^(?:[/~]|\.{1,2}(?:\/|$)|\$(?:HOME|PWD|\{HOME\}|\{PWD\}))[\w./~${}+@,-]*$/;

/** Both ways to write the folder that the line is in. */
const CURRENT = /^(?:\$\(pwd\)|`pwd`)/;

/** The home folder, or what it is in. */
const HOME = /(?<![\w./$}-])(?:~|\$HOME\b|\$\{HOME\}|\/(?:home|Users)\b|\/\*?(?=['"\s;|&)]|$))/;

/** A container's command as one of this machine. */
export interface CommandHere {
  /** A text for a shell. */
  readonly text: Word;
  /** Where it starts, where its folder is mounted; the folder that the line is in otherwise. */
  readonly folder?: string;
}

/**
 * A container's command as one of this machine. None where it names nothing that is mounted and starts elsewhere.
 *
 * @param options the launcher's words before the command
 * @param sharesHome whether the user's home folder is the same there
 */
export function commandHere(
  options: readonly Word[],
  command: readonly Word[],
  sharesHome: boolean,
): CommandHere | undefined {
  const [first] = command;
  const last = command.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const given = givenOptions(options);
  const mounts = given.flatMap(mountOf).sort((one, other) => other.there.length - one.there.length);
  const inside = command.map(({ text }) => text).join(" ");
  const text = hereOf(inside, mounts);
  const folder = given
    .filter(([name]) => name === "-w" || name === "--workdir")
    .map(([, value]) => hereOf(value, mounts))
    .at(-1);
  const isHome = sharesHome && HOME.test(inside);
  const entersThis = given.some(([name, value]) => name === "--pid" && value === "host") && /\bnsenter\b/.test(inside);
  if (text === undefined && folder === undefined && !entersThis && !isHome) return undefined;
  const span = { start: first.span.start, end: last.span.end };
  // Whose folder is that of the line stays where it is.
  const moves = folder !== undefined && !/^\$(?:PWD|\{PWD\})\/*$/.test(folder);
  return { text: literalWord(text ?? inside, span), ...(moves ? { folder } : {}) };
}

function givenOptions(words: readonly Word[]): [name: string, value: string][] {
  return words.flatMap((word, at): [string, string][] => {
    const [, name, attached = ""] = OPTION.exec(word.display.replace(FLAGS_BEFORE, "-")) ?? [];
    if (name === undefined) return [];
    return [[name, attached === "" ? (words[at + 1]?.display ?? "") : attached]];
  });
}

function mountOf([name, value]: readonly [string, string]): Mount[] {
  if (name === "--privileged") return [{ here: "/dev", there: "/dev" }];
  const { source, target, isReadOnly } = name === "--mount" ? ofFields(value) : ofColons(value);
  const here = source.replace(CURRENT, "$PWD");
  if (!["-v", "--volume", "--mount", "--device"].includes(name) || isReadOnly) return [];
  const there = target === "" && name === "--device" ? here : target;
  return PLACE.test(here) && /^\/[\w./-]*[\w.-]\/*$/.test(there) ? [{ here, there: there.replace(/\/+$/, "") }] : [];
}

/** `SOURCE:TARGET[:OPTIONS]` */
function ofColons(value: string) {
  const [source = "", target = "", options = ""] = value.split(":");
  return { source, target, isReadOnly: options.split(",").includes("ro") };
}

/** `type=bind,source=SOURCE,target=TARGET[,readonly]` */
function ofFields(value: string) {
  const fields = new Map(value.split(",").map((field): [string, string] => split(field)));
  const named = (...names: string[]) => names.map((name) => fields.get(name)).find((found) => found !== undefined);
  const readOnly = named("readonly", "ro");
  return {
    source: named("source", "src") ?? "",
    target: named("target", "destination", "dst") ?? "",
    isReadOnly: readOnly !== undefined && readOnly !== "false",
  };
}

function split(field: string): [string, string] {
  const at = field.indexOf("=");
  return at === -1 ? [field, ""] : [field.slice(0, at), field.slice(at + 1)];
}

/** The text with each mounted folder's place here; none where it names none. */
function hereOf(text: string, mounts: readonly Mount[]): string | undefined {
  let isNamed = false;
  const changed = text.replace(/(?<![\w./~$}-])\/[^\s'"`;|&<>()*?[\]{}$:=,]*/g, (path) => {
    const mount = mounts.find(({ there }) => path === there || path.startsWith(`${there}/`));
    if (mount === undefined) return path;
    isNamed = true;
    const rest = path.slice(mount.there.length);
    return mount.here.endsWith("/") && rest !== "" ? `${mount.here.slice(0, -1)}${rest}` : `${mount.here}${rest}`;
  });
  return isNamed ? changed : undefined;
}
