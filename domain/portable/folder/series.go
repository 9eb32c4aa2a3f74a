package folder

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"

	"inkfeed/domain/portable"
	"inkfeed/domain/portable/frontmatter"
)

// Keys of front matter that state the place of a post in its series, the most specific first. They are written like the
// results of frontmatter.PlainKey. A site may use the general ones for other lists, so they count in a series only.
var partKeys = []string{"seriesorder", "seriespart", "seriesindex", "seriesnumber", "seriesweight", "part", "episode",
	"chapter", "order", "weight"}

// series sets the series that front matter names, and the place of the post in it. Generators and themes write it as a
// text, as a list or as a table, at the top or among their own parameters. Hashnode writes the slug of the title.
func (f *folder) series(p *portable.Post, m frontmatter.Values) {
	tables := []frontmatter.Values{m, m.Table("params"), m.Table("extra"), m.Table("taxonomies")}
	var titles []string
	for _, table := range tables {
		if _, isSwitch := table.Get("series").(bool); len(titles) == 0 && !isSwitch {
			titles = table.List("", "series")
		}
	}
	if slug := m.Text("seriesSlug"); len(titles) == 0 && slug != "" {
		titles = []string{titleOfSlug(slug)}
	}
	if len(titles) == 0 {
		return
	}
	if p.Series = titles[0]; len(titles) > 1 {
		f.blog.AddProblem(p.Where, "it is in %d series, of which only the first was imported: %s", len(titles),
			titles[0])
	}
	if own := m.Table("series"); own != nil {
		p.SeriesPart = partOf(own)
	}
	for _, table := range tables {
		p.SeriesPart = cmp.Or(p.SeriesPart, partOf(table))
	}
}

// partOf returns the number in front matter that states the place of a post in its series, or "".
func partOf(m frontmatter.Values) string {
	plain := make(map[string]string, len(m))
	for key, value := range m {
		plain[frontmatter.PlainKey(key)] = frontmatter.TextOf(value)
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
