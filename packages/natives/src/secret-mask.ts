/**
 * What masks secrets in outputs: values that must not be shown, and tokens of well-known forms.
 *
 * Compiled once and given to sessions and sinks. The values cannot be read back, except by the package that sends them to
 * a session on another machine (`internal.ts`), and no error names one.
 */
import { binding } from "./binding.ts";
import { checkKnown, checkObject, checkText, reading, readOnce } from "./check-option.ts";
import type {
  SecretMask as NativeMask,
  SecretMaskStream as NativeStream,
  SecretMaskRequest,
} from "./generated/binding.d.ts";
import { fromNative, invalidOption } from "./shell-error.ts";

/** A value that must not be shown. */
export interface SecretValue {
  /** How the marker calls it, e.g. the name of its variable. */
  readonly name: string;
  /**
   * The value. One of fewer than 8 or more than 16,384 bytes is left out, and so are paths, numbers and common words: they
   * would be masked where they mean something else.
   */
  readonly value: string;
}

/** Which values and forms are masked in a text. */
export interface SecretMaskOptions {
  /** Values that must not be shown, at most 256 of 128 KiB together. Default: none. */
  readonly values?: readonly SecretValue[];
  /** Mask tokens of well-known forms, private keys and passwords in URLs. Default true. */
  readonly shapes?: boolean;
  /** Names of values and forms that are not masked; `*` stands for any run of characters. Default: none. */
  readonly allow?: readonly string[];
}

/** A text without its secrets. */
export interface MaskedText {
  /** The text, with `[masked: NAME]` in the place of each secret. */
  readonly text: string;
  /** Secrets that were masked. */
  readonly count: number;
  /** Names in the markers, each once. */
  readonly names: readonly string[];
}

/** Masks one stream, in pieces of any length. */
export interface SecretMaskStream {
  /** Takes bytes that stand before what is wanted, and gives out nothing of them: a secret that begins in them is masked to its end. */
  skip(bytes: Uint8Array): void;
  /** Takes the next bytes, and gives out those that are decided. */
  push(bytes: Uint8Array): Uint8Array;
  /** Ends the stream, and gives out what is left. */
  finish(): Uint8Array;
}

const OPTION_NAMES = ["values", "shapes", "allow"] as const satisfies readonly (keyof SecretMaskOptions)[];

const natives = new WeakMap<SecretMask, NativeMask>();

/** What masks were made of, for sessions on another machine: the mask there is made again. */
const requests = new WeakMap<SecretMask, SecretMaskRequest>();

/** What is masked, for `ShellOptions.mask` and `OutputSinkOptions.mask`. */
export class SecretMask {
  /**
   * @throws ShellError when an option is wrong; its message has no value
   * @throws NativeLoadError when there is no addon for this platform
   */
  constructor(given: SecretMaskOptions = {}) {
    checkObject("options", given);
    checkKnown("options", given, OPTION_NAMES);
    const { values = [], shapes = true, allow = [] } = readOnce("options", given, OPTION_NAMES);
    const request = { values: checkValues(values), shapes: checkBoolean("shapes", shapes), allow: checkNames(allow) };
    const { addon } = binding();
    try {
      natives.set(this, new addon.SecretMask(request));
      requests.set(this, request);
    } catch (error) {
      throw fromNative(error);
    }
  }

  /** A text without its secrets. */
  text(text: string): MaskedText {
    return nativeMask("this", this).text(checkText("text", text, { nul: true }));
  }

  /** A stream at its beginning. */
  stream(): SecretMaskStream {
    const { addon } = binding();
    const stream: NativeStream = new addon.SecretMaskStream(nativeMask("this", this));
    return {
      skip: (bytes) => stream.skip(checkBytes(bytes)),
      push: (bytes) => stream.push(checkBytes(bytes)),
      finish: () => stream.finish(),
    };
  }
}

function checkBytes(bytes: unknown): Uint8Array {
  if (!(bytes instanceof Uint8Array)) throw invalidOption("bytes", "is not a `Uint8Array`");
  return bytes;
}

/** The addon's half of a mask. `name` stands for it in errors. */
export function nativeMask(name: string, mask: SecretMask): NativeMask {
  const found = natives.get(mask);
  if (found === undefined) throw invalidOption(name, "is not a `SecretMask`; make one with `new SecretMask({ … })`");
  return found;
}

/** What a mask was made of, for a session on another machine. `name` stands for it in errors. */
export function maskRequest(name: string, mask: SecretMask): SecretMaskRequest {
  const found = requests.get(mask);
  if (found === undefined) throw invalidOption(name, "is not a `SecretMask`; make one with `new SecretMask({ … })`");
  return found;
}

function checkValues(values: unknown): SecretValue[] {
  return reading("values", () =>
    checkArray("values", values).map((entry, index) => checkValue(`values[${index}]`, entry)),
  );
}

function checkValue(name: string, entry: unknown): SecretValue {
  checkObject(name, entry);
  const { name: called, value } = entry as Partial<SecretValue>;
  // Not `checkText` for the value: no error may show what it is.
  if (typeof value !== "string") throw invalidOption(`${name}.value`, "is not a string");
  return { name: checkText(`${name}.name`, called), value };
}

function checkNames(names: unknown): string[] {
  return reading("allow", () => checkArray("allow", names).map((name, index) => checkText(`allow[${index}]`, name)));
}

function checkArray(name: string, value: unknown): unknown[] {
  if (!Array.isArray(value)) throw invalidOption(name, "is not an array");
  return [...value];
}

function checkBoolean(name: string, value: unknown): boolean {
  if (typeof value !== "boolean") throw invalidOption(name, "is not a boolean");
  return value;
}
