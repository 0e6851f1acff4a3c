/**
 * `skill://name` and `skill://name/path`: the files of a skill.
 *
 * Names may have colons (`plugin:skill`). The longest name that fits wins, and what follows it is the path, so that
 * `skill://docs:api/list.md` is a file of `docs:api` where there is one, and of `docs` otherwise.
 */
import { ToolError } from "./tool-error.ts";
import { decodePath, pathInside, placeInside } from "./url-path.ts";

/** A skill, as `skill://` addresses find it. */
export interface Skill {
  name: string;
  /** Its `SKILL.md`, absolute. */
  filePath: string;
  /** Its folder, absolute. */
  baseDir: string;
}

/** Where a skill's URL leads. `rest` is the URL without its scheme. Throws `ToolError`. */
export async function resolveSkillPath(
  url: string,
  rest: string,
  skills: readonly Skill[],
  wanted: "file" | "folder",
): Promise<string> {
  const [place = ""] = rest.split("?");
  const [name = "", ...path] = decodePath(place, url, "skill");
  const found = findSkill(name, skills);
  if (found === undefined) {
    const names = skills.map((skill) => skill.name).join(", ");
    throw new ToolError(`Unknown skill: ${name}. Available: ${names === "" ? "none" : names}`);
  }
  const segments = [...found.suffix, ...path];
  if (segments.length === 0) return wanted === "folder" ? found.skill.baseDir : found.skill.filePath;
  const { baseDir } = found.skill;
  return placeInside(baseDir, pathInside(baseDir, segments, "skill"), "skill");
}

function findSkill(name: string, skills: readonly Skill[]): { skill: Skill; suffix: string[] } | undefined {
  const parts = name.split(":");
  for (let length = parts.length; length > 0; length--) {
    const wanted = parts.slice(0, length).join(":");
    const skill = skills.find((each) => each.name === wanted);
    if (skill !== undefined) return { skill, suffix: parts.slice(length) };
  }
  return undefined;
}
