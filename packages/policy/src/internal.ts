/**
 * Names of `@pi-bash/policy` that packages of pi-bash share, and that no host needs. They may change in any version: a host
 * imports `@pi-bash/policy`.
 */
export { dangerousVariables, isDangerousVariable } from "./environment.ts";
export { type Forbidden, type ForbiddenRequest, findForbidden } from "./forbidden.ts";
export { GIT_CONFIG_QUERY } from "./git-hardening.ts";
export { announcesWaits, askAboutUnasked, MAX_NAMED_REASONS, refusalText } from "./policy.ts";
export { hasOwnFolders } from "./search-path.ts";
export { escapeForDisplay } from "./suspicious-text.ts";
export { TYPED_UNKNOWN, type TypedKind, type TypedProgram, typedKind } from "./typed-programs.ts";
export { findUnasked, type UnaskedRequest } from "./unasked/find-unasked.ts";
