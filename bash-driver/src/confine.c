/*
 * Has a copy of the shell give up its rights, for good: what is refused, and by which rules, is the host's to say.
 *
 * # Theory of operation
 * The host makes a Landlock ruleset and a seccomp program; here they are only applied. A confined copy runs nothing by
 * itself: it waits for orders as every copy does, and each command of its is run by a copy of it in turn. Such a copy has
 * everything from its parent and enters one more domain, so that a command can send no signal to the commands beside it,
 * nor to the copy that it came from.
 *
 * The order of the steps: what needs rights comes before what takes them away. Descriptors that the session opened lead
 * out of every domain, since Landlock looks when a file is opened; so they go first. Nothing is tried twice, and nothing
 * is left half done: where a step fails the copy ends.
 */
#include "confine.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/prctl.h>
#include <linux/seccomp.h>
#include <linux/securebits.h>

#include "bash.h"

/* The same on every architecture; newer than some headers. */
#define CALL_RESTRICT_SELF 446

/* No kernel has more of them: two words of 32. */
#define CAPABILITIES_MAX 64

static bool was_confined;

bool is_confined(void) { return was_confined; }

/* As bash would for `export TMPDIR=…`, also where the session made the name read-only: it is the copy's own. */
static bool set_temporary(const char *value) {
  char name[] = "TMPDIR";
  struct variable *variable = find_variable_noref(name);
  if (variable != NULL) variable->attributes &= ~(VARIABLE_IS_FIXED | VARIABLE_REFERS);
  variable = bind_variable(name, value, 0);
  if (variable == NULL) {
    errno = ENOMEM;
    return false;
  }
  variable->attributes |= VARIABLE_IS_EXPORTED;
  array_needs_making = 1;
  return true;
}

static long control(int option, unsigned long first, unsigned long second) {
  return syscall(SYS_prctl, option, first, second, 0L, 0L);
}

/*
 * All five sets. A process that has none may neither lower its bounds nor fix its secure bits, and need not: by
 * `no_new_privs` no exec gives any back.
 */
static bool drop_capabilities(void) {
  const unsigned long fixed = SECURE_ALL_BITS | SECURE_ALL_LOCKS;
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct nothing[2];
  memset(nothing, 0, sizeof nothing);
  for (unsigned long one = 0; one < CAPABILITIES_MAX; one++) {
    if (control(PR_CAPBSET_DROP, one, 0) == 0) continue;
    if (errno == EINVAL) break; /* past the last one */
    if (errno != EPERM) return false;
    break;
  }
  if (control(PR_SET_SECUREBITS, fixed, 0) != 0 && errno != EPERM) return false;
  if (control(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0) != 0) return false;
  return syscall(SYS_capset, &header, nothing) == 0;
}

/* The bytes of the text lie where they came; the kernel wants them aligned. */
static bool load_filter(const char *text, size_t length) {
  struct sock_fprog program = {(unsigned short)(length / sizeof(struct sock_filter)), NULL};
  if (length % sizeof(struct sock_filter) != 0 || length / sizeof(struct sock_filter) > BPF_MAXINSNS) {
    errno = EINVAL;
    return false;
  }
  program.filter = memcpy(xmalloc(length), text, length);
  long result = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0L, &program);
  int error = errno;
  xfree(program.filter);
  errno = error;
  return result == 0;
}

static bool enter_domain(int ruleset) {
  bool has_entered = syscall(CALL_RESTRICT_SELF, ruleset, 0L) == 0;
  int error = errno;
  close(ruleset);
  errno = error;
  return has_entered;
}

uint32_t confine(const struct received *received) {
  if (received->length == 0 && was_confined) return enter_domain(received->ruleset) ? 0 : PI_CONFINE_LANDLOCK;
  if (!set_temporary(received->temporary)) return PI_CONFINE_TMPDIR;
  errno = channel_close_others(received->ruleset);
  if (errno != 0) return PI_CONFINE_DESCRIPTORS;
  if (control(PR_SET_NO_NEW_PRIVS, 1, 0) != 0) return PI_CONFINE_NO_NEW_PRIVILEGES;
  if (!drop_capabilities()) return PI_CONFINE_CAPABILITIES;
  if (!enter_domain(received->ruleset)) return PI_CONFINE_LANDLOCK;
  if (!load_filter(received->text, received->length)) return PI_CONFINE_SECCOMP;
  was_confined = true;
  return 0;
}
