"""The statement of a release, as a method of what was released."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydpstat._answering import answered

if TYPE_CHECKING:
    from pydpstat.results.statements import Statement


class Stating:
    """What can state what it keeps."""

    __slots__ = ()

    @answered
    def statement(self) -> Statement:
        """Return the paragraph and the table that a methods section or a privacy office needs.

        `pydpstat.statement` makes one of several releases, and of a budget.

        Returns
        -------
        Statement
            With ``text``, ``paragraph`` and ``to_frame()``; ``to_text(path)``, ``to_markdown(path)``,
            ``to_latex(path)`` and ``to_html(path)`` write files.

        See Also
        --------
        statement : several releases in one statement.

        Examples
        --------
        >>> import pydpstat
        >>> r = pydpstat.mean([1, 2, 3, 4] * 50, 1.0, bounds=(0, 5))
        >>> print(r.statement().sentences[0])
        The mean was released with differential privacy, at a privacy loss of epsilon = 1.
        """
        from pydpstat.results.statements import statement

        return statement(self)
