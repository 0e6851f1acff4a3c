/**
 * Environment variables from which programs of the read-only tables take options, formats or files: a session in which
 * one has another value may read something else than its text says.
 *
 * Beside the dangerous ones of `environment.ts`, which load code or name programs. Sources: ack(1), ps(1), w(1), ss(8),
 * ls(1), df(1), sort(1), tail(1), grep(1), gawk(1), mawk(1), sed(1), file(1), locate(1), tree(1), jq(1), xz(1),
 * bzip2(1), zstd(1), tar(1), unzip(1), lsblk(8), look(1), nm(1), date(1), environ(7), gettext(3), libc's manual.
 */

const NAMES: ReadonlySet<string> = new Set(
  // Personalities and formats of ps, which give its options another meaning.
  (
    "CMD_ENV I_WANT_A_BROKEN_PS UNIX95 POSIX2 _XPG SYSTEM_MAP LIBPROC_HIDE_KERNEL " +
    "_POSIX2_VERSION BLOCK_SIZE BLOCKSIZE TIME_STYLE QUOTING_STYLE TABSIZE LSCOLORS TAPE RSH COLS WORDLIST DATEMSK " +
    "XZ_OPT XZ_DEFAULTS LZMA_OPT BZIP BZIP2 ZIPOPT ZSTD_CLEVEL ZSTD_NBTHREADS LZOP MAGIC GNUTARGET " +
    "AWKPATH AWKLIBPATH AWK_HASH MAWKBINMODE WHINY_USERS INT_CHAIN_MAX STR_CHAIN_MAX AVG_CHAIN_MAX TIDYMEM " +
    "MANWIDTH MANSECT MANPL MANLESS MANROFFSEQ MAN_KEEP_FORMATTING INFOPATH " +
    // Of libraries: where times, names and messages come from, and files that they write.
    "TZDIR LOCALDOMAIN NIS_PATH I18NPATH OUTPUT_CHARSET GLIBC_TUNABLES ARGP_HELP_FMT SSLKEYLOGFILE GMON_OUT_PREFIX " +
    "LLVM_PROFILE_FILE CPUPROFILE HEAPPROFILE PERLIO PERLIO_DEBUG GODEBUG GOTRACEBACK KRB5_CONFIG TCPDIAG_FILE"
  ).split(" "),
);

const PREFIXES =
  /^(?:ACK(?:_|RC)|AG_|RG_|RIPGREP_|FDFIND_|BAT_|EXA_|EZA_|LS_|DU_|DF_|PS_|PROCPS_|PROC_(?:NET|ROOT|SLAB)|GREP_|EGREP_|FGREP_|GAWK_|MAWK_|AWK_|JQ_|XZ_|ZSTD_|TAR_|LOCATE_|TREE_|MAGIC_|GCOV_|LIBMOUNT_|LIBBLKID_|BLKID_|LSBLK_|LIBSMARTCOLS_|TERMINAL_COLORS_|PERL_|[A-Z]*SAN_OPTIONS$)/;

/** Names that by their ending hand over options, a configuration, code or a program: `FD_OPTIONS`, `FOORC`, `X_PAGER`. */
const HANDS_OVER =
  /(?:(?:^|[^S])RC|OPTS?|OPTIONS?|FLAGS|ARGS|DEFAULTS|PAGER|EDITOR|[A-Z0-9]PATH|_(?:PERSONALITY|PRELOAD|PLUGINS?|MODULES?|WRAPPER|LAUNCHER|SHELL|EXEC|COMMAND|CMD|CONF|CONFIG|CONFIG_(?:FILE|PATH|DIR|HOME)|(?:LIBRARY|LIB|PLUGIN|MODULE|LOAD)_PATH|RCFILE|INIT|STARTUP|HOOKS?))$/;

/** True for a variable that a program of the read-only tables obeys: setting it may change what a later line reads. */
export function isProgramSetting(name: string): boolean {
  return NAMES.has(name) || PREFIXES.test(name);
}

/**
 * True for a variable that is not to be exported unseen. A script's own `ARGS` or `CMD` harms nothing while it is not in
 * the environment.
 */
export function isExportedSetting(name: string): boolean {
  return isProgramSetting(name) || HANDS_OVER.test(name);
}
