#!/usr/bin/env python3
"""Makes static/fonts and static/styles/00-typeface.css from the variable fonts of an npm package.

    apt-get install fonttools python3-brotli
    npm install @fontsource-variable/source-serif-4@5.3.1 @fontsource/gelasio@5 @fontsource/tinos@5 \\
        @fontsource/noto-serif@5
    .ci/fonts/make.py node_modules

The fonts keep the weights 400 to 700, the design for 20 pixels, and the features that texts need. Each script has its
own file, which browsers load when a page has a character of it. The fonts are renamed, because their licence reserves
the name "Source". Gelasio and Tinos have the metrics of Georgia and of Times New Roman.
"""

import io
import json
import pathlib
import re
import sys

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont
from fontTools.varLib.instancer import instantiateVariableFont

modules, here = pathlib.Path(sys.argv[1]), pathlib.Path(__file__).parents[2] / "static"
package = modules / "@fontsource-variable/source-serif-4"
FAMILY, WEIGHTS, OPTICAL_SIZE = "Inkfeed Serif", (400, 700), 20
SCRIPTS = ["latin", "latin-ext", "vietnamese", "cyrillic", "cyrillic-ext", "greek"]
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


def subset(script, style, path):
    narrowed = io.BytesIO()
    instantiateVariableFont(source(script, style), {"opsz": OPTICAL_SIZE, "wght": WEIGHTS}).save(narrowed)
    font = TTFont(narrowed)
    options = Options()
    options.flavor = "woff2"
    options.hinting = False
    options.layout_features = ["kern", "liga", "mark", "mkmk", "ccmp", "locl", "calt"]
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=font.getBestCmap())
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
ranges = json.loads((package / "unicode.json").read_text())
for script in SCRIPTS:
    for style in ["normal", "italic"]:
        name = f"serif-{script}{'-italic' if style == 'italic' else ''}.woff2"
        subset(script, style, here / "fonts" / name)
        css += rule(font_family=f'"{FAMILY}"', font_style=style, font_weight="400 700", font_display="optional",
                    src=f'url("{name}") format("woff2")', unicode_range=re.sub(",", ", ", ranges[script]))

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
