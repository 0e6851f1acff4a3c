/** The public names of `@pi-bash/places`. */
export { command, container, kubernetes, local, slurm, ssh } from "./make-place.ts";
export {
  type CommandOptions,
  type ContainerOptions,
  type KubernetesOptions,
  PlaceOptionError,
  type SlurmOptions,
  type SshOptions,
} from "./options.ts";
export { type LocalPlace, type OpenedPlace, RemotePlace } from "./place.ts";
export { PlaceError, type PlaceErrorCode } from "./place-error.ts";
export type { PlaceFacts } from "./place-facts.ts";
export type { ChunkListener, RemoteRunResult } from "./remote-call.ts";
export { type PathKind, RemoteFiles } from "./remote-files.ts";
export type { RemoteNatives } from "./remote-natives.ts";
export type { RemoteInput, RemoteOutput, RemotePipes } from "./remote-pipe.ts";
export { RemotePtySession } from "./remote-pty-session.ts";
export { RemoteShell } from "./remote-shell.ts";
export { SessionPlaces } from "./session-places.ts";
