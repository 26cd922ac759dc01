"""Survey templates: audio files, sections and branches, which users can edit."""

from sqlalchemy import Boolean, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from dialer.domain.billing.money import MONEY_SCALE
from dialer.domain.survey.sections.capture_digits import MAX_NUMBER, MIN_NUMBER
from dialer.domain.words.enums import SectionType
from dialer.store.tables._base import BIG, Code, LongText, Milliseconds, Money, Name, Row, belongs_to, mentions, needs
from dialer.store.tables.key_ring import AgentSecret


class AudioFile(Row):
    """An uploaded audio file. Its format, size and duration are read from its bytes."""

    __tablename__ = "audio_file"

    user_id: Mapped[int] = belongs_to("user_account")
    name: Mapped[Name]
    audio_file: Mapped[Name]
    """Path of the file, relative to the media directory: a random name."""
    format: Mapped[str] = mapped_column(String(16))
    size: Mapped[int] = mapped_column(BIG)
    """Bytes."""
    duration_ms: Mapped[int] = mapped_column(BIG)
    created_date: Mapped[Milliseconds]
    updated_date: Mapped[Milliseconds]


class SurveyTemplate(Row):
    """A survey that users can edit; campaigns play a sealed copy."""

    __tablename__ = "survey_template"

    user_id: Mapped[int] = belongs_to("user_account")
    name: Mapped[Name]
    description: Mapped[str | None] = mapped_column(String(16_000), default=None)
    language: Mapped[str] = mapped_column(String(35), default="", server_default="")
    """The language of its texts (BCP 47). Empty: that of the service's voice."""
    voice: Mapped[str] = mapped_column(String(100), default="", server_default="")
    """The voice that speaks them. Empty: the one of the language."""
    voice_speed: Mapped[Money] = mapped_column(default=MONEY_SCALE, server_default=str(MONEY_SCALE))
    """The speed of the voice, in units of 1e-5."""
    created_date: Mapped[Milliseconds]
    updated_date: Mapped[Milliseconds]


class SectionTemplate(Row):
    """A section of a survey template."""

    __tablename__ = "section_template"

    survey_id: Mapped[int] = belongs_to("survey_template")
    order: Mapped[int] = mapped_column(default=1)
    type: Mapped[Code] = mapped_column(default=SectionType.PLAY_MESSAGE)
    question: Mapped[str] = mapped_column(String(500))
    script: Mapped[str] = mapped_column(String(1600), default="")
    audiofile_id: Mapped[int | None] = needs("audio_file")
    invalid_audiofile_id: Mapped[int | None] = needs("audio_file")
    retries: Mapped[int | None] = mapped_column(default=0)
    timeout: Mapped[int] = mapped_column(default=5)
    key_0: Mapped[str | None] = mapped_column(String(100), default=None)
    key_1: Mapped[str | None] = mapped_column(String(100), default=None)
    key_2: Mapped[str | None] = mapped_column(String(100), default=None)
    key_3: Mapped[str | None] = mapped_column(String(100), default=None)
    key_4: Mapped[str | None] = mapped_column(String(100), default=None)
    key_5: Mapped[str | None] = mapped_column(String(100), default=None)
    key_6: Mapped[str | None] = mapped_column(String(100), default=None)
    key_7: Mapped[str | None] = mapped_column(String(100), default=None)
    key_8: Mapped[str | None] = mapped_column(String(100), default=None)
    key_9: Mapped[str | None] = mapped_column(String(100), default=None)
    rating_laps: Mapped[int] = mapped_column(default=9)
    validate_number: Mapped[bool] = mapped_column(Boolean, default=True)
    number_digits: Mapped[int] = mapped_column(default=2)
    min_number: Mapped[int] = mapped_column(BIG, default=MIN_NUMBER)
    max_number: Mapped[int] = mapped_column(BIG, default=MAX_NUMBER)
    phonenumber: Mapped[str | None] = mapped_column(String(64), default=None)
    conference: Mapped[str | None] = mapped_column(String(50), default=None)
    sms_text: Mapped[str | None] = mapped_column(String(1600), default=None)
    confirm_script: Mapped[str | None] = mapped_column(String(1600), default=None)
    confirm_key: Mapped[str | None] = mapped_column(String(1), default=None)
    completed: Mapped[bool] = mapped_column(Boolean, default=False)
    queue_id: Mapped[int | None] = needs("queue")
    agent_url: Mapped[str | None] = mapped_column(String(500), default=None)
    agent_secret: Mapped[str | None] = mapped_column(AgentSecret, default=None)
    agent_parameters: Mapped[str | None] = mapped_column(String(1600), default=None)
    """Names with commas between them."""
    disclosure: Mapped[str | None] = mapped_column(String(1600), default=None)
    disclosure_audiofile_id: Mapped[int | None] = needs("audio_file")
    patience: Mapped[int] = mapped_column(default=20)
    on_completed: Mapped[str | None] = mapped_column(String(6), default=None)
    record_pause: Mapped[bool | None] = mapped_column(Boolean, default=None)
    """True if recordings of calls keep silence in place of the section. Null: as for its type."""
    file_id: Mapped[int | None] = mapped_column(default=None)
    """The id of the section in files of the survey (`dialer apply`); null for the id of the row."""
    created_date: Mapped[Milliseconds]
    updated_date: Mapped[Milliseconds]


class BranchingTemplate(Row):
    """The next section of a call for one answer to a section. Without a `goto_id` the call hangs up."""

    __tablename__ = "branching_template"

    section_id: Mapped[int] = belongs_to("section_template", index=False)
    keys: Mapped[str] = mapped_column(String(150))
    goto_id: Mapped[int | None] = mentions("section_template")
    created_date: Mapped[Milliseconds]
    updated_date: Mapped[Milliseconds]

    __table_args__ = (
        Index("uq_branching_template_section_id_keys", "section_id", "keys", unique=True),
        {"sqlite_autoincrement": True},
    )


class SurveyChange(Row):
    """A change of a survey template that can be undone or, once it is undone, be made again."""

    __tablename__ = "survey_change"

    survey_id: Mapped[int] = belongs_to("survey_template")
    user_id: Mapped[int] = belongs_to("user_account")
    """The owner of the survey at the time of the change. A later owner cannot undo it."""
    action: Mapped[str] = mapped_column(String(32))
    section: Mapped[str] = mapped_column(String(500))
    """The name of the section that was changed; empty if it was the survey as a whole."""
    state: Mapped[LongText]
    """The sections and branches before the change or, once it is undone, after it."""
    is_undone: Mapped[bool] = mapped_column(Boolean, default=False)
    created_date: Mapped[Milliseconds]
