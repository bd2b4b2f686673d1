"""One step of an agent in Python, over the HTTP API of `codeferry serve`, with the standard library alone.

Opens a session, watches its log, posts a step with a call of `run_code` (the place where a model's tool calls go), and
prints what came back:

    CODEFERRY_URL=http://127.0.0.1:8765 CODEFERRY_TOKEN=cft_… python3 agent.py [program.ts]
"""

import json
import os
import sys
import threading
import urllib.error
import urllib.request

URL = os.environ.get("CODEFERRY_URL", "http://127.0.0.1:8765")
TOKEN = os.environ.get("CODEFERRY_TOKEN", "")

PROGRAM = """
const cities = ['Oslo', 'Lisbon']
const seen = await Promise.all(cities.map((city) => tools.city.weather({ city })))
console.log(`asked for ${seen.length} cities`)
return seen
"""


def request(method, path, body=None, headers=None):
    """The open response. What went wrong is told in the words of the service (application/problem+json)."""
    sent = urllib.request.Request(
        URL + path,
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json", **(headers or {})},
    )
    try:
        # Longer than the service waits for a program by itself; heartbeats keep an event stream from falling silent.
        return urllib.request.urlopen(sent, timeout=120)
    except urllib.error.HTTPError as refused:
        problem = json.load(refused)
        sys.exit(f"{method} {path}: {refused.code} {problem.get('code')}: {problem.get('detail')}")


def call(method, path, body=None):
    with request(method, path, body) as response:
        return json.load(response)


def events(path, opened):
    """Server-sent events as (id, type, data). A client that lost its connection would send Last-Event-ID again."""
    with request("GET", path, headers={"Accept": "text/event-stream"}) as response:
        opened.set()
        fields = {}
        for line in response:
            text = line.decode().rstrip("\n")
            if text == "" and "data" in fields:
                yield int(fields["id"]), fields["event"], json.loads(fields["data"])
                fields = {}
            elif text != "" and not text.startswith(":"):
                name, _, value = text.partition(": ")
                fields[name] = value


def watch(path, call_id, opened):
    """Prints the log as it grows, until the call has its result."""
    for _, kind, event in events(path, opened):
        subject = event.get("name", event.get("scope", ""))
        failed = f" {event['errorInfo']['code']}" if event.get("isError") else ""
        print(f"  {kind} {subject}{failed}", flush=True)
        if kind == "tool/result" and event["callId"] == call_id:
            return


def main():
    if len(sys.argv) > 1:
        with open(sys.argv[1], encoding="utf-8") as file:
            program = file.read()
    else:
        program = PROGRAM
    session = call("POST", "/v1/sessions", {})["id"]
    opened = threading.Event()
    watcher = threading.Thread(target=watch, args=(f"/v1/sessions/{session}/events", "call-1", opened), daemon=True)
    print("events:")
    watcher.start()
    opened.wait(10)

    step = call(
        "POST",
        f"/v1/sessions/{session}/steps",
        # Arguments are the raw string of the model.
        {"calls": [{"callId": "call-1", "name": "run_code", "arguments": json.dumps({"code": program})}]},
    )
    watcher.join(10)
    for result in step["results"]:
        print(f"{result['name']}: {'failed' if result['isError'] else 'ok'}")
        for block in result["content"]:
            print(block["text"] if block["type"] == "text" else f"[{block['type']}]")
    for message in step["contexts"]:
        print(f"to tell the model: {message['content']}")
    sys.exit(1 if any(result["isError"] for result in step["results"]) else 0)


if __name__ == "__main__":
    main()
