/**
 * Names of `@pi-bash/terminal` that packages of pi-bash share, and that no host needs. They may change in any version: a host
 * imports `@pi-bash/terminal`.
 */
export {
  type CastCode,
  CastError,
  type CastEvent,
  type CastHeader,
  castEvent,
  castHeader,
  castSize,
  readCastEvent,
  readCastHeader,
} from "./asciicast.ts";
