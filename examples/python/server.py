"""One session of the Copilot SDK for one page: events out by server-sent events, answers in by POST.
Keeps the session's events so that a page can replay them. Other origins and methods are rejected."""

import asyncio, json, os, re, socketserver, sys, threading, typing
from wsgiref.simple_server import WSGIServer, make_server

from copilot import CopilotClient, PermissionNoResult

PORT = int(os.environ.get("PORT", "3000"))
PAGE = os.environ.get("PAGE_ORIGIN", "http://127.0.0.1:8000")
# The methods that the page may call. It must not have access to everything that the SDK can do.
METHODS = {f"session.{name}" for name in (
    "permissions.handlePendingPermissionRequest", "ui.handlePendingUserInput",
    "ui.handlePendingElicitation", "ui.handlePendingExitPlanMode", "send", "abort")}
CORS = [("Access-Control-Allow-Origin", PAGE), ("Access-Control-Allow-Headers", "content-type, last-event-id")]

log, grown = [], threading.Condition()  # in memory; a server that runs for weeks should keep it on disk

def on_event(event):
    with grown:
        log.append(f"id: {len(log) + 1}\ndata: {json.dumps(event.to_dict())}\n\n".encode())
        grown.notify_all()

def events(sent):
    yield b": hello\n\n"
    if sent > len(log):
        sent = 0  # the page comes from the server before this one: it gets everything
    while True:
        with grown:
            grown.wait_for(lambda: len(log) > sent, timeout=15)
            news, sent = log[sent:], len(log)
        yield b"".join(news) or b": still here\n\n"

async def call(method, params):
    if method not in METHODS:
        raise LookupError(f"no method {method} here")
    api = session.rpc  # session.ui.handlePendingUserInput is session.rpc.ui.handle_pending_user_input
    for name in method.split(".")[1:]:
        api = getattr(api, re.sub("[A-Z]", lambda letter: "_" + letter[0].lower(), name))
    kind = typing.get_type_hints(api).get("params")
    return (await (api(kind.from_dict(params)) if kind else api())).to_dict()

def app(request, start):
    # Any site can send requests to this machine: only our page's origin and our host name are accepted.
    own = request["HTTP_HOST"] in (f"127.0.0.1:{PORT}", f"localhost:{PORT}") and request.get("HTTP_ORIGIN", PAGE) == PAGE
    size = int(request.get("CONTENT_LENGTH") or 0)
    match request["REQUEST_METHOD"], request["PATH_INFO"]:
        case "OPTIONS", _ if own:
            start("204 No Content", [*CORS])
            return []
        case "GET", "/events" if own:
            start("200 OK", [*CORS, ("Content-Type", "text/event-stream"), ("Cache-Control", "no-cache")])
            return events(int(request.get("HTTP_LAST_EVENT_ID") or 0))
        case "POST", "/rpc" if own and size < 1 << 20:
            asked = json.loads(request["wsgi.input"].read(size))
            answer = {"jsonrpc": "2.0", "id": asked.get("id")}
            try:
                answer["result"] = asyncio.run_coroutine_threadsafe(call(asked["method"], asked["params"]), loop).result()
            except Exception as error:
                answer["error"] = {"code": -32000, "message": str(error)}
            start("200 OK", [*CORS, ("Content-Type", "application/json")])
            return [json.dumps(answer).encode()]
    start("404 Not Found" if own else "403 Forbidden", [])
    return []

class Server(socketserver.ThreadingMixIn, WSGIServer):
    daemon_threads = True

async def by_page(*_):
    await asyncio.Event().wait()  # never returns: the page answers by the request's id, and the runtime goes on

async def main():
    global session, loop
    loop = asyncio.get_running_loop()
    async with CopilotClient() as client:
        session = await client.create_session(
            on_event=on_event, streaming=True,
            # Required, or the runtime may assume that nobody can answer, and not ask.
            on_permission_request=lambda *_: PermissionNoResult(), on_user_input_request=by_page,
            on_elicitation_request=by_page, on_exit_plan_mode_request=by_page)
        threading.Thread(target=make_server("127.0.0.1", PORT, app, Server).serve_forever, daemon=True).start()
        print(f"http://127.0.0.1:{PORT}/events", flush=True)
        if len(sys.argv) > 1:
            await session.send(sys.argv[1])
        await asyncio.Event().wait()

asyncio.run(main())
