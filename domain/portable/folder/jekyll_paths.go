package folder

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"inkfeed/domain/portable"
	"inkfeed/domain/portable/frontmatter"
	"inkfeed/domain/portable/markup"
)

// jekyllStyles are the named patterns of Jekyll: see https://jekyllrb.com/docs/permalinks/.
var jekyllStyles = map[string]string{
	"":         "/:categories/:year/:month/:day/:title:output_ext",
	"date":     "/:categories/:year/:month/:day/:title:output_ext",
	"pretty":   "/:categories/:year/:month/:day/:title/",
	"ordinal":  "/:categories/:year/:y_day/:title:output_ext",
	"weekdate": "/:categories/:year/W:week/:short_day/:title:output_ext",
	"none":     "/:categories/:title:output_ext",
}

// jekyllPaths adds the addresses at which Jekyll served a file.
func (f *folder) jekyllPaths(p *portable.Post, file jekyllFile, m frontmatter.Values) {
	stem := strings.TrimSuffix(path.Base(file.name), path.Ext(file.name))
	_, slug, isDated := datedName(stem)
	if !isDated {
		slug = stem
	}
	slug = strings.TrimRight(slug, ".")
	if s := m.Text("slug"); s != "" {
		slug = s
	}
	if strings.EqualFold(stem, "index") && path.Dir(file.name) != "." { // the index page of its folder
		p.Slug = path.Base(path.Dir(file.name))
	} else {
		p.Slug = slug
	}
	if p.Title == "" && file.collection != "pages" {
		p.Title, _ = markup.TitleFrom("", slug)
	}
	prefix := f.config.prefix
	pattern := m.Text("permalink")
	if pattern != "" || p.Status != portable.Draft || p.Held { // a draft without a pattern had no address
		if pattern == "" {
			pattern = f.jekyllPattern(file)
		}
		if style, ok := jekyllStyles[pattern]; ok {
			pattern = style
		}
		for _, date := range f.jekyllDates(p.Created, m) {
			values := f.jekyllValues(date, file, slug, m)
			p.AddPath(prefix + "/" + strings.TrimLeft(expandJekyll(pattern, values), "/"))
		}
	}
	for _, alias := range m.List("\n", "redirect_from", "aliases", "alias") {
		if !strings.Contains(alias, "://") { // an alias without a slash is also within the site
			alias = "/" + strings.TrimPrefix(alias, "/")
		}
		p.AddOther(prefix, alias)
	}
}

// jekyllDates returns the dates that may be in a post's address. The first is its own date. If its front matter has a
// date without a zone, the second is the date that results if Jekyll reads a quoted text in the site's zone.
func (f *folder) jekyllDates(created time.Time, m frontmatter.Values) []time.Time {
	dates := []time.Time{created.In(f.config.zone)}
	if text := m.Text("date"); yamlTimestamp.MatchString(text) {
		if quoted, ok := portable.ParseTime(text, f.config.zone); ok {
			dates = append(dates, quoted)
		}
	}
	return dates
}

// jekyllPattern returns the address pattern of the configuration for a file.
func (f *folder) jekyllPattern(file jekyllFile) string {
	switch file.collection {
	case "posts", "drafts":
		return f.config.permalink
	case "pages":
		if strings.HasPrefix(strings.ToLower(path.Base(file.name)), "index.") {
			return "/:path/"
		}
		return "/:path/:basename:output_ext"
	}
	if pattern := f.config.collections[file.collection].permalink; pattern != "" {
		return pattern
	}
	return "/:collection/:path:output_ext"
}

var jekyllPlaceholder = regexp.MustCompile(`:[a-z_]+`)

// expandJekyll fills in an address pattern of Jekyll. It keeps unknown placeholders, also if an underscore that belongs
// to the pattern follows.
func expandJekyll(pattern string, values map[string]string) string {
	return jekyllPlaceholder.ReplaceAllStringFunc(pattern, func(name string) string {
		if value, ok := values[name[1:]]; ok {
			return value
		}
		if value, ok := values[strings.TrimSuffix(name[1:], "_")]; ok {
			return value + "_"
		}
		return name
	})
}

// jekyllValues returns the values of Jekyll's placeholders.
func (f *folder) jekyllValues(date time.Time, file jekyllFile, slug string, m frontmatter.Values) map[string]string {
	base := strings.TrimSuffix(path.Base(file.name), path.Ext(file.name))
	dir := strings.TrimPrefix(path.Dir(file.name), ".")
	within := dir // in a collection, the path within it, with the file's name
	if file.collection != "pages" {
		within = path.Join(strings.TrimPrefix(strings.TrimPrefix(dir, "_"+file.collection), "/"), base)
	}
	var categories, slugified []string
	for _, name := range f.jekyllCategories(file, m) {
		if len(categories) == maxRules {
			break
		}
		categories = appendNew(categories, strings.ToLower(name))
		slugified = appendNew(slugified, jekyllSlug(name, slugDefault))
	}
	weekYear, week := date.ISOWeek()
	return map[string]string{
		"year": date.Format("2006"), "short_year": date.Format("06"),
		"month": date.Format("01"), "i_month": date.Format("1"), "short_month": date.Format("Jan"),
		"long_month": date.Format("January"),
		"day":        date.Format("02"), "i_day": date.Format("2"), "y_day": fmt.Sprintf("%03d", date.YearDay()),
		"short_day": date.Format("Mon"), "long_day": date.Format("Monday"),
		"w_day": fmt.Sprint((int(date.Weekday())+6)%7 + 1),
		"week":  fmt.Sprintf("%02d", week), "w_year": fmt.Sprint(weekYear),
		"hour": date.Format("15"), "minute": date.Format("04"), "second": date.Format("05"),
		"title": jekyllSlug(slug, slugPretty), "slug": jekyllSlug(slug, slugDefault),
		"name":       jekyllSlug(base, slugDefault),
		"categories": strings.Join(categories, "/"), "slugified_categories": strings.Join(slugified, "/"),
		"collection": file.collection, "path": within, "basename": base, "output_ext": ".html",
	}
}

// jekyllCategories returns the categories of a post: the folders above _posts, then those of the front matter.
func (f *folder) jekyllCategories(file jekyllFile, m frontmatter.Values) []string {
	categories := folderCategories(file)
	more := m.List(" \t\n", "categories")
	if one := m.List("", "category"); len(one) > 0 {
		more = append(more, one...)
	}
	return append(categories, more...)
}

// appendNew appends a text to a list unless the list contains it.
func appendNew(list []string, text string) []string {
	if slices.Contains(list, text) {
		return list
	}
	return append(list, text)
}

// folderCategories returns the names of the folders above _posts.
func folderCategories(file jekyllFile) []string {
	for _, special := range []string{"/_posts/", "/_drafts/"} {
		if i := strings.Index("/"+file.name, special); i > 0 {
			return strings.Split(file.name[:i-1], "/")
		}
	}
	return nil
}

// slugMode is one of Jekyll's ways of making a slug.
type slugMode int

const (
	slugDefault slugMode = iota // letters and digits, in lower case
	slugPretty                  // also signs that addresses may have, with the case kept
)

// jekyllSlug returns a text as Jekyll writes it in addresses: characters that are not kept become a hyphen, and one
// hyphen at each end is removed.
func jekyllSlug(text string, mode slugMode) string {
	var b strings.Builder
	hyphen := false
	for _, r := range text {
		keep := unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) ||
			mode == slugPretty && strings.ContainsRune("._~!$&'()+,;=@", r)
		if !keep {
			if !hyphen {
				b.WriteByte('-')
			}
			hyphen = true
			continue
		}
		hyphen = false
		b.WriteRune(r)
	}
	slug := strings.TrimPrefix(strings.TrimSuffix(b.String(), "-"), "-")
	if mode == slugDefault {
		slug = strings.ToLower(slug)
	}
	return slug
}
