package picture_test

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"testing"

	"inkfeed/domain"
	"inkfeed/domain/picture"
)

// svg makes a picture from an SVG.
func svg(t testing.TB, source string) (picture.Picture, string, error) {
	t.Helper()
	p, err := picture.NewMaker(nil).Make(t.Context(), "u.ada", []byte(source))
	if err != nil {
		return p, "", err
	}
	if len(p.Files) != 1 || p.Files[0].Name != p.Name.String() || p.Name.Ext != domain.ExtSVG {
		t.Fatalf("%s has %d files, want 1", p.Name, len(p.Files))
	}
	return p, string(p.Files[0].Content), nil
}

func drawing(content string) string {
	return `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 40 20">` +
		content + `</svg>`
}

func drawn(content string) string {
	return `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20" viewBox="0 0 40 20">` + content + `</svg>`
}

func TestSVGKeepsOnlyElementsThatDraw(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"keeps shapes and text": {
			`<g transform="scale(2)"><path d="M0 0L1 1" stroke="red"/><text x="1">a &lt; b<tspan dy="1"> c</tspan>` +
				`</text></g>`,
			`<g transform="scale(2)"><path d="M0 0L1 1" stroke="red"></path><text x="1">a &lt; b<tspan dy="1"> ` +
				`c</tspan></text></g>`},
		"keeps attributes for the appearance": {
			`<g fill-opacity="1" stroke-dasharray="2" text-decoration="underline" writing-mode="tb" ` +
				`vector-effect="none"/>`,
			`<g fill-opacity="1" stroke-dasharray="2" text-decoration="underline" writing-mode="tb" ` +
				`vector-effect="none"></g>`},
		"keeps the languages of a switch": {
			`<switch><text systemLanguage="cs">a</text><text>b</text></switch>`,
			`<switch><text systemLanguage="cs">a</text><text>b</text></switch>`},
		"keeps references within the document": {
			`<defs><linearGradient id="a"/></defs><rect fill="url(#a)"/><use xlink:href="#b"/>`,
			`<defs><linearGradient id="a"></linearGradient></defs><rect fill="url(#a)"></rect><use href="#b"></use>`},
		"keeps its own style sheets": {
			`<style><![CDATA[.a > b { fill: url("#a"); }]]></style>`, `<style>.a &gt; b{fill:url(#a);}</style>`},
		"keeps the styles of common programs": {
			`<g style="mask-type:alpha;fill: light-dark(#fff, var(--ge-dark-color, #121212));` +
				`marker-end:url(#a%C3%A9);font-family:'MyriadPro-Regular','x;y';-inkscape-stroke:none"/>` +
				`<style>@media print{a{b:c}}.st0,#s .a:hover{stroke-dasharray:9,5!important;animation:b 5s}</style>`,
			`<g style="mask-type:alpha;fill:light-dark(#fff, var(--ge-dark-color, #121212));marker-end:url(#aé);` +
				`font-family:&#39;MyriadPro-Regular&#39;,&#39;x;y&#39;;"></g><style>` +
				`.st0,#s .a:hover{stroke-dasharray:9,5!important;}</style>`},
		"keeps a definition in a group that is drawn with it": {
			`<mask id="m"><g clip-path="url(#c)"/></mask><g mask="url(#m)"><clipPath id="c"/></g>`,
			`<mask id="m"><g clip-path="url(#c)"></g></mask><g mask="url(#m)"><clipPath id="c"></clipPath></g>`},
		"drops scripts": {
			`<script>alert(1)</script><rect onload="alert(1)" x="1"/><a xlink:href="javascript:alert(1)"><circle ` +
				`r="1"/></a>`,
			`<rect x="1"></rect><g><circle r="1"></circle></g>`},
		"drops references to other files": {
			`<style>@import url(//a.example/x.css); @font-face{src:url(a)} .b{fill:url(https://a.example/#p)} ` +
				`.c{mask:u\rl(x)}</style><use href="https://a.example/#x"/><rect style="fill: url(http://a.example)"/>`,
			`<style>.b{fill:none;}.c{mask:none;}</style><use></use><rect style="fill:none;"></rect>`},
		"drops animations and filters": {
			`<animate attributeName="x"/><filter id="f"><feTurbulence/></filter><rect filter="url(#f)" ` +
				`style="filter: blur(9px); x: 1"/>`,
			`<rect style="x:1;"></rect>`},
		"drops the metadata of editors": {
			`<metadata>x</metadata><i:pgf xmlns:i="http://ns.example/"><rect/></i:pgf><?x y?><!-- z -->`, ``},
		"keeps the text that replaces HTML": {
			`<switch><foreignObject><div xmlns="http://www.w3.org/1999/xhtml">a</div></foreignObject><text>a</text>` +
				`</switch>`, `<switch><text>a</text></switch>`},
	} {
		t.Run(name, func(t *testing.T) {
			if _, got, err := svg(t, drawing(c.in)); err != nil || got != drawn(c.want) {
				t.Errorf("%v: got  %s\nwant %s", err, got, drawn(c.want))
			}
		})
	}
	t.Run("keeps namespaces that are declared as entities", func(t *testing.T) {
		_, got, err := svg(t,
			`<?xml version="1.0"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "x" [<!ENTITY ns `+
				`"http://www.w3.org/2000/svg">]>`+
				`<svg xmlns="&ns;" viewBox="0 0 40 20"><rect/></svg>`)
		if err != nil || got != drawn("<rect></rect>") {
			t.Errorf("%v: got %s", err, got)
		}
	})
}

func TestSizeOfAnSVGIsThatOfBrowsers(t *testing.T) {
	for attributes, want := range map[string]string{
		`width="30" height="20"`:                        `30x20`,
		`width="3in" height="72pt"`:                     `288x96`,
		`viewBox="0,0 24,12"`:                           `24x12`,
		`width="100%" height="100%" viewBox="0 0 24 8"`: `24x8`,
		`width="48" viewBox="0 0 24 8"`:                 `48x16`,
		``:                                              `300x150`,
		`width="100000" height="50000"`:                 `2560x1280`,
		`width="1" height="100000000"`:                  `1x2560`,
		`width="1e99" height="-1"`:                      `300x150`,
		`width="NaN" height="Inf"`:                      `300x150`,
	} {
		p, _, err := svg(t, `<svg xmlns="http://www.w3.org/2000/svg" `+attributes+`/>`)
		if err != nil {
			t.Errorf("%s: %v", attributes, err)
		} else if got := fmt.Sprintf("%dx%d", p.Name.Width, p.Name.Height); got != want {
			t.Errorf("%s gives the size %s, want %s", attributes, got, want)
		}
	}
}

func TestHostileSVGIsRejected(t *testing.T) {
	uses := ""
	for level := range 30 {
		uses += fmt.Sprintf(`<g id="l%d"><use href="#l%d"/><use href="#l%d"/></g>`, level+1, level, level)
	}
	patterns, styles := "", ""
	for level := range 30 {
		patterns += fmt.Sprintf(`<pattern id="p%d"><g fill="url(#p%d)"><rect/><rect/></g></pattern>`, level+1, level)
		styles += fmt.Sprintf(`.c%d{fill:url(#q%d)}`, level+1, level)
	}
	classes := ""
	for level := range 30 {
		classes += fmt.Sprintf(`<pattern id="q%d"><rect class="c%d"/><rect class="c%d"/></pattern>`, level, level,
			level)
	}
	for name, c := range map[string]struct{ source, says string }{
		"nested entities": {`<!DOCTYPE svg [<!ENTITY a "x"><!ENTITY b "&a;&a;">]>` + drawing("&b;"),
			"entities"},
		"entities from files": {`<!DOCTYPE svg [<!ENTITY a SYSTEM "file:///etc/passwd">]>` +
			drawing("<text>&a;</text>"), "entities"},
		"long entities": {`<!DOCTYPE svg [<!ENTITY a "` + strings.Repeat("x", 1000) + `">]>` +
			drawing("&a;"), "entities"},
		"elements without end": {drawing(strings.Repeat("<g/>", 60_000)), "more than 50,000 elements"},
		"deep nesting": {drawing(strings.Repeat("<g>", 200) + strings.Repeat("</g>", 200)),
			"deeper than 100"},
		"deep nesting of unknown": {drawing(strings.Repeat("<x>", 200) + strings.Repeat("</x>", 200)),
			"deeper than 100"},
		"uses of uses":         {drawing(uses + `<use href="#l30"/>`), "too long to draw"},
		"patterns of patterns": {drawing(patterns + `<rect fill="url(#p30)"/>`), "too long to draw"},
		"patterns by classes": {drawing("<style>" + styles + "</style>" + classes + `<rect class="c30"/>`),
			"too long to draw"},
		"many rules for many elements": {drawing("<style>" + strings.Repeat("g{x:1}", 100) + "</style>" +
			strings.Repeat("<g/>", 10_000)), "too long to draw"},
		"an element within itself": {drawing(`<g id="a"><use href="#a"/></g>`), "too long to draw"},
		"a picture within it":      {drawing(`<image href="data:image/png;base64,AAAA"/>`), "contains a picture"},
		"HTML within it": {drawing(
			`<foreignObject><p xmlns="http://www.w3.org/1999/xhtml">x</p></foreignObject>`), "contains HTML"},
		"another root element": {`<?xml version="1.0"?><html><svg xmlns="http://www.w3.org/2000/svg"/></html>`,
			"damaged"},
		"a second root element":         {drawing("") + drawing(""), "damaged"},
		"an unclosed root element":      {`<svg xmlns="http://www.w3.org/2000/svg"><g>`, "damaged"},
		"an encoding that is not UTF-8": {`<?xml version="1.0" encoding="utf-7"?>` + drawing(""), "damaged"},
		"too many bytes":                {drawing(strings.Repeat(" ", 5<<20)), "The limit is 4 MB"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, _, err := svg(t, c.source); !domain.Is(err, domain.Invalid) ||
				!strings.Contains(domain.Reason(err).String(), c.says) {
				t.Errorf("error %v, want %q", err, c.says)
			}
		})
	}
}

func TestSVGIsRejectedAsAnAvatar(t *testing.T) {
	if _, err := picture.NewMaker(nil).MakeAvatar(t.Context(), "u.ada", []byte(drawing("<rect/>"))); !domain.Is(err,
		domain.Invalid) || !strings.Contains(domain.Reason(err).String(), "JPEG, PNG, GIF or WebP") {
		t.Errorf("error %v, want that an SVG cannot be cropped", err)
	}
}

func FuzzSVG(f *testing.F) {
	for _, content := range []string{`<rect fill="url(#a)"/>`, `<style>.a{fill:u\rl(//x)}</style>`,
		`<style>@media x{.a{b:c}}.\62 é,* > g:hover{fill:var(--a,url('\23 a'))"x;{mask:rgb(1 2/3)}}</style>`,
		`<g style="font:a 'b&quot;\\c';d{e}--f:g;x:calc((1 + 2em)*-3)" mask="url(#%61)red" marker="inherit"/>`,
		`<text xml:space="preserve"> a </text>`,
		`<a href="javascript:x"><use xlink:href="#a"/></a>`, `<switch><foreignObject/><g/></switch>`,
		`<g style="x:url(&quot;#a"/>`} {
		f.Add(drawing(content))
	}
	f.Fuzz(func(t *testing.T, source string) {
		p, got, err := svg(t, source)
		if err != nil {
			return
		}
		again, gotAgain, err := svg(t, got)
		if err != nil || again.Name != p.Name {
			t.Errorf("error %v: %q becomes %q, which becomes %q", err, source, got, gotAgain)
		}
		d := xml.NewDecoder(strings.NewReader(got))
		for {
			token, err := d.Token()
			if err == io.EOF {
				return
			}
			if err != nil {
				t.Fatalf("error %v in %q", err, got)
			}
			if start, ok := token.(xml.StartElement); ok {
				for _, a := range start.Attr {
					if name := strings.ToLower(a.Name.Local); strings.HasPrefix(name, "on") || name == "href" &&
						!strings.HasPrefix(a.Value, "#") {
						t.Errorf("%q has %s=%q", got, name, a.Value)
					}
				}
				if start.Name.Local == "script" || start.Name.Local == "image" || start.Name.Local == "foreignObject" {
					t.Errorf("%q has a <%s>", got, start.Name.Local)
				}
			}
		}
	})
}
