/**
 * Looks through git where it starts a command that the line names: subcommands that run one, options that take one, and
 * settings of the call that hold one (`git -c alias.z='!rm x' z`), or another git command (`git -c alias.p=push p`).
 * The settings are read in `git-settings.ts`, remotes that name a command in `git-transports.ts`.
 *
 * Sources: git-bisect(1), git-submodule(1), git-rebase(1), git-filter-branch(1), git-difftool(1), git-grep(1),
 * git-for-each-repo(1), git-fetch(1), git-push(1), git-clone(1), git-archive(1), git-config(1).
 */
import { aliasName, type GitSetting, isAlias, settingsOfCall, settingsOfVariables } from "./git-settings.ts";
import { transportCommands } from "./git-transports.ts";
import { form, type Launcher } from "./launcher-spec.ts";
import { throughLauncher } from "./unwrap-launcher.ts";
import { TOO_LARGE, wrapperName } from "./unwrap-shell.ts";
import { type EffectiveCommand, emit, opaque, type State, type Step, type Unwrapped } from "./unwrap-state.ts";
import { attachedWord, literalWord, type Word } from "./word.ts";

const BEFORE = "-C -c --git-dir --work-tree --namespace --config-env --super-prefix";
const GIT: Launcher = {
  contained: false,
  forms: [
    form("bisect run", { valued: BEFORE }),
    form("submodule foreach", { valued: BEFORE, flags: "-q --quiet --recursive" }),
    form("for-each-repo", { valued: `${BEFORE} --config`, flags: "--keep-going", dashes: true }),
    form("rebase|pull", { valued: BEFORE, runs: "other", texts: "-x --exec" }),
    form("difftool", { valued: BEFORE, runs: "other", texts: "-x --extcmd" }),
    form("grep", { valued: BEFORE, runs: "other", texts: "-O --open-files-in-pager" }),
    form("filter-branch", {
      valued: BEFORE,
      runs: "other",
      texts:
        "--setup --env-filter --tree-filter --index-filter --parent-filter --msg-filter --commit-filter --tag-name-filter",
    }),
    form("fetch|pull|clone|ls-remote|fetch-pack|push|send-pack|archive", {
      valued: BEFORE,
      runs: "other",
      texts: "-u --upload-pack --receive-pack --exec",
    }),
    form("send-email", { valued: BEFORE, runs: "other", texts: "--sendmail-cmd --to-cmd --cc-cmd --header-cmd" }),
  ],
};

/** How subcommands let options that hold a text be written otherwise than in the forms above. */
interface Spelling {
  readonly subcommands: RegExp;
  /** The letter of the option, behind others in a cluster: `-ix`. */
  readonly letter?: string;
  /** Letters whose value is the rest of a cluster. */
  readonly valued?: string;
  /** Long options, which may be given by a beginning of their name: `--exe`. */
  readonly names: readonly string[];
}

const REMOTE_PROGRAMS = ["--upload-pack", "--receive-pack", "--exec"];
const SPELLINGS: readonly Spelling[] = [
  { subcommands: /^rebase$/, letter: "x", valued: "CsSX", names: ["--exec"] },
  { subcommands: /^difftool$/, letter: "x", valued: "t", names: ["--extcmd"] },
  { subcommands: /^grep$/, letter: "O", valued: "efABCm", names: ["--open-files-in-pager"] },
  { subcommands: /^(?:clone|ls-remote)$/, letter: "u", valued: "bcjo", names: REMOTE_PROGRAMS },
  { subcommands: /^(?:fetch|pull|fetch-pack|push|send-pack|archive)$/, names: REMOTE_PROGRAMS },
  { subcommands: /^send-email$/, names: ["--sendmail-cmd", "--to-cmd", "--cc-cmd", "--header-cmd"] },
];

/** Shortest beginning of a long option that is taken for it, dashes included. */
const MIN_BEGINNING = 4;

/** The call with such options written out: `rebase -ix y` as `rebase -i -x y`. */
function spelledOut(argv: readonly Word[]): readonly Word[] {
  const found = SPELLINGS.flatMap((spelling) => {
    const at = argv.findIndex(({ value }, index) => index > 0 && spelling.subcommands.test(value ?? ""));
    return at === -1 ? [] : [{ spelling, at }];
  });
  if (found.length === 0) return argv;
  return argv.flatMap((word, index) => {
    const readings = found.map(({ spelling, at }) => (index > at ? wordsOfOption(spelling, word) : undefined));
    return readings.find((words) => words !== undefined) ?? [word];
  });
}

/** One option written out; none where it is already, or is another one. */
function wordsOfOption(spelling: Spelling, word: Word): readonly Word[] | undefined {
  return word.leading.startsWith("--") ? wordsOfLong(spelling, word) : wordsOfCluster(spelling, word);
}

function wordsOfLong({ names }: Spelling, word: Word): readonly Word[] | undefined {
  const given = /^--[a-z-]+/.exec(word.leading)?.[0] ?? "";
  const name =
    given.length < MIN_BEGINNING ? undefined : names.find((each) => each.startsWith(given) && each !== given);
  if (name === undefined) return undefined;
  const option = literalWord(name, word.span);
  return word.leading[given.length] === "=" ? [option, attachedWord(word, given.length + 1)] : [option];
}

/** Behind `-O` stands no value that is not attached. */
function wordsOfCluster({ letter = "", valued = "" }: Spelling, word: Word): readonly Word[] | undefined {
  const at = letter === "" || !/^-[A-Za-z0-9]/.test(word.leading) ? -1 : word.leading.indexOf(letter);
  const before = word.leading.slice(0, at);
  if (at < 2 || !/^-[A-Za-z0-9]+$/.test(before) || [...before].some((each) => valued.includes(each))) return undefined;
  const options = [literalWord(before, word.span), literalWord(`-${letter}`, word.span)];
  if (word.value === null || at + 1 < word.leading.length) return [...options, attachedWord(word, at + 1)];
  return letter === "O" ? undefined : options;
}

/** Settings whose value is a command for a shell; that of an alias only where it begins with `!`. */
const RUNS_VALUE =
  /^(?:core\.(?:pager|editor|sshcommand|askpass|fsmonitor|gitproxy)|sequence\.editor|pager\.[\w-]+|interactive\.difffilter|diff\.external|credential\.(?:.*\.)?helper|gpg\.(?:.*\.)?(?:program|defaultkeycommand)|(?:diff|filter|merge|difftool|mergetool|trailer|browser|man|sendemail|remote|submodule|uploadpack)\.(?:.*\.)?(?:command|cmd|textconv|clean|smudge|process|driver|path|uploadpack|receivepack|update|sendmailcmd|tocmd|cccmd|packobjectshook|smtpserver))$/i;

/** Readings of one call, those of aliases inside aliases multiplied; with more it is not known what runs. */
const MAX_READINGS = 32;
/** Settings of a call that its line makes elsewhere, and that start something. */
const MAX_AROUND = 4;
/** Longest alias that is split into words, in UTF-16 units. */
const MAX_ALIAS_CHARS = 1_024;

/** The git call as a command, and what it may start. */
export function throughGit(argv: readonly Word[], state: State, step: Step): Unwrapped {
  const own = settingsOfCall(argv);
  const { settings: given, exceeded } = settingsOfVariables(argv, state.assignments, state.git);
  const known = [...state.git.inside, ...own.filter(isAlias).map(aliasName)];
  const isCalled = (alias: GitSetting): boolean => !known.includes(aliasName(alias)) && callOf(alias, argv) !== -1;
  const around = [...given, ...state.git.aliases].filter((setting) =>
    isAlias(setting) ? isCalled(setting) : commandIn(setting, argv).length > 0,
  );
  const settings = [...own, ...around.slice(0, MAX_AROUND)];
  const texts = settings.flatMap((setting) => commandIn(setting, argv));
  const found = {
    ...throughLauncher(GIT, spelledOut(argv), state, step, texts),
    effective: emit(argv, state).effective,
  };
  const perhaps = [
    ...throughAliases(settings.filter(isCallAlias), argv, state, step),
    ...throughTransports([...argv, ...given.flatMap(wordsOfSetting)], state, step),
    ...(exceeded || around.length > MAX_AROUND ? opaque(argv, state, TOO_LARGE).effective : []),
  ];
  return perhaps.length === 0 ? found : { ...found, perhaps: [...found.perhaps, ...perhaps] };
}

/** The git calls that aliases stand for. */
function throughAliases(
  aliases: readonly GitSetting[],
  argv: readonly Word[],
  state: State,
  step: Step,
): readonly EffectiveCommand[] {
  if (aliases.length === 0) return [];
  const readings = state.readings * (aliases.length + 1);
  const inside = [...state.git.inside, ...aliases.map(aliasName)];
  const git = { ...state.git, inside };
  const around: State = { ...state, via: [...state.via, wrapperName(argv)], privileged: true, readings, git };
  if (readings > MAX_READINGS) return opaque(argv, around, TOO_LARGE).effective;
  const parts = aliases.map((alias) => step(aliasedCall(alias, argv), around));
  return parts.flatMap((part) => [...part.effective, ...part.perhaps]);
}

/** What git starts to talk to a remote. */
export function throughTransports(argv: readonly Word[], state: State, step: Step): readonly EffectiveCommand[] {
  const commands = transportCommands(argv);
  if (commands.length === 0) return [];
  const readings = state.readings * (commands.length + 1);
  const around: State = { ...state, via: [...state.via, wrapperName(argv)], privileged: true, readings };
  if (readings > MAX_READINGS) return opaque(argv, around, TOO_LARGE).effective;
  return commands
    .map((words) => (words.some(({ value }) => value === null) ? opaque(argv, around, EXPANDS) : step(words, around)))
    .flatMap((part) => [...part.effective, ...part.perhaps]);
}

const EXPANDS = "the command of a remote expands";

/** The key as well: `url.ext::….insteadOf`. */
function wordsOfSetting({ key, value }: GitSetting): readonly Word[] {
  return [literalWord(key, value.span), value];
}

/** An alias that stands for a git call; one with `!` is a text for a shell. */
function isCallAlias(setting: GitSetting): boolean {
  return isAlias(setting) && !setting.value.leading.startsWith("!");
}

/** The call that an alias makes, with the words behind its name where it is called. */
function aliasedCall(alias: GitSetting, argv: readonly Word[]): readonly Word[] {
  return [...argv.slice(0, 1), ...splitAlias(alias.value), ...argumentsOf(alias, argv)];
}

function argumentsOf(alias: GitSetting, argv: readonly Word[]): readonly Word[] {
  const called = callOf(alias, argv);
  return called === -1 ? [] : argv.slice(called + 1);
}

/** Where an alias is called; one whose name is not known may be any word. */
function callOf(alias: GitSetting, argv: readonly Word[]): number {
  const name = aliasName(alias);
  return argv.findIndex(
    ({ value, leading }, at) =>
      at > alias.at && (name === "" ? !leading.startsWith("-") : value?.toLowerCase() === name),
  );
}

/** The words of an alias. Git has quotes of its own there, which only matter to words with blanks in them. */
function splitAlias(word: Word): readonly Word[] {
  const { value, span } = word;
  if (value === null || value.length > MAX_ALIAS_CHARS) return [{ ...word, value: null, leading: "", splits: true }];
  const words = value.replace(/['"\\]/g, "").split(/\s+/);
  return words.filter((text) => text !== "").map((text) => literalWord(text, span));
}

/** The text for a shell in a setting. Git gives that of an alias the words behind its name. */
function commandIn(setting: GitSetting, argv: readonly Word[]): Word[] {
  const { key, value } = setting;
  const isOpen = isAlias(setting) && value.value === null && value.leading === "";
  if (!value.leading.startsWith("!") && !isOpen) return RUNS_VALUE.test(key) ? [value] : [];
  const text = isOpen ? value : attachedWord(value, 1);
  const rest = argumentsOf(setting, argv).map((word) => word.text);
  if (!isAlias(setting) || text.value === null || rest.length === 0) return [text];
  return [literalWord([text.value, ...rest].join(" "), text.span)];
}
