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

// jekyllStyles are the patterns that Jekyll has names for. See
// https://jekyllrb.com/docs/permalinks/.
var jekyllStyles = map[string]string{
	"":         "/:categories/:year/:month/:day/:title:output_ext",
	"date":     "/:categories/:year/:month/:day/:title:output_ext",
	"pretty":   "/:categories/:year/:month/:day/:title/",
	"ordinal":  "/:categories/:year/:y_day/:title:output_ext",
	"weekdate": "/:categories/:year/W:week/:short_day/:title:output_ext",
	"none":     "/:categories/:title:output_ext",
}

// jekyllPaths works out where Jekyll served a file.
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
	if strings.EqualFold(stem, "index") && path.Dir(file.name) != "." { // the page of its folder
		p.Slug = path.Base(path.Dir(file.name))
	} else {
		p.Slug = slug
	}
	if p.Title == "" && file.collection != "pages" {
		p.Title, _ = markup.TitleFrom("", slug)
	}
	prefix := f.config.prefix
	pattern := m.Text("permalink")
	if pattern != "" || p.Status != portable.Draft { // a draft without one had no address
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
		if !strings.Contains(alias, "://") { // one without a slash is within the site too
			alias = "/" + strings.TrimPrefix(alias, "/")
		}
		p.AddOther(prefix, alias)
	}
}

// jekyllDates are the dates that may be in a post's address: its own, and of one whose front
// matter names no zone also the one that it has if it is a quoted text, which Jekyll reads
// in the site's zone.
func (f *folder) jekyllDates(created time.Time, m frontmatter.Values) []time.Time {
	dates := []time.Time{created.In(f.config.zone)}
	if text := m.Text("date"); yamlTimestamp.MatchString(text) {
		if quoted, ok := portable.ParseTime(text, f.config.zone); ok {
			dates = append(dates, quoted)
		}
	}
	return dates
}

// jekyllPattern is the pattern that the configuration gives to a file.
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

// expandJekyll fills in one of Jekyll's patterns for addresses. A placeholder that is not
// known stays, also one with an underscore behind it, which belongs to the pattern.
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

// jekyllValues are what Jekyll's placeholders stand for.
func (f *folder) jekyllValues(date time.Time, file jekyllFile, slug string, m frontmatter.Values) map[string]string {
	base := strings.TrimSuffix(path.Base(file.name), path.Ext(file.name))
	dir := strings.TrimPrefix(path.Dir(file.name), ".")
	within := dir // of a collection: its path within it, with its name
	if file.collection != "pages" {
		within = path.Join(strings.TrimPrefix(strings.TrimPrefix(dir, "_"+file.collection), "/"), base)
	}
	var categories, slugified []string
	for _, name := range f.jekyllCategories(file, m) {
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

// jekyllCategories are a post's: the folders above _posts, then those of the front matter.
func (f *folder) jekyllCategories(file jekyllFile, m frontmatter.Values) []string {
	categories := folderCategories(file)
	more := m.List(" \t\n", "categories")
	if one := m.List("", "category"); len(one) > 0 {
		more = append(more, one...)
	}
	return append(categories, more...)
}

// appendNew adds a text to a list that does not have it.
func appendNew(list []string, text string) []string {
	if slices.Contains(list, text) {
		return list
	}
	return append(list, text)
}

// folderCategories are the names of the folders above _posts.
func folderCategories(file jekyllFile) []string {
	for _, special := range []string{"/_posts/", "/_drafts/"} {
		if i := strings.Index("/"+file.name, special); i > 0 {
			return strings.Split(file.name[:i-1], "/")
		}
	}
	return nil
}

// slugMode is how Jekyll makes a slug of a text.
type slugMode int

const (
	slugDefault slugMode = iota // letters and digits, in lower case
	slugPretty                  // also signs that addresses may have, with the case kept
)

// jekyllSlug is a text as Jekyll writes it in addresses: what is not kept becomes a hyphen,
// and one hyphen at each end goes.
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
