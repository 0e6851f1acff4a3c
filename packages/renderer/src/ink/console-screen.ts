/**
 * The place of programs' windows in an app of Ink: around the app, which is hidden while there is one.
 *
 * The window takes what the terminal sends as it comes: Ink's own `useInput` has already lost which bytes a key was. So
 * that `ctrl+c` reaches the program, the app is rendered with `exitOnCtrlC: false`.
 */
import { Box, useStdin } from "ink";
import { createElement, type ReactElement, type ReactNode, useEffect, useSyncExternalStore } from "react";
import { keyRestMs, wholeKeysLength } from "../console-overlay/whole-keys.ts";
import type { ConsoleWindows } from "./console-windows.ts";
import { rowsElement, useTerminalSize } from "./rows.ts";

/** Ink clears the whole terminal at each change of an app that fills it: one row stays free. */
const FREE_ROWS = 1;

/** An app, and the windows that stand over it. */
export interface ConsoleScreenProps {
  readonly windows: ConsoleWindows;
  /** The app. It keeps its state while a window hides it. */
  readonly children?: ReactNode;
}

/** The app, or the window on top. */
export function ConsoleScreen({ windows, children }: ConsoleScreenProps): ReactElement {
  const { columns, rows } = useTerminalSize();
  useEffect(() => windows.resize(columns, Math.max(1, rows - FREE_ROWS)), [windows, columns, rows]);
  useSyncExternalStore(windows.subscribe, windows.version);
  const isOpen = windows.isOpen();
  useKeys(windows, isOpen);
  return createElement(
    Box,
    { flexDirection: "column" },
    createElement(Box, { key: "app", flexDirection: "column", display: isOpen ? "none" : "flex" }, children),
    windows.top === undefined ? null : createElement(Box, { key: "window" }, rowsElement(windows.top.render())),
  );
}

/** Whether a window has the keys: `useInput(handler, { isActive: !useIsConsoleOpen(windows) })` keeps them from the app. */
export function useIsConsoleOpen(windows: ConsoleWindows): boolean {
  return useSyncExternalStore(windows.subscribe, windows.isOpen);
}

/** Hands what the terminal sends to the window on top, whole keys at a time. */
function useKeys(windows: ConsoleWindows, isOpen: boolean): void {
  const { stdin, setRawMode, isRawModeSupported } = useStdin();
  useEffect(() => {
    // Without a keyboard a window is only looked at.
    if (!(isOpen && isRawModeSupported)) return;
    let held = "";
    let timer: ReturnType<typeof setTimeout> | undefined;
    const give = (length: number): void => {
      const keys = held.slice(0, length);
      held = held.slice(length);
      if (keys !== "") windows.top?.handleInput(keys);
    };
    const onData = (data: string | Uint8Array): void => {
      clearTimeout(timer);
      held += String(data);
      give(wholeKeysLength(held));
      if (held !== "") timer = setTimeout(() => give(held.length), keyRestMs(held));
    };
    setRawMode(true);
    stdin.on("data", onData);
    return () => {
      clearTimeout(timer);
      stdin.off("data", onData);
      setRawMode(false);
    };
  }, [windows, isOpen, stdin, setRawMode, isRawModeSupported]);
}
