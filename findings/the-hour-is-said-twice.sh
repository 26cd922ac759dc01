#!/usr/bin/env bash
# One would guess: a voice reads a time in the form that everybody of its language writes.
# What happens: the German voice of espeak-ng says "Uhr" in place of the colon, and the word of the text once more: "14:30 Uhr"
#   is "vierzehn Uhr dreißig Uhr", and "14.30 Uhr", a form that many write, "vierzehn Punkt dreißig Uhr".
#   The French voice knows "14:30", which few write, and says the letter h in "14h30", which all write. Packages that bring espeak-ng along read the same way, piper's newest release too.
# So: write times in words before you give them to a voice ("14 Uhr 30", "14 heures 30"), and listen to one in each language.
# Versions: piper-tts 1.8.0, with espeak-ng inside. Read 2026-11-28.
# Needs: python3 with venv, and PyPI.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --disable-pip-version-check piper-tts==1.8.0

"$folder/venv/bin/python" - <<'PYTHON'
from piper.phonemize_espeak import EspeakPhonemizer

voice = EspeakPhonemizer()


def said(language: str, text: str) -> str:
    """Return the sounds of a text in phonetic letters, without stress."""
    sounds = "".join("".join(sentence) for sentence in voice.phonemize(language, text))
    print(f"{language}  {text:16} {sounds}")
    return sounds.replace("ˈ", "").replace("ˌ", "")


UHR, POINT, HEURES, LETTER = "uːɾ", "pʊŋkt", "œʁ", "aʃ"
german = {
    text: tuple(map(said("de", text).count, (UHR, POINT)))
    for text in ("um 14:30 Uhr", "um 14:30", "um 14.30 Uhr", "um 14 Uhr 30")
}
assert german == {"um 14:30 Uhr": (2, 0), "um 14:30": (1, 0), "um 14.30 Uhr": (1, 1), "um 14 Uhr 30": (1, 0)}, german
french = {
    text: tuple(map(said("fr", text).count, (HEURES, LETTER)))
    for text in ("à 14h30", "à 14:30", "à 14 heures 30")
}
assert french == {"à 14h30": (0, 1), "à 14:30": (1, 0), "à 14 heures 30": (1, 0)}, french
PYTHON
