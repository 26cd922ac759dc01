"""Lines of a list that are no people: totals, and what a program writes below its table."""

import re
from collections.abc import Sequence
from typing import Final

from dialer.app.imports.country_words import plain_word
from dialer.domain.words.sentences import Sentence

LEFT_OUT: Final = Sentence("A total or a note, which is left out.")
CELL_MAX: Final = 200
"""Characters of a cell that may be a total or a note."""
COUNT_DIGITS_MAX: Final = 6
"""The most digits in the column of numbers that can be a count beside the word for a total."""


def _any_of(text: str) -> str:
    return "|".join(sorted({plain_word(word) for word in text.split("|")}, key=len, reverse=True))


_TOTALS: Final = _any_of(
    """total | totals | grand total | grand totals | subtotal | sub total | sum | count | number of records
    | total records | total rows | summe | gesamt | gesamtsumme | insgesamt | anzahl | zwischensumme
    | total general | totaux | sous total | somme | suma | total general | subtotal | totale | totali | somma
    | soma | total geral | totaal | aantal | razem | celkem | osszesen | toplam | totalt
    | итого | всего | разом | всього | усього | σύνολο | المجموع | الإجمالي | مجموع | جمع | סה"כ | סהכ | कुल | कुल योग
    | 合计 | 总计 | 共计 | 合計 | 總計 | 総計 | 합계 | 총계 | 총합계 | รวม | รวมทั้งหมด"""
)
_THINGS: Final = _any_of(
    """records | rows | contacts | entries | results | people | datensatze | eintrage | zeilen | kontakte | lignes
    | enregistrements | contacts | registros | filas | contactos | linhas | contatos | record | righe | contatti
    | записей | строк | контактов"""
)
_TOTAL: Final = re.compile(rf"(?:{_TOTALS})|(?:{_TOTALS})(?: [^\W\d_]+){{0,2}}(?: \d+)+(?: \w+)?|\d+ (?:{_THINGS})")
_NOTE: Final = re.compile(
    r"(?:copyright|c copyright|confidential information|generated|exported|printed|created|report generated"
    r"|gedruckt|erstellt|exportiert|ausgedruckt|imprime|genere|exporte|edite|impreso|generado|exportado|impresso"
    r"|gerado|stampato|generato|распечатано|сформировано)\b.*\d.*"
    r"|(?:page|seite|pagina|страница) \d+.*"
)
"""Notes that programs write below a table, with a date or a number."""


def is_footer(cells: Sequence[str]) -> bool:
    """Return whether a row is a total or a note below a list, instead of a person."""
    filled = [plain_word(cell) for cell in cells if cell.strip() and len(cell) <= CELL_MAX]
    if any(map(_TOTAL.fullmatch, filled)):
        return True
    return len(filled) == 1 and _NOTE.fullmatch(filled[0]) is not None
