package portable

import (
	"fmt"
	"path"
	"regexp"
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

var (
	liquidRaw       = regexp.MustCompile(`(?s)\{%-?\s*raw\s*-?%\}(.*?)\{%-?\s*endraw\s*-?%\}`)
	liquidComment   = regexp.MustCompile(`(?s)\{%-?\s*comment\s*-?%\}.*?\{%-?\s*endcomment\s*-?%\}`)
	liquidHighlight = regexp.MustCompile(`(?s)\{%-?\s*highlight\s+([\w+#-]+)[^%]*-?%\}\n?(.*?)\n?\{%-?\s*endhighlight\s*-?%\}`)
	liquidTag       = regexp.MustCompile(`\{%-?\s*(\w+)\s*([^%\n]*?)\s*-?%\}`)
	liquidValue     = regexp.MustCompile(`\{\{-?\s*([^{}\n]*?)\s*-?\}\}`)
	liquidQuoted    = regexp.MustCompile(`^["']([^"']*)["']\s*\|`)
	liquidArgument  = regexp.MustCompile(`([\w-]+)\s*=\s*["']([^"']*)["']`)
	kramdown        = regexp.MustCompile(`(?m)(^[ \t]*[*+-] TOC[ \t]*\n)?\{::?[ \t]*[^}\n]*\}[ \t]*`)
)

// jekyll translates Liquid and kramdown's attributes.
func (t *translator) jekyll(source, title string) string {
	var kept []string
	keep := func(text string) string {
		kept = append(kept, text)
		return fmt.Sprintf("\x00%d\x00", len(kept)-1)
	}
	source = strings.ReplaceAll(source, "\x00", "")
	source = liquidRaw.ReplaceAllStringFunc(source, func(s string) string { return keep(liquidRaw.FindStringSubmatch(s)[1]) })
	source = liquidComment.ReplaceAllString(source, "")
	source = liquidHighlight.ReplaceAllStringFunc(source, func(s string) string {
		m := liquidHighlight.FindStringSubmatch(s)
		return keep(fenced(m[1], m[2]))
	})
	source = liquidTag.ReplaceAllStringFunc(source, func(s string) string {
		m := liquidTag.FindStringSubmatch(s)
		return t.liquidTag(s, m[1], strings.TrimSpace(m[2]))
	})
	source = setApart(source)
	source = liquidValue.ReplaceAllStringFunc(source, func(s string) string {
		value := liquidValue.FindStringSubmatch(s)[1]
		name, _, _ := strings.Cut(value, "|")
		switch strings.TrimSpace(name) {
		case "site.baseurl", "site.url", "page.root", "site.github.url":
			return ""
		case "page.title":
			return title
		}
		if m := liquidQuoted.FindStringSubmatch(value); m != nil {
			return m[1]
		}
		t.lose("the value {{ " + value + " }} stands there as it was typed")
		return s
	})
	if strings.Contains(source, "{:") {
		p, _ := parse(source)
		code := p.code
		var edits []edit
		for _, m := range kramdown.FindAllStringIndex(source, -1) {
			if !within(code, m[0]) {
				edits = append(edits, attributes(source, span{m[0], m[1]}))
			}
		}
		source = apply(source, edits)
	}
	for i, text := range kept {
		source = strings.Replace(source, fmt.Sprintf("\x00%d\x00", i), text, 1)
	}
	return source
}

// liquidTag translates one tag; s is what it stands as.
func (t *translator) liquidTag(s, name, rest string) string {
	first, _, _ := strings.Cut(rest, " ")
	switch name {
	case "post_url":
		return "/_posts/" + first + ".md"
	case "link":
		return "/" + strings.TrimPrefix(first, "/")
	case "gist":
		return t.embedded("https://gist.github.com/" + first)
	case "include", "include_relative":
		args := make(map[string]string)
		for _, m := range liquidArgument.FindAllStringSubmatch(rest, -1) {
			args[m[1]] = m[2]
		}
		for _, key := range []string{"url", "src", "image_path", "image", "file", "path", "img"} {
			if src := args[key]; IsImage(src) {
				if args["caption"] != "" {
					return figure(src, args["alt"], args["caption"])
				}
				return picture(src, args["alt"], "")
			}
		}
		for _, key := range []string{"id", "video", "video_id", "url"} {
			if to := embedding(strings.ToLower(path.Base(first)), args[key], ""); to != "" {
				return t.embedded(to)
			}
		}
	}
	if to := embedding(name, first, ""); to != "" {
		return t.embedded(to)
	}
	t.lose("the tag {% " + name + " %} stands there as it was typed")
	return s
}
