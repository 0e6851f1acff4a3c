/** Who waits for a person on a terminal of a place: looked at there, judged here. */
import { expect, it, onTestFinished } from "vitest";
import { describeOn, PLACE_LIMIT_MS } from "../../support/place-suite.ts";
import type { PlaceKind } from "../../support/places.ts";
import { type Watched, watchProgram } from "../../support/watched-program.ts";

const KINDS: readonly PlaceKind[] = ["command", "sshd", "podman"];

for (const kind of KINDS) {
  describeOn(kind, "a program on a terminal", (places) => {
    async function watched(command: string, limitMs: number): Promise<Watched> {
      const place = places().make();
      onTestFinished(() => place.close(), PLACE_LIMIT_MS);
      const { natives, facts } = await place.open();
      if (natives.PtySession === undefined) throw new Error("the place has no pseudoterminals");
      return await watchProgram({ command, cwd: facts.cwd, limitMs, session: new natives.PtySession() });
    }

    it("is found when it waits for a line, and for a secret", async () => {
      const line = await watched('read -p "Continue? [y/N] " x', 20_000);
      const secret = await watched('read -s -p "Token: " x', 20_000);

      expect(line.state, line.output).toMatchObject({ state: "waiting", kind: "line", rule: "S1" });
      expect(secret.state, secret.output).toMatchObject({ state: "waiting", kind: "secret" });
    });

    it("is found when it waits with a time, at a prompt of its own, and for a line without a prompt", async () => {
      const timed = await watched('read -t 60 -p "Continue? " x', 20_000);
      const prompt = await watched("bash --norc -i", 20_000);
      const bare = await watched("cat", 20_000);

      expect(timed.state, timed.output).toMatchObject({ state: "waiting", kind: "line", rule: "S4" });
      expect(prompt.state, prompt.output).toMatchObject({ state: "waiting", kind: "prompt" });
      expect(bare.state, bare.output).toMatchObject({ state: "waiting", kind: "line", rule: "S1" });
    });

    it("does not count as waiting while it works, reads a pipe, or loops after a question", async () => {
      const works = await watched('printf "Downloading: "; sleep 30', 3_000);
      const pipe = await watched('printf "Password: "; read x < <(sleep 30)', 3_000);
      const loop = await watched('printf "Ready? "; while :; do sleep 1; done', 3_000);

      for (const { state, output } of [works, pipe, loop]) expect(state, output).toEqual({ state: "running" });
    });
  });
}
