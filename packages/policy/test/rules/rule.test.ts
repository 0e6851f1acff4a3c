/** The notation of rules: what each text is read as. */
import { describe, expect, it } from "vitest";
import { type CallPattern, type PlaceToken, parseRule } from "../../src/rules/rule.ts";

function shownToken(token: PlaceToken): string {
  const what = "text" in token ? ` ${token.text}` : "texts" in token ? ` ${token.texts.join("|")}` : "";
  return token.kind + what;
}

function shownCall({ program, words, hasRest, flags, absentFlags }: CallPattern): string {
  const places = [program, ...words].map(shownToken);
  const ends = [...(hasRest ? ["rest"] : []), ...flags.map((flag) => `flag ${flag}`)];
  return [...places, ...ends, ...absentFlags.map((flag) => `no-flag ${flag}`)].join(", ");
}

function reading(text: string): string {
  const parsed = parseRule(text, "allow", "user");
  if (!parsed.ok) return "problem";
  const { pattern, folders, places, ...rule } = parsed.rule;
  const scope = [folders && ", in folders", places && ", on places", parsed.warning && ", with a warning"];
  const body =
    pattern.kind === "call"
      ? shownCall(pattern)
      : pattern.kind === "env"
        ? `env ${pattern.name}${pattern.prefix ? " and longer" : ""}`
        : pattern.kind === "write"
          ? `write ${pattern.relative ? "relative" : "absolute"}`
          : pattern.kind;
  return `${rule.behavior} ${rule.text} = ${body}${scope.filter(Boolean).join("")}`;
}

describe("the text of a rule", () => {
  it.each([
    ["Bash", "allow Bash = everything"],
    ["Bash()", "problem"],
    ["Bash( )", "problem"],
    ["Bash(*)", "allow Bash(*) = everything"],
    ["Bash(**)", "allow Bash(**) = everything"],
    ["Bash( * )", "allow Bash( * ) = everything"],
    ["Bash(ls)", "allow Bash(ls) = literal ls"],
    ["Bash( ls )", "allow Bash( ls ) = literal ls"],
    ["Bash(ls *)", "allow Bash(ls *) = literal ls, rest"],
    ["Bash(ls **)", "allow Bash(ls **) = literal ls, rest"],
    ["Bash(ls:*)", "allow Bash(ls:*) = literal ls, rest"],
    ["Bash(ls :*)", "allow Bash(ls :*) = literal ls, rest"],
    ["Bash(ls:* x)", "allow Bash(ls:* x) = glob ls:*, literal x"],
    ["Bash(* x)", "allow Bash(* x) = one, literal x"],
    ["Bash(** x)", "problem"],
    ["Bash(a * b)", "allow Bash(a * b) = literal a, one, literal b"],
    ["Bash(a ** b)", "problem"],
    ["Bash(a* b)", "allow Bash(a* b) = glob a*, literal b"],
    ["Bash(a*)", "allow Bash(a*) = glob a*, rest, with a warning"],
    ["Bash(*a)", "allow Bash(*a) = glob *a, rest, with a warning"],
    ["Bash(a 'b c')", "allow Bash(a 'b c') = literal a, literal b c"],
    ['Bash(a "b c")', 'allow Bash(a "b c") = literal a, literal b c'],
    ["Bash(a 'b)", "problem"],
    ['Bash(a "b)', "problem"],
    ["Bash('a' '')", "allow Bash('a' '') = literal a, literal "],
    ["Bash(a'b')", "allow Bash(a'b') = literal a, literal b"],
    ["Bash(a {b,c})", "allow Bash(a {b,c}) = literal a, one-of b|c"],
    ["Bash(a {})", "allow Bash(a {}) = literal a, literal {}"],
    ["Bash(a {b)", "allow Bash(a {b) = literal a, literal {b"],
    ["Bash(a x{b,c})", "allow Bash(a x{b,c}) = literal a, literal x{b,c}"],
    ["Bash(a -b)", "allow Bash(a -b) = literal a, flag -b"],
    ["Bash(-b)", "allow Bash(-b) = literal -b"],
    ["Bash(a -)", "allow Bash(a -) = literal a, literal -"],
    ["Bash(a --)", "allow Bash(a --) = literal a, literal --"],
    ["Bash(a --b=c)", "allow Bash(a --b=c) = literal a, flag --b=c"],
    ["Bash(a !-b)", "allow Bash(a !-b) = literal a, no-flag -b"],
    ["Bash(a !b)", "allow Bash(a !b) = literal a, literal !b"],
    ["Bash(!-b)", "problem"],
    ["Bash(!-b **)", "allow Bash(!-b **) = one, rest, no-flag -b"],
    ["Bash(a !--b **)", "allow Bash(a !--b **) = literal a, rest, no-flag --b"],
    ["Bash(re:x)", "allow Bash(re:x) = regex"],
    ["Bash(re:()", "problem"],
    ["Bash(re:)", "allow Bash(re:) = regex"],
    ["bash(ls)", "problem"],
    ["Bashx(ls)", "problem"],
    ["xBash(ls)", "problem"],
    ["Bash(ls", "problem"],
    ["Bash(ls) x", "problem"],
    ["Bash ls", "problem"],
    ["allow Bash(ls)", "allow Bash(ls) = literal ls"],
    ["deny Bash(ls)", "deny Bash(ls) = literal ls"],
    ["ask  Bash(ls)", "ask Bash(ls) = literal ls"],
    ["denyBash(ls)", "problem"],
    ["forbid Bash(ls)", "problem"],
    [" Bash(ls) ", "allow Bash(ls) = literal ls"],
    ["Bash(ls) in /srv/**", "allow Bash(ls) in /srv/** = literal ls, in folders"],
    ["Bash(ls) in /srv", "allow Bash(ls) in /srv = literal ls, in folders"],
    ["Bash(ls) in srv", "problem"],
    ["Bash(ls) in **", "allow Bash(ls) in ** = literal ls, in folders"],
    ["Bash(ls) in *", "problem"],
    ["deny Bash(ls) in /srv", "problem"],
    ["Write(x) in /srv", "problem"],
    ["Bash(ls) on ssh:x", "allow Bash(ls) on ssh:x = literal ls, on places"],
    ["Bash(ls) on ssh:*", "allow Bash(ls) on ssh:* = literal ls, on places"],
    ["Bash(ls) in /srv on ssh:x", "allow Bash(ls) in /srv on ssh:x = literal ls, in folders, on places"],
    ["Bash(ls) on ssh:x in /srv", "problem"],
    ["Bash(ls) in", "problem"],
    ["Bash(ls) on", "problem"],
    ["deny Bash(ls) on x", "deny Bash(ls) on x = literal ls, on places"],
    ["Bash in /srv", "allow Bash in /srv = everything, in folders"],
    ["Bash on x", "allow Bash on x = everything, on places"],
    ["Write(x)", "allow Write(x) = write relative"],
    ["Write()", "problem"],
    ["Write", "problem"],
    ["Write( )", "problem"],
    ["Write(./x)", "allow Write(./x) = write relative"],
    ["Write(/x)", "allow Write(/x) = write absolute"],
    ["Write( x )", "allow Write( x ) = write relative"],
    ["Env(X)", "allow Env(X) = env X"],
    ["Env(X_*)", "allow Env(X_*) = env X_ and longer"],
    ["Env(*)", "problem"],
    ["Env(X*Y)", "problem"],
    ["Env()", "problem"],
    ["Env", "problem"],
    ["Env(1X)", "problem"],
    ["Env(x1)", "allow Env(x1) = env x1"],
    ["Env( X )", "allow Env( X ) = env X"],
    ["Env(X Y)", "problem"],
    ["Env(X)x", "problem"],
  ])("%s is read as: %s", (text, expected) => {
    expect(reading(text)).toBe(expected);
  });

  it.each([
    ["Bash(ls) in /srv/**", "/srv", true],
    ["Bash(ls) in /srv/**", "/srv/a/b", true],
    ["Bash(ls) in /srv/**", "/srvx", false],
    ["Bash(ls) in /srv/*", "/srv/a", true],
    ["Bash(ls) in /srv", "/x/srv", false],
    ["Bash(ls) in **", "/anything", true],
  ])("%s counts in %s: %s", (text, folder, expected) => {
    const parsed = parseRule(text, "allow", "user");

    expect(parsed.ok && parsed.rule.folders?.test(folder)).toBe(expected);
  });

  it.each([
    ["deny Bash(ls) on ssh:prod*", "ssh:prod7", true],
    ["deny Bash(ls) on ssh:prod*", "ssh:test", false],
    ["deny Bash(ls) on ssh:prod", "ssh:prod7", false],
    ["deny Bash(ls) on ssh.prod", "ssh:prod", false],
  ])("%s counts on %s: %s", (text, place, expected) => {
    const parsed = parseRule(text, "allow", "user");

    expect(parsed.ok && parsed.rule.places?.test(place)).toBe(expected);
  });
});
