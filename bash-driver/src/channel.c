/*
 * The socket to the host, and the descriptors that come with its orders.
 *
 * # Theory of operation
 * Between two orders 0, 1 and 2 are closed. The kernel gives a received descriptor the lowest free number, so a
 * command's own arrive where they belong or below it, and a limit of three open files is enough (`ulimit -n 3`).
 *
 * The socket itself is as far up as bash keeps its script, where no command of ordinary manners meets it. One that
 * closes every number it finds in /proc closes it too. Then the report fails, and the driver ends the shell with the
 * command's status, as that script would end.
 */
#include "channel.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "bash.h"
#include "room.h"

/* Bash begins at 10 for `exec {fd}>file`; 255 is its own. Where the limit allows, we are above both. */
#define WANTED_NUMBER 1000
#define DESCRIPTORS_MAX 4
#define ENVELOPE_SIZE CMSG_SPACE(sizeof(int) * DESCRIPTORS_MAX)
/* Newer than some headers; the same on every architecture. */
#define CALL_CLOSE_RANGE 436
#define TEXT_FILE_MAX (256L * 1024 * 1024)

static int channel = -1;
static int nowhere = -1;
static char *text_of_file;

int channel_lowest(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= WANTED_NUMBER + 16) return WANTED_NUMBER;
  return limit.rlim_cur > 32 ? (int)limit.rlim_cur - 16 : 3;
}

/* Moves a descriptor up, close-on-exec. Keeps it where it is if nothing above is free. */
static int move_up(int descriptor) {
  int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, channel_lowest());
  if (moved < 0) return descriptor;
  close(descriptor);
  return moved;
}

void channel_release(void) {
  close(0);
  close(1);
  close(2);
}

bool channel_open(int socket) {
  int type = 0;
  socklen_t size = sizeof type;
  if (getsockopt(socket, SOL_SOCKET, SO_TYPE, &type, &size) != 0 || type != SOCK_SEQPACKET) return false;
  nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (nowhere < 0) return false;
  nowhere = move_up(nowhere);
  channel = move_up(socket);
  return fcntl(channel, F_SETFD, FD_CLOEXEC) == 0;
}

bool channel_replace(int socket) {
  /* The number of the old one stays in use: it is known to be out of the way, and may lie above the limit by now. */
  if (dup3(socket, channel, O_CLOEXEC) >= 0) {
    close(socket);
    return true;
  }
  close(channel);
  channel = move_up(socket);
  return fcntl(channel, F_SETFD, FD_CLOEXEC) == 0;
}

int channel_close_others(int kept) {
  int own[] = {channel, nowhere, kept};
  const int count = sizeof own / sizeof *own;
  unsigned int first = 0;
  for (int one = 0; one < count; one++)
    for (int other = one + 1; other < count; other++)
      if (own[other] < own[one]) {
        int smaller = own[other];
        own[other] = own[one];
        own[one] = smaller;
      }
  for (int index = 0; index < count; index++) {
    if (own[index] < 0) continue;
    unsigned int number = (unsigned int)own[index];
    if (number > first && syscall(CALL_CLOSE_RANGE, first, number - 1, 0) != 0) return errno;
    first = number + 1;
  }
  return syscall(CALL_CLOSE_RANGE, first, ~0U, 0) == 0 ? 0 : errno;
}

static void read_nothing_at(int number) {
  if (dup2(nowhere, number) >= 0) return;
  close(number); /* a command closed ours: then the lowest free number is the one just closed */
  if (open("/dev/null", O_RDWR) < 0) close(number);
}

int channel_mute(void) {
  int kept = fcntl(2, F_DUPFD_CLOEXEC, 3);
  if (kept >= 0) dup2(nowhere, 2);
  return kept;
}

void channel_unmute(int kept) {
  if (kept < 0) return;
  dup2(kept, 2);
  close(kept);
}

/* Arrived: from 0 on in the order of protocol.h. Wanted: 0, 1 and 2. Downwards, so that none is overwritten unread. */
static int place(uint32_t flags, int count) {
  int input = (flags & PI_ORDER_INPUT) ? 1 : 0;
  int errors = (flags & PI_ORDER_ERRORS) ? 1 : 0;
  if (count < input + 1 + errors) return EMFILE;
  if (input + errors != 2 && dup2(input + errors, 2) < 0) return errno;
  if (input == 0 && dup2(0, 1) < 0) return errno;
  if (input == 0) read_nothing_at(0);
  return 0;
}

static int read_text(int file, struct received *received) {
  size_t done = 0;
  /* No fstat: as a name to link with, it is newer than some systems that this object is loaded on. */
  off_t end = lseek(file, 0, SEEK_END);
  if (end < 0) return errno;
  if (end > TEXT_FILE_MAX) return EFBIG;
  size_t size = (size_t)end;
  text_of_file = xmalloc(size + 1);
  while (done < size) {
    ssize_t got = pread(file, text_of_file + done, size - done, (off_t)done);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return got < 0 ? errno : EINVAL;
    done += (size_t)got;
  }
  received->text = text_of_file;
  received->length = size;
  return 0;
}

/* What stands before the text, see protocol.h. */
static int take_preamble(struct received *received) {
  size_t size = received->order.preamble;
  received->directory = received->environment = "";
  if (size == 0) return 0;
  if (size > received->length || received->text[size - 1] != '\0') return EINVAL;
  received->directory = received->text;
  size_t first = strlen(received->directory) + 1;
  received->environment = received->text + first;
  received->environment_length = size - first;
  received->text += size;
  received->length -= size;
  return 0;
}

static int take_run(struct received *received, int *descriptors, int count) {
  uint32_t flags = received->order.flags;
  int error = 0;
  if (flags & PI_ORDER_TEXT_IN_FILE) {
    /* The last one. It goes before the others are put in place, since it may be on one of their numbers. */
    if (count == 0) return EMFILE;
    int file = descriptors[--count];
    error = read_text(file, received);
    close(file);
  }
  if (error == 0) error = take_preamble(received);
  return error != 0 ? error : place(flags, count);
}

/* A ruleset beside the socket, a TMPDIR before the text. */
static int take_confinement(struct received *received, const int *descriptors, int count) {
  size_t size = received->order.preamble;
  if (count < 2) return EMFILE;
  if (size > received->length || (size > 0 && received->text[size - 1] != '\0')) return EINVAL;
  received->temporary = size > 0 ? received->text : "";
  received->text += size;
  received->length -= size;
  received->ruleset = fcntl(descriptors[1], F_DUPFD_CLOEXEC, 3);
  return received->ruleset < 0 ? errno : 0;
}

static int take(struct received *received, int *descriptors, int count) {
  if (received->order.kind == PI_ORDER_RUN) return take_run(received, descriptors, count);
  if (received->order.kind != PI_ORDER_FORK) return EINVAL;
  if (count == 0) return EMFILE;
  /* Not on 0, 1 or 2, where the copy expects its commands' descriptors. */
  received->socket = fcntl(descriptors[0], F_DUPFD_CLOEXEC, 3);
  if (received->socket < 0) return errno;
  return received->order.flags & PI_ORDER_CONFINE ? take_confinement(received, descriptors, count) : 0;
}

/* The message with its descriptors; -1 with errno, 0 at the end. */
static ssize_t read_message(struct msghdr *header) {
  for (;;) {
    ssize_t got = recvmsg(channel, header, 0);
    if (got >= 0 || errno != EINTR) return got;
    if (terminating_signal) termsig_handler(terminating_signal);
  }
}

static int descriptors_of(struct msghdr *header, int *descriptors) {
  struct cmsghdr *control = CMSG_FIRSTHDR(header);
  if (control == NULL || control->cmsg_level != SOL_SOCKET || control->cmsg_type != SCM_RIGHTS) return 0;
  size_t bytes = (size_t)control->cmsg_len - CMSG_LEN(0);
  memcpy(descriptors, CMSG_DATA(control), bytes);
  return (int)(bytes / sizeof(int));
}

bool channel_receive(struct received *received) {
  union {
    struct cmsghdr header;
    char bytes[ENVELOPE_SIZE];
  } envelope;
  struct iovec parts = {&message, sizeof message};
  struct msghdr header;
  int descriptors[DESCRIPTORS_MAX];

  if (text_of_file != NULL) xfree(text_of_file);
  text_of_file = NULL;
  memset(&header, 0, sizeof header);
  header.msg_iov = &parts;
  header.msg_iovlen = 1;
  header.msg_control = &envelope;
  header.msg_controllen = sizeof envelope;
  ssize_t got = read_message(&header);
  if (got <= 0) return false;

  memset(received, 0, sizeof *received);
  received->socket = received->ruleset = -1;
  received->order = message.order;
  received->text = message.text;
  int count = descriptors_of(&header, descriptors);
  if (got < (ssize_t)sizeof message.order || (header.msg_flags & MSG_TRUNC)) received->error = EMSGSIZE;
  else received->length = (size_t)got - sizeof message.order;
  if (received->error == 0 && (header.msg_flags & MSG_CTRUNC)) received->error = EMFILE;
  if (received->error == 0) received->error = take(received, descriptors, count);
  if (received->error != 0 || received->order.kind != PI_ORDER_RUN) {
    for (int index = 0; index < count; index++) close(descriptors[index]);
    if (received->error != 0 && received->socket >= 0) close(received->socket);
    channel_release();
  }
  return true;
}

bool channel_report(const struct pi_report *report, const char *text) {
  struct pi_report copy = *report;
  struct iovec parts[2] = {{&copy, sizeof copy}, {(void *)(uintptr_t)text, strlen(text)}};
  struct msghdr header;
  memset(&header, 0, sizeof header);
  header.msg_iov = parts;
  header.msg_iovlen = 2;
  for (;;) {
    if (sendmsg(channel, &header, MSG_NOSIGNAL) >= 0) return true;
    if (errno != EINTR) return false;
    if (terminating_signal) termsig_handler(terminating_signal);
  }
}
