"""A daemon: forks twice, leads a session of its own, has no descriptor, and sleeps for five minutes."""

import os
import time

if os.fork():
    os._exit(0)
os.setsid()
if os.fork():
    os._exit(0)
for descriptor in (0, 1, 2):
    os.close(descriptor)
time.sleep(300)
