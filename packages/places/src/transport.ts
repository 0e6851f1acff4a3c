/**
 * How a place is reached: the words that run a program over there, and what the place knows about itself.
 */
import type { LinkEnd } from "./link-end.ts";

/** One way to run a program and to carry its two streams. */
export interface Transport {
  /** What people call the place, e.g. `ssh:build7`. */
  readonly name: string;
  /** The local program and its arguments that run `words` at the place, without a terminal. */
  argv(words: readonly string[]): string[];
  /** The words start `pi-host` themselves, and nothing is put in place. */
  readonly isWhole?: boolean;
  /** What of this host's environment the program gets. Default: all of it. The place's own variables come on top. */
  environment?(host: NodeJS.ProcessEnv): NodeJS.ProcessEnv;
  /** Time that a connection may take on top of the place's own, in milliseconds: a queue. Default 0. */
  readonly waitMs?: number;
  /** Takes lines that the program writes for people: a queue is reported in them. */
  hearError?(line: string): void;
  /** What the place knows about the end of its link, as whole sentences. Undefined: nothing. */
  explain?(end: LinkEnd): Promise<string | undefined>;
  /** Whether the words of a failed connection say that none can work until a person changes something: a key, a name. */
  isRefusal?(words: string): boolean;
  /** Takes what the far side said of itself. */
  onConnected?(env: Readonly<Record<string, string>>): void;
  /** Gives up what the place holds for a connection that did not come to stand. Why it did not, as the end of a sentence, where it is known. */
  giveUp?(): Promise<string | undefined>;
}
