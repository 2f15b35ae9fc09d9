"""Prints what waits for a person on all machines of a cluster, as it comes: python3 waiting.py nats://127.0.0.1:4222

Needs nats-py. docs/protocol.md ("The cluster") says what is in the buckets.
"""
import asyncio
import json
import sys

import nats


async def main(server):
    client = await nats.connect(server)
    sessions = await client.jetstream().key_value("pilothouse-sessions")
    seen = {}
    watcher = await sessions.watchall()
    async for entry in watcher:
        if entry is None:
            continue  # all that was there has come
        machine, session = entry.key.split(".", 1)
        row = json.loads(entry.value)["row"] if entry.value else {}
        waiting = {request["requestId"]: request for request in row.get("requests", [])}
        for request in waiting.keys() - seen.get(entry.key, set()):
            asks = waiting[request]
            print(f"{machine}: {row['title'] or session}: {asks['kind']}: {asks['text']}", flush=True)
        seen[entry.key] = set(waiting)


asyncio.run(main(sys.argv[1]))
