/**
 * Makes command lines in which a command stands as deep inside of expansions as a parser and bash may disagree about:
 * patterns, subscripts, slices, defaults, arithmetic, here-documents, with brackets and quotes that match or do not.
 *
 * Where `syntax-generator.ts` puts tokens in any order, these lines are made by a grammar, so that bash runs most of them.
 */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the braces are shell text
import { seededRandom } from "../../../../test/support/random.ts";

/** Text that means nothing where it stands, or something else to one of two readers. */
const LITERALS: readonly string[] = [
  ..."a 1 / # % : ? * ~ @ ! $ [ ] { } ( )".split(" "),
  ...[
    "",
    " ",
    "\\/",
    "\\}",
    "\\)",
    '\\"',
    "\\\\",
    "'/'",
    "'}'",
    '"}"',
    "')'",
    "$'\\''",
    "[a]",
    "{a,b}",
    "${v}",
    "$$",
    ";;",
  ],
];

/** Commands beside the one that is looked for. */
const COMMANDS: readonly string[] = [
  ...[": a/b", ": ]", ": \\}", ": '}'", ': "}"', ": ')'", ": \\)", ": {", ": }", ": #x", "# c\n:", ": $#", ": ${x#a}"],
  ...[
    "case x in x) :;; esac",
    "case x in (x) :;; esac",
    "cat <<E\n)\nE\n",
    ": <<< x",
    ": {a,b}",
    "f() { :; }",
    ": $((1))",
  ],
];

class Grammar {
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }

  #pick<Item>(items: readonly Item[]): Item {
    const item = items[Math.floor(this.#random() * items.length)];
    if (item === undefined) throw new Error("nothing to pick from");
    return item;
  }

  #script(): string {
    const [one, other] = [this.#pick(COMMANDS), this.#pick(COMMANDS)];
    return this.#pick(["b x", `${one}; b x`, `b x; ${one}`, `${one}\nb x`, `${one}; b x; ${other}`]);
  }

  #substitution(depth: number): string {
    const script = this.#script();
    const forms = [`$(${script})`, `$( ${script} )`, `$(${script}\n)`, "`b x`", `<(${script})`, `$((1+$(${script})))`];
    const deeper = depth > 0 ? [`\${x${this.#operation(depth - 1)}}`, `"\${x${this.#operation(depth - 1)}}"`] : [];
    return this.#pick([...forms, ...deeper, `"$(${script})"`, `\${v:-$(${script})}`, `'$(${script})'`]);
  }

  #text(depth: number): string {
    const [head, tail] = [this.#pick(LITERALS), this.#pick(LITERALS)];
    const inner = this.#substitution(depth);
    return this.#pick([inner, `${head}${inner}`, `${inner}${tail}`, `${head}${inner}${tail}`]);
  }

  #operation(depth: number): string {
    const text = this.#text(depth);
    const literal = this.#pick(LITERALS);
    return this.#pick([
      ...[`/${text}/${literal}`, `//${text}/`, `/#${text}/a`, `/${literal}/${text}`, `[0]/${text}/`, `[@]/${text}/`],
      ...[
        `#${text}`,
        `%%${text}`,
        `^${text}`,
        `:${text}`,
        `:0:${text}`,
        `:-${text}`,
        `:=${text}`,
        `+${text}`,
        `[${text}]`,
      ],
    ]);
  }

  line(): string {
    const [text, inner] = [this.#text(2), `\${x${this.#operation(2)}}`];
    return this.#pick([
      ...[`echo ${inner}`, `echo "${inner}"`, `echo "a ${inner} c"`, `echo ${text}`, `v=${inner}`, `v="${inner}"`],
      ...[`[[ ${inner} ]]`, `[[ a == ${text} ]]`, `[[ ${text} -eq 1 ]]`, `case ${inner} in ${text}) :;; esac`],
      ...[`a[${text}]=1`, `a=(${inner})`, `a=([${text}]=1)`, `(( ${text} ))`, `echo $(( ${text} ))`, `echo $[${text}]`],
      ...[`cat <<E\n${inner}\nE\n`, `cat <<< ${inner}`, `for i in ${inner}; do :; done`, `echo {a,${inner}}`],
      ...[
        `for ((i=0; i<1; i++, ${text})); do :; done`,
        `f() { echo ${inner}; }; f`,
        `echo @(${text}|c)`,
        `echo a >f${inner}`,
      ],
    ]);
  }
}

/** Lines with a command `b x` somewhere in them; the same seed makes the same lines. `$x` is to be `1a/` where they run. */
export function generateExpansions(count: number, seed: number): string[] {
  const grammar = new Grammar(seed);
  return Array.from({ length: count }, () => `x=1a/; ${grammar.line()}`);
}
