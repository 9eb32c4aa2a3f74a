package customcss_test

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"inkfeed/domain/customcss"
)

func TestAcceptedSheetsStayAsTyped(t *testing.T) {
	for name, sheet := range map[string]string{
		"nothing": "",
		"a rule":  "a, .post h1 > em:not(.x)::before { color: #aa0000; margin: -1.5em auto 0 calc(1px + 2%) }",
		"at-rules": `@media (400px <= width < 60rem) and (prefers-color-scheme: dark) { a { color: red } }
@media(width>1px){}
@supports (display: grid) and (not (float: none)) { @container card (width > 1px) { a { color: red } } }
@layer base, theme; @layer base { a { color: red } }
@keyframes fade { from { opacity: 0 } 50.5% { opacity: .5 } to { opacity: 1 } }
@page :first { margin: 2cm }
@property --x { syntax: "<length>"; inherits: false; initial-value: 0px }
@scope (.a) to (.b) { a { color: red } }
@starting-style { a { opacity: 0 } }
@counter-style dots { system: cyclic; symbols: "•"; suffix: " " }`,
		"nested rules":           "main { & > p { color: red; &:hover { color: blue } } @media print { top: 0 } }",
		"a path":                 "a { background: url(/media/ab.png) }",
		"a path in quotes":       `a { background: URL( "/media/a(b).png" ) url('/media/a.png') }`,
		"a font of the site":     `@font-face { src: local("Y"), url("/static/x.woff2") format("woff2") }`,
		"sets of pictures":       `a { background: image-set("/a.png" 1x, url(/b.png) type("image/png") 2x) }`,
		"gradients in a set":     `a { background: -webkit-image-set(linear-gradient(var(--a), red) 1x) }`,
		"addresses as text":      `a::after { content: "https://example.org/ // url(https://example.org)" }`,
		"addresses in a comment": "/* https://example.org/ url(//example.org) @import */ a { color: red }",
		"escapes in names":       `.md\:flex, #a\.b, .\31 0 { --a\62: 1; color: red }`,
		"escapes in strings":     `a::after { content: "\201C\"\` + "\n" + `"; quotes: '\'' "«" }`,
		"other scripts":          `.café, .日本語 { --größe: 1px; font-family: "游明朝" } a { content: counter(x) }`,
		"variables":              "main { --x: { a: b }; --y:; --z: [1, 2]; color: var(--a, var(--b)) !important }",
		"ranges of characters":   `@font-face { font-family: X; src: local("X"); unicode-range: U+26, U+0-7F, u+4??; }`,
		"what browsers ignore":   "a { color: ; ; nonsense } b ? { c: d } .5 {} ;",
	} {
		t.Run(name, func(t *testing.T) {
			if got, problem := customcss.Clean(sheet); got != sheet || !problem.IsZero() {
				t.Errorf("%q becomes %q: %v", sheet, got, problem)
			}
		})
	}
}

func TestRefusedSheetsAreExplainedByTheirLine(t *testing.T) {
	const address = "Line 2: Addresses must be paths of this site"
	for sheet, want := range map[string]string{
		`@import "/x.css";`:                                "Line 2: “@import” isn't allowed here.",
		`@IMPORT url(/x.css);`:                             "Line 2: “@IMPORT” isn't allowed",
		`@\69mport "/x.css";`:                              `Line 2: “@\69mport” isn't`,
		`@im\port "/x.css";`:                               `Line 2: “@im\port” isn't`,
		`@charset "utf-8";`:                                "Line 2: “@charset” isn't",
		`@namespace "http://www.w3.org/";`:                 "Line 2: “@namespace” isn't",
		`@document url(/) {}`:                              "Line 2: “@document” isn't",
		`@ import "/x.css";`:                               "Line 2: “@” isn't",
		`@ımport "/x.css";`:                                "Line 2: “@ımport” isn't",
		`@x` + strings.Repeat("y", 99) + `{}`:              "…” isn't allowed here.",
		`a{b:url(https://evil.example/)}`:                  address,
		`a{b:url(//evil.example/)}`:                        address,
		`a{b:url(/\/evil.example/)}`:                       address,
		`a{b:url(\/\/evil.example/)}`:                      address,
		`a{b:url("/\2f evil.example/")}`:                   address,
		"a{b:url(\"/\t/evil.example/\")}":                  address,
		"a{b:url(/\t/evil.example/)}":                      address,
		"a{b:url(\"/\\\n/evil.example/\")}":                address,
		`a{b:url(" //evil.example/")}`:                     address,
		`a{b:url(x.png)}`:                                  address,
		`a{b:url()}`:                                       address,
		`a{b:url("/a" "/b")}`:                              address,
		`a{b:url(/a"b)}`:                                   address,
		`a{b:url(data:image/png;base64,AA)}`:               address, // which the site's Content Security Policy forbids
		`a{b:url(javascript:x)}`:                           address,
		`a{b:url(#id)}`:                                    address,
		`a{b:u\rl(//evil.example/)}`:                       address,
		`a{b:\75rl(//evil.example/)}`:                      `Line 2: “\75rl(” isn't`,
		`a{b:\75 rl(//evil.example/)}`:                     `Line 2: “\75 rl(” isn't`,
		`a{b:\000075RL("//evil.example/")}`:                "isn't allowed here.",
		"a{b:\u00a0url(//evil.example/)}":                  "isn't allowed here.", // a letter to some browsers
		"a{b:1×url(//evil.example/)}":                      "isn't allowed here.",
		"a{--×url(//evil.example/):b}":                     "isn't allowed here.",
		"a{b:#×url(//evil.example/)}":                      "isn't allowed here.",
		"a{b:1\\75rl(//evil.example/)}":                    "isn't allowed here.",
		`a{b:image-set("https://evil.example/")}`:          address,
		`a{b:IMAGE-SET("//evil.example/" 1x)}`:             address,
		`a{b:-webkit-image-set("//e.example/")}`:           address,
		`a{b:image("x")}`:                                  address,
		`a{b:src("//evil.example/")}`:                      address,
		`a{b:src(var(--x))}`:                               "Line 2: “var(” isn't",
		`a{b:image-set(var(--x) 1x)}`:                      "Line 2: “var(” isn't",
		`a{b:image-set(attr(title) 1x)}`:                   "Line 2: “attr(” isn't",
		`a{b:image-set((("//e.example/")) 1x)}`:            "isn't",
		`a{b:image\-set("//e.example/" 1x)}`:               `Line 2: “image\-set(” isn't`,
		"a {\nb: c":                                        "Line 2: “{” is never closed.",
		"a { b: calc(1px\n; c: d }\n":                      "Line 2: “calc(” is never closed.",
		"a[b { c: d }":                                     "Line 2: “[” is never closed.",
		"a { b: c }\n}":                                    "Line 3: “}” closes nothing.",
		"a { b: c) }":                                      "Line 2: “{” is never closed.",
		"a { b: \"c }\n":                                   "Line 2: “\"” is never closed.",
		`a::after { b: 'c\`:                                "Line 2: “'” is never closed.",
		`"c\"`:                                             "Line 2: “\"” is never closed.",
		"\n\n/* c":                                         "Line 4: “/*” is never closed.",
		"/*/":                                              "Line 2: “/*” is never closed.",
		"a{b:url(/c":                                       address,
		`a{b:url("/c)`:                                     address,
		"</style><script>":                                 "Line 2: “/” isn't allowed here.",
		"<!-- a {} -->":                                    "Line 2: “<!--” isn't",
		"a {} -->":                                         "Line 2: “-->” isn't",
		`a { b: \`:                                         `Line 2: “\” isn't`,
		strings.Repeat("a{", 17) + strings.Repeat("}", 17): "Line 2: The brackets are nested too deeply.",
		strings.Repeat("a{}", 7000):                        "Use at most 20 KB.",
	} {
		t.Run(sheet[:min(len(sheet), 40)], func(t *testing.T) {
			if _, problem := customcss.Clean("b{}\n" + sheet); !strings.Contains(problem.String(), want) {
				t.Errorf("%q is refused with %q, want %q", sheet, problem, want)
			}
		})
	}
}

func TestLinesAreThoseOfTheForm(t *testing.T) {
	if _, problem := customcss.Clean("\r\n\r\n@import 'x';"); !strings.Contains(problem.String(), "Line 3:") {
		t.Errorf("the problem is %q", problem)
	}
	if got, _ := customcss.Clean("\ufeffa {\r\n\tb: c\x00\r}\r\n \n"); got != "a {\n\tb: c\n}" {
		t.Errorf("the sheet is %q", got)
	}
}

// loads are the ways in which a sheet loads something, in the spelling of a browser that has decoded all escapes and
// ignores the tokens around them.
var (
	loads = regexp.MustCompile(`(?is)(?:^|[^\pL\pN_-])(?:url\(\s*["']?(.?.?)|` +
		`(?:image|image-set|-webkit-image-set|src)\(\s*["'](.?.?))|@(import|namespace|charset)`)
	texts    = regexp.MustCompile(`(?s)/\*.*?\*/|(^|[^(])\s*("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')`)
	escapes  = regexp.MustCompile(`(?i)\\([0-9a-f]{1,6})\s?|\\(.)`)
	isLetter = regexp.MustCompile(`^\pL$`)
)

func decode(sheet string) string {
	return escapes.ReplaceAllStringFunc(sheet, func(escape string) string {
		letter := escape[1:]
		if n, err := strconv.ParseUint(strings.TrimSpace(letter), 16, 32); err == nil {
			letter = string(rune(n))
		}
		if !isLetter.MatchString(letter) {
			return "_" // what is escaped is no syntax
		}
		return letter
	})
}

func FuzzClean(f *testing.F) {
	for _, seed := range []string{`a{b:url("/x.png")}`, `@media print{a{b:url(//c)}}`, `a{b:image-set("/x" 1x)}`,
		`\75rl(//c)`, `/*"*/a{b:'c'}/*'*/`, "@\\69mport'x';", "a{b:u+75 \u00a0url(x)}", `url("/` + "\t" + `/x")`,
		strings.Repeat("a{", 99), strings.Repeat("(", 20000), strings.Repeat(`\`, 20000), strings.Repeat("/*", 9999),
		strings.Repeat("url(", 5000), strings.Repeat(`"`, 20001)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, source string) {
		sheet, problem := customcss.Clean(source)
		if !problem.IsZero() {
			return
		}
		if again, problem := customcss.Clean(sheet); again != sheet || !problem.IsZero() {
			t.Errorf("%q becomes %q the second time: %v", sheet, again, problem)
		}
		for _, m := range loads.FindAllStringSubmatch(decode(texts.ReplaceAllString(sheet, "$1 ")), -1) {
			first := m[1] + m[2]
			if m[3] != "" || !strings.HasPrefix(first, "/") || strings.HasPrefix(first, "//") {
				t.Errorf("%q loads %q", sheet, m[0])
			}
		}
	})
}
