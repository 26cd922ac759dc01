"""A FreeSWITCH that is made from the documents of its event socket: channels as small machines, and a callee a number.

It has no clock: everything that a callee does happens at once, or when a test says so. It runs in a thread of its own,
and outlives the service. Its knobs are what real networks and switches do wrong.
"""

import asyncio
import json
import re
import threading
import uuid
from collections import Counter
from collections.abc import Callable, Coroutine
from types import TracebackType
from typing import Any, Final, Self, TypeVar

from tests.carriers.freeswitch.fake_channel import Channel, Knobs, SwitchCallee, now_us

PASSWORD: Final = "a-long-password"
TORN_BYTES: Final = 7
Result = TypeVar("Result")
_ORIGINATE: Final = re.compile(r"\{(?P<variables>[^}]*)\}(?P<where>\S+) &park\(\)")
_VARIABLE: Final = re.compile(r"([A-Za-z_]+)=('[^']*'|[^,]*)")
Q850: Final = {"USER_BUSY": 17, "NO_ANSWER": 19, "UNALLOCATED_NUMBER": 1, "NORMAL_TEMPORARY_FAILURE": 41}


class FakeSwitch:
    """The switch, as `with FakeSwitch() as switch`. Methods may be called from any thread."""

    def __init__(self, callees: dict[str, SwitchCallee] | None = None) -> None:
        self.callees: Final = callees or {}
        self.knobs = Knobs()
        self.core = str(uuid.uuid4())
        self.channels: Final[dict[str, Channel]] = {}
        self.notes: Final[dict[str, str]] = {}
        self.commands: Final[list[str]] = []
        self.dialled: Final[Counter[str]] = Counter()
        """Number of times that each key was dialled."""
        self.applications: Final[list[tuple[str, str, str]]] = []
        """Number, application and argument of each execution."""
        self.nested: Final[list[str]] = []
        """Applications that were ordered during another one, which a switch performs within it."""
        self.on_change: Callable[[], None] = lambda: None
        self.port = 0
        self._clients: Final[list[Client]] = []
        self._loop: Final = asyncio.new_event_loop()
        self._thread: Final = threading.Thread(target=self._loop.run_forever, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        self._wait(self._open())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.on_change = lambda: None
        self._wait(self._close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def answer(self, number: str) -> None:
        """Let a callee answer."""
        self._each(number, self._answer)

    def call_in(self, caller: str, called: str, mark: str, more: dict[str, Any] | None = None) -> str:
        """Let somebody call a number, whose dialplan parks the call, and return the call's UUID."""
        key, callee = str(uuid.uuid4()), self.callees.get(caller, SwitchCallee())

        def park() -> None:
            channel = self.channels[key] = Channel(key, called, callee, {"dialer": mark})
            channel.caller = caller
            self.emit("CHANNEL_PARK", channel, more)

        self._do(park)
        return key

    def hang_up(self, number: str, cause: str = "NORMAL_CLEARING") -> None:
        """Let a callee hang up."""
        self._each(number, lambda one: self.end(one, cause))

    def press(self, number: str, keys: str) -> None:
        """Let a callee press keys during the question in progress."""
        self._each(number, lambda one: self._complete(one, f"keys:{keys}"))

    def finish(self, number: str) -> None:
        """Let the application in progress end."""
        self._each(number, self._complete)

    def drop_connections(self) -> None:
        """Cut all connections."""
        self._do(self._cut)

    def restart(self) -> None:
        """End all calls at once, without a word, and come back as another one."""

        def again() -> None:
            self.channels.clear()
            self.core = str(uuid.uuid4())
            self._cut()

        self._do(again)

    # --- channels ---------------------------------------------------------------------------------------------------

    def listed(self) -> dict[str, Any]:
        """Return the channels as `show channels as json` does."""
        rows = [one.listed() for one in self.channels.values()]
        return {"row_count": len(rows), "rows": rows} if rows else {"row_count": 0}

    def originate(self, command: str) -> None:
        """Place a call, and say how its job ends."""
        found = _ORIGINATE.search(command)
        assert found is not None, command
        variables = {name: value.strip("'") for name, value in _VARIABLE.findall(found["variables"])}
        key, number = variables["origination_uuid"], found["where"].rpartition("/")[2]
        self.dialled[key] += 1
        if key in self.channels:
            self.job(key, "-ERR DESTINATION_OUT_OF_ORDER")
            return
        callee = self.callees.get(number, SwitchCallee())
        channel = self.channels[key] = Channel(key, number, callee, variables)
        self.emit("CHANNEL_CREATE", channel)
        if callee.cause:
            self.end(channel, callee.cause)
            return
        self.emit("CHANNEL_PROGRESS", channel)
        if not callee.rings:
            self._answer(channel)

    def execute(self, key: str, application: str, argument: str, order: str) -> None:
        """Execute an application in a channel."""
        channel = self.channels[key]
        self.applications.append((channel.number, application, argument))
        if channel.application is not None:
            self.nested.append(application)
        channel.application = application, order
        callee = channel.callee
        if callee.hangs_up_in == application and not callee.keys:
            self.end(channel, "NORMAL_CLEARING")
        elif application == "play_and_get_digits":
            pressed = callee.keys.pop(0) if callee.keys else ""
            if pressed is not None:
                self._complete(channel, f"keys:{pressed}")
        elif application not in callee.stays:
            self._complete(channel)

    def stop(self, key: str, *, parks: bool) -> None:
        """Stop the application in progress: `uuid_break`, or `uuid_park`, which ends conferences and bridges too."""
        channel = self.channels[key]
        if channel.other:
            self._unbridge(channel)
        elif channel.application is not None and (parks or channel.application[0] != "conference"):
            self._complete(channel, "keys:")

    def end(self, channel: Channel, cause: str) -> None:
        """End a call."""
        if self.channels.pop(channel.key, None) is None:
            return
        if channel.application is not None:
            self._emit_completion(channel, {"Answer-State": "hangup", "Channel-State": "CS_HANGUP"})
        fields = {
            "Answer-State": "hangup",
            "Channel-State": "CS_REPORTING",
            "Hangup-Cause": cause,
            "variable_hangup_cause": cause,
            "variable_hangup_cause_q850": str(Q850.get(cause, 16)),
        }
        hook = channel.variables.get("api_reporting_hook", "")
        if hook and not self.knobs.forgets:
            note = hook.rpartition("/")[2]
            known = {"hangup_cause_q850": str(Q850.get(cause, 16)), "hangup_cause": cause}
            known |= {"answer_uepoch": str(channel.answered_us), "end_uepoch": str(now_us())}
            for name, value in known.items():
                note = note.replace(f"${{{name}}}", value)
            self.notes[channel.key] = note
        self.emit("CHANNEL_HANGUP_COMPLETE", channel, fields)
        if not channel.answered_us:
            self.job(channel.key, f"-ERR {cause}\n")
        for other in [one for one in self.channels.values() if one.other == channel.key]:
            self._unbridge(other)

    def bridge(self, key: str, other: str) -> None:
        """Connect two channels."""
        self.channels[key].other = other

    def job(self, key: str, result: str) -> None:
        """Say how a job has ended."""
        if not self.knobs.never_ends_jobs:
            self._send({"Event-Name": "BACKGROUND_JOB", "Job-UUID": key, "_body": result})

    def emit(self, name: str, channel: Channel, more: dict[str, Any] | None = None) -> None:
        """Send an event of a channel."""
        if self.knobs.strangers:
            stranger = Channel(f"other-{channel.key}", "1", SwitchCallee(), {"dialer": channel.variables["dialer"]})
            self._send({"Event-Name": name, **stranger.fields(self.core), "Application-UUID": f"{stranger.key}:1"})
        self._send({"Event-Name": name, **channel.fields(self.core), **(more or {})})

    def pick_up(self, channel: Channel) -> None:
        """Answer a call that came in, which then is parked on."""
        if channel.key in self.channels and not channel.answered_us:
            channel.answered_us = now_us()
            self.emit("CHANNEL_ANSWER", channel)

    def _answer(self, channel: Channel) -> None:
        channel.answered_us = now_us()
        self.emit("CHANNEL_ANSWER", channel)
        done = {"Application": "sched_hangup", "Application-UUID": str(uuid.uuid4())}
        self.emit("CHANNEL_EXECUTE_COMPLETE", channel, done)
        self.job(channel.key, f"+OK {channel.key}\n")

    def _complete(self, channel: Channel, result: str = "") -> None:
        if channel.application is None:
            return
        application, order = channel.application
        if application == "play_and_get_digits" and result.startswith("keys:"):
            channel.variables[f"keys_{order.rpartition(':')[2]}"] = result.removeprefix("keys:")
        if application == "wait_for_silence" and channel.callee.is_machine:
            channel.variables["wait_for_silence_timeout"] = "true"
        self._emit_completion(channel, {})

    def _emit_completion(self, channel: Channel, more: dict[str, Any]) -> None:
        if channel.application is None:
            return
        (application, order), channel.application = channel.application, None
        if application == "record":
            channel.variables["record_ms"] = "1500"
        done = {"Application": application, "Application-UUID": order, **more}
        self.emit("CHANNEL_EXECUTE_COMPLETE", channel, done)

    def _unbridge(self, channel: Channel) -> None:
        channel.other = ""
        self.emit("CHANNEL_UNBRIDGE", channel)

    def _each(self, number: str, work: Callable[[Channel], None]) -> None:
        def run() -> None:
            for one in list(self.channels.values()):
                if one.number == number:
                    work(one)

        self._do(run)

    def _cut(self) -> None:
        for client in list(self._clients):
            client.cut()

    def _send(self, event: dict[str, Any]) -> None:
        for client in list(self._clients):
            client.event(event)

    # --- the thread -------------------------------------------------------------------------------------------------

    def _do(self, work: Callable[[], object]) -> None:
        async def run() -> None:
            work()

        self._wait(run())
        self.on_change()

    def _wait(self, work: Coroutine[Any, Any, Result]) -> Result:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(20)

    async def _open(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, limit=2**20)
        self.port = self._server.sockets[0].getsockname()[1]

    async def _close(self) -> None:
        self._server.close()
        await asyncio.sleep(0)  # A connection that was accepted just now has a task, which must begin to end it.
        self._cut()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        for _ in range(3):  # Transports close their sockets in later turns of the loop.
            await asyncio.sleep(0)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        client = Client(self, reader, writer)
        try:
            if await client.log_in():
                self._clients.append(client)
                await client.serve()
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            if client in self._clients:
                self._clients.remove(client)
            client.cut()
            self.on_change()


class Client:
    """A connection to the switch."""

    def __init__(self, switch: FakeSwitch, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._switch, self._reader, self._writer = switch, reader, writer
        self._filters: list[tuple[str, str]] = []
        self._held: list[dict[str, Any]] = []

    def cut(self) -> None:
        """Close the connection."""
        self._writer.transport.abort()

    async def log_in(self) -> bool:
        """Ask for the password, and return whether it was the right one."""
        if self._switch.knobs.rejects:
            self._write("Content-Type: text/rude-rejection", b"Access Denied, go away.\n")
            return False
        self._write("Content-Type: auth/request")
        if await self._command() == f"auth {PASSWORD}":
            self._reply("+OK accepted")
            return True
        self._reply("-ERR invalid")
        self._write("Content-Type: text/disconnect-notice", b"Disconnected, goodbye.\n")
        await self._writer.drain()
        return False

    async def serve(self) -> None:
        """Obey commands until the connection is lost."""
        while True:
            command = await self._command()
            knobs = self._switch.knobs
            self._switch.commands.append(command)
            if knobs.cuts_before and command.startswith(knobs.cuts_before):
                knobs.cuts_before = ""
                return
            if knobs.is_mute:
                continue
            self._obey(command)
            await self._writer.drain()
            if knobs.cuts_after and command.startswith(knobs.cuts_after):
                knobs.cuts_after = ""
                return
            self._switch.on_change()

    def event(self, event: dict[str, Any]) -> None:
        """Send an event, if it passes a filter."""
        if not any(event.get(name) == value for name, value in self._filters):
            return
        knobs = self._switch.knobs
        if event["Event-Name"] in knobs.loses:
            return
        self._held.append(event)
        if knobs.swaps and len(self._held) == 1:
            asyncio.get_running_loop().call_later(0.05, self._flush)
            return
        self._flush()

    def _flush(self) -> None:
        events, self._held = self._held[::-1], []
        for event in events:
            for _ in range(2 if self._switch.knobs.doubles else 1):
                raw, self._switch.knobs.raw = self._switch.knobs.raw, b""
                if raw:
                    self._writer.write(raw)
                else:
                    self._write("Content-Type: text/event-json", json.dumps(event).encode())

    def _obey(self, command: str) -> None:
        errs_at = self._switch.knobs.errs_at
        verb, _, rest = command.partition(" ")
        fails = bool(errs_at) and command.startswith(errs_at)
        if verb == "api":
            self._write("Content-Type: api/response", ("-ERR no\n" if fails else self._api(rest)).encode())
        elif fails:
            self._reply("-ERR no")
        elif verb == "bgapi":
            key = command.rpartition("Job-UUID: ")[2]
            self._reply(f"+OK Job-UUID: {key}")
            self._switch.originate(command)
        elif verb == "sendmsg":
            self._send_message(rest)
        else:
            if verb == "filter":
                name, _, value = rest.partition(" ")
                self._filters.append((name, value))
            self._reply("+OK")

    def _send_message(self, text: str) -> None:
        key, *lines = text.split("\n")
        headers = dict(line.split(": ", 1) for line in lines)
        if key not in self._switch.channels:
            self._reply(f"-ERR invalid session id [{key}]")
            return
        self._reply("+OK")
        argument = headers["execute-app-arg"]
        self._switch.execute(key, headers["execute-app-name"], argument, headers["event-uuid"])

    def _api(self, text: str) -> str:
        name, _, rest = text.partition(" ")
        key, _, argument = rest.partition(" ")
        if name == "show":
            return json.dumps(self._switch.listed())
        without_channel = {"sched_del": "+OK\n", "sched_hangup": "+OK\n", "strmicroepoch": str(now_us())}
        if name == "db" or name in without_channel:
            return without_channel.get(name) or self._note(rest)
        channel = self._switch.channels.get(key)
        return "-ERR No such channel!\n" if channel is None else self._api_of(name, channel, argument)

    def _api_of(self, name: str, channel: Channel, argument: str) -> str:
        match name:
            case "uuid_dump":
                fields = channel.fields(self._switch.core)
                application = "park" if channel.application is None else channel.application[0]
                return json.dumps({"Event-Name": "CHANNEL_DATA", **fields, "variable_current_application": application})
            case "uuid_setvar":
                variable, _, value = argument.partition(" ")
                channel.variables[variable] = value
            case "uuid_answer":
                self._later(lambda: self._switch.pick_up(channel))
            case "uuid_kill":
                self._later(lambda: self._switch.end(channel, argument))
            case "uuid_break" | "uuid_park":
                self._later(lambda: self._switch.stop(channel.key, parks=name == "uuid_park"))
            case "uuid_bridge":
                if argument not in self._switch.channels:
                    return "-ERR Invalid uuid\n"
                self._switch.bridge(channel.key, argument)
            case _:
                pass
        return "+OK\n"

    def _note(self, rest: str) -> str:
        verb, _, key = rest.replace("/dialer", "").partition("/")
        notes = self._switch.notes
        found = notes.get(key, "")
        if verb == "delete":
            notes.pop(key, None)
        return found or "-ERR no reply\n"

    def _later(self, work: Callable[[], None]) -> None:
        """Do something after the reply."""
        asyncio.get_running_loop().call_soon(work)

    async def _command(self) -> str:
        return (await self._reader.readuntil(b"\n\n"))[:-2].decode()

    def _reply(self, text: str) -> None:
        self._write(f"Content-Type: command/reply\nReply-Text: {text}")

    def _write(self, head: str, body: bytes = b"") -> None:
        length = f"\nContent-Length: {len(body)}" if body else ""
        data = f"{head}{length}\n\n".encode() + body
        if not self._switch.knobs.tears:
            self._writer.write(data)
            return
        for start in range(0, len(data), TORN_BYTES):
            self._writer.write(data[start : start + TORN_BYTES])
