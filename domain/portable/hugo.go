package portable

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"inkfeed/domain"
)

// hugoPaths works out where Hugo served a page.
func (f *folder) hugoPaths(p *Post, rest string, m frontMatter) {
	rest = strings.TrimPrefix(rest, "content/")
	dir, base := path.Split(rest)
	dir = strings.TrimSuffix(dir, "/")
	stem := strings.TrimSuffix(base, path.Ext(base))
	language := ""
	if ext := strings.ToLower(strings.TrimPrefix(path.Ext(stem), ".")); ext != "" && f.isLanguage(ext) {
		language, stem = ext, strings.TrimSuffix(stem, path.Ext(stem))
	} else if first, more, _ := strings.Cut(dir, "/"); f.isLanguage(strings.ToLower(first)) {
		language, dir = strings.ToLower(first), more
	}
	if stem == "index" && dir != "" { // a bundle: the page is its folder
		dir, stem = path.Split(dir)
		dir = strings.TrimSuffix(dir, "/")
	}
	section, _, _ := strings.Cut(dir, "/")
	p.Slug = m.text("slug")
	last := p.Slug
	if last == "" {
		last = stem
		p.Slug = domain.Slug(stem)
	}
	prefix := f.blog.sites.prefix
	if language != "" && language != f.config.language {
		prefix += "/" + language
	}
	switch pattern, ok := f.config.permalinks[section]; {
	case m.text("url") != "":
		p.addOther(prefix, m.text("url"))
	case ok:
		p.addPath(prefix + "/" + strings.Trim(f.expandHugo(pattern, p, dir, section, stem, last), "/"))
	default:
		p.addPath(prefix + "/" + hugoPath(path.Join(dir, last)))
	}
	for _, alias := range m.list(" \t\n", "aliases") {
		p.addOther(prefix, alias)
	}
}

func (f *folder) isLanguage(name string) bool {
	if len(f.config.languages) == 0 {
		return name != "" && name == f.config.language
	}
	return slices.Contains(f.config.languages, name)
}

// hugoPath is how Hugo writes a name in an address.
func hugoPath(name string) string {
	return strings.ToLower(strings.ReplaceAll(name, " ", "-"))
}

// expandHugo fills in one of Hugo's patterns for addresses.
func (f *folder) expandHugo(pattern string, p *Post, dir, section, stem, slug string) string {
	date := p.Created.In(f.config.zone)
	r := strings.NewReplacer(
		":year", date.Format("2006"), ":monthname", strings.ToLower(date.Format("January")), ":month", date.Format("01"), ":day", date.Format("02"),
		":yearday", strconv.Itoa(date.YearDay()), ":weekdayname", strings.ToLower(date.Format("Monday")),
		":sections", dir, ":section", section,
		":title", domain.Slug(p.Title), ":slugorcontentbasename", slug, ":slugorfilename", slug, ":slug", slugOrTitle(slug, stem, p.Title),
		":contentbasename", stem, ":filename", stem)
	return hugoPath(r.Replace(pattern))
}

// slugOrTitle is Hugo's :slug: the front matter's or what the title gives.
func slugOrTitle(slug, stem, title string) string {
	if slug == stem && title != "" {
		return domain.Slug(title)
	}
	return slug
}
