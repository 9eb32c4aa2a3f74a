package frontmatter

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// partKeys are the keys of front matter that state the place of a post in its series, the most specific first. They are
// written like the results of PlainKey. A site may use the general ones for other lists, so they count in series only.
var partKeys = []string{"seriesorder", "seriespart", "seriesindex", "seriesnumber", "seriesweight", "part", "episode",
	"chapter", "order", "weight"}

// Series returns the titles of the series that front matter names, and the number of the post in them. Generators and
// themes write it as a text, as a list or as a table, at the top or among their own parameters. Hashnode writes the
// slug of the title.
func (m Values) Series() (titles []string, part string) {
	tables := []Values{m, m.Table("params"), m.Table("extra"), m.Table("taxonomies")}
	for _, table := range tables {
		if _, isSwitch := table.Get("series").(bool); len(titles) == 0 && !isSwitch {
			titles = table.List("", "series")
		}
	}
	if slug := m.Text("seriesSlug"); len(titles) == 0 && slug != "" {
		titles = []string{titleOfSlug(slug)}
	}
	if len(titles) == 0 {
		return nil, ""
	}
	for _, table := range append([]Values{m.Table("series")}, tables...) {
		part = cmp.Or(part, partOf(table))
	}
	return titles, part
}

// partOf returns the number in front matter that states the place of a post in its series, or "".
func partOf(m Values) string {
	plain := make(map[string]string, len(m))
	for key, value := range m {
		plain[PlainKey(key)] = TextOf(value)
	}
	for _, key := range partKeys {
		number := strings.TrimLeft(plain[key], "0")
		if number == "" && plain[key] != "" {
			number = "0"
		}
		if number != "" && strings.Trim(number, "0123456789") == "" {
			return number
		}
	}
	return ""
}

// titleOfSlug returns a title that has this slug.
func titleOfSlug(slug string) string {
	words := strings.TrimSpace(strings.ReplaceAll(slug, "-", " "))
	first, size := utf8.DecodeRuneInString(words)
	return string(unicode.ToUpper(first)) + words[size:]
}
