/** What `npm install` does last: tells turbo which compiler and system this is, so that `npx turbo run build` works at once. */
import { fileURLToPath } from "node:url";
import { writeToolchainKey } from "./native/key.mjs";

writeToolchainKey(fileURLToPath(new URL("..", import.meta.url)));
