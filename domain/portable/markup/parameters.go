package markup

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"inkfeed/domain/locale"
)

// ConstructParam matches a parameter of a shortcode or tag: its name, if it has one, and its value in one of four
// notations. After a colon the value is in quotes.
var ConstructParam = regexp.MustCompile(`(?:([\w-]+):("(?:[^"\\]|\\.)*"|'[^']*'))|(?:([\w-]+)\s*=\s*)?` +
	`(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|` + "`([^`]*)`" + `|([^\s"]+))`)

// Parameters parses the parameters of a shortcode or tag.
func Parameters(text string) map[string]string {
	args := make(map[string]string)
	i := -1
	for _, m := range ConstructParam.FindAllStringSubmatch(text, -1) {
		if m[7] == "," { // between the parameters of Eleventy
			continue
		}
		i++
		key := strings.ToLower(m[1] + m[3])
		if key == "" {
			key = strconv.Itoa(i)
		}
		value := m[4] + m[5] + m[6] + m[7]
		if m[2] != "" {
			value = m[2][1 : len(m[2])-1]
		}
		args[key] = strings.ReplaceAll(value, `\"`, `"`)
	}
	return args
}

// Construct translates the shortcodes and tags that most sites have. It fails for others. It reports parameters with
// words or addresses that the translation does not show.
func (t *Translator) Construct(c Construct) (text string, ok bool) {
	if text, ok = t.construct(c); !ok {
		return text, ok
	}
	shown := lettersOf(text)
	for _, name := range slices.Sorted(maps.Keys(c.Args)) {
		value := c.Args[name]
		_, isAddress := WebAddress(value)
		if (isAddress || shownParameters[name] && value != "true" && value != "false") &&
			!strings.Contains(shown, lettersOf(value)) {
			t.RecordLoss(locale.M("the parameter {parameter} of {name} was left out", "parameter", name,
				"name", c.Name))
		}
	}
	return text, ok
}

// shownParameters are the parameters of shortcodes and tags that readers see.
var shownParameters = map[string]bool{"alt": true, "attr": true, "attrlink": true, "author": true, "caption": true,
	"cite": true, "description": true, "header": true, "href": true, "label": true, "link": true, "source": true,
	"subheader": true, "summary": true, "text": true, "title": true}

// lettersOf returns the letters and digits of a text.
func lettersOf(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, text)
}
