"""Write `docs/reference/world.md` again: `python -m tests.world`. Run it after an upgrade, and read the difference."""

from tests.world.page import PAGE, text

if __name__ == "__main__":
    PAGE.write_text(text(), "utf-8")
