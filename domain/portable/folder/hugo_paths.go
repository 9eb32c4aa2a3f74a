package folder

import (
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"inkfeed/domain/names"
	"inkfeed/domain/portable"
	"inkfeed/domain/portable/frontmatter"
)

// hugoPaths adds the addresses at which Hugo served a page: see https://gohugo.io/content-management/urls/.
func (f *folder) hugoPaths(p *portable.Post, h hugoFile, m frontmatter.Values) {
	prefix, base := f.hugoPrefix(h.language)
	slug := m.Text("slug")
	if slug == "" && f.config.fileDates {
		_, slug, _ = datedName(h.stem)
	}
	if p.Slug = slug; slug == "" {
		p.Slug = names.Slug(h.stem)
	}
	page := hugoPage{file: h, slug: slug, title: m.Text("title"), date: p.Created, segment: f.hugoName}
	page.sections, page.sectionSlugs = f.sections(h)
	if page.title == "" {
		page.title = h.stem
	}
	pattern, ok := f.config.permalinkFor("page", h.path(), h.language)
	switch address := m.Text("url"); {
	case strings.Contains(address, "://"):
		p.AddOther("", address)
	case address != "":
		address = page.expand(address)
		begin := prefix
		if strings.HasPrefix(address, "/") { // the address includes the language
			begin = base
		}
		p.AddPath(begin + "/" + strings.TrimPrefix(address, "/"))
		p.AddPath(begin + "/" + strings.TrimPrefix(f.hugoName(address), "/")) // as older versions of Hugo wrote it
	case ok:
		switch p.DateSource {
		case portable.FromFrontMatter, portable.FromLastChange:
		case portable.FromFileName:
			if !f.config.fileDates {
				page.date = time.Time{}
			}
		default:
			page.date = time.Time{} // Hugo knew no date
		}
		// Hugo reads the address as a query, in which a plus is a space.
		p.AddPath(prefix + "/" + strings.Trim(f.hugoName(strings.ReplaceAll(page.expand(pattern), "+", " ")+"/"), "/"))
	case slug != "":
		p.AddPath(prefix + f.hugoName(path.Join("/", h.dir, slug)))
	default:
		p.AddPath(prefix + f.hugoName(h.path()))
	}
	for _, alias := range m.List(" \t\n", "aliases") {
		p.AddOther(base, alias)
	}
}

// sections returns the folders of a page's section, and the slugs or titles of all lists above the page. The section is
// the closest folder with an _index.md, or the first folder.
func (f *folder) sections(h hugoFile) (folders, slugs []string) {
	dir := h.dir
	for strings.Contains(dir, "/") && f.branches[dir] == nil {
		dir = path.Dir(dir)
	}
	if dir == "" {
		return nil, nil
	}
	folders = strings.Split(dir, "/")
	for i := range folders {
		lists := f.branches[path.Join(folders[:i+1]...)]
		if i > 0 && lists == nil {
			continue
		}
		slug := folders[i]
		for _, b := range lists {
			if b.language == h.language && b.title != "" {
				slug = b.title
			}
		}
		slugs = append(slugs, f.hugoName(slug))
	}
	return folders, slugs
}

// hugoName returns a name or path as Hugo writes it in addresses: it keeps letters, digits and a few signs, and
// replaces spaces by hyphens.
func (f *folder) hugoName(name string) string {
	if f.config.withoutMarks {
		name = norm.NFC.String(strings.Map(func(r rune) rune {
			if unicode.Is(unicode.Mn, r) {
				return -1
			}
			return r
		}, norm.NFD.String(name)))
	}
	if !f.config.keepCase {
		name = strings.ToLower(name)
	}
	var b strings.Builder
	hyphen, pending := false, false
	for i, r := range name {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r), strings.ContainsRune(`./\_#+~-@`, r),
			r == '%' && i+2 < len(name) && isHex(name[i+1]) && isHex(name[i+2]):
			hyphen = r == '-'
			if pending && !hyphen {
				b.WriteByte('-')
			}
			pending = false
			b.WriteRune(r)
		case unicode.IsSpace(r) && b.Len() > 0 && !hyphen:
			pending = true
		}
	}
	return b.String()
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// hugoPage holds the values of a permalink's tokens.
type hugoPage struct {
	file         hugoFile
	sections     []string
	sectionSlugs []string
	slug         string // empty: none
	title        string
	date         time.Time
	segment      func(string) string // writes a name as in addresses
}

var hugoToken = regexp.MustCompile(`:\w+(?:\[.+?\])?`)

// expand fills in one of Hugo's address patterns: see https://gohugo.io/configuration/permalinks/#tokens. It keeps
// unknown tokens.
func (h hugoPage) expand(pattern string) string {
	const colon = "\x00"
	pattern = strings.ReplaceAll(strings.ReplaceAll(pattern, colon, ""), `\:`, colon)
	pattern = hugoToken.ReplaceAllStringFunc(pattern, func(token string) string {
		if value, ok := h.token(token[1:]); ok {
			return value
		}
		return token
	})
	return strings.ReplaceAll(pattern, colon, ":")
}

func (h hugoPage) token(name string) (value string, ok bool) {
	switch name {
	case "year":
		return strconv.Itoa(h.date.Year()), true
	case "month":
		return h.date.Format("01"), true
	case "monthname":
		return h.date.Format("January"), true
	case "day":
		return h.date.Format("02"), true
	case "weekday":
		return strconv.Itoa(int(h.date.Weekday())), true
	case "weekdayname":
		return h.date.Format("Monday"), true
	case "yearday":
		return strconv.Itoa(h.date.YearDay()), true
	case "section":
		return path.Join(slicePath(h.sections, "0")...), true
	case "sectionslug":
		return path.Join(slicePath(h.sectionSlugs, "0")...), true
	case "sections":
		return path.Join(h.sections...), true
	case "sectionslugs":
		return path.Join(h.sectionSlugs...), true
	case "title":
		return h.segment(h.title), true
	case "slug":
		if h.slug != "" {
			return h.segment(h.slug), true
		}
		return h.segment(h.title), true
	case "slugorfilename", "slugorcontentbasename":
		if h.slug != "" {
			return h.segment(h.slug), true
		}
		return h.segment(h.file.stem), true
	case "filename", "contentbasename":
		return h.segment(h.file.stem), true
	}
	if cut, ok := strings.CutPrefix(name, "sections["); ok {
		return path.Join(slicePath(h.sections, strings.TrimSuffix(cut, "]"))...), true
	}
	if cut, ok := strings.CutPrefix(name, "sectionslugs["); ok {
		return path.Join(slicePath(h.sectionSlugs, strings.TrimSuffix(cut, "]"))...), true
	}
	// Any other token is a date layout if formatting a date changes it.
	if reference := time.Date(2019, time.November, 9, 23, 1, 42, 1, time.UTC); reference.Format(name) != name {
		return h.date.Format(name), true
	}
	return "", false
}

// slicePath returns the segments of a path that an expression such as "1", "last", "1:" or ":last" selects.
func slicePath(parts []string, cut string) []string {
	index := func(s string, otherwise int) int {
		s = strings.ToLower(strings.TrimSpace(s))
		switch n, err := strconv.Atoi(s); {
		case s == "":
			return otherwise
		case s == "last":
			return len(parts) - 1
		case err != nil || n < 0:
			return 0
		default:
			return n
		}
	}
	if len(parts) == 0 {
		return nil
	}
	low, high, sliced := strings.Cut(cut, ":")
	from := index(low, 0)
	to := from + 1
	if sliced {
		to = min(index(high, len(parts)), len(parts))
	}
	if from >= len(parts) || to <= from {
		return nil
	}
	return parts[from:to]
}
