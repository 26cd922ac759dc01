"""`python -m tests.vopr`: run the fault simulator."""

from tests.vopr.command import vopr

if __name__ == "__main__":
    vopr(prog_name="python -m tests.vopr")
