"""Surveys for tests: sections with defaults, and generated surveys of any shape."""

from typing import Any, Final

from hypothesis import strategies as st
from msgspec.structs import replace

from dialer.domain.survey.survey import Prompt, Section
from dialer.domain.words.enums import SectionType

SORRY: Final = Prompt(audio_ms=500)


def section(section_type: SectionType, section_id: int = 1, **fields: Any) -> Section:  # noqa: ANN401 - any field
    """Return a section of any type, which accepts the key 1 and not 8."""
    usual: dict[str, Any] = {"prompt": Prompt(audio_ms=1_000), "key_labels": {"1": "one"}, "rating_laps": 5}
    return Section(
        section_id, section_type, f"Section {section_id}", **usual | {"number_digits": 1, "max_number": 5} | fields
    )


targets = st.none() | st.integers(1, 6)
keys = st.sampled_from(["0", "1", "2", "07", "12", "123", "any", "timeout", "invalid"])
any_sections = st.lists(
    st.builds(
        section,
        st.sampled_from(sorted(SectionType)),
        retries=st.integers(-1, 2),
        branches=st.dictionaries(keys, targets),
        key_labels=st.dictionaries(st.sampled_from(["0", "1", "2"]), st.just("yes")),
        number_digits=st.integers(1, 2),
        validate_number=st.booleans(),
        min_number=st.integers(0, 12),
        max_number=st.integers(0, 12),
        rating_laps=st.integers(0, 12),
        completed=st.booleans(),
        queue_id=st.none() | st.integers(1, 3),
        invalid_prompt=st.none() | st.just(SORRY),
    ),
    min_size=1,
    max_size=5,
).map(lambda found: tuple(replace(one, id=index) for index, one in enumerate(found, 1)))
"""Up to five sections, some of whose branches lead to a missing sixth."""
