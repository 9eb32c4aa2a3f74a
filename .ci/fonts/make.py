#!/usr/bin/env python3
"""Makes static/fonts and static/styles/00-typeface.css from the variable fonts of an npm package.

    apt-get install fonttools python3-brotli
    npm install @fontsource-variable/source-serif-4@5.3.1 @fontsource/gelasio@5 @fontsource/tinos@5 \\
        @fontsource/noto-serif@5
    .ci/fonts/make.py node_modules

Upright fonts keep the weights 400 to 700, italic ones only 400, and both the design for 20 pixels. Each script has its
own file, which browsers load when a page has a character of it. The fonts are renamed, because their licence reserves
the name "Source". Gelasio and Tinos have the metrics of Georgia and of Times New Roman.
"""

import io
import json
import pathlib
import sys

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont
from fontTools.varLib.instancer import instantiateVariableFont

modules, here = pathlib.Path(sys.argv[1]), pathlib.Path(__file__).parents[2] / "static"
package = modules / "@fontsource-variable/source-serif-4"
FAMILY, WEIGHTS, OPTICAL_SIZE = "Inkfeed Serif", (400, 700), 20
SCRIPTS = ["latin", "latin-ext", "vietnamese", "cyrillic", "cyrillic-ext", "greek"]
# The characters of most texts in western Europe have a small file of their own, without the features of other scripts.
COMMON = "U+0020-007E, U+00A0-00A1, U+00A7, U+00A9, U+00AB, U+00B0, U+00B7, U+00BB, U+00BF-00CF, U+00D1-00DC, " \
    "U+00DF-00EF, U+00F1-00FC, U+00FF, U+0152-0153, U+2013-2014, U+2018-201A, U+201C-201E, U+2022, U+2026, U+20AC"
# The frequency of characters in English texts, in tenths of a percent
FREQUENCY = dict(zip(" etaoinshrdlucmfwygpbvk.,", [180, 102, 75, 65, 62, 57, 57, 53, 50, 50, 35, 33, 23, 23, 20, 18, 19,
                                                   16, 16, 15, 12, 8, 6, 10, 10]))
# Fonts of operating systems: the names of faces, and where a font with the same metrics is
SYSTEM = {
    "Georgia": (["Georgia", "Gelasio"], "@fontsource/gelasio/files/gelasio-latin-{}.woff2"),
    "Times": (["Times New Roman", "Liberation Serif", "Tinos"], "@fontsource/tinos/files/tinos-latin-{}.woff2"),
    "Noto": (["Noto Serif"], "@fontsource/noto-serif/files/noto-serif-latin-{}.woff2"),
    "DejaVu": (["DejaVu Serif"], "/usr/share/fonts/truetype/dejavu/DejaVuSerif{}.ttf"),
}
FACES = [("", "400-normal", "normal", 400), (" Bold", "700-normal", "normal", 700), (" Italic", "400-italic", "italic", 400)]


def average(font, scale=1):
    """Returns the mean width of a character, in units of the font's size."""
    names, widths = font.getBestCmap(), font["hmtx"]
    total = sum(share * widths[names[ord(c)]][0] for c, share in FREQUENCY.items())
    return scale * total / sum(FREQUENCY.values()) / font["head"].unitsPerEm


def source(script, style):
    return TTFont(package / "files" / f"source-serif-4-{script}-opsz-{style}.woff2")


def characters(ranges):
    """Returns the code points of a CSS unicode-range."""
    limits = [[int(end, 16) for end in part.strip()[2:].split("-")] for part in ranges.split(",")]
    return {code for limit in limits for code in range(limit[0], limit[-1] + 1)}


def spell(codes):
    """Returns the CSS unicode-range of code points."""
    parts = []
    for code in sorted(codes):
        if code - 1 in codes:
            parts[-1][1] = code
        else:
            parts.append([code, code])
    return ", ".join(f"U+{first:04X}" + (f"-{last:04X}" if last > first else "") for first, last in parts)


def subset(script, style, path, features, covered):
    weight = WEIGHTS if style == "normal" else WEIGHTS[0]  # bold italics are rare, and browsers draw them
    narrowed = io.BytesIO()
    instantiateVariableFont(source(script, style), {"opsz": OPTICAL_SIZE, "wght": weight}).save(narrowed)
    font = TTFont(narrowed)
    options = Options()
    options.flavor = "woff2"
    options.hinting = False
    options.layout_features = features
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=covered & font.getBestCmap().keys())
    subsetter.subset(font)
    for record in font["name"].names:
        if record.nameID in (1, 3, 4, 6, 16):
            record.string = FAMILY.replace(" ", "" if record.nameID == 6 else " ")
    font.flavor = "woff2"
    font.save(path)


def rule(**properties):
    lines = "".join(f"  {name.replace('_', '-')}: {value};\n" for name, value in properties.items())
    return "@font-face {\n" + lines + "}\n\n"


css = "/* The typeface. Made by .ci/fonts/make.py, as docs/dependencies.md explains. */\n\n"
MARKS = ["mark", "mkmk", "ccmp", "locl", "calt"]
ranges = json.loads((package / "unicode.json").read_text())
common = characters(COMMON)
files = [("common", "latin", common, [])]
files += [(script, script, characters(ranges[script]) - common, MARKS) for script in SCRIPTS]
for name, script, covered, features in files:
    for style in ["normal", "italic"]:
        file = f"serif-{name}{'-italic' if style == 'italic' else ''}.woff2"
        subset(script, style, here / "fonts" / file, ["kern", "liga", *features], covered)
        css += rule(font_family=f'"{FAMILY}"', font_style=style,
                    font_weight="400 700" if style == "normal" else "400", font_display="optional",
                    src=f'url("{file}") format("woff2")', unicode_range=spell(covered))

css += "/* Fonts of operating systems, in the proportions of the typeface */\n\n"
for name, (families, path) in SYSTEM.items():
    for suffix, file, style, weight in FACES:
        own = instantiateVariableFont(source("latin", style), {"opsz": OPTICAL_SIZE, "wght": weight})
        dejavu = {"": "", " Bold": "-Bold", " Italic": "-Italic"}[suffix]
        other = TTFont(modules / path.format(dejavu if "dejavu" in path else file))
        size = average(own) / average(other)
        vertical, unit = own["hhea"], own["head"].unitsPerEm
        percent = lambda value: f"{100 * value:.1f}%".replace(".0%", "%")
        css += rule(font_family=f'"{name} in proportion"', font_style=style,
                    font_weight="600 700" if weight == 700 else "400 500" if style == "normal" else "400 700",
                    src=", ".join(f'local("{family}{suffix}")' for family in families),
                    size_adjust=percent(size), ascent_override=percent(vertical.ascent / unit / size),
                    descent_override=percent(-vertical.descent / unit / size),
                    line_gap_override=percent(vertical.lineGap / unit / size))
(here / "styles" / "00-typeface.css").write_text(css.rstrip() + "\n")
