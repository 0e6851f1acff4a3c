/** The console: real programs on real pseudoterminals, seen and used through its window. */
import { PtySession } from "@pi-bash/natives";
import stringWidth from "string-width";
import { describe, expect, it, onTestFinished } from "vitest";
import { seededRandom } from "../../../test/support/random.ts";
import { BashConsoleOverlay, type ConsoleOverlayOptions } from "../src/console-overlay/overlay.ts";
import { displayWidth } from "../src/text/width.ts";
import { PLAIN_THEME } from "../src/theme.ts";
import { hostileText } from "./hostile-text.ts";

/** A console on a program that has just been started. */
function open(command: string, options: ConsoleOverlayOptions = {}) {
  const pty = new PtySession();
  const overlay = new BashConsoleOverlay(
    command,
    {
      write: (data) => attempt(() => pty.write(data)),
      resize: (cols, rows) => void attempt(() => pty.resize(cols, rows)),
      kill: () => void attempt(() => pty.kill()),
    },
    { theme: PLAIN_THEME, width: 60, rows: 12, ...options },
  );
  const ended = pty
    .start({ command, ...overlay.size, timeoutMs: 40_000 }, (_error, chunk) => overlay.write(chunk))
    .then((end) => {
      overlay.finish(end);
      return end;
    });
  onTestFinished(async () => {
    attempt(() => pty.kill());
    await ended;
    overlay.dispose();
  });
  return { overlay, ended };
}

/** A program that has ended takes nothing more, and that is no news to a window. */
function attempt(call: () => unknown): boolean {
  try {
    return call() !== false;
  } catch {
    return false;
  }
}

async function shows(overlay: BashConsoleOverlay, text: string): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (!overlay.render().join("\n").includes(text)) {
    if (Date.now() > deadline) throw new Error(`\`${text}\` is not on the screen:\n${overlay.render().join("\n")}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

describe("the console", () => {
  it("has a title, the program's screen, and a line that says what ends it", async () => {
    const { overlay, ended } = open("echo hel''lo; read -r answer; echo got $answer");
    await shows(overlay, "hello");

    const rows = overlay.render();
    expect(rows).toHaveLength(12);
    expect(rows[0]).toMatch(/^╭─ Console {2}\$ echo hel''lo; .* running ─╮$/);
    expect(rows[1]).toMatch(/^│hello {53}│$/);
    expect(rows.at(-1)).toMatch(/^╰─ esc ends the program · 58x10 ─+╯$/);

    overlay.handleInput("yes\r");
    await ended;
    expect(overlay.render().join("\n")).toContain("got yes");
    expect(overlay.render()[0]).toContain(" done ");
  });

  it("ends the program with Esc, and everything that it started", async () => {
    const { overlay, ended } = open("trap '' INT TERM HUP; echo up; sleep 300");
    await shows(overlay, "up");

    overlay.handleInput("\x1b");

    expect(await ended).toMatchObject({ cancelled: true });
    expect(overlay.render()[0]).toContain(" ended ");
  });

  it("gives Esc to the program where that was asked for, and another key ends it", async () => {
    const { overlay, ended } = open("read -rsn1 key; printf 'key %q\\n' \"$key\"; sleep 300", {
      escapeToProgram: true,
    });
    expect(overlay.render().at(-1)).toContain("ctrl+] ends the program");
    await new Promise((resolve) => setTimeout(resolve, 50));

    overlay.handleInput("\x1b[27u");
    await shows(overlay, "key $'\\E'");
    overlay.handleInput("\x1d");

    expect(await ended).toMatchObject({ cancelled: true });
  });

  it("tells the program of its size, and of every change", async () => {
    const { overlay } = open("trap 'stty size' WINCH; stty size; while :; do sleep 0.05; done");
    await shows(overlay, "10 58");

    overlay.resize(100, 30);

    await shows(overlay, "28 98");
    expect(overlay.render()).toHaveLength(30);
    expect(overlay.render().every((row) => stringWidth(row) === 100)).toBe(true);
  });

  it("passes keys in the form that the program asked for, and a paste as one", async () => {
    const { overlay } = open("stty raw -echo; printf '\\033[?1h\\033[?2004hready'; exec cat -v");
    await shows(overlay, "ready");

    overlay.handleInput("\x1b[A");
    await shows(overlay, "^[OA");
    overlay.handleInput("\x1b[200~two\nlines\x1b[201~");
    await shows(overlay, "^[[200~two^Mlines^[[201~");
  });

  it("passes the mouse only where it was asked for, in the program's own cells", async () => {
    const { overlay } = open(
      "stty raw -echo; printf 'off'; read -rsn1; stty raw -echo; printf '\\033[?1000h\\033[?1006h%s' READY; exec cat -v",
    );
    await shows(overlay, "off");
    overlay.handleInput("\x1b[<0;11;6M");
    overlay.handleInput("x");
    await shows(overlay, "READY");

    overlay.handleInput("\x1b[<0;11;6M");

    await shows(overlay, "^[[<0;10;5M");
    expect(
      overlay
        .render()
        .join("")
        .match(/\^\[\[</g),
    ).toHaveLength(1);
  });

  it("answers what programs ask their terminal", async () => {
    const { overlay } = open(
      "stty raw -echo; printf 'at\\033[6n'; IFS= read -rsd R place; printf ' %q' \"$place\"; sleep 300",
    );

    await shows(overlay, "[1;3'");
  });

  it("shows the colours of the screen, and the cursor", async () => {
    const { overlay } = open("printf '\\033[1;31mred\\033[0m plain'; sleep 300", {
      theme: { ...PLAIN_THEME, hasColour: true },
    });
    await shows(overlay, "plain");

    expect(overlay.render()[1]).toContain("\x1b[1;31mred\x1b[0m plain\x1b[7m \x1b[0m");
  });

  it("shows why the program ended", async () => {
    const { overlay, ended } = open("exit 3");
    await ended;
    expect(overlay.render()[0]).toContain(" exit 3 ");
    const killed = open("kill -9 $$");
    await killed.ended;
    expect(killed.overlay.render()[0]).toContain(" SIGKILL ");
  });

  it("is 80 by 24 where the terminal does not say its size", () => {
    const none = undefined as unknown as number;
    const program = { write: () => true, resize: () => undefined, kill: () => undefined };
    const overlay = new BashConsoleOverlay("x", program, { theme: PLAIN_THEME });
    onTestFinished(() => overlay.dispose());
    overlay.resize(none, none);

    expect(overlay.size).toEqual({ cols: 78, rows: 22 });
    expect(overlay.render()).toHaveLength(24);
  });

  it("is exactly as large as the terminal, at any size and with anything on the screen", async () => {
    const random = seededRandom(11);
    for (let round = 0; round < 150; round += 1) {
      const written: string[] = [];
      const program = {
        write: (data: string) => written.push(data) > 0,
        resize: () => undefined,
        kill: () => undefined,
      };
      const overlay = new BashConsoleOverlay(hostileText(random, 6), program, {
        width: 1 + Math.floor(random() * 200),
        rows: 1 + Math.floor(random() * 60),
      });
      await overlay.write(hostileText(random, 200));
      const [width, rows] = [1 + Math.floor(random() * 200), 1 + Math.floor(random() * 60)];
      overlay.resize(width, rows);
      const drawn = overlay.render();
      expect(drawn).toHaveLength(Math.min(rows, Math.max(rows, 1)));
      for (const row of drawn) {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: looks for exactly those
        const parts = row.split(/\x1b\[[0-9;]*m/);
        const rest = parts.join("");
        expect(/\p{Cc}/u.test(rest), `round ${round}: ${JSON.stringify(row)}`).toBe(false);
        // Another measure counts some characters for less, and none for more.
        expect(stringWidth(rest), `round ${round}: ${JSON.stringify(row)}`).toBeLessThanOrEqual(width);
        // Part by part: two halves of a flag in two colours are two characters.
        const columns = parts.reduce((sum, part) => sum + displayWidth(part), 0);
        expect(columns, `round ${round}: ${JSON.stringify(row)}`).toBe(width);
      }
      overlay.dispose();
    }
  });
});
