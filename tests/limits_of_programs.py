"""Limits of programs that talk, as `docs/reference/limits.md` must have them."""

from typing import Final

from dialer.carriers.media import agent_playout, agent_stream, rtp
from dialer.carriers.voice import agent_socket
from dialer.domain.survey import inputs

_MIB: Final = 1_048_576

LIMITS_OF_PROGRAMS: Final = {
    "A connection with a [program that talks](../conversations.md)": f"{agent_stream.CONNECT_MS // 1_000} s",
    "Sound of a program that waits to be played": f"{agent_playout.WAITING_MAX // rtp.RATE_HZ} s",
    "Marks of a program that wait": (
        f"{agent_playout.MARKS_MAX:,}, or {agent_playout.MARK_CHARACTERS_MAX // _MIB} MiB of names"
    ),
    "Messages of a program without sense": f"{agent_stream.BAD_MESSAGES_MAX} in a second",
    "A message of a program": f"{agent_socket.MESSAGE_BYTES_MAX // _MIB} MiB",
    "Bytes of a program that are read": (
        f"{agent_socket.READ_BYTES_AT_ONCE // _MIB} MiB at once,"
        f" then {agent_socket.READ_BYTES_A_SECOND // _MIB} MiB a second"
    ),
    "A message to a program that reads none": f"waits {agent_socket.UNSENT_MS_MAX // 1_000} s",
    "The result of a program, and its summary": (
        f"{inputs.RESULT_MAX // 1_024} KiB, {inputs.SUMMARY_MAX:,} characters"
    ),
}
