package folder

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"inkfeed/domain/locale"
	"inkfeed/domain/plaintext"
	"inkfeed/domain/portable"
	"inkfeed/domain/portable/frontmatter"
	"inkfeed/domain/portable/markup"
)

var (
	astroDefault = regexp.MustCompile(`(\w+)["']?\s*:\s*\w+\s*\.[^:]*?\.(?:default|catch|prefault)\(([^)]*)\)`)
	astroOnly    = regexp.MustCompile(`\bpattern:\s*["'` + "`" + `]([^!"'` + "`" + `\n\[(@+]+)["'` + "`" + `]`)
	astroWithout = regexp.MustCompile(`["'` + "`" + `]!([^"'` + "`" + `\n]+)["'` + "`" + `]`)
	// astroKnown matches what conditions say that front matter says as well, or that does not hide a text.
	astroKnown = regexp.MustCompile(`(?i)draft|date|lang|locale|published_?(?:at|on)|\benv\b`)
	astroData  = regexp.MustCompile(`\bdata\??\.(\w+)`)
	astroPlain = regexp.MustCompile(`^(!*)\s*(?:\w+\.)?data\??\.(\w+)$`)
)

// restrict reads the defaults of a collection, and which files are in it, from its definition in a part of the source.
// The schema may also be above all definitions, or anywhere if there is none in the definition.
func (c *astroCollection) restrict(source string, first, start, end int, defaults [][]int) {
	c.defaults, c.without = make(frontmatter.Values), make(map[string]*regexp.Regexp)
	own := source[start:end]
	anywhere := !strings.Contains(own, ".object(")
	for _, m := range defaults {
		if anywhere || m[0] < first || start <= m[0] && m[0] < end {
			c.defaults[source[m[2]:m[3]]] = strings.Trim(source[m[4]:m[5]], "\"'` \n\t")
		}
	}
	if m := astroOnly.FindStringSubmatch(own); m != nil {
		c.pattern = m[1]
		c.only, _ = portable.CompileGlob(strings.TrimPrefix(m[1], "./"), "$") // nil if it is too long
	}
	for _, m := range astroWithout.FindAllStringSubmatch(own, maxRules) {
		if re, err := portable.CompileGlob(strings.TrimPrefix(m[1], "./"), "$"); err == nil {
			c.without["!"+m[1]] = re
		}
	}
}

// hides returns the code of the site that may hide a text, or empty.
func (d astroPost) hides(filters []string) string {
	var defaults frontmatter.Values
	for _, c := range d.astro.collections {
		if c.name != d.collection {
			continue
		}
		defaults = c.defaults
		for pattern, re := range c.without {
			if re.MatchString(d.name) {
				return pattern
			}
		}
		if c.only != nil && !c.only.MatchString(d.name) {
			return "pattern: " + c.pattern
		}
	}
	for _, term := range filters {
		if m := astroPlain.FindStringSubmatch(term); m != nil && !astroKnown.MatchString(m[2]) {
			value, ok := d.matter[m[2]]
			if !ok {
				value = defaults[m[2]]
			}
			yes, isBool := frontmatter.ParseBool(value)
			if isTrue := yes || !isBool && frontmatter.TextOf(value) != ""; isTrue == (len(m[1])%2 == 1) {
				return term
			}
			continue
		}
		keys := astroData.FindAllStringSubmatch(term, maxRules)
		if keys == nil && !astroKnown.MatchString(term) ||
			slices.ContainsFunc(keys, func(m []string) bool { return !astroKnown.MatchString(m[1]) }) {
			return term
		}
	}
	return ""
}

// completed returns front matter with the defaults of the collection for who can see a text.
func (c astroCollection) completed(m frontmatter.Values) frontmatter.Values {
	with := maps.Clone(c.defaults)
	for key := range with {
		if m.Get(key) != nil || !frontmatter.SetsVisibility(key) {
			delete(with, key)
		}
	}
	maps.Copy(with, m)
	return with
}

// holdHidden makes a text a draft if the site may hide it.
func (d astroPost) holdHidden(t *markup.Translator, filters []string) {
	if code := d.hides(filters); code != "" {
		t.Hold(locale.M("{code} may hide the post, so the post is a draft", "code",
			plaintext.Truncate(strings.Join(strings.Fields(code), " "), 60)))
	}
}
