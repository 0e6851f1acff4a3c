/** What allow rules take care of in a line, and what they leave open. */
import { describe, expect, it } from "vitest";
import { classify } from "../src/classify.ts";
import { coveredFindings, isNamedByRule } from "../src/coverage.ts";
import type { PathContext } from "../src/danger-paths.ts";
import { loadRules } from "../src/rules/rule-file.ts";

const PLACE: PathContext = { cwd: "/proj", workspace: "/proj", home: "/home/me" };

function cover(line: string, allow: readonly string[], place: PathContext = PLACE) {
  const { open, uncovered, rules } = coveredFindings(classify(line, place), loadRules({ allow }, "user").rules, place);
  return {
    open: open.map(({ code, span }) => `${code} ${line.slice(span.start, span.end)}`),
    uncovered: uncovered.map(({ argv }) => argv.map(({ text }) => text).join(" ")),
    rules: rules.map(({ text }) => text),
  };
}
const NOTHING = { open: [], uncovered: [], rules: [] };
const covered = (...rules: string[]) => ({ ...NOTHING, rules });

describe("a rule for writes", () => {
  const outside = { ...PLACE, cwd: "/other" };
  const inside = { ...PLACE, cwd: "/proj/src" };

  it("is about the folders of the workspace, unless it names its own", () => {
    for (const line of ["ls > out", "ls > /other/out", "ls > ../proj/out"])
      expect(cover(line, ["Write(**)"], outside).open).toEqual([`redirection ${line.slice(3)}`]);
    expect(cover("ls > out", ["Write(/other/**)"], outside)).toEqual(covered("Write(/other/**)"));
    expect(cover("ls > out", ["Write(**)"], inside)).toEqual(covered("Write(**)"));
    expect(cover("ls > ..out", ["Write(**)"], inside)).toEqual(covered("Write(**)"));
    expect(cover("ls > ../out", ["Write(**)"], inside).open).toEqual(["redirection > ../out"]);
  });

  it("covers no absolute target behind a `cd` by a relative pattern", () => {
    expect(cover("cd src; ls > /etc/passwd", ["Write(**)"]).open).toEqual(["redirection > /etc/passwd"]);
    expect(cover("cd src; ls > /tmp/x", ["Write(/tmp/**)"])).toEqual(covered("Write(/tmp/**)"));
  });
});

describe("allow rules", () => {
  it.each<[string, string[], string[]]>([
    ["make", ["Bash(make)"], ["Bash(make)"]],
    ["make; ls", ["Bash(make)"], ["Bash(make)"]],
    ["make; make", ["Bash(make)"], ["Bash(make)"]],
    ["make; npm test", ["Bash(npm test)", "Bash(make)", "Bash(cargo)"], ["Bash(make)", "Bash(npm test)"]],
    // The first that covers is the one that was used.
    ["make", ["Bash(make **)", "Bash(make)"], ["Bash(make **)"]],
    ["make $(npm test)", ["Bash(make **)", "Bash(npm test)"], ["Bash(make **)", "Bash(npm test)"]],
    ["bash -c make", ["Bash(make)"], ["Bash(make)"]],
    ["bash -c make", ["Bash(bash -c make)"], ["Bash(bash -c make)"]],
    ["timeout 5 make", ["Bash(make)"], ["Bash(make)"]],
    ["sudo make", ["Bash(sudo make)"], ["Bash(sudo make)"]],
    ["sudo make", ["Bash(re:^sudo make$)"], ["Bash(re:^sudo make$)"]],
    ["bash foo", ["Bash(* foo)"], ["Bash(* foo)"]],
    ["make > out", ["Bash(make)", "Write(out)"], ["Bash(make)", "Write(out)"]],
    ["make >> /proj/out", ["Bash(make)", "Write(out)"], ["Bash(make)", "Write(out)"]],
    ["{ make; ls; } > out", ["Bash(make)", "Write(out)"], ["Bash(make)", "Write(out)"]],
    ["ls > out", ["Write(out)"], ["Write(out)"]],
    ["make &", ["Bash"], ["Bash"]],
    ["ls > out; make", ["Bash(make)", "Bash"], ["Bash"]],
    ["git -C x status", ["Bash(git **)"], ["Bash(git **)"]],
  ])("cover all of %s %j", (line, allow, used) => {
    expect(cover(line, allow)).toEqual(covered(...used));
  });

  it("are not needed for what only reads", () => {
    expect(cover("ls | wc -l", ["Bash(ls)"])).toEqual(NOTHING);
    expect(cover("ls", [])).toEqual(NOTHING);
    // The rule for everything is named whatever the line does.
    expect(cover("ls", ["Bash"])).toEqual(covered("Bash"));
  });

  it.each<[string, string[], string[], string[], string[]]>([
    ["make", [], ["runs-code make"], ["make"], []],
    ["make x", ["Bash(make)"], ["runs-code make x"], ["make x"], []],
    ["make; npm test", ["Bash(make)"], ["runs-code npm test"], ["npm test"], ["Bash(make)"]],
    ["make > out", ["Bash(make)"], ["redirection > out"], [], ["Bash(make)"]],
    ["make > out", ["Write(out)"], ["runs-code make"], ["make"], ["Write(out)"]],
    ["make > ../out", ["Bash(make)", "Write(out)"], ["redirection > ../out"], [], ["Bash(make)"]],
    ["ls > out; ls > in", ["Write(in)"], ["redirection > out"], [], ["Write(in)"]],
    ["ls {fd}> out", ["Write(out)"], ["named-descriptor {fd}> out"], [], []],
    ["cat < /dev/tcp/a/1", ["Write(/dev/tcp/**)"], ["redirection < /dev/tcp/a/1"], [], []],
    ["ls &", ["Bash(ls)"], ["background ls &"], [], []],
    ["make &", ["Bash(make)"], ["background make &"], [], ["Bash(make)"]],
    ["X=1 make", ["Bash(make)"], ["assignment-prefix make"], ["make"], ["Bash(make)"]],
    ["X=1", ["Bash(X=1)"], ["assignment X=1"], [], []],
    ["sudo make", ["Bash(make)"], ["wrapper make"], ["make"], ["Bash(make)"]],
    // A rule for what stands around names the program as well.
    ["sudo make", ["Bash(sudo **)"], ["wrapper make", "runs-code make"], ["make"], []],
    ["cd x && git status", ["Bash(git **)"], ["git-elsewhere git status"], [], []],
    ["make; ls $((x))", ["Bash(make)", "Bash(ls **)"], ["arithmetic $((x))"], [], ["Bash(make)"]],
    ["$x", ["Bash($x)"], ["unresolved $x"], ["$x"], []],
    ["timeout 5 sudo --foo make", ["Bash(sudo **)"], ["unresolved sudo --foo make"], ["sudo --foo make"], []],
    // In the text of a shell all commands are at one place.
    ["bash -c 'make; npm x'", ["Bash(make)"], ["runs-code 'make; npm x'"], ["npm x"], ["Bash(make)"]],
    ["bash -c 'make; npm x'", ["Bash(npm x)"], ["runs-code 'make; npm x'"], ["make"], ["Bash(npm x)"]],
    ["bash -c 'make a; make b'", ["Bash(make b)"], ["runs-code 'make a; make b'"], ["make a"], ["Bash(make b)"]],
    ["bash -c 'make a; make b'", ["Bash(make a)"], ["runs-code 'make a; make b'"], ["make b"], ["Bash(make a)"]],
    // Two commands at the same place of the line differ by their words.
    ["find . -exec make \\; -exec npm \\;", ["Bash(make)"], ["runs-code npm"], ["npm"], ["Bash(make)"]],
  ])("leave open what they do not name: %s %j", (line, allow, open, uncovered, rules) => {
    expect(cover(line, allow)).toEqual({ open, uncovered, rules });
  });

  it("cover nothing of a line that was not understood, not even the rule for everything", () => {
    expect(cover("make; ls 'x", ["Bash", "Bash(make)"])).toEqual({ ...NOTHING, open: ["syntax "] });
  });

  it("alone count: one that asks or denies covers nothing", () => {
    const { rules } = loadRules({ ask: ["Bash(make)", "Bash"], deny: ["Bash(make)"] }, "user");

    expect(coveredFindings(classify("make", PLACE), rules, PLACE)).toMatchObject({
      open: [{ code: "runs-code" }],
      rules: [],
    });
  });
});

describe("a folder", () => {
  it.each<[string, string[]]>([
    ["cd src; make", ["Bash(make)"]],
    ["cd src/../src && make", ["Bash(make)"]],
    ["cd /proj/x; make", ["Bash(make)"]],
    ["pushd src; make", ["Bash(make)"]],
    ["make; cd /srv", ["Bash(make)"]],
    ["cd /srv/a; make", ["Bash(make) in /srv/**"]],
    ["cd /srv; make", ["Bash(make) in /srv/**"]],
    ["cd; make", ["Bash(make) in /home/me"]],
    ["cd /srv; make", ["Bash(make) in **"]],
    ["cd /srv/a/b; make", ["Bash(make) in /srv/**/b"]],
  ])("of the workspace, or that the rule names, leaves a rule as it is: %s %j", (line, allow) => {
    expect(cover(line, allow)).toEqual(covered(...allow));
  });

  it.each<[string, string[]]>([
    ["cd /srv; make", ["Bash(make)"]],
    ["cd ../x; make", ["Bash(make)"]],
    ["cd /project; make", ["Bash(make)"]],
    ["cd; make", ["Bash(make)"]],
    ["cd -; make", ["Bash(make)"]],
    ["popd; make", ["Bash(make)"]],
    // The way back may fail.
    ["cd /srv; cd /proj; make", ["Bash(make)"]],
    ["cd /srv; make", ["Bash(make) in /opt/**"]],
    ["cd /srvx; make", ["Bash(make) in /srv/**"]],
    ["cd /srv/a/c; make", ["Bash(make) in /srv/**/b"]],
  ])("elsewhere is not what a rule is about: %s %j", (line, allow) => {
    expect(cover(line, allow)).toEqual({ open: ["runs-code make"], uncovered: ["make"], rules: [] });
  });

  it("that `find -execdir` goes to is not known, whatever a rule names", () => {
    const line = "find . -execdir make \\;";
    const open = { open: ["runs-code make"], uncovered: ["make"], rules: [] };

    expect(cover(line, ["Bash(make)"])).toEqual(open);
    expect(cover(line, ["Bash(make) in **", "Bash(find **) in **"])).toEqual(open);
    expect(cover("find . -exec make \\;", ["Bash(make)"])).toEqual(covered("Bash(make)"));
  });

  it("that a line went to takes the meaning of a relative target", () => {
    const open = { open: ["redirection > out"], uncovered: [], rules: [] };

    expect(cover("cd src; ls > out", ["Write(out)", "Write(src/out)"])).toEqual(open);
    expect(cover("ls > out; cd src", ["Write(out)"])).toEqual(open);
    expect(cover("pushd src; ls > out", ["Write(out)"])).toEqual(open);
    expect(cover("find . -execdir ls \\; > out", ["Write(out)"])).toEqual(open);
    expect(cover("cd src; ls > /proj/out", ["Write(/proj/out)"])).toEqual(covered("Write(/proj/out)"));
    expect(cover("ls > out", ["Write(out)"], {})).toEqual(open);
  });

  it("is that of the call where no workspace is known", () => {
    expect(cover("cd src; make", ["Bash(make)"], { cwd: "/proj" })).toEqual(covered("Bash(make)"));
    expect(cover("cd /srv; make", ["Bash(make)"], { cwd: "/proj" }).uncovered).toEqual(["make"]);
    expect(cover("make", ["Bash(make)"], {})).toEqual(covered("Bash(make)"));
    expect(cover("make", ["Bash(make)"], { ...PLACE, cwd: "/elsewhere" }).uncovered).toEqual(["make"]);
  });
});

describe("a command is named by a rule", () => {
  const named = (line: string, allow: string[], deny: string[] = []): boolean[] => {
    const { rules } = loadRules({ allow, deny }, "user");
    return classify(line, PLACE).analysis.effective.map((command) => isNamedByRule(command, rules));
  };

  it("that allows it, as it runs or as it is written", () => {
    expect(named("git push; git log", ["Bash(git push)"])).toEqual([true, false]);
    expect(named("sudo git push", ["Bash(sudo git push)"])).toEqual([true]);
    expect(named("git push", ["Bash"])).toEqual([true]);
    expect(named("git push", [], ["Bash(git push)"])).toEqual([false]);
    expect(named("git push", [])).toEqual([false]);
  });
});
