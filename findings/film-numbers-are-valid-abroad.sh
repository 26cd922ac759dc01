#!/usr/bin/env bash
# One would guess: numbers that a regulator reserves for films are the safest test data, and a list of national numbers
#   belongs to the country in which most of them are valid.
# What happens: some reserved ranges are invalid at home and valid abroad. One example from each reserved range of France
#   is valid 5 times of 6 in France, and 6 times in Italy and in Japan. One from each of seven British ranges is valid
#   5 times in Great Britain and 6 times in Italy. A list of reserved British mobiles is never valid at home, and always
#   in China, Germany, India, Indonesia, Iran and Iraq: in India and Iraq even as mobile numbers. The American 555 01xx
#   and the reserved Australian mobiles are valid at home, so such test data say nothing of the others.
# So: a guess by "most valid" goes wrong on exactly the numbers with which one tests it.
# Versions: phonenumbers 9.0.43. Ranges as the regulators ARCEP, Ofcom and ACMA publish them. Read 2026-11-28.
# Needs: python3 with venv, and PyPI.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --disable-pip-version-check phonenumbers==9.0.43

"$folder/venv/bin/python" - <<'PYTHON'
from collections import Counter

import phonenumbers as p

LISTS = {
    "FR": ["01 99 00 12 34", "02 61 91 12 34", "03 53 01 12 34", "04 65 71 12 34", "05 36 49 12 34", "06 39 98 01 23"],
    "GB": ["0113 496 0123", "020 7946 0123", "01632 960123", "07700 900123", "03069 990123", "0808 157 0123", "0909 879 0123"],
    "GB, mobiles": [f"07700 90012{n}" for n in range(5)],
    "US": [f"212 555 012{n}" for n in range(5)],
    "AU, mobiles": ["0491 570 156", "0491 570 157", "0491 570 158", "0491 570 159", "0491 570 110"],
}


def votes(numbers: list[str]) -> Counter[str]:
    count: Counter[str] = Counter()
    for number in numbers:
        for region in p.SUPPORTED_REGIONS:
            try:
                count[region] += p.is_valid_number_for_region(p.parse(number, region), region)
            except p.NumberParseException:
                pass
    return count


seen = {}
for name, numbers in LISTS.items():
    count, home = votes(numbers), name[:2]
    best = max(count.values())
    seen[name] = len(numbers), count[home], best, sorted(r for r, n in count.items() if n == best and r != home)
    print(f"{name}: {len(numbers)} numbers, valid at home {count[home]}, most {best}: {' '.join(seen[name][3])}")

assert seen["FR"] == (6, 5, 6, ["IT", "JP"]), seen["FR"]
assert seen["GB"] == (7, 5, 6, ["IT"]), seen["GB"]
assert seen["GB, mobiles"] == (5, 0, 5, ["CN", "DE", "ID", "IN", "IQ", "IR"]), seen["GB, mobiles"]
assert seen["US"][1] == 5 and seen["AU, mobiles"][1] == 5, seen
kinds = {region: p.number_type(p.parse("07700 900123", region)) for region in ("DE", "IN", "IQ")}
print("07700 900123 as", kinds, "(0 fixed line, 1 mobile)")
assert kinds == {"DE": 0, "IN": 1, "IQ": 1}, kinds
PYTHON
