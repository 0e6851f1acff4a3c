"""Runs a program on a terminal of its own: input goes to it as keys, what it draws comes out. Arguments: the program's."""

import fcntl
import os
import pty
import select
import struct
import sys
import termios

ROWS, COLUMNS = 40, 120


def start():
    pid, terminal = pty.fork()
    if pid == 0:
        os.execvp(sys.argv[1], sys.argv[1:])
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    return pid, terminal


def copy(terminal):
    inputs = [terminal, 0]
    while True:
        for ready in select.select(inputs, [], [])[0]:
            try:
                data = os.read(ready, 65536)
            except OSError:  # The terminal's other end is closed.
                return
            if ready == 0 and not data:
                inputs.remove(0)
            elif not data:
                return
            else:
                os.write(1 if ready == terminal else terminal, data)


pid, terminal = start()
copy(terminal)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
