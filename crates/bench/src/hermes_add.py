"""Adds to hermes-agent's MEMORY.md and says how long each add took: `hermes_add.py HOME`.

Reads a JSON string a line: the text. Writes the nanoseconds of the add. What was added is removed again, which is
not timed, but for lines that begin with `+`: those stay.
"""

import json
import logging
import os
import sys
import time

os.environ["HERMES_HOME"] = sys.argv[1]
logging.disable(logging.CRITICAL)
from tools.memory_tool import MemoryStore  # noqa: E402

store = MemoryStore(memory_char_limit=10**9, user_char_limit=10**9)
store.load_from_disk()
for line in sys.stdin:
    text = json.loads(line.removeprefix("+"))
    begun = time.perf_counter_ns()
    answer = store.add("memory", text)
    passed = time.perf_counter_ns() - begun
    if not answer.get("success"):
        sys.exit(f"hermes refused: {answer}")
    if not line.startswith("+"):
        store.remove("memory", text)
    print(passed, flush=True)
