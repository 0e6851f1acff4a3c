/** What a terminal's `onQuiet` reports, and when: the facts alone. What they mean is judged in `@pi-bash/terminal`. */
import type { QuietTerminal } from "@pi-bash/contract";
import { describe, expect, it } from "vitest";
import { PtySession, type PtyStartOptions } from "../src/index.ts";
import { until } from "./waiting.ts";

const onLinux = process.platform === "linux" && ["x64", "arm64"].includes(process.arch);

/** A program whose reports are kept. */
function start(command: string, more: Partial<PtyStartOptions> = {}) {
  const session = new PtySession();
  const reports: QuietTerminal[] = [];
  const seen = { text: "" };
  const end = session.start({ command, onQuiet: (report) => reports.push(report), ...more }, (_error, chunk) => {
    seen.text += chunk;
  });
  return { session, reports, seen, end };
}

// Elsewhere the kernel does not say who is blocked in which call.
describe.skipIf(!onLinux)("a quiet terminal (Linux on x64 and arm64)", () => {
  it("is reported again and again while a program reads it, each time quiet for longer", async () => {
    const { session, reports, end } = start("read -p 'Name? ' x; echo $x");
    await until("three reports", () => reports.length >= 3);
    session.write("a\r");
    await end;

    const quiet = reports.slice(0, 3).map(({ quietMs }) => quietMs);
    expect(quiet).toEqual([...quiet].sort((a, b) => a - b));
    expect(quiet[0]).toBeGreaterThanOrEqual(100);
    expect(reports[2]).toMatchObject({
      modes: { echo: true, canonical: true },
      readers: [{ name: "bash", isRead: true, isTimed: false, isRelay: false, isAlone: true }],
      denied: [],
      stopped: [],
      isBusy: false,
      listens: false,
    });
    expect(reports[2]?.heldMs).toBeGreaterThanOrEqual(150);
    expect(reports[2]?.idleMs).toBeGreaterThanOrEqual(150);
  });

  it("says that what is typed is not shown", async () => {
    const { session, reports, end } = start("stty -echo; read x");
    await until("a report", () => reports.length > 0);
    session.kill();
    await end;

    expect(reports[0]?.modes).toEqual({ echo: false, canonical: true });
  });

  it("is not reported while output flows, though a program reads it", async () => {
    const { session, reports, seen, end } = start("(while :; do echo tick; sleep 0.02; done) & read x");
    await until("a hundred lines", () => seen.text.length > 600);
    const flowing = reports.filter(({ quietMs }) => quietMs < 100).length;
    session.kill();
    await end;

    expect(flowing).toBe(0);
    expect(seen.text).toContain("tick");
  });

  it("is not reported where no program reads it", async () => {
    const { reports, end } = start("sleep 1.2");
    await end;

    expect(reports).toEqual([]);
  });

  it("is not reported after its program's end", async () => {
    const { session, reports, end } = start("read x");
    await until("a report", () => reports.length > 0);
    session.write("a\r");
    await end;
    const atEnd = reports.length;
    // Another program has taken three looks' time meanwhile.
    const other = start("read x");
    await until("three reports of another", () => other.reports.length >= 3);
    other.session.kill();
    await other.end;

    expect(reports).toHaveLength(atEnd);
  });

  it("reports to a callback that throws, and the program goes on and ends by itself", async () => {
    let calls = 0;
    const { session, end, seen } = start("read x; echo got $x", {
      onQuiet: () => {
        calls += 1;
        throw new Error("thrown by a reader of reports");
      },
    });
    await until("a second report", () => calls >= 2);
    session.write("it\r");

    expect(await end).toMatchObject({ exitCode: 0 });
    expect(seen.text).toContain("got it");
  });
});
