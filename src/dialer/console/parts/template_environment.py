"""The environment of templates, whose values are escaped at less cost than Jinja takes for it.

Jinja makes a `Markup` of every value, only to join them all a moment later. On a page with two thousand values that is
a quarter of its time.
"""

from typing import Any

from jinja2 import Environment, nodes
from jinja2.compiler import CodeGenerator, Frame
from markupsafe import Markup, _escape_inner, escape  # type: ignore[attr-defined] # `escape` of a text calls it


def escaped(value: Any) -> str:  # noqa: ANN401 - of any type
    """Return a value as `escape` does, but as a plain text if it was one."""
    kind = type(value)
    if kind is str:
        plain: str = _escape_inner(value)
        return plain
    if kind is Markup:
        safe: Markup = value
        return safe
    return str(value) if kind is int else escape(value)


class _Code(CodeGenerator):
    """The code of templates, which joins what it puts out at once."""

    def _output_child_pre(self, node: nodes.Expr, frame: Frame, finalize: Any) -> None:  # noqa: ANN401 - Jinja's own
        if frame.eval_ctx.volatile or not frame.eval_ctx.autoescape or finalize.src is not None:
            super()._output_child_pre(node, frame, finalize)
        else:
            self.write("environment.escaped(")


class TemplateEnvironment(Environment):
    """An environment that escapes with `escaped`."""

    code_generator_class = _Code
    escaped = staticmethod(escaped)
