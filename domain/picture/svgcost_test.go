package picture_test

import (
	"strings"
	"testing"

	"inkfeed/domain"
)

// TestTimeForAnSVGGrowsWithItsSizeOnly would take many minutes if the time grew with the product of two counts: each
// file has almost 4 MB.
func TestTimeForAnSVGGrowsWithItsSizeOnly(t *testing.T) {
	const size = 4<<20 - 1000
	half := func(s string) string { return strings.Repeat(s, size/2/len(s)) }
	elements := strings.Repeat("<g/>", 49_000)
	rest := func(s string) string { return strings.Repeat(s, (size-len(elements)-100)/len(s)) }
	for name, source := range map[string]string{
		"rules that match no element":   drawing("<style>" + rest(".a,") + ".a{fill:url(#b)}</style>" + elements),
		"rules that match all elements": drawing("<style>" + rest("g,") + "g{fill:url(#b)}</style>" + elements),
		"references from all elements": drawing("<style>*{fill:" + rest("url(#b)") + "}</style>" +
			`<linearGradient id="b"/>` + elements),
		"references from many rules": drawing("<style>" + half("g,") + "g{fill:" + half("url(#b)") + "}</style><g/>"),
		"rules and a chain of references": drawing("<style>" + half("g,") + `g{mask:url(#a)}</style><g id="a"/>` +
			strings.Repeat(`<g mask="url(#a)"/>`, 49_000)),
		"classes": drawing("<style>" + half(".a,") + `.a{fill:url(#b)}</style><g class="` + half("b ") + `"/>`),
		"attributes": drawing("<style>" + half("#a,") + "#a{fill:url(#b)}</style><g " + half(`x="" `) +
			"/>"),
		"addresses": drawing("<g " + half(`x="" `) + half(`href="#" `) + "/>"),
		"entities": `<!DOCTYPE svg [<!ENTITY a "` + strings.Repeat("x", 200) + `">]>` +
			drawing("<text>"+half("&a;")+half("&a;")+"</text>"),
		"document types": half("<!a>") + drawing(""),
		"masks in many rules": drawing("<style>" + half(".a{mask:url(#b)}") + "</style>" +
			strings.Repeat(`<g class="a" fill="url(#b)"/>`, 40_000)),
		"definitions": drawing(`<g class="` + strings.Repeat(" ", size/2) + strings.Repeat("b ", 10_000) + `" ` +
			`mask="url(#a)">` + strings.Repeat("<g>", 90) + strings.Repeat("<mask/>", 40_000) +
			strings.Repeat("</g>", 91)),
		"parentheses": drawing(`<g style="x:` + half("(") + half(")") + `"/>`),
		"braces":      drawing("<style>" + half("a{") + half("}") + "</style>"),
		"strings":     drawing("<style>" + half("a{x:'") + half("\n/*u\\") + "</style>"),
		"selectors":   drawing("<style>" + half(".a") + half(" .a") + "{fill:url(#a)}</style>"),
	} {
		t.Run(name, func(t *testing.T) {
			if _, _, err := svg(t, source); err != nil && !domain.Is(err, domain.Invalid) {
				t.Error(err)
			}
		})
	}
}

func TestRepeatedAttributeIsWrittenOnce(t *testing.T) {
	_, got, err := svg(t, drawing(`<use x="1" href="#a" x="2" xmlns:l="http://www.w3.org/1999/xlink" l:href="#b"/>`))
	if want := drawn(`<use x="1" href="#a"></use>`); err != nil || got != want {
		t.Errorf("%v: got  %s\nwant %s", err, got, want)
	}
}
