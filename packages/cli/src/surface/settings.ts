/**
 * The settings as the command line shows them: names, defaults, what each may be, all read from the contract's schema.
 */
import { jsonSchemaOf, Settings } from "@pi-bash/contract";
import { nearestNames, shortLine } from "@pi-bash/contract/internal";
import { wrapped } from "./wrapped.ts";

/** All names, in the schema's order. */
export const SETTING_NAMES: readonly string[] = Object.keys(Settings.shape);

/** What the JSON Schema says of one; only what is shown. */
interface Shape {
  readonly type?: string;
  readonly default?: unknown;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Shape;
  readonly anyOf?: readonly Shape[];
}

/** Column of what is said below a name. */
const INDENT = 4;

/** A paragraph for each of the settings: name and default, what it may be, what it does. */
export function settingsText(names: readonly string[]): string {
  return names.map((name) => settingText(name, shapeOf(name))).join("\n");
}

/** The words that a setting can be, where these are few: those of a list, `true` and `false`. */
export function settingWords(name: string): readonly string[] {
  const { anyOf = [shapeOf(name)] } = shapeOf(name);
  return anyOf.flatMap((shape) => (shape.type === "boolean" ? ["true", "false"] : (shape.enum ?? []).map(String)));
}

/** What is said of a name that there is not. */
export function unknownSetting(name: string): string {
  const nearest = nearestNames(name, SETTING_NAMES).map((each) => `\`${each}\``);
  const verb = nearest.length === 1 ? "is" : "are";
  const meant = nearest.length === 0 ? "" : `the nearest ${verb} ${nearest.join(", ")}; `;
  return `there is no setting \`${shortLine(name)}\`; ${meant}\`pi-bash settings\` lists all`;
}

function shapeOf(name: string): Shape {
  const { properties } = jsonSchemaOf(Settings) as { properties: Readonly<Record<string, Shape>> };
  return properties[name] ?? {};
}

function settingText(name: string, shape: Shape): string {
  const value = shape.default === undefined ? "not set" : JSON.stringify(shape.default);
  const margin = " ".repeat(INDENT);
  const lines = [kindOf(shape), shape.description ?? ""].map((line) => `${margin}${wrapped(line, INDENT)}\n`);
  return `${name} (${value})\n${lines.join("")}`;
}

/** What a value may be, e.g. `a whole number, 1 or more`. */
function kindOf({ type, enum: words, minimum, maximum, items, anyOf }: Shape): string {
  if (anyOf !== undefined) return anyOf.map(kindOf).join(", or ");
  if (words !== undefined) return `one of ${words.join(", ")}`;
  switch (type) {
    case "boolean":
      return "true or false";
    case "integer":
      return `a whole number${rangeOf(minimum, maximum)}`;
    case "array":
      return items?.enum === undefined ? "a JSON list" : `a JSON list of ${items.enum.join(", ")}`;
    case "object":
      return "a JSON object";
    default:
      return "text";
  }
}

/** JSON Schema bounds every whole number by what JavaScript can count to; that is no range to tell. */
function rangeOf(least = Number.MIN_SAFE_INTEGER, most = Number.MAX_SAFE_INTEGER): string {
  if (least <= Number.MIN_SAFE_INTEGER) return "";
  return most >= Number.MAX_SAFE_INTEGER ? `, ${least} or more` : `, ${least} to ${most}`;
}
