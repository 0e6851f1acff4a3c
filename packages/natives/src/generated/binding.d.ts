/**
 * Types of the native addon, generated from `crates/pi-natives` by `npm run build:native`. Never edit this file: change
 * the Rust source, whose comments are the ones below.
 */

/** Carries what runs say to JavaScript, and what JavaScript wants back to them. */
export declare class Bridge {
  /**
   * `onReady` is called when `take` has something again, after `take` returned an empty list.
   * It must not throw. `hasLoop`: the host's event loop is libuv's, and its functions may be called.
   */
  constructor(onReady: () => void, hasLoop: boolean)
  /**
   * What operations have to say, one delivery of each, until their texts reach
   * `textBytes`. An empty list means that `onReady` will be called. A delivery without `end`
   * holds its operation back until it is acknowledged.
   */
  take(textBytes: number): Array<Delivery>
  /**
   * The next text of a delivery of operation `id` that has texts, at most 64 KiB in memory; the text
   * before it was dealt with. Null where there is none.
   */
  takeText(id: number): string | null
  /** The last delivery of operation `id` was dealt with: the next may come. */
  acknowledge(id: number): void
  /** Asks operation `id` to stop. Fine at any time, any number of times. */
  cancel(id: number): void
}

/**
 * A terminal with at most one program at a time. `PtySession` of the TypeScript surface stands
 * on it.
 */
export declare class Pty {
  /** Opens nothing yet. */
  constructor()
  /** Starts a command line as operation `id`. */
  start(bridge: Bridge, id: number, command: string, shell: string | undefined | null, request: PtyRequest): void
  /** Starts a program without a shell; otherwise as `start`. */
  startArgv(bridge: Bridge, id: number, application: string, args: Array<string>, request: PtyRequest): void
  /** Types `data`. False: much of it waits, and a writer should too. */
  write(data: string): boolean
  /** Bytes typed that the program's terminal has not taken. */
  pendingInput(): number
  /** Changes the terminal's size; clamped. */
  resize(cols: number, rows: number): void
  /** Ends the program and all it started, or sends the signal of this number to its foreground. */
  kill(signal?: number | undefined | null): void
}

/** What is masked, compiled. Its values cannot be read back. */
export declare class SecretMask {
  /** Compiles what `request` asks for. */
  constructor(request: SecretMaskRequest)
  /** `text` with markers in the place of secrets. */
  text(text: string): MaskedText
}

/** Masks one stream of bytes. */
export declare class SecretMaskStream {
  /** A stream at its beginning. */
  constructor(mask: SecretMask)
  /**
   * Takes bytes that stand before what is wanted, and gives out nothing of them: a secret that begins in them is
   * masked to its end.
   */
  skip(bytes: Uint8Array): void
  /** Takes the next bytes, and gives out those that are decided. */
  push(bytes: Uint8Array): Uint8Array
  /** Ends the stream, and gives out what is left. */
  finish(): Uint8Array
}

/** One persistent bash. `Shell` of the TypeScript surface stands on it. */
export declare class Session {
  /** Checks the options; starts nothing. `mask`: what is masked in the output of each run. */
  constructor(options: SessionOptions, mask?: SecretMask | undefined | null)
  /**
   * Starts run `id`; its output and end come over `bridge`. With `isCancelled` nothing is
   * spawned and the end is that of a cancelled run. True where `bridge` has something to take already.
   */
  run(bridge: Bridge, id: number, request: RunRequest, isCancelled: boolean): boolean
  /** Operation `id`: stops all runs of the session and ends when they have. */
  abort(bridge: Bridge, id: number): void
  /** Operation `id`: ends the session and everything it started. */
  close(bridge: Bridge, id: number): void
  /**
   * Operation `id`: lets the command that runs go on beside the session. Its count is 1 where
   * that was done.
   */
  handOver(bridge: Bridge, id: number): void
  /** Operation `id`: how many background jobs of the session live. */
  liveBackgroundJobCount(bridge: Bridge, id: number): void
  /** The process above everything that the session started; absent before its first run. */
  rootPid(): number | null
  /** What background children wrote after their commands ended, the oldest command's first. */
  lateOutput(): string
}

/** Keeps the ends of a stream in memory and the whole of it in a file. */
export declare class Sink {
  /** An empty sink; touches no file. `mask`: what is masked in its text. */
  constructor(options: SinkRequest, mask?: SecretMask | undefined | null)
  /**
   * Takes the next text or raw bytes. Text and bytes may be mixed; a character may be split
   * between two pushes of bytes.
   */
  push(chunk: string | Uint8Array): void
  /** Shows `text` instead of all that was pushed; totals and the file stay those of the stream. */
  replace(text: string): void
  /** The text as it stands, if there is something new and an update is due now. */
  update(): Update | null
  /** Milliseconds until `update` has something to give; absent when nothing is new. */
  pendingUpdateMs(): number | null
  /**
   * Ends the stream and closes the file, which is complete then. Called again, it returns the
   * same summary. `notice` stands before the text as a line of its own, in brackets.
   */
  finish(notice?: string | undefined | null): Summary
}

/** What works here. */
export declare function capabilities(): Capabilities

/** What works here. */
export interface Capabilities {
  /** As `process.platform` names it. */
  platform: string
  /** `persistent`: one bash serves all runs of a session. `per-command`: each run has its own. */
  session: 'persistent' | 'per-command'
  /** A supervisor process kills everything when the host is gone. */
  supervisor: boolean
  /** Pseudoterminals. */
  pty: boolean
  /** Runs in a copy of a session. */
  clone: boolean
  /** Names of the sandboxes that can be asked for. */
  sandbox: Array<string>
  /** Whether commands can run read-only. */
  readOnly: ReadOnlyCapability
}

/** What one operation has to say. Text comes before the update, the update before the end. */
export interface Delivery {
  /** The operation's number. */
  id: number
  /** The next piece of output, at most 64 KiB in memory. */
  text?: string
  /** The next pieces of output are to be had from `takeText`, and this delivery has nothing else. */
  hasTexts?: boolean
  /** The newest tail. */
  update?: Update
  /** Who reads a terminal that is quiet. */
  quiet?: QuietTerminal
  /**
   * The operation is over, and its callbacks may hold the end back for so many milliseconds from now on. Alone: only
   * an unacknowledged delivery holds it back.
   */
  patienceMs?: number
  /** The operation's end; the last delivery of this number. */
  end?: End
}

/** Whether sessions are driven by the bash driver, as far as this process has tried. */
export declare function driverReport(): DriverReport

/** Whether sessions are driven by the bash driver, as far as this process has tried. */
export interface DriverReport {
  /** `untried` before the first session. */
  state: 'untried' | 'fits' | 'unfit'
  /** Why it does not fit. */
  reason?: string
}

/** How an operation ended. Exactly one field is set; none for an operation without a result. */
export interface End {
  /** The result of a run. */
  run?: RunOutcome
  /** The answer of `liveBackgroundJobCount`. */
  count?: number
  /** Why the operation could not be done. */
  failure?: Failure
}

/** Starts run `id` on a fresh bash that ends with it. `mask`: what is masked in its output. */
export declare function execute(bridge: Bridge, id: number, session: SessionOptions, request: RunRequest, isCancelled: boolean, mask?: SecretMask | undefined | null): boolean

/** Minimizes `output` and tells what each stage did. A panic of a filter is thrown. */
export declare function explainMinimizer(ran: MinimizedCommand, output: string, rules: MinimizerRules): MinimizerExplanation

/** Why an operation could not be done. */
export interface Failure {
  /** Stays the same between releases, e.g. `PI_MISSING_CWD`. */
  code: string
  /** For people: names the thing and the remedy. */
  message: string
  /** The reason by itself, of a read-only command that could not be run. */
  reason?: string
}

/** Upper bounds set with `setrlimit(2)` before the shell starts. */
export interface Limits {
  /** `RLIMIT_AS`, in bytes. */
  addressSpaceBytes?: number
  /** `RLIMIT_NOFILE`, a count. */
  openFiles?: number
  /** `RLIMIT_NPROC`, a count for the whole user. */
  processes?: number
  /** `RLIMIT_FSIZE`, in bytes. */
  fileSizeBytes?: number
  /** `RLIMIT_CPU`, in seconds of each process. */
  cpuSeconds?: number
  /** `RLIMIT_DATA`, in bytes. */
  dataBytes?: number
  /** `RLIMIT_CORE`, in bytes. */
  coreSizeBytes?: number
  /** Memory of all processes of the session together, in bytes. */
  sessionMemoryBytes?: number
  /** Processes and threads of the session at one time. */
  sessionProcesses?: number
}

/** A TCP port that a program listens on. */
export interface ListeningPort {
  /** Number of the port. */
  port: number
  /** Where it is bound, e.g. `127.0.0.1` or `::`. */
  address: string
  /** The process that has the socket; absent where it is another user's. */
  pid?: number
  /** Short name of its program. */
  program?: string
  /** When that process started, in milliseconds since the Unix epoch; 0 where that is not known. */
  startedAtMs: number
  /** It is in another network namespace and cannot be reached from here. */
  isInside: boolean
}

/** The ports of processes and of everything below them, by number and address. */
export declare function listeningPorts(roots: Array<number>): Promise<Array<ListeningPort>>

/** Secrets that were masked in an output. */
export interface MaskedSecrets {
  /** Markers that stand for them. */
  count: number
  /** Names in those, each once. */
  names: Array<string>
}

/** A text without its secrets. */
export interface MaskedText {
  /** The text. */
  text: string
  /** Markers in it that stand for secrets. */
  count: number
  /** Names in those, each once. */
  names: Array<string>
}

/** Minimizes `output`; null where the original is to be used as it is. */
export declare function minimize(ran: MinimizedCommand, output: string, rules: MinimizerRules): MinimizedText | null

/** What produced an output. */
export interface MinimizedCommand {
  /** The command line as it was typed. Ignored where `argv` is given. */
  command: string
  /** The program and its arguments, from a real parser. */
  argv?: Array<string>
  /** How the command ended. */
  exitCode: number
}

/** A rewritten output. */
export interface MinimizedText {
  /** What worked on it. */
  filter: string
  /** The text for the model. */
  text: string
  /** The text as it was, where JavaScript does not have it. */
  originalText?: string
  /** Bytes of the original as UTF-8. */
  inputBytes: number
  /** Bytes of `text` as UTF-8. */
  outputBytes: number
}

/** Like `minimize`, on a thread of the pool: up to a tenth of a second of computing. */
export declare function minimizeLater(ran: MinimizedCommand, output: string, rules: MinimizerRules): Promise<MinimizedText | null>

/** The stages a text went through, and its result. */
export interface MinimizerExplanation {
  /** The stages in order. */
  stages: Array<MinimizerStage>
  /** The rewritten text; absent where the original stands. */
  minimized?: MinimizedText
}

/** How an output may be rewritten. */
export interface MinimizerRules {
  /** Programs (base names) to minimize; empty means all. */
  only?: Array<string>
  /** Programs never to minimize; wins over `only`. */
  except?: Array<string>
  /** Bytes of output above which nothing is minimized. */
  maxCaptureBytes?: number
  /** Outline of source files that are read. */
  sourceOutline?: 'default' | 'aggressive'
  /** Only what loses nothing. */
  losslessOnly?: boolean
  /** The output is cut, or the command was stopped. */
  incomplete?: boolean
  /** Where the original can be read. */
  reference?: string
  /** Texts of rule files, the most important first; they go before the built-in ones. */
  ruleFiles?: Array<string>
}

/** What one stage of the minimizer did to a text. */
export interface MinimizerStage {
  /** `gate`, `lossless`, `outline`, `families` or `check`. */
  name: string
  /** Bytes of the text after the stage, as UTF-8. */
  bytes: number
  /** Lines of the text after the stage. */
  lines: number
  /** What the stage decided: families that worked on it, or why the text before it stands. */
  note: string
}

/** Something that a session's proxy refused. */
export interface NetworkRefusalFacts {
  /** Host and port, as they were asked for. */
  target: string
  /** Why, as the rest of a sentence that begins with the target. */
  reason: string
  /** The rule that would allow it. Absent: no rule would. */
  rule?: string
}

/** Something in the workspace that a program outside will obey. */
export interface PlantFacts {
  /** Where it is; absolute. */
  path: string
  /** What obeys it. */
  kind: 'git-repository' | 'git-rebase' | 'tool-configuration'
}

/** Who listens on a port of this machine; nothing where it is free. */
export declare function portHolder(port: number): Promise<Array<ListeningPort>>

/** What to run on a terminal, and on what terminal. */
export interface PtyRequest {
  /** Path of the `pi-supervisor` executable. */
  supervisor?: string
  /** Working directory. */
  cwd?: string
  /** The environment that the program begins with. */
  baseEnv?: Record<string, string>
  /** Variables on top of it. */
  env?: Record<string, string>
  /** Milliseconds from the start to the deadline. Absent: no deadline. */
  timeoutMs?: number
  /** Columns; clamped. */
  cols?: number
  /** Rows; clamped. */
  rows?: number
  /** The sandbox that the program runs in. Absent: none. */
  sandbox?: SandboxRequest
  /** Deliver the decoded text. */
  wantsChunks: boolean
  /** Report who reads the terminal while it is quiet. */
  wantsQuiet: boolean
  /**
   * An operation that ends with the program's pid as its count when it runs, and without one
   * when it never does.
   */
  startId?: number
  /** Start nothing; the end is that of a cancelled run. */
  isCancelled: boolean
}

/** A terminal on which nothing was written or typed for a while. */
export interface QuietTerminal {
  /** Milliseconds since the last byte of output or input. */
  quietMs: number
  /** Bytes that had been typed when it was looked at. */
  typedBytes: number
  /** Milliseconds for which the readers were seen in the same calls. */
  heldMs: number
  /** Milliseconds for which nothing was seen to use a processor. */
  idleMs: number
  /** How the terminal treats what is typed. Absent: it cannot be asked. */
  modes?: TerminalModes
  /** Programs of the foreground that are blocked in a call that reads the terminal. */
  readers: Array<TerminalReader>
  /** Programs of the foreground that may not be looked at. */
  denied: Array<TerminalProgram>
  /** Programs that are stopped outside of the foreground. */
  stopped: Array<TerminalProgram>
  /** Something on the terminal runs. */
  isBusy: boolean
  /** A program on the terminal listens on a TCP port. */
  listens: boolean
}

/** Whether commands can run read-only, as far as the system says. */
export interface ReadOnlyCapability {
  /** They can. */
  available: boolean
  /** Why they cannot. */
  reason?: string
  /** What this kernel cannot hold of it, by name. */
  degraded: Array<string>
}

/** A command ran where the kernel kept it from changing anything. */
export interface ReadOnlyFacts {
  /** What this kernel cannot hold, by name. */
  degraded: Array<string>
  /** It changed the shell's state, and that went with the copy. */
  stateDropped: boolean
}

/** The result of one run. */
export interface RunOutcome {
  /** Exit status, 0 to 255; absent when a signal ended the shell or the run was stopped. */
  exitCode?: number
  /** Number of the signal that ended the command's shell, on this platform. */
  signalNumber?: number
  /** The caller, or the session's end, stopped it; or it was ended for `inputWanted`. */
  cancelled: boolean
  /** Its deadline stopped it. */
  timedOut: boolean
  /** The session's directory afterwards. Bytes that are not UTF-8 become U+FFFD. */
  workingDir?: string
  /** State was lost: a fresh or rolled-back shell stands in the session. */
  sessionReset: boolean
  /** What a new shell lacks besides. Absent: nothing. */
  lostWithShell?: Array<'jobs' | 'descriptors'>
  /** Processes of this run that still live. */
  survivors: Array<Survivor>
  /** Milliseconds from the command's start to its end, by a clock that is never set. */
  wallTimeMs: number
  /** What the sink kept, where one was asked for. */
  output?: Summary
  /** The output rewritten, where that was asked for and the text changed. */
  minimized?: MinimizedText
  /** The sandbox it ran in, where one was asked for. */
  sandbox?: SandboxFacts
  /** Limits that were met while it ran. Absent: none. */
  limitsMet?: Array<'memory' | 'processes' | 'cpu-time' | 'file-size'>
  /** What it was kept from, where it ran read-only. */
  readOnly?: ReadOnlyFacts
  /** A program of it that waits for input that cannot come. Absent: none was seen. */
  inputWanted?: WantedInput
  /** What it used, where that was asked for and is known. */
  usage?: Usage
}

/** One command. */
export interface RunRequest {
  /** The text given to bash. */
  command: string
  /** Directory to change to first. */
  cwd?: string
  /** Variables exported for this command only. */
  env?: Record<string, string>
  /** Milliseconds from the command's start to its deadline. Absent: no deadline. */
  timeoutMs?: number
  /** Where output is kept. Absent: nowhere. */
  sink?: SinkRequest
  /** Minimize the output when the command has ended. Absent: do not. */
  minimizer?: MinimizerRules
  /** The program and its arguments, from a real parser, for the minimizer. */
  argv?: Array<string>
  /** Run at once in a copy of the session instead of waiting for a turn. */
  clone: boolean
  /** Run in a copy of the session that the kernel keeps from changing anything, or not at all. Absent: do not. */
  readOnly?: boolean
  /** What becomes of it where a program of it waits for input that cannot come. Absent: it is ended. */
  onInputWait?: 'end' | 'note'
  /** The result says what the command used. Absent: it does not. */
  usage?: boolean
  /** Deliver the decoded text. */
  wantsChunks: boolean
  /** Deliver the sink's tail now and then. */
  wantsUpdates: boolean
  /** Longest wait for the end in the call itself, in microseconds. Absent: none. */
  spinMicroseconds?: number
}

/** The sandbox that a command ran in. */
export interface SandboxFacts {
  /** What could be written. */
  mode: 'read-only' | 'workspace-write'
  /** Who held it. */
  backend: 'bubblewrap' | 'landlock' | 'seatbelt'
  /** The host's network could be used. */
  network: boolean
  /** What of the network could be reached, by a proxy. Absent: nothing, or the host's network. */
  networkRules?: Array<string>
  /** What the proxy refused since the result before. Absent: nothing. */
  refused?: Array<NetworkRefusalFacts>
  /** What was not contained, by name. */
  degraded: Array<string>
  /** What came since the result before and that a program outside will obey. Absent: nothing. */
  planted?: Array<PlantFacts>
  /** There is more in the folders that can be written than was looked at. Absent: there is not. */
  partlySearched?: true
}

/** A sandbox that is asked for. */
export interface SandboxRequest {
  /** What can be written. */
  mode: 'read-only' | 'workspace-write'
  /** The host's network can be used. With `networkRules` it cannot. */
  network: boolean
  /** What of the network can be reached, by a proxy. Absent: nothing, or the host's network. */
  networkRules?: Array<string>
  /** Absent: the first that works. */
  backend?: 'bubblewrap' | 'landlock' | 'seatbelt'
  /** Folders that can be written; absolute. */
  writablePaths: Array<string>
  /** What stays read-only in them, besides what always does. */
  protectedPaths: Array<string>
  /** What cannot be seen; absolute. */
  hiddenPaths: Array<string>
  /** Go on where a backend lacks something, and say what. */
  allowDegraded: boolean
}

/** What is masked. */
export interface SecretMaskRequest {
  /** Values that must not be shown. */
  values: Array<SecretValue>
  /** Mask tokens of well-known forms. */
  shapes: boolean
  /** Names of values and forms that are not masked; `*` stands for any run of characters. */
  allow: Array<string>
}

/** A value that must not be shown. */
export interface SecretValue {
  /** How markers call it. */
  name: string
  /** The value itself. */
  value: string
}

/** Options of a session. */
export interface SessionOptions {
  /** Path of the bash to run. */
  shell?: string
  /** Path of the `pi-supervisor` executable. */
  supervisor?: string
  /** Path of the bash driver. Absent: each command has a bash of its own. */
  driver?: string
  /** First working directory. */
  cwd?: string
  /** The environment the session begins with. */
  baseEnv?: Record<string, string>
  /** Variables exported on top of it. */
  sessionEnv?: Record<string, string>
  /** A bash file sourced once, before the first command. */
  snapshotPath?: string
  /** Resource limits of everything the session starts. */
  limits?: Limits
  /** The sandbox that the session runs in. Absent: none. */
  sandbox?: SandboxRequest
}

/** How much of the output is kept, and where the whole goes. */
export interface SinkRequest {
  /** Most bytes of text kept, head and tail together. */
  maxBytes?: number
  /** Bytes kept from the beginning. */
  headBytes?: number
  /** Longest line shown, in bytes. */
  maxLineBytes?: number
  /** File for the raw bytes, made when the output exceeds `maxBytes`. */
  spillPath?: string
  /** The file is made with the first byte instead, and is there at the end in any case. */
  spillFromStart?: boolean
  /** Most bytes written to that file. */
  spillMaxBytes?: number
  /** Least milliseconds between two updates. */
  throttleMs?: number
  /** Whether the text is made plain: colours, cursor movement and control characters removed. */
  plainText?: boolean
  /** Where secrets are masked: whether they are masked in that file too. */
  maskSpill?: boolean
}

/** What a sink kept. */
export interface Summary {
  /** The text for the model: all of it, or head and tail windows with a marker between. */
  text: string
  /** Some bytes of the output are not in `text`. */
  truncated: boolean
  /** Bytes written by the command. */
  totalBytes: number
  /** Lines written by the command; a last line without a newline counts. */
  totalLines: number
  /** Bytes of `text` that came from the command. */
  outputBytes: number
  /** Lines of `text` that came from the command. */
  outputLines: number
  /** The spill file holds every byte. */
  spilled: boolean
  /** Why the spill file is missing or short. */
  spillError?: string
  /** First line of the whole output that the tail window shows, counted from 1; 0 for none. */
  startLine: number
  /** Last line of the whole output that the tail window shows; 0 for none. */
  endLine: number
  /** Bytes that background children wrote after the command ended, as far as seen. */
  lateOutputBytes: number
  /** What was masked. Absent: nothing. */
  masked?: MaskedSecrets
}

/** A process that outlived the command that started it. */
export interface Survivor {
  /** Its id, valid while it lives. */
  pid: number
  /** Its command line, arguments joined by spaces, at most 4 KiB. */
  command: string
  /** When it started, in milliseconds since the Unix epoch. */
  startedAtMs: number
}

/** How a terminal treats what is typed. */
export interface TerminalModes {
  /** It is shown. */
  echo: boolean
  /** The kernel edits a line, which is read when it is whole. */
  canonical: boolean
}

/** A program on a terminal. */
export interface TerminalProgram {
  /** Its process ID. */
  pid: number
  /** Its short name, at most 15 bytes. */
  name: string
}

/** A program that reads a terminal. */
export interface TerminalReader {
  /** Its process ID. */
  pid: number
  /** Its short name, at most 15 bytes. */
  name: string
  /** It is in `read`, and not in a call that waits for several descriptors. */
  isRead: boolean
  /** It stops waiting by itself after a time. */
  isTimed: boolean
  /** That time in milliseconds. Absent where it does not, and where its call does not say the time. */
  timerMs?: number
  /** It waits for another machine or terminal as well. */
  isRelay: boolean
  /** It waits for the terminal and nothing else. */
  isAlone: boolean
}

/** A sink's state while the run goes on. */
export interface Update {
  /** The text a sink would show now. */
  tail: string
  /** Bytes written so far. */
  totalBytes: number
  /** Lines written so far. */
  totalLines: number
}

/** What a command used. */
export interface Usage {
  /** Milliseconds of processor time outside of the kernel. */
  userMs: number
  /** Milliseconds of processor time inside of the kernel. */
  systemMs: number
  /** Largest resident set of one process. Absent: not known. */
  peakMemoryBytes?: number
}

/** How many rules and inline tests a rule file has. */
export interface VerifiedRules {
  /** Rules in the file. */
  rules: number
  /** Inline tests, all of which hold. */
  tests: number
}

/**
 * Runs the inline tests of the rule file `text`, or those of the built-in rules where it is absent.
 * Throws what is wrong.
 */
export declare function verifyMinimizerRules(text?: string | undefined | null): VerifiedRules

/** The version that the addon was built as. The loader refuses one that is not its own. */
export declare function version(): string

/** A program of a command waits for a person's input, and the command has no terminal. */
export interface WantedInput {
  /** Its process ID, valid while it lives. */
  pid: number
  /** Its short name. */
  program: string
  /** The command was ended for it. */
  ended: boolean
}
