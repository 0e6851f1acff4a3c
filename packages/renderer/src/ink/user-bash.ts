/**
 * A person's own command as a component of Ink: what happens to it goes to a `UserBashState`, and the component draws
 * that whenever it changes.
 */
import { type ReactElement, useSyncExternalStore } from "react";
import { BashExecutionComponent } from "../bang-command.ts";
import { rowsElement, useTerminalSize } from "./rows.ts";

/** One command, from its first chunk to its result. */
export class UserBashState extends BashExecutionComponent {
  readonly #listeners = new Set<() => void>();
  #version = 0;

  /** Draws again, and tells the component. */
  override invalidate(): void {
    super.invalidate();
    this.#version += 1;
    for (const listener of this.#listeners) listener();
  }

  /** Calls `listener` after each change; returns what ends that. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Another number after each change. */
  readonly version = (): number => this.#version;
}

/** A person's own command, to be drawn. */
export interface UserBashProps {
  readonly state: UserBashState;
  /** Default: all columns of the terminal. */
  readonly width?: number;
}

/** The command. */
export function UserBash({ state, width }: UserBashProps): ReactElement {
  const { columns } = useTerminalSize();
  useSyncExternalStore(state.subscribe, state.version);
  return rowsElement(state.render(width ?? columns));
}
