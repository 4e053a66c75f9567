"""An external agent in Python: it reads one JSON object a line and answers each with one.

Run it with: trireme arena gomoku random process:cmd="python examples/process_agent.py"
"""

import json
import random
import sys

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"ready": True}), flush=True)
    elif message["type"] == "turn":
        choices = message["legal"] or [message["example"]]
        random.seed(message["random"])
        print(json.dumps({"action": random.choice(choices)}), flush=True)
