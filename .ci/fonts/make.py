#!/usr/bin/env python3
"""Makes static/fonts and the style sheets of the typefaces from the variable fonts of npm packages.

    apt-get install fonttools python3-brotli
    npm install @fontsource-variable/source-serif-4@5.3.1 @fontsource-variable/source-sans-3@5.3.1 \\
        @fontsource-variable/inter@5.3.0 @fontsource-variable/eb-garamond@5.3.0 @fontsource-variable/bitter@5.3.0 \\
        @fontsource/stix-two-math@5.3.0 \\
        @fontsource/gelasio@5 @fontsource/tinos@5 @fontsource/noto-serif@5 @fontsource/arimo@5 @fontsource/roboto@5
    .ci/fonts/make.py node_modules

Upright fonts keep the weights 400 to 700, italic ones only 400. Each script has its own file, which browsers load when
a page has a character of it. The fonts are renamed, because the licences of some reserve their names. Gelasio, Tinos
and Arimo have the metrics of Georgia, of Times New Roman and of Arial.
"""

import io
import json
import pathlib
import sys

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont
from fontTools.varLib.instancer import instantiateVariableFont

modules, here = pathlib.Path(sys.argv[1]), pathlib.Path(__file__).parents[2] / "static"
WEIGHTS = (400, 700)
# The characters of most texts in western Europe have a small file of their own, without the features of other scripts.
COMMON = "U+0020-007E, U+00A0-00A1, U+00A7, U+00A9, U+00AB, U+00B0, U+00B7, U+00BB, U+00BF-00CF, U+00D1-00DC, " \
    "U+00DF-00EF, U+00F1-00FC, U+00FF, U+0152-0153, U+2013-2014, U+2018-201A, U+201C-201E, U+2022, U+2026, U+20AC"
# Czech, Turkish and the punctuation of controls: in the common file of fonts that do not have one for western Europe
# alone.
CZECH_TURKISH = "U+00DD, U+00FD, U+010C-010F, U+011A-011B, U+011E-011F, U+0130-0131, U+0147-0148, U+0158-0159, " \
    "U+015E-0161, U+0164-0165, U+016E-016F, U+017D-017E, U+2192"
# The frequency of characters in English texts, in tenths of a percent
FREQUENCY = dict(zip(" etaoinshrdlucmfwygpbvk.,", [180, 102, 75, 65, 62, 57, 57, 53, 50, 50, 35, 33, 23, 23, 20, 18, 19,
                                                   16, 16, 15, 12, 8, 6, 10, 10]))
# Fonts of operating systems: the names of faces, and where a font with the same metrics is
SERIFS = {
    "Georgia": (["Georgia", "Gelasio"], "@fontsource/gelasio/files/gelasio-latin-{}.woff2"),
    "Times": (["Times New Roman", "Liberation Serif", "Tinos"], "@fontsource/tinos/files/tinos-latin-{}.woff2"),
    "Noto": (["Noto Serif"], "@fontsource/noto-serif/files/noto-serif-latin-{}.woff2"),
    "DejaVu": (["DejaVu Serif"], "/usr/share/fonts/truetype/dejavu/DejaVuSerif{}.ttf"),
}
SANS = {
    "Arial": (["Arial", "Liberation Sans", "Arimo"], "@fontsource/arimo/files/arimo-latin-{}.woff2"),
    "Roboto": (["Roboto"], "@fontsource/roboto/files/roboto-latin-{}.woff2"),
    "DejaVu": (["DejaVu Sans"], "/usr/share/fonts/truetype/dejavu/DejaVuSans{}.ttf"),
}
FACES = [("", "400-normal", "normal", 400), (" Bold", "700-normal", "normal", 700),
         (" Italic", "400-italic", "italic", 400)]
MARKS = ["mark", "mkmk", "ccmp", "locl", "calt"]


def average(font):
    """Returns the mean width of a character, in units of the font's size."""
    names, widths = font.getBestCmap(), font["hmtx"]
    total = sum(share * widths[names[ord(c)]][0] for c, share in FREQUENCY.items())
    return total / sum(FREQUENCY.values()) / font["head"].unitsPerEm


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


def rule(**properties):
    lines = "".join(f"  {name.replace('_', '-')}: {value};\n" for name, value in properties.items())
    return "@font-face {\n" + lines + "}\n\n"


class Family:
    """A family in several files. Its axes besides the weight are pinned to the given values."""

    def __init__(self, name, short, package, axes, scripts, system, within, common=COMMON, italic=True):
        self.name, self.short, self.system, self.within, self.axes, self.common = name, short, system, within, axes, common
        self.package, self.slug, self.scripts = modules / "@fontsource-variable" / package, package, scripts
        self.styles = ["normal", "italic"] if italic else ["normal"]

    def source(self, script, style):
        kind = "opsz" if "opsz" in self.axes else "wght"
        return TTFont(self.package / "files" / f"{self.slug}-{script}-{kind}-{style}.woff2")

    def narrow(self, script, style, weight):
        return instantiateVariableFont(self.source(script, style), {**self.axes, "wght": weight})

    def subset(self, script, style, path, features, covered):
        weight = WEIGHTS if style == "normal" else WEIGHTS[0]  # bold italics are rare, and browsers draw them
        narrowed = io.BytesIO()
        self.narrow(script, style, weight).save(narrowed)
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
                record.string = self.name.replace(" ", "" if record.nameID == 6 else " ")
        font.flavor = "woff2"
        font.save(path)

    def faces(self):
        """Makes the files, and returns their rules."""
        css, ranges = "", json.loads((self.package / "unicode.json").read_text())
        common = characters(self.common)
        # The letters of a common file come from two files of the package.
        files = [("common", "latin", common, [])]
        extended = characters(self.common) - characters(COMMON)
        if extended:
            files = [("common", "latin", common, []), ("central", "latin-ext", extended, [])]
        files += [(script, script, characters(ranges[script]) - common, MARKS) for script in self.scripts]
        for name, script, covered, features in files:
            for style in self.styles:
                present = covered & self.source(script, style).getBestCmap().keys()
                file = f"{self.short}-{name}{'-italic' if style == 'italic' else ''}.woff2"
                self.subset(script, style, here / "fonts" / file, ["kern", "liga", *features], covered)
                css += rule(font_family=f'"{self.name}"', font_style=style,
                            font_weight="400 700" if style == "normal" else "400", font_display="optional",
                            src=f'url("{file}") format("woff2")',
                            unicode_range=spell(present if extended else covered))
        return css

    def fallbacks(self):
        """Returns the rules of the fonts of operating systems, in the proportions of the family."""
        css = ""
        for name, (families, path) in self.system.items():
            for suffix, file, style, weight in FACES:
                own = self.narrow("latin", style if style in self.styles else "normal", weight)
                dejavu = {"": "", " Bold": "-Bold", " Italic": "-Oblique" if self.system is SANS else "-Italic"}[suffix]
                path_of = modules / path.format(dejavu if "dejavu" in path else file)
                if not path_of.exists():
                    continue
                other = TTFont(path_of)
                size = average(own) / average(other)
                vertical, unit = own["hhea"], own["head"].unitsPerEm
                percent = lambda value: f"{100 * value:.1f}%".replace(".0%", "%")
                css += rule(font_family=f'"{name} in {self.within}"', font_style=style,
                            font_weight="600 700" if weight == 700 else "400 500" if style == "normal" else "400 700",
                            src=", ".join(f'local("{family}{suffix}")' for family in families),
                            size_adjust=percent(size), ascent_override=percent(vertical.ascent / unit / size),
                            descent_override=percent(-vertical.descent / unit / size),
                            line_gap_override=percent(vertical.lineGap / unit / size))
        return css


# Formulas: what most of them consist of, with the glyphs of which large operators and roots are built, and other letters
MATH = "U+0020-007E, U+00A0, U+00AC, U+00B1, U+00B7, U+00D7, U+00F7, U+0131, U+0237, U+0302-0304, U+0307-0308, U+030C, " \
    "U+0391-03A9, U+03B1-03C9, U+03D1, U+03D5-03D6, U+03F0-03F1, U+03F5, U+2016, U+2026, U+2032-2034, U+2061-2064, " \
    "U+20D7, U+210E-210F, U+2111-2113, U+211C, U+2190-2199, U+21A6, U+21D0-21D4, U+2200-22FF, U+23DE-23DF, " \
    "U+27E8-27E9, U+27F5-27FA, U+1D434-1D467, U+1D6E2-1D71B"
LETTERS = "U+2102, U+210A-210D, U+2110, U+2115, U+2118-211B, U+211D, U+2124, U+2128, U+212C-2134, U+1D400-1D433, " \
    "U+1D468-1D6E1, U+1D71C-1D7FF"


def math():
    """Makes the fonts of formulas, and returns their rules."""
    css = ""
    for file, ranges in {"math-common.woff2": MATH, "math-letters.woff2": LETTERS}.items():
        font = TTFont(modules / "@fontsource/stix-two-math/files/stix-two-math-latin-400-normal.woff2")
        options = Options()
        options.hinting = False
        options.layout_features = ["ssty", "flac", "dtls"]  # small letters in scripts, and marks above letters
        subsetter = Subsetter(options)
        subsetter.populate(unicodes=characters(ranges) & font.getBestCmap().keys())
        subsetter.subset(font)
        for record in font["name"].names:
            if record.nameID in (1, 3, 4, 6, 16):
                record.string = "InkfeedMath" if record.nameID == 6 else "Inkfeed Math"
        font.flavor = "woff2"
        font.save(here / "fonts" / file)
        css += rule(font_family='"Inkfeed Math"', font_display="optional", src=f'url("{file}") format("woff2")',
                    unicode_range=ranges)
    return css


ALL = ["latin", "latin-ext", "vietnamese", "cyrillic", "cyrillic-ext", "greek"]
WIDER = COMMON + ", " + CZECH_TURKISH
serif = Family("Inkfeed Serif", "serif", "source-serif-4", {"opsz": 20}, ALL, SERIFS, "proportion")
sans = Family("Inkfeed Sans", "source-sans", "source-sans-3", {}, ALL[1:], SANS, "Sans", WIDER, italic=False)
grotesque = Family("Inkfeed Grotesque", "inter", "inter", {}, ALL[1:], SANS, "Grotesque", WIDER)
book = Family("Inkfeed Book", "garamond", "eb-garamond", {}, ALL[1:], SERIFS, "Book", WIDER)
slab = Family("Inkfeed Slab", "bitter", "bitter", {}, ["latin-ext", "vietnamese", "cyrillic", "cyrillic-ext"], SERIFS,
              "Slab", WIDER)
made = {f: (f.faces(), f.fallbacks()) for f in [serif, sans, grotesque, book, slab]}


def write(path, families, others=""):
    css = "/* The typeface. Made by .ci/fonts/make.py, as docs/dependencies.md explains. */\n\n"
    css += "".join(made[f][0] for f in families) + others
    css += "/* Fonts of operating systems, in the proportions of the typeface */\n\n"
    (here / path).write_text((css + "".join(made[f][1] for f in families)).rstrip() + "\n")


write("styles/00-typeface.css", [serif], math())
for name, families in {"serif": [sans], "sans": [grotesque], "book": [book, sans], "slab": [slab, sans]}.items():
    write(f"sheets/typeface-{name}.css", families)
