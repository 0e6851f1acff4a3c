/**
 * Where a field leads as an absolute path, with its unknown parts, for what is decided by the start of a path.
 */
import { absolutePath, type Component, componentsOf, type Folder } from "../../danger-paths.ts";
import { type Field, type Part, UNKNOWN } from "../values/fields.ts";

/** The field as an absolute path without detours; as it stands where it may begin anywhere. */
export function placed(field: Field, folder: Folder): Field {
  const [first] = field;
  if (first === undefined || (first.kind === "unknown" && first.mayBeAbsolute)) return field;
  const path = absolutePath(componentsOf(field), folder);
  return path === undefined ? field : joined(path);
}

/** What a program that writes into a folder makes of a file: `/dev` and `x/sda` are `/dev/sda`. */
export function inFolder(folder: Field, file: Field): Field {
  const name = componentsOf(file).findLast((component) => component.length > 0) ?? [UNKNOWN];
  // What a pattern matches is not known: `cp *.img /dev` has names of the folder that it stands in.
  return [...folder, textPart("/"), ...name.map((part) => (part.kind === "text" ? part : UNKNOWN))];
}

function joined(components: readonly Component[]): Field {
  const parts: Part[] = [textPart(components.length === 0 ? "/" : "")];
  for (const part of components.flatMap((component): Part[] => [textPart("/"), ...component])) {
    const last = parts.at(-1);
    if (part.kind === "text" && last?.kind === "text") parts[parts.length - 1] = textPart(last.text + part.text);
    else parts.push(part);
  }
  return parts;
}

function textPart(text: string): Part {
  return { kind: "text", text };
}
