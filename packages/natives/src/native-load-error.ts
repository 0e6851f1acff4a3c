/**
 * The addon could not be loaded: where it was looked for, what was wrong in each place, and what to do.
 */

/** One place that was tried. */
export interface LoadAttempt {
  /** Absolute path of a file, or name of a package. */
  readonly place: string;
  /** Why it did not work. */
  readonly reason: string;
}

/** Thrown by everything that needs the addon when there is none for this platform. */
export class NativeLoadError extends Error {
  override readonly name = "NativeLoadError";
  /** Always `PI_NATIVE_LOAD`. */
  readonly code = "PI_NATIVE_LOAD";
  /** The build that was looked for, e.g. `linux-x64-gnu`. */
  readonly target: string;
  /** Every place that was tried, in order. */
  readonly attempts: readonly LoadAttempt[];

  constructor(target: string, attempts: readonly LoadAttempt[], cause: unknown) {
    const tried = attempts.map(({ place, reason }) => `  ${place}: ${reason}`).join("\n");
    super(
      `cannot load the native addon for \`${target}\`; in a checkout run \`npm run build:native\`, elsewhere install ` +
        `\`@pi-bash/natives-${target}\` (was it left out by \`--omit=optional\`, or \`node_modules\` copied from ` +
        `another system?). Node ${process.versions.node}. Tried:\n${tried}`,
      cause === undefined ? undefined : { cause },
    );
    this.target = target;
    this.attempts = attempts;
  }
}
