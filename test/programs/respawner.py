"""Flees: every 5 ms it forks a replacement of itself into a new session and exits, for 3,000 generations at most."""

import os
import time

for generation in range(3000):
    if os.fork():
        os._exit(0)
    os.setsid()
    time.sleep(0.005)
