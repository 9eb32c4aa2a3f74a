package portable

import (
	"fmt"
	"path"
	"strings"
	"time"

	"inkfeed/domain"
)

// jekyllPaths works out where Jekyll served a post.
func (f *folder) jekyllPaths(p *Post, rest string, m frontMatter) {
	stem := strings.TrimSuffix(path.Base(rest), path.Ext(rest))
	date, slug, ok := datedName(stem)
	if ok {
		if p.Created.IsZero() {
			p.Created = time.Date(date.Year(), date.Month(), date.Day(), 0, 0, 0, 0, f.config.zone)
		}
	} else {
		slug = stem
	}
	if s := m.text("slug"); s != "" {
		slug = s
	}
	p.Slug = slug
	if p.Title == "" {
		p.Title, _ = titleFrom("", slug)
	}
	prefix := f.config.prefix
	pattern := m.text("permalink")
	if pattern == "" {
		pattern = f.config.permalink
	}
	if p.Status == Draft && m.text("permalink") == "" {
		pattern = "-" // it had no address
	}
	if pattern != "-" {
		p.addPath(prefix + "/" + strings.TrimPrefix(f.expandJekyll(pattern, p, rest, slug, m), "/"))
	}
	for _, alias := range m.list(" \t\n", "redirect_from", "aliases") {
		p.addOther(prefix, alias)
	}
}

// expandJekyll fills in one of Jekyll's patterns for addresses, or one of its styles.
func (f *folder) expandJekyll(pattern string, p *Post, rest, slug string, m frontMatter) string {
	switch pattern {
	case "", "date":
		pattern = "/:categories/:year/:month/:day/:title.html"
	case "pretty":
		pattern = "/:categories/:year/:month/:day/:title/"
	case "ordinal":
		pattern = "/:categories/:year/:y_day/:title.html"
	case "weekdate":
		pattern = "/:categories/:year/W:week/:short_day/:title.html"
	case "none":
		pattern = "/:categories/:title.html"
	}
	// Folders above _posts are categories too.
	var categories []string
	if i := strings.Index("/"+rest, "/_posts/"); i > 0 {
		categories = strings.Split(rest[:i-1], "/")
	}
	categories = append(categories, m.list(" \t", "categories")...)
	if len(categories) == 0 {
		categories = m.list("", "category")
	}
	for i, name := range categories {
		categories[i] = strings.ToLower(strings.ReplaceAll(name, " ", "-"))
	}
	date := p.Created.In(f.config.zone)
	_, week := date.ISOWeek()
	r := strings.NewReplacer(
		":categories", strings.Join(categories, "/"), ":slugified_categories", strings.Join(categories, "/"),
		":year", date.Format("2006"), ":short_year", date.Format("06"), ":month", date.Format("01"), ":i_month", date.Format("1"),
		":short_month", date.Format("Jan"), ":long_month", date.Format("January"),
		":day", date.Format("02"), ":i_day", date.Format("2"), ":y_day", fmt.Sprintf("%03d", date.YearDay()),
		":short_day", date.Format("Mon"), ":week", fmt.Sprintf("%02d", week),
		":hour", date.Format("15"), ":minute", date.Format("04"), ":second", date.Format("05"),
		":title", slug, ":slug", domain.Slug(slug), ":name", slug, ":output_ext", ".html")
	return r.Replace(pattern)
}
