#!/usr/bin/env python3
"""Makes domain/picture/card.ttf, the typeface of cards, from static/fonts: one weight of all scripts in one file.

    apt-get install fonttools python3-brotli
    .ci/fonts/card.py
"""

import io
import pathlib

from fontTools.merge import Merger
from fontTools.ttLib import TTFont
from fontTools.varLib.instancer import instantiateVariableFont

root = pathlib.Path(__file__).parents[2]
WEIGHT = 650  # --bold-serif
SCRIPTS = ["common", "latin", "latin-ext", "cyrillic", "cyrillic-ext", "greek", "vietnamese"]
LAYOUT = ["GSUB", "GPOS", "GDEF", "STAT", "MVAR", "HVAR"]  # which Go's font package does not use


def part(script):
    font = instantiateVariableFont(TTFont(root / f"static/fonts/serif-{script}.woff2"), {"wght": WEIGHT})
    for table in LAYOUT:
        if table in font:
            del font[table]
    font.flavor = None
    file = io.BytesIO()
    font.save(file)
    file.seek(0)
    return file


Merger().merge([part(script) for script in SCRIPTS]).save(root / "domain/picture/card.ttf")
