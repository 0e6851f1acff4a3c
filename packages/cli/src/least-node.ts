/**
 * The oldest Node that everything works on: the packages, and the tools that build and test them.
 *
 * `engines` of every package, the README, CONTRIBUTING and the workflows say the same; a test compares them.
 */

/** Major and minor version. */
export const LEAST_NODE = { major: 20, minor: 19 } as const;

/** Whether a version such as `v20.20.2` is as new. Bun says which Node it stands for. */
export function isNodeSupported(version: string): boolean {
  const [major = 0, minor = 0] = version.replace(/^v/, "").split(".").map(Number);
  return major > LEAST_NODE.major || (major === LEAST_NODE.major && minor >= LEAST_NODE.minor);
}
