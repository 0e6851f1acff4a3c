/**
 * The read-only table's searchers, comparers and readers of binary files, with every option that only reads.
 *
 * Left out on purpose: what starts a program (`rg --pre`, `--hostname-bin` and `-z`, `fd -x`, `ag --pager` and `-z`,
 * `diff -l`), loads one (`nm --plugin`), writes a file (`tree -o` and `-R`, `file -C` and `-p`) or fetches debug
 * information from other hosts (`objdump -W`, `readelf -w`). Sources: the manuals of ripgrep 15, fd 10, ag 2.2, tree 2.2,
 * GNU diffutils 3.12, binutils 2.45, file 5.46 and Info-ZIP 3.0.
 */
import { refuse } from "../finding.ts";
import { type Judge, onlyOptions, unknownOption } from "./options.ts";

/** Programs of binutils read options out of `@file`, wherever it stands. */
function withoutOptionFiles(judge: Judge): Judge {
  return (call) =>
    call.args.some(({ value, leading }) => leading.startsWith("@") || (value === null && leading === ""))
      ? refuse("option-file", "unknown", "a word that begins with `@` names a file of options")
      : judge(call);
}

const judgeRipgrep = onlyOptions({
  flags: "abcFHhIiLlNnopPqSsUuvVwx0.",
  valued: "ABCdEefgjMmrTt",
  long: "auto-hybrid-regex no-auto-hybrid-regex binary no-binary block-buffered no-block-buffered byte-offset no-byte-offset case-sensitive column no-column context-separator= count count-matches crlf no-crlf debug trace files files-with-matches files-without-match fixed-strings no-fixed-strings follow no-follow glob-case-insensitive no-glob-case-insensitive heading no-heading hidden no-hidden ignore-case ignore-file-case-insensitive no-ignore-file-case-insensitive include-zero no-include-zero invert-match no-invert-match json no-json line-buffered no-line-buffered line-number no-line-number line-regexp max-columns-preview no-max-columns-preview mmap no-mmap multiline no-multiline multiline-dotall no-multiline-dotall no-config no-context-separator no-ignore ignore no-ignore-dot ignore-dot no-ignore-exclude ignore-exclude no-ignore-files ignore-files no-ignore-global ignore-global no-ignore-messages ignore-messages no-ignore-parent ignore-parent no-ignore-vcs ignore-vcs no-messages messages no-require-git require-git no-unicode unicode null null-data one-file-system no-one-file-system only-matching passthru pcre2 no-pcre2 pretty quiet smart-case sort-files no-sort-files stats no-stats text no-text trim no-trim type-list unrestricted version vimgrep with-filename no-filename word-regexp",
  longValued:
    "after-context before-context color colors context dfa-size-limit encoding engine field-context-separator field-match-separator file glob iglob ignore-file max-columns max-count max-depth max-filesize path-separator regex-size-limit regexp replace sort sortr threads type type-add type-clear type-not generate",
});

const judgeFdOptions = onlyOptions({
  flags: "HIusiFaLlpg01qVh",
  valued: "detESocj",
  long: "hidden no-hidden no-ignore ignore no-ignore-vcs ignore-vcs no-ignore-parent no-require-git require-git no-global-ignore-file unrestricted case-sensitive ignore-case glob regex fixed-strings absolute-path relative-path list-details follow no-follow full-path print0 quiet has-results show-errors one-file-system mount xdev prune strip-cwd-prefix= help version hyperlink=",
  longValued:
    "and max-depth min-depth search-path batch-size exact-depth exclude type extension size changed-within changed-before newer older owner format ignore-file color threads max-results path-separator ignore-contain",
});

/** A cluster with an `x` runs a command in some reading of it: `-tfx` is a wrong type or `-t f -x`. */
const judgeFd: Judge = (call) => {
  const bad = call.args.find((word) => /^-[^-]*[xX]/.test(word.value ?? word.leading));
  return bad === undefined ? judgeFdOptions(call) : unknownOption(call.name, bad.display);
};

// The number behind `-A`, `-B` and `-C` may be missing, and what is none is read again, as an option if it is one.
const judgeAg = onlyOptions({
  flags: "acDfFHhiLlnoQRrSsvVtuUw0",
  valued: "GgmpW",
  attached: "ABC",
  long: "ackmate after= all-types all-text before= break nobreak case-sensitive color nocolor column context= count debug filename nofilename files-with-matches files-without-matches fixed-strings follow nofollow group nogroup heading noheading hidden ignore-case invert-match list-file-types literal null numbers nonumbers one-device only-matching passthrough passthru print0 print-all-files print-long-lines recurse norecurse search-binary silent skip-vcs-ignores smart-case stats stats-only unrestricted version vimgrep word-regexp",
  longValued:
    "color-line-number color-match color-path depth file-search-regex filename-pattern ignore ignore-dir max-count path-to-ignore width workers",
});

// `tree -Io a b` reads `-I a -o b`: a value never begins in the word of its option.
const judgeTree = onlyOptions({
  flags: "acdfghilnpqrstuvxACDFJNQSUX",
  separate: "LPIHT",
  long: "help version gitignore matchdirs metafirst ignore-case nolinks inodes device dirsfirst filesfirst si du prune fromfile fromtabfile fflinks info noreport",
  longValued: "gitfile infofile hintro houtro sort filelimit charset timefmt",
});

const judgeDiff = onlyOptions({
  flags: "qscenyptTaibBwEZrNdHhuv0123456789",
  valued: "CUFIWxSXDL",
  long: "normal brief report-identical-files context= unified= ed rcs side-by-side left-column suppress-common-lines show-c-function expand-tabs initial-tab suppress-blank-empty recursive no-dereference new-file unidirectional-new-file ignore-file-name-case no-ignore-file-name-case ignore-case ignore-tab-expansion ignore-trailing-space ignore-space-change ignore-all-space ignore-blank-lines text strip-trailing-cr minimal speed-large-files color= help version",
  longValued:
    "show-function-line label width tabsize exclude exclude-from starting-file from-file to-file ignore-matching-lines ifdef horizon-lines palette old-line-format new-line-format unchanged-line-format line-format old-group-format new-group-format unchanged-group-format changed-group-format",
});

const judgeNm = withoutOptionFiles(
  onlyOptions({
    flags: "aABCDegjnopPrSsuUVhW",
    valued: "ftX",
    long: "debug-syms print-file-name demangle= no-demangle recurse-limit no-recurse-limit dynamic extern-only just-symbols numeric-sort no-sort portability reverse-sort print-size print-armap quiet size-sort special-syms synthetic undefined-only defined-only no-weak with-symbol-versions help version",
    longValued: "format ifunc-chars radix target unicode",
  }),
);

const judgeSize = withoutOptionFiles(
  onlyOptions({ flags: "ABGodxtfhHvV", long: "totals common help version", longValued: "format radix target" }),
);

// What shows debug information (`-S`, `-l`, `-g`, `-W`, `-L`) may ask other hosts for it.
const judgeObjdump = withoutOptionFiles(
  onlyOptions({
    flags: "afphxdDsGtTrRviHFCwz",
    valued: "PbmjM",
    long: "archive-headers file-headers private-headers headers section-headers all-headers disassemble= disassemble-all full-contents stabs syms dynamic-syms reloc dynamic-reloc version info help file-offsets demangle= recurse-limit no-recurse-limit wide disassemble-zeroes no-addresses prefix-addresses show-raw-insn no-show-raw-insn show-all-symbols special-syms visualize-jumps= disassembler-color=",
    longValued:
      "private target architecture section disassembler-options endian unicode start-address stop-address insn-width adjust-vma",
  }),
);

const judgeReadelf = withoutOptionFiles(
  onlyOptions({
    flags: "ahlSgtesnrudVAcDLWTICzHv",
    valued: "xpR",
    long: "all file-header program-headers segments section-headers sections section-groups section-details headers syms symbols dyn-syms lto-syms demangle= no-demangle recurse-limit no-recurse-limit notes relocs unwind dynamic version-info arch-specific archive-index use-dynamic lint enable-checks decompress histogram wide silent-truncation help version",
    longValued: "sym-base unicode hex-dump string-dump relocated-dump",
  }),
);

const judgeFile = onlyOptions({
  flags: "bciIkLhNnrsvE0",
  valued: "eFfP",
  long: "brief mime mime-type mime-encoding keep-going dereference no-dereference no-pad no-buffer print0 raw special-files version extension",
  longValued: "exclude separator files-from parameter",
});

// `--output` and `--pager` evaluate and run, `--ackrc` and `--create-ackrc` name files of options.
const judgeAck = onlyOptions({
  flags: "fgHhiIlLcnovwQ1rRsSkx",
  valued: "ABCmt",
  numeric: true,
  long: "files-from-stdin break nobreak color nocolor colour column nocolumn count files-with-matches files-without-matches follow nofollow group nogroup heading noheading help ignore-case no-ignore-case invert-match known-types literal line no-filename with-filename no-recurse recurse passthru print0 show-types smart-case no-smart-case sort-files version word-regexp flush underline help-types proximate=",
  longValued:
    "after-context before-context context ignore-dir ignore-file ignore-directory max-count type type-add type-set type-del range-start range-end not and or",
});

const judgeLocate = onlyOptions({
  flags: "AbceiLPHpqrswN0Sm",
  valued: "dln",
  long: "all basename count existing follow ignore-case nofollow null quiet regex statistics transliterate wholename ignore-spaces literal",
  longValued: "database limit regexp",
});

/** Judges by program name. */
export const SEARCH_PROGRAMS: ReadonlyMap<string, Judge> = new Map<string, Judge>([
  ["rg", judgeRipgrep],
  ["fd", judgeFd],
  ["fdfind", judgeFd],
  ["ag", judgeAg],
  ["ack", judgeAck],
  ["ack-grep", judgeAck],
  ["locate", judgeLocate],
  ["plocate", judgeLocate],
  ["mlocate", judgeLocate],
  ["whereis", onlyOptions({ flags: "bmsulgfBMS" })],
  ["tree", judgeTree],
  ["diff", judgeDiff],
  ["nm", judgeNm],
  ["size", judgeSize],
  ["objdump", judgeObjdump],
  ["readelf", judgeReadelf],
  ["file", judgeFile],
  ["zipinfo", onlyOptions({ flags: "12slmvhtTzCM" })],
]);
