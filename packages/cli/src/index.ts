/** The public names of `@pi-bash/cli`: the program itself, for those who embed it. */
export { main } from "./main.ts";
