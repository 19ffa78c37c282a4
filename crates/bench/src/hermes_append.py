"""Appends to hermes-agent's state.db and says how long each message took: `hermes_append.py HOME`.

Reads a JSON string a line: the content. Writes the nanoseconds of the append.
"""

import json
import logging
import os
import sys
import time
from pathlib import Path

os.environ["HERMES_HOME"] = sys.argv[1]
logging.disable(logging.CRITICAL)
from hermes_state import SessionDB  # noqa: E402

db = SessionDB(Path(sys.argv[1]) / "state.db")
db.create_session("bench", "cli")
for line in sys.stdin:
    text = json.loads(line.removeprefix("+"))
    begun = time.perf_counter_ns()
    db.append_message("bench", "user", content=text)
    print(time.perf_counter_ns() - begun, flush=True)
