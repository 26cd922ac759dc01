"""The field with the quality of a leg's sound."""

from typing import Final

from litestar.openapi.spec import OpenAPIType, Reference, Schema

from dialer.domain.calls.sound_quality import SoundQuality, Stream, read_quality
from dialer.resources.crud.declaration import read_only
from dialer.resources.crud.fields import Json, Kind, Stored
from dialer.resources.crud.urls import Links


class SoundObject(Kind, frozen=True):
    """The quality of a leg's sound, as an object with one object for each direction."""

    def show(self, value: Stored, links: Links) -> Json:  # noqa: ARG002 - has no URL
        """Return the object."""
        quality = read_quality(value)
        return {
            "heard": _stream(quality, quality.heard),
            "said": _stream(quality, quality.said),
            "round_trip_ms": quality.round_trip_ms,
        }

    def schema(self) -> Schema:
        """Return the schema of the object."""
        members: dict[str, Reference | Schema] = {
            "packets": Schema(type=OpenAPIType.INTEGER, description="Packets that were sent."),
            "loss_percent": Schema(type=OpenAPIType.NUMBER, description="The share of them that did not come."),
            "jitter_ms": Schema(type=OpenAPIType.INTEGER),
            "mos": Schema(
                type=OpenAPIType.NUMBER,
                description="The mean opinion score of the E-model (ITU-T G.107) for G.711: 1 is bad, 4.4 the best.",
            ),
        }
        kinds = [OpenAPIType.OBJECT, OpenAPIType.NULL]
        both: dict[str, Reference | Schema] = {
            "heard": Schema(type=kinds, properties=members, description="The sound of the other side; null without."),
            "said": Schema(type=kinds, properties=members, description="Ours, as the other side reports it."),
            "round_trip_ms": Schema(type=[OpenAPIType.INTEGER, OpenAPIType.NULL]),
        }
        return Schema(type=OpenAPIType.OBJECT, properties=both, required=list(both))


SOUND: Final = read_only(
    SoundObject(),
    "The quality of the leg's sound, measured at its end; null if it had none or nobody measured it: only SIP gateways"
    " do, and not for a leg to an agent that ended with its call.",
    nullable=True,
    example={
        "heard": {"packets": 1500, "loss_percent": 0.2, "jitter_ms": 4, "mos": 4.37},
        "said": {"packets": 1498, "loss_percent": 0.0, "jitter_ms": 6, "mos": 4.4},
        "round_trip_ms": 48,
    },
    title="Sound",
)


def _stream(quality: SoundQuality, stream: Stream | None) -> Json:
    if stream is None:
        return None
    return {
        "packets": stream.packets,
        "loss_percent": round(stream.loss_percent, 2),
        "jitter_ms": stream.jitter_ms,
        "mos": round(quality.mark(stream), 2),
    }
