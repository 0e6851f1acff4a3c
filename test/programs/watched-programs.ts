/**
 * Follows programs on a terminal until each waits: as a user who may not look at all of them, which the test's own process
 * cannot be. Its argument is a list of `{ command, limitMs }` in JSON; it prints what was seen of each.
 */
import { type WatchedProgram, watchProgram } from "../support/watched-program.ts";

const programs = JSON.parse(process.argv[2] ?? "[]") as readonly WatchedProgram[];
const seen = await Promise.all(programs.map((program) => watchProgram({ ...program, cwd: "/" })));
process.stdout.write(JSON.stringify(seen));
