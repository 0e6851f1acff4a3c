/**
 * Programs that write the files they are given by name, for files that are devices.
 *
 * What each writes is a row of a table: the options whose values are files, and which of the operands are. Sources: the
 * manual pages of the programs.
 */
import { firstValue } from "@pi-bash/command/internal";
import type { Refusal } from "../../finding.ts";
import { type DangerCall, type DangerJudge, leadingText, shownField, undecided, worst } from "../call.ts";
import { type GivenOptions, type OptionGrammar, optionsNamed, readGivenOptions } from "../given-options.ts";
import { readFind } from "../searches/find-expression.ts";
import { type Field, knownText, textField, UNKNOWN } from "../values/fields.ts";
import { inFolder, placed } from "./device-paths.ts";
import { mayBeDevice, writeTo } from "./devices.ts";

/** A program that writes files. */
interface Writer extends OptionGrammar {
  /** Options whose values are files that it writes. */
  readonly files?: string;
  /** Options whose value is a folder that it writes into, under the names of its operands and of `files`. */
  readonly folders?: string;
  /** Operands that it writes: from this one on; -1 is the last, which may also be a folder. */
  readonly operands?: number;
  /** Options with which it writes none of them. */
  readonly unless?: string;
}

const COPY: Writer = {
  valued: "tS",
  longValued: "target-directory suffix",
  folders: "-t --target-directory",
  operands: -1,
};
const INSTALL: Writer = {
  ...COPY,
  valued: "tSgmo",
  longValued: "target-directory suffix group mode owner",
  unless: "-d --directory",
};
const OUTPUT: Writer = { valued: "o", longValued: "output", files: "-o --output" };

const CURL: Writer = {
  valued: "AbcCdDeEFHKmoPQrtTuUwxXyYz",
  longValued: [
    "output output-dir dump-header cookie-jar trace trace-ascii stderr libcurl etag-save hsts alt-svc header data user",
    "request url user-agent proxy max-time retry cert key cacert form upload-file write-out referer cookie config",
  ].join(" "),
  files: "-o --output -D --dump-header -c --cookie-jar --trace --trace-ascii --stderr --libcurl --etag-save --hsts",
  folders: "--output-dir",
};
const WGET: Writer = {
  valued: "aoeiBtOTwQPUlADIXR",
  attached: "n",
  longValued: [
    "output-document output-file append-output directory-prefix save-cookies rejected-log warc-file header user-agent",
    "user password post-data post-file body-data tries timeout input-file base limit-rate wait execute accept reject",
  ].join(" "),
  files: "-O --output-document -o --output-file -a --append-output --save-cookies --rejected-log",
  folders: "-P --directory-prefix",
};

const WRITERS: readonly (readonly [programs: string, writer: Writer])[] = [
  ["cp gcp ditto gln", COPY],
  ["install ginstall", INSTALL],
  ["ln", COPY],
  ["tee gtee", { operands: 0 }],
  ["sponge", { operands: 0 }],
  ["truncate gtruncate", { valued: "rs", longValued: "reference size", operands: 0 }],
  ["fallocate", { valued: "lo", longValued: "length offset", operands: 0 }],
  ["curl", CURL],
  ["wget wget2", WGET],
  ["aria2c", { valued: "dojxskiltTuU", longValued: "dir out log", files: "-o --out -l --log", folders: "-d --dir" }],
  [
    "sort gsort",
    {
      valued: "kStTo",
      longValued: "key buffer-size field-separator temporary-directory output parallel batch-size compress-program",
      files: "-o --output",
    },
  ],
  ["shuf gshuf", { valued: "ino", longValued: "input-range head-count random-source output", files: "-o --output" }],
  ["pv", { valued: "DsliLBRNHEAwzdPFo", longValued: "output size rate-limit name format", files: "-o --output" }],
  ["iconv", { valued: "ftco", longValued: "from-code to-code output", files: "-o --output" }],
  ["gpg gpg2", { valued: "oruN", longValued: "output recipient local-user passphrase homedir", files: "-o --output" }],
  ["zstd", { valued: "oDMTB", files: "-o" }],
  ["git", { valued: "oCc", longValued: "output format prefix", files: "-o --output" }],
  ["docker podman", { valued: "ofte", longValued: "output file tag", files: "-o --output" }],
  ["brotli lzop gcc g++ cc c++ clang clang++ ld as nasm strip http https xh axel pandoc age objdump ffuf", OUTPUT],
  ["xorriso mkisofs genisoimage", { ...OUTPUT, valued: "opVAC", longValued: "output" }],
  ["pg_dump pg_dumpall", { valued: "fFhpUntTjZ", longValued: "file format host port username", files: "-f --file" }],
  ["sqlite3 ssh-keygen", { valued: "ftCNPb", files: "-f" }],
  ["xxd", { valued: "cglosRnd", operands: 1 }],
  ["uniq guniq", { valued: "fsw", longValued: "skip-fields skip-chars check-chars", operands: 1 }],
  ["objcopy", { valued: "IOFBjRNKGLW", operands: 1 }],
  ["lz4", { valued: "D", operands: 1 }],
  ["ddrescue", { valued: "abceHiKlmorsTx", operands: 1 }],
  ["dd_rescue", { valued: "bBcCelLmorsSyY", operands: 1 }],
  ["mksquashfs mkcramfs", { operands: 1 }],
  ["xfs_copy", { valued: "L", operands: 1 }],
  ["xfs_mdrestore", { valued: "l", operands: 1 }],
  ["e2image", { valued: "bBoO", operands: 1 }],
  ["ntfsclone", { valued: "oO", longValued: "output overwrite", files: "-o --output -O --overwrite" }],
  ["mbuffer", { valued: "ioIObdflmnpPrRsStTuvwWL", files: "-o" }],
  ["genext2fs", { valued: "bBdDfimNx", operands: 0 }],
  ["scp", { valued: "cDFiJloPSX", operands: -1 }],
  ["rclone gsutil aws bmaptool rpi-imager ffmpeg convert magick sox", { operands: -1 }],
];

/** Files that are each looked for in a folder; one more stands for the rest. */
const MAX_FILES = 256;

/** The judges of this file, by program. */
export const WRITER_JUDGES: readonly (readonly [string, DangerJudge])[] = [
  ...WRITERS.flatMap(([programs, writer]) =>
    programs.split(" ").map((name): [string, DangerJudge] => [name, (call) => judgeWriter(call, writer)]),
  ),
  ...["dd", "dcfldd", "dc3dd", "gdd", "sg_dd", "sgp_dd", "ddpt"].map((name): [string, DangerJudge] => [name, judgeDd]),
  ...["tar", "gtar", "bsdtar", "star"].map((name): [string, DangerJudge] => [name, judgeTar]),
  ["cpio", judgeCpio],
  ["pax", judgePax],
  ["openssl", judgeOpenssl],
  ["socat", judgeSocat],
  ["qemu-img", judgeQemu],
  ["find", judgeFindLists],
  ["gfind", judgeFindLists],
];

/** The first block among files that a program writes, else the first doubt. */
function written(targets: readonly Field[], call: DangerCall): Refusal | undefined {
  return worst(targets.map((field) => writeTo(call.name, field, call.folder)));
}

function valuesOf(given: GivenOptions, names = ""): Field[] {
  return names === "" ? [] : optionsNamed(given, ...names.split(" ")).flatMap(({ values }) => values);
}

function judgeWriter(call: DangerCall, writer: Writer): Refusal | undefined {
  const given = readGivenOptions(call, writer);
  if (writer.unless !== undefined && isGiven(given, writer.unless)) return undefined;
  const files = valuesOf(given, writer.files);
  const folders = valuesOf(given, writer.folders);
  const named = inFolders(call, folders, [...files, ...given.operands]);
  return written([...files, ...folders, ...named, ...writtenOperands(call, given, writer)], call);
}

function isGiven(given: GivenOptions, names: string): boolean {
  return names !== "" && optionsNamed(given, ...names.split(" ")).length > 0;
}

/** `cp a /dev/sda`, and `cp sda /dev`, which is the same as `cp sda /dev/sda`. */
function writtenOperands(call: DangerCall, given: GivenOptions, { operands: from, folders }: Writer): Field[] {
  const { operands } = given;
  if (from === undefined) return [];
  if (from >= 0) return operands.slice(from);
  // What `find -exec` fills in is an operand as well.
  const count = operands.length + call.args.filter((word) => word.expansions.input).length;
  if (count < 2 || (folders !== undefined && isGiven(given, folders))) return [];
  const last = lastOperand(call, operands);
  return [...last.map(localPath), ...inFolders(call, last, operands.slice(0, -1))];
}

/** The files that a program makes of others in folders that devices or the kernel's files are in. */
function inFolders(call: DangerCall, folders: readonly Field[], files: readonly Field[]): Field[] {
  const names = files.length <= MAX_FILES ? files : [...files.slice(0, MAX_FILES), [UNKNOWN]];
  return folders
    .filter((folder) => mayHoldDevices(folder, call))
    .flatMap((folder) => names.map((file) => inFolder(folder, file)));
}

function mayHoldDevices(folder: Field, call: DangerCall): boolean {
  const path = placed(folder, call.folder);
  return knownText(path) === undefined || /^\/(?:dev|proc|sys)(?:\/|$)/.test(leadingText(path));
}

/** All that the last operand may be: a variable may have several values. Braces make several operands of one word. */
function lastOperand({ args, fieldsOf, added = [] }: DangerCall, operands: readonly Field[]): readonly Field[] {
  if (added.length > 0) return added;
  const last = operands.slice(-1);
  const shown = last.map(shownField);
  const word = args.findLast((each) => fieldsOf(each).some((field) => shown.includes(shownField(field))));
  return word === undefined || word.expansions.brace ? last : fieldsOf(word);
}

/** `host:/dev/sda` is a device of another machine. */
function localPath(field: Field): Field {
  const host = /^[^/:]+:(?=\/)/.exec(leadingText(field))?.[0] ?? "";
  return host === "" ? field : behind(field, host.length);
}

function behind([first, ...rest]: Field, units: number): Field {
  const text = first?.kind === "text" ? first.text.slice(units) : "";
  return text === "" ? rest : [{ kind: "text", text }, ...rest];
}

/** `of=`, and what `dc3dd` calls it. `dd` writes nothing but its output, so any unknown one asks. */
function judgeDd(call: DangerCall): Refusal | undefined {
  const targets = [...call.fields, ...(call.added ?? [])].flatMap((field) => {
    const name = /^(?:of|hof|wipe|hwipe)=/.exec(leadingText(field))?.[0];
    return name === undefined ? [] : [behind(field, name.length)];
  });
  const known = written(targets, call);
  if (known !== undefined) return known;
  const loose = targets.find((field) => mayBeDevice(field, call.folder));
  return loose === undefined
    ? undefined
    : undecided(`\`${call.name}\` to \`${shownField(loose)}\`, which may be a device`);
}

const TAR: OptionGrammar = {
  valued: "bCfFgHIKLNTVX",
  longValued: "file directory files-from exclude exclude-from format use-compress-program transform index-file",
};

/** Packing writes the archive; unpacking, listing and comparing read it. */
function judgeTar(call: DangerCall): Refusal | undefined {
  const given = readGivenOptions(call, TAR);
  const old = oldTarOptions(call);
  const lists = valuesOf(given, "--index-file");
  const packs = isGiven(given, "-c -r -u -A --create --append --update --catenate --concatenate --delete");
  const reads = isGiven(given, "-x -t -d --extract --get --list --diff --compare");
  if (!(packs || /[cruA]/.test(old.letters)) && (reads || /[xtd]/.test(old.letters))) return written(lists, call);
  return written([...lists, ...valuesOf(given, "-f --file"), ...old.files], call);
}

/** `tar cbf 20 FILE`: the letters without a dash take their values from the words behind, in order. */
function oldTarOptions({ args, fieldsOf }: DangerCall): { readonly letters: string; readonly files: readonly Field[] } {
  const letters = /^[A-Za-z]+$/.exec(firstValue(args))?.[0] ?? "";
  const valued = [...letters].filter((letter) => TAR.valued?.includes(letter));
  const files = valued.flatMap((letter, at) => {
    const word = args[at + 1];
    return letter === "f" && word !== undefined ? fieldsOf(word) : [];
  });
  return { letters, files };
}

/** `cpio -o -F FILE` writes the archive, `cpio -i -F FILE` reads it; `-O` always writes. */
function judgeCpio(call: DangerCall): Refusal | undefined {
  const given = readGivenOptions(call, { valued: "CEFHIMOR", longValued: "file format directory" });
  return written(valuesOf(given, isGiven(given, "-o --create") ? "-O -F --file" : "-O"), call);
}

/** `pax -w -f FILE` writes the archive. */
function judgePax(call: DangerCall): Refusal | undefined {
  const given = readGivenOptions(call, { valued: "bBEfGopsTUx" });
  return written(isGiven(given, "-w") ? valuesOf(given, "-f") : [], call);
}

/** An option may have one dash or two, and its value behind `=`. */
const OPENSSL_FILE = /^--?(?:out|keyout|writerand|sigout|certout)(=|$)/;

function judgeOpenssl(call: DangerCall): Refusal | undefined {
  const targets = call.fields.flatMap((field, at) => {
    const found = OPENSSL_FILE.exec(leadingText(field));
    if (found === null) return [];
    return found[1] === "" ? call.fields.slice(at + 1, at + 2) : [behind(field, found[0].length)];
  });
  return written(targets, call);
}

/** `socat - OPEN:/dev/sda`: both addresses are written, with `-u` the second alone, with `-U` the first. */
function judgeSocat(call: DangerCall): Refusal | undefined {
  const given = readGivenOptions(call, { valued: "LWlbtTS" });
  const [from = 0, to = 2] = isGiven(given, "-u") ? [1] : isGiven(given, "-U") ? [0, 1] : [];
  const addresses = given.operands.slice(from, to).filter((field) => !/,rdonly\b/i.test(shownField(field)));
  return written(
    addresses.map((field) => {
      const scheme = /^(?:[^!]*!!)?(?:(?:g?open|create?|creat|file):)?/i.exec(leadingText(field))?.[0] ?? "";
      const [first, ...rest] = behind(field, scheme.length);
      return first?.kind === "text" ? [...textField(first.text.replace(/,.*/s, "")), ...rest] : [];
    }),
    call,
  );
}

const QEMU_CHANGES = /^(?:create|resize|commit|rebase|amend|bitmap|snapshot)$/;

/** `qemu-img convert IN OUT`; the other subcommands that change an image take it as an operand. */
function judgeQemu(call: DangerCall): Refusal | undefined {
  const given = readGivenOptions(call, { valued: "fFOoSlbBmrtTacsd", longValued: "object image-opts target-format" });
  const [verb, ...images] = given.operands;
  const name = knownText(verb ?? []) ?? "";
  if (name === "dd") return judgeDd(call);
  if (name === "convert") return written(images.slice(-1), call);
  return QEMU_CHANGES.test(name) ? written(images, call) : undefined;
}

/** The files that `find` writes its lists to. */
function judgeFindLists(call: DangerCall): Refusal | undefined {
  const { argv } = call.command;
  const { actions } = readFind(argv);
  const targets = actions.flatMap(({ predicate, at }) => {
    const word = /^-f(?:print0?|printf|ls)$/.test(predicate) ? argv[at + 1] : undefined;
    return word === undefined ? [] : call.fieldsOf(word);
  });
  return written(targets, call);
}
