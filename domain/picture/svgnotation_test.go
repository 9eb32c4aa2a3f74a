package picture_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"inkfeed/domain"
)

// chain returns an SVG of levels, each of which draws the one below at least twice. In a level, {id} is the id of the
// level below and {next} its own. {hex} is {id} with an escape of CSS, {percent} with an escape of URLs.
func chain(level string) string {
	var b strings.Builder
	for i := range 30 {
		text := level
		if !strings.Contains(level, "{next}") {
			text = `<pattern id="{next}">` + level + level + `</pattern>`
		}
		_, _ = strings.NewReplacer("{id}", fmt.Sprintf("a%d", i), "{hex}", fmt.Sprintf(`\000061%d`, i),
			"{percent}", fmt.Sprintf("%%61%d", i), "{next}", fmt.Sprintf("a%d", i+1)).WriteString(&b, text)
	}
	return drawing(`<g id="a0"/><marker id="m"><path fill="context-fill"/></marker>` + b.String())
}

// TestReferencesAreCountedInEachNotation has SVGs of some KB that describe a billion elements.
func TestReferencesAreCountedInEachNotation(t *testing.T) {
	for name, level := range map[string]string{
		"href":                       `<use href="#{id}"/>`,
		"href with white space":      `<use href="&#10; #{id}&#9;"/>`,
		"href with entities":         `<use href="&#35;{id}"/>`,
		"href in percent encoding":   `<use href="#{percent}"/>`,
		"href after xlink:href":      `<use xlink:href="#other" href="#{id}"/>`,
		"id with white space":        `<g id=" {next} "><use href="#{id}"/><use href="#{id}"/></g>`,
		"attribute":                  `<rect fill="url(#{id})"/>`,
		"attribute in upper case":    `<rect fill="URL(#{id})"/>`,
		"attribute with quotes":      `<rect fill="url( '#{id}' )"/>`,
		"attribute without end":      `<rect fill="url('#{id}"/>`,
		"attribute with fallback":    `<rect fill="url(#{id}) red"/>`,
		"attribute in percent":       `<rect fill="url(#{percent})"/>`,
		"escaped letters of url":     `<rect fill="u\rl(#{id})"/>`,
		"fallback of a variable":     `<rect fill="var(--a, url(#{id}))"/>`,
		"one of two colours":         `<rect style="fill: light-dark(red, url(#{id}))"/>`,
		"style":                      `<rect style="FILL : url(#{id})!important"/>`,
		"style with comments":        `<rect style="fill/**/:/*;*/url(#{id})/**/"/>`,
		"style after a string":       `<rect style="font-family:';}';fill:url(#{id})"/>`,
		"style without end":          `<rect style="stroke:url(#{id}"/>`,
		"style sheet":                `<style>.{id}{fill:url(#{id})}</style><rect class="{id}"/>`,
		"style sheet for two":        `<style>x, g > .{id}:hover {fill:url(#{id})}</style><rect class="{id}"/>`,
		"class that is not ASCII":    `<style>.é{id}{fill:url(#{id})}</style><rect class="é{id}"/>`,
		"class of odd white space":   "<style>.a\u00a0{id}{fill:url(#{id})}</style><rect class='a\u00a0{id}'/>",
		"odd space before a comma":   "<style>.{id}\u00a0,x{fill:url(#{id})}</style><rect class='x {id}\u00a0 y'/>",
		"style sheet after errors":   `<style>a{b{c}d} } @x; .{id}{e f;fill:url(#{id})}</style><rect class="{id}"/>`,
		"mask":                       `<rect mask="url(#{id})"/>`,
		"inherited mask":             `<mask id="{next}"><g mask="url(#{id})"><g mask="url(#{id})"/></g></mask>`,
		"fill around a pattern":      `<g fill="url(#{id})"><pattern id="{next}"><rect/><rect/></pattern></g>`,
		"marker at each vertex":      `<marker id="{next}"><path d="M0 0h1h1h1" marker-mid="url(#{id})"/></marker>`,
		"marker at ends of subpaths": `<marker id="{next}"><path d="M0 0zz" style="marker:url(#{id})"/></marker>`,
		"marker at ends of a line":   `<marker id="{next}"><line marker="url(#{id})"/></marker>`,
		"marker of a group": `<marker id="{next}"><g marker-mid="url(#{id})"><polyline points="1,1,1,1,1,1"/></g>` +
			`</marker>`,
		"fill of a marker's context": `<pattern id="{next}"><path d="M0 0h1h1h1" marker-mid="url(#m)" ` +
			`fill="url(#{id})"/></pattern>`,
	} {
		t.Run(name, func(t *testing.T) {
			if _, _, err := svg(t, chain(level)); !domain.Is(err, domain.Invalid) ||
				!strings.Contains(domain.Reason(err).String(), "too long to draw") {
				t.Errorf("error %v, want that it takes too long to draw", err)
			}
		})
	}
}

// notNormal matches notations that svgCost does not read.
var notNormal = regexp.MustCompile(`(?i)href|url|mask|[\\@&%]`)

func TestOtherReferencesAreDropped(t *testing.T) {
	for name, level := range map[string]string{
		"escape in attribute":    `<rect fill="url(#{hex})"/>`,
		"escaped number sign":    `<rect fill="url(\23 {id})"/>`,
		"escapes in quotes":      `<rect fill="url('\23{hex}')"/>`,
		"escaped property":       `<rect style="fi\6cl:url(#{id})"/>`,
		"escaped class":          `<style>.{hex}{fill:url(#{id})}</style><rect class="{id}"/>`,
		"class with punctuation": `<style>.a\:{id}{fill:url(#{id})}</style><rect class="a:{id}"/>`,
		"encoded number sign":    `<use href="%23{id}"/>`,
		"tab in href":            `<use href="#&#9;{id}"/>`,
		"href encoded twice":     `<use href="#%25612"/>`,
		"escaped url":            `<rect style="fill:\75rl(#{id})"/>`,
		"escaped url attribute":  `<rect fill="ur\6c (#{id})"/>`,
		"comment in url":         `<rect style="fill:u/**/rl(#{id})"/>`,
		"source":                 `<rect style="fill:src('#{id}')"/>`,
		"set of images":          `<rect style="mask-image:image-set('#{id}')"/>`,
		"element":                `<rect style="fill:element(#{id})"/>`,
		"attribute as a value":   `<rect id="#{id}" style="fill:attr(id type(*))"/>`,
		"variable":               `<rect style="--a:url(#{id});fill:var(--a)"/>`,
		"prefixed property":      `<rect style="-webkit-mask:url(#{id})"/>`,
		"mask of the parent":     `<rect style="mask:inherit" mask="inherit"/>`,
		"braces in a style":      `<rect style="a{fill:url(#{id})}"/>`,
		"media":                  `<style>@media all{.{id}{fill:url(#{id})}}</style><rect class="{id}"/>`,
		"supports":               `<style>@supports (x:y){.{id}{fill:url(#{id})}}</style><rect class="{id}"/>`,
		"nesting":                `<style>g{&amp; .{id}{fill:url(#{id})}}</style><rect class="{id}"/>`,
		"nesting without a sign": `<style>g{.{id}{fill:url(#{id})}}</style><rect class="{id}"/>`,
		"import":                 `<style>@import "data:text/css,.{id}{fill:url(%23{id})}";</style>`,
		"escaped import":         `<style>@\69mport url(//a.example/{id});</style><rect class="{id}"/>`,
		"selector of attributes": `<style>[class={id}]{fill:url(#{id})}</style><rect class="{id}"/>`,
		"function in a selector": `<style>:is(.{id}){fill:url(#{id})}</style><rect class="{id}"/>`,
	} {
		t.Run(name, func(t *testing.T) {
			_, got, err := svg(t, chain(level))
			if found := notNormal.FindString(got); err != nil || found != "" {
				t.Errorf("error %v, found %q in %.300q", err, found, got)
			}
		})
	}
}
