/** The public names of `@pi-bash/adapters/pi`. */
export { piTools } from "./pi-tools.ts";
