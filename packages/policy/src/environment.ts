/**
 * Environment variables that make programs do something else: load code, run another program, obey another file.
 *
 * A model that may set them needs no command of its own: `GIT_SSH_COMMAND`, `BASH_ENV` or `LD_PRELOAD` run one inside
 * an allowed program. The list is the study's; names that only change language, colour or width are harmless.
 */

const DANGEROUS_NAMES: ReadonlySet<string> = new Set(
  "PATH ENV SHELLOPTS BASHOPTS IFS PS0 PS1 PS2 PS4 PROMPT_COMMAND CDPATH GLOBIGNORE SSH_ASKPASS SUDO_ASKPASS PAGER MANPAGER SYSTEMD_PAGER EDITOR VISUAL FCEDIT BROWSER HOME TMPDIR SHELL NODE_OPTIONS NODE_PATH PYTHONSTARTUP PYTHONPATH PYTHONHOME PERL5OPT PERL5LIB PERL5DB RUBYOPT RUBYLIB JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS CLASSPATH GOFLAGS GOTOOLCHAIN RUSTC_WRAPPER RUSTFLAGS CC CXX LD MAKEFLAGS MAKEFILES TAR_OPTIONS RIPGREP_CONFIG_PATH GREP_OPTIONS DOCKER_HOST KUBECONFIG ALL_PROXY HTTP_PROXY HTTPS_PROXY NO_PROXY SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE NODE_EXTRA_CA_CERTS GCONV_PATH LOCPATH NLSPATH HOSTALIASES TERMINFO TERMCAP GETCONF_DIR RES_OPTIONS POSIXLY_CORRECT HISTFILE OPTIND FUNCNEST EXECIGNORE TIMEFORMAT MAILCHECK COLUMN_OPTIONS PYTHONBREAKPOINT PYTHONINSPECT PYTHONEXECUTABLE PYTHONUSERBASE PYTHONWARNINGS PERLLIB LUA_INIT LUA_PATH LUA_CPATH PHPRC PHP_INI_SCAN_DIR R_PROFILE R_PROFILE_USER DOTNET_STARTUP_HOOKS GEM_HOME GEM_PATH BUNDLE_GEMFILE GNUMAKEFLAGS UNZIP UNZIPOPT ZIPINFO ZIPINFOOPT GZIP TEXTDOMAIN TEXTDOMAINDIR".split(
    " ",
  ),
);

const DANGEROUS_PREFIXES = [
  "LD_",
  "DYLD_",
  "BASH_",
  "GIT_",
  "LESS",
  "CARGO_",
  "PIP_",
  "XDG_",
  "SSH_",
  "GPG_",
  "MALLOC_",
  "PERL5",
  "YARN_",
  "SYSTEMD_",
  // `objdump` and `readelf` fetch debug information from there.
  "DEBUGINFOD_",
  "ANSIBLE_",
];

/** Names whose value changes nothing but language, time zone, colour and width. */
const HARMLESS_NAMES = /^(?:LC_[A-Z]+|LANG|LANGUAGE|TZ|COLUMNS|LINES|NO_COLOR|CLICOLOR|FORCE_COLOR|TERM)$/;

/** Name and value pairs that only make git and pagers quieter. */
const HARMLESS_PAIRS: ReadonlySet<string> = new Set(["GIT_OPTIONAL_LOCKS=0", "GIT_PAGER=cat", "PAGER=cat"]);

/** Names that are read in lower case: curl and wget, npm. */
const DANGEROUS_LOWER = /^(?:https?_proxy|all_proxy|ftp_proxy|no_proxy|npm_config_.*|npm_package_.*|npm_execpath)$/i;

/**
 * True for a name that can make a program load or run something.
 *
 * The tool asks before it passes such a name from a model's `env` parameter.
 */
export function isDangerousVariable(name: string): boolean {
  if (DANGEROUS_NAMES.has(name) || DANGEROUS_LOWER.test(name)) return true;
  return DANGEROUS_PREFIXES.some((prefix) => name.startsWith(prefix));
}

/**
 * Variables that bash itself reads or computes. Assigning to some (`RANDOM`, `SECONDS`, `OPTIND`) evaluates the value as
 * arithmetic, which runs a command in a subscript (`for RANDOM in 'a[$(touch x)]'`); others change how later text is
 * read (`LC_ALL`, `TEXTDOMAINDIR`) or when the shell ends (`TMOUT`). Source: `bash(1)`, Shell Variables, of 5.3.
 */
const SHELL_VARIABLES =
  /^(?:BASHPID|DIRSTACK|EPOCH\w*|EUID|UID|PPID|FUNCNAME|GROUPS|HIST\w*|histchars|LINENO|MACHTYPE|MAPFILE|OLDPWD|PWD|OPT\w*|PIPESTATUS|RANDOM|SRANDOM|READLINE_\w*|SECONDS|SHLVL|CHILD_MAX|COMP_?\w*|COPROC|EMACS|FIGNORE|GLOBSORT|HOST\w*|IGNOREEOF|INPUTRC|INSIDE_EMACS|LANG|LC_\w*|LANGUAGE|MAIL\w*|PROMPT_\w*|PS\d|REPLY|TEXTDOMAIN\w*|TIMEFORMAT|TMOUT|auto_resume|_)$/;

/** True for a variable that a line may not assign in its session and still count as reading. */
export function isSessionVariable(name: string): boolean {
  return SHELL_VARIABLES.test(name) || isDangerousVariable(name);
}

/**
 * True for a variable that a loop or `read` may fill in a line that only reads. Programs take their settings from names
 * in capitals, which may be exported already.
 */
export function isLoopVariable(name: string): boolean {
  return /^(?:[a-z_][a-z0-9_]*|[A-Za-z])$/.test(name) && !isSessionVariable(name);
}

/** The dangerous names among those of an environment, sorted. */
export function dangerousVariables(names: Iterable<string>): string[] {
  return [...names].filter(isDangerousVariable).toSorted();
}

/** Paths in these lead to catalogues of messages (`LANGUAGE=../x`), terminals and time zones that a repository holds. */
const NAMES_A_FILE = /^:?\/|\.\.|^(?![A-Z][a-z]+\/)[^/]*\//;

/** True for an assignment before a command that cannot change what it does to files. */
export function isHarmlessAssignment(name: string, value: string | null): boolean {
  if (value === null) return false;
  return (HARMLESS_NAMES.test(name) && !NAMES_A_FILE.test(value)) || HARMLESS_PAIRS.has(`${name}=${value}`);
}
