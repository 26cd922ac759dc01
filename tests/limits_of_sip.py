"""Limits of calls over SIP, as `docs/reference/limits.md` must have them."""

from typing import Final

from dialer.carriers.media import conference_rooms, media_address, recording, rtp, sound_router
from dialer.carriers.sip import (
    allowed_hosts,
    incoming_invite,
    messages,
    parameters,
    sdp,
    server_pool,
    server_records,
    user_agent,
)
from dialer.carriers.voice import carrier_servers, dns_records, peer_names, sound_room
from dialer.domain.calls import call_recording, circuit_breaker
from dialer.domain.engine import retry
from tests.limits_of_browsers import LIMITS_OF_BROWSERS
from tests.limits_of_programs import LIMITS_OF_PROGRAMS

LIMITS_OF_SIP: Final = {
    **LIMITS_OF_BROWSERS,
    **LIMITS_OF_PROGRAMS,
    "Members of a conference over SIP": f"{conference_rooms.MEMBERS_MAX}",
    "Frames of a member of a conference that wait to be mixed": (
        f"{conference_rooms.BUFFER_FRAMES_MAX} ({conference_rooms.BUFFER_FRAMES_MAX * rtp.FRAME_MS} ms)"
    ),
    "Time without sound and reports in an answered call over SIP, not on hold": (
        f"`sound_timeout`, {parameters.SipParameters(server='x').sound_timeout} s"
    ),
    "A recording over SIP": (
        f"{recording.RECORDING_MS_MAX // 1_000} s, or {recording.RECORDING_SILENCE_MS // 1_000} s of silence at its end"
    ),
    "Pauses of the recording of a call by orders": f"{call_recording.PAUSES_MAX}",
    "Names that the other ends of calls over a SIP gateway give, looked up at a time; those that wait": (
        f"{peer_names.AT_ONCE}, each for {peer_names.NAME_S:.0f} s; {peer_names.NAMES_MAX}"
    ),
    "Servers of a carrier that a SIP gateway uses; SRV targets; addresses of each": (
        f"{server_pool.SERVERS_MAX}; {server_records.TARGETS_MAX}; {carrier_servers.ADDRESSES_MAX}"
    ),
    "Addresses that are known as those of a carrier's servers": f"{carrier_servers.HOSTS_MAX}",
    "A question to a name server": f"{dns_records.ANSWER_S:.0f} s",
    "Answers of name servers that are kept for a SIP gateway": f"{dns_records.ANSWERS_MAX}",
    "A packet of sound, or of reports": f"{rtp.PACKET_BYTES_MAX:,} bytes",
    "Packets of sound of the other side of a call": f"1 in {rtp.FRAME_MS // sound_router.PHASES} ms",
    "Packets of strangers that are thrown away at all ports of sound": (
        f"{sound_room.STRANGERS_MAX} in {rtp.FRAME_MS // sound_router.PHASES} ms"
    ),
    "Messages of the other end of a call, if that is not the carrier": (
        f"{allowed_hosts.PEER_MESSAGES_A_SECOND_MAX} a second for each of its calls"
    ),
    "Packets in a row from which an unknown place behind NAT, or another SSRC, is learnt": (
        f"{media_address.LEARNING_PACKETS}"
    ),
    "Hosts that are learnt at the same time for one call": f"{media_address.LEARNING_MAX}",
    "Time after a new session description in which packets of the former place do not turn the sound": (
        f"{media_address.MOVING_MS // 1_000} s"
    ),
    "Calls that come in over a SIP gateway, in a second": f"{user_agent.ARRIVALS_PER_S_MAX}",
    "Calls that came in over a SIP gateway, in progress or just over": f"{user_agent.INBOUND_LEGS_MAX:,}",
    "A carrier's `Retry-After` to REGISTER, OPTIONS, and to an INVITE that is the first one after a rest": (
        f"{circuit_breaker.RETRY_AFTER_MS_MAX // 3_600_000} h"
    ),
    "A carrier's `Retry-After` to any other INVITE": f"{circuit_breaker.FIRST_RETRY_AFTER_MS_MAX // 60_000} min",
    "`Retry-After` of a person who is busy or away": f"{retry.RETRY_AFTER_MS_MAX // 86_400_000} day",
    "An INVITE": f"{incoming_invite.INVITATION_BYTES_MAX // 1024} KiB",
    "A SIP message from the other end of a call that is not the carrier": f"{user_agent.PEER_BYTES_MAX // 1024} KiB",
    "A header line of a SIP message": f"{messages.LINE_LENGTH_MAX:,} characters",
    "A URI in a SIP message": f"{messages.URI_LENGTH_MAX} characters",
    "All header lines of a SIP message": f"{messages.LINES_MAX} lines, {messages.HEADER_BYTES_MAX // 1024} KiB",
    "Media in a description of sound": f"{sdp.MEDIA_MAX}",
    "`inbound_hosts`, `media_hosts` of a gateway": f"{parameters.INBOUND_HOSTS_MAX}",
}
