"""A stand-in for the Copilot SDK of Python with the names that the example uses; it plays a recording. Python itself
rejects options that the SDK does not have."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from dataclasses import dataclass
from typing import Any


@dataclass
class PermissionNoResult:
    kind: str = "no-result"


@dataclass
class Answer:
    """Like the SDK's requests and results: made from a dict and converted to one."""

    values: dict[str, Any]

    @classmethod
    def from_dict(cls, values: Any) -> Answer:
        # Like the SDK's, it ignores fields that it does not know. The session is the one that is called.
        return cls({name: value for name, value in values.items() if name != "sessionId"})

    def to_dict(self) -> dict[str, Any]:
        return self.values


class CopilotClient:
    async def __aenter__(self) -> CopilotClient:
        return self

    async def __aexit__(self, *_: Any) -> None:
        pass

    async def create_session(
        self, *, on_permission_request, on_event, streaming, on_user_input_request, on_elicitation_request, on_exit_plan_mode_request
    ) -> Session:
        assert isinstance(on_permission_request({}, {}), PermissionNoResult), "the page is to answer"
        return Session(on_event)


class Session:
    def __init__(self, tell) -> None:
        with open(os.environ["STANDIN_RECORDING"], encoding="utf-8") as recording:
            self.events = [json.loads(line) for line in recording]
        self.tell, self.open, self.rpc = tell, None, Rpc(self)

    def play(self) -> None:
        """Plays the recording up to the next request."""
        while self.events and self.open is None:
            event = self.events.pop(0)
            if event["type"].endswith(".requested"):
                self.open = event["data"]["requestId"]
            self.tell(Answer(event))

    async def send(self, prompt: str) -> str:
        print("called send", json.dumps({"prompt": prompt}), file=sys.stderr, flush=True)
        self.play()
        return "sent"

    async def answer(self, method: str, params: Answer) -> Answer:
        print("called", method, json.dumps(params.to_dict()), file=sys.stderr, flush=True)
        if params.to_dict()["requestId"] != self.open:
            return Answer({"success": False})
        self.open = None
        asyncio.get_running_loop().call_soon(self.play)
        return Answer({"success": True})


class Rpc:
    def __init__(self, session: Session) -> None:
        self.permissions, self.ui, self.queue = Permissions(session), Ui(session), Queue()


@dataclass
class Permissions:
    session: Session

    async def handle_pending_permission_request(self, params: Answer, *, timeout: float | None = None) -> Answer:
        return await self.session.answer("permissions.handlePendingPermissionRequest", params)

    async def pending_requests(self, *, timeout: float | None = None) -> Answer:
        return Answer({"items": [{"requestId": self.session.open}] if self.session.open else []})


@dataclass
class Ui:
    session: Session

    async def handle_pending_user_input(self, params: Answer, *, timeout: float | None = None) -> Answer:
        return await self.session.answer("ui.handlePendingUserInput", params)


class Queue:
    async def pending_items(self, *, timeout: float | None = None) -> Answer:
        return Answer({"items": [], "steeringMessages": [], "inFlightSteeringCount": 0})
