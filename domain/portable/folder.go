package portable

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"inkfeed/domain"
	"inkfeed/domain/names"
	"inkfeed/domain/plaintext"
)

// folder reads a folder of Markdown: of Hugo, of Jekyll, or of anybody.
type folder struct {
	blog   *Blog
	files  *Files
	root   string // of the site among the files
	kind   string
	config siteConfig
	now    time.Time
	zola   *zolaSite // nil: of another generator
	vault  *vault    // nil: no folder of notes

	templates TemplatePolicy
	liquid    liquidSite // of Jekyll
	hugo      hugoSite

	branches map[string][]branch // of Hugo: the lists, by their folders within the content
	bundles  map[string]bool     // of Hugo: the folders of page bundles
	// sectioned says that Hugo's pages are in sections, so that those outside are no posts.
	sectioned bool

	datesFrom    [dateSources]int // posts by the source of their dates
	historyFault error            // why the repository's history was not read
	left         []leftFiles
}

// leftFiles counts files that were left out for the same reason.
type leftFiles struct {
	reason string
	first  string
	count  int
}

// leave counts a file that is left out.
func (f *folder) leave(name, reason string) {
	if reason == leftSilently {
		return
	}
	for i := range f.left {
		if f.left[i].reason == reason {
			f.left[i].count++
			return
		}
	}
	f.left = append(f.left, leftFiles{reason, name, 1})
}

const (
	kindHugo   = "Hugo"
	kindJekyll = "Jekyll"
	kindPlain  = "Markdown"
)

func readFolder(files *Files, o Options, now time.Time) (*Blog, error) {
	f := &folder{blog: &Blog{Files: files}, files: files, now: now, templates: o.Templates}
	f.find()
	f.findZola()
	f.findNotes()
	f.blog.Format = f.kind
	f.configure()
	f.hugo = hugoSite{files: files, root: f.root, params: f.siteParams()}
	f.liquid = liquidSite{files: files, root: f.root, config: f.config.values}
	f.blog.Title = f.config.title
	f.blog.sites.at(f.config.address)
	if f.config.prefix != "" {
		f.blog.sites.prefix = f.config.prefix
	}
	if f.kind == kindHugo {
		f.survey()
	}
	f.noteLists()
	for _, name := range files.order {
		if f.isPost(name) {
			f.read(name)
		}
		f.checkOutside(name)
	}
	f.finishNotes()
	for _, left := range f.left {
		f.blog.problem("", "left out: %s (%d, such as %s)", left.reason, left.count, left.first)
	}
	f.tellDates()
	if len(f.blog.Posts) == 0 {
		f.blog.problem("", "there is no post in %s, where %s has its posts", f.postsAt(), f.kind)
	}
	return f.blog, nil
}

// find recognises the generator by its files. An export may have everything in a folder
// of its own.
func (f *folder) find() {
	f.kind = kindPlain
	best := 100
	for _, name := range f.files.order {
		dir, base := path.Split(name)
		depth := strings.Count(dir, "/")
		if depth > 3 || depth >= best && f.kind != kindPlain {
			continue
		}
		kind := ""
		inConfig := isConfig(name) && inConfigFolder(dir)
		switch {
		case base == "_config.yml" || base == "_config.yaml", path.Base(path.Dir(name)) == "_posts":
			kind = kindJekyll
		case inConfig:
			kind = kindHugo
		case base == "hugo.toml", base == "hugo.yaml", base == "hugo.yml", base == "hugo.json",
			base == "config.toml" && !strings.HasPrefix(dir, "."), base == "_index.md",
			slices.Contains(configNames[kindHugo], base) && f.files.within(dir+"content/"): // of anything else too
			kind = kindHugo
		}
		if kind == "" {
			continue
		}
		root := strings.TrimSuffix(dir, "/")
		switch {
		case path.Base(root) == "_posts":
			root = strings.TrimPrefix(path.Dir(root), ".")
		case base == "_index.md":
			i := strings.Index("/"+dir, "/content/")
			if i < 0 {
				continue
			}
			root = strings.TrimSuffix(dir[:i], "/")
		case inConfig:
			root = strings.Trim(strings.TrimSuffix(root, "config/"+path.Base(root)), "/")
		}
		f.kind, f.root, best = kind, root, strings.Count(root, "/")
	}
}

// isPost reports whether a file is read as a post or a page.
func (f *folder) isPost(name string) bool {
	if !isText(name) && !(f.kind != kindPlain && isHTML(name)) {
		return false
	}
	rest, inside := f.inside(name)
	if !inside {
		return false
	}
	if f.vault != nil {
		return f.isNote(rest)
	}
	switch f.kind {
	case kindZola:
		return isZolaPost(rest)
	case kindHugo:
		_, ok := f.hugoFile(rest)
		return ok && !matchesAny(f.config.ignored, rest)
	case kindJekyll:
		_, ok := f.jekyllFile(rest)
		return ok
	}
	return !aboutTheSource(name)
}

// postsAt describes where the generator keeps its posts.
func (f *folder) postsAt() string {
	switch f.kind {
	case kindHugo, kindZola:
		return path.Join(f.root, "content")
	case kindJekyll:
		return path.Join(f.root, "_posts") + " and _drafts"
	}
	return "the folder"
}

// checkOutside reports a file that looks like a post but is outside the generator's folders for posts: Markdown
// with a date in its front matter.
func (f *folder) checkOutside(name string) {
	rest, inside := f.inside(name)
	if f.kind == kindPlain || f.vault != nil || !inside || !isText(name) || f.isPost(name) || aboutTheSource(name) || strings.HasPrefix(rest, "archetypes/") {
		return
	}
	body, err := f.files.Read(name, maxText)
	if err != nil {
		return
	}
	m, _, err := splitFrontMatter(strings.ToValidUTF8(string(body), "\uFFFD"))
	if err == nil && m.get("date") != nil {
		f.blog.problem(rest, "not imported: it looks like a post, but is not in %s", Reason(f.postsAt()))
	}
}

func isHTML(name string) bool {
	ending := strings.ToLower(path.Ext(name))
	return ending == ".html" || ending == ".htm"
}

// aboutTheSource knows files that are for those who look into the folder.
func aboutTheSource(name string) bool {
	switch strings.ToLower(strings.TrimSuffix(path.Base(name), path.Ext(name))) {
	case "readme", "license", "changelog", "contributing", "code_of_conduct":
		return true
	}
	return false
}

// inside is a file's path within the site.
func (f *folder) inside(name string) (string, bool) {
	if f.root == "" {
		return name, true
	}
	return strings.CutPrefix(name, f.root+"/")
}

// read makes a post of a file.
func (f *folder) read(name string) {
	rest, _ := f.inside(name)
	body, err := f.files.Read(name, maxText)
	if err != nil {
		f.blog.problem(rest, "not imported: %v", err)
		return
	}
	m, content, err := splitFrontMatter(strings.ToValidUTF8(string(body), "\uFFFD"))
	if err != nil {
		f.blog.problem(rest, "not imported: %v", err)
		return
	}
	switch {
	case f.zola != nil:
		m = zolaFrontMatter(rest, m)
	case f.vault != nil:
		m, content = f.noteFrontMatter(rest, m, content)
	}
	p := Post{Key: "file:" + rest, Where: rest, file: name, Status: Published}
	page := false
	var hugo hugoFile
	var jekyll jekyllFile
	switch f.kind {
	case kindHugo:
		hugo, _ = f.hugoFile(rest)
		if hugo.branch {
			if strings.TrimSpace(content) != "" {
				f.blog.problem(rest, "left out: it is the page of a list, not a post")
			}
			return
		}
		if f.withinBundle(hugo) {
			f.leave(rest, "texts within page bundles, which are not pages")
			return
		}
		m = f.cascaded(hugo, m)
	case kindJekyll:
		jekyll, _ = f.jekyllFile(rest)
		if reason := f.jekyllLeaves(jekyll, m, content); reason != "" {
			f.leave(rest, reason)
			return
		}
		with := f.jekyllDefaults(jekyll)
		mergeConfig(with, m)
		m = with
	}
	p.Title = m.text("title", "name")
	f.dates(&p, rest, m)
	switch f.kind {
	case kindHugo:
		page = hugo.dir == "" && f.sectioned && p.Publish.IsZero()
	case kindJekyll:
		page = f.isJekyllPage(jekyll, p)
	}
	f.status(&p, m, page)
	p.by(f.blog, m.list("", "authors", "author")...)
	separators := ","
	if f.kind == kindJekyll || f.vault != nil {
		separators = ", \t"
	}
	p.Tags = tagsOf(m, separators, folderCategories(jekyll)...)
	t := &translator{templates: f.templates}
	switch f.kind {
	case kindHugo:
		f.hugoPaths(&p, hugo, m)
		f.noteSection(p, hugo)
		f.hugo.page, f.hugo.file = m, name
		t.site = &f.hugo
		if f.languageDisabled(hugo.language) {
			p.Status, p.Publish = Draft, time.Time{}
			f.blog.problem(rest, "imported as a draft: its language is disabled")
		}
		f.noteOtherTerms(p, m)
		content = t.hugo(content)
	case kindJekyll:
		f.hideUndated(&p, jekyll)
		f.jekyllPaths(&p, jekyll, m)
		content = t.jekyll(content, liquidPage{title: p.Title, values: m, file: name, site: &f.liquid})
	case kindZola:
		var isPage bool
		if content, isPage = f.readZola(&p, rest, m, content, t); !isPage {
			return
		}
	default:
		f.plainPaths(&p, rest, m)
		content = withoutObsidianComments(content)
		if f.vault != nil {
			content = f.readNote(&p, m, content, t)
		}
	}
	if isHTML(name) {
		if content, err = t.html(content); err != nil {
			f.blog.problem(rest, "not imported: %v", err)
			return
		}
	} else {
		content = t.markdown(callouts(content))
	}
	content = strings.Trim(content, "\n")
	if p.Title == "" {
		name := p.Slug
		if f.kind == kindPlain { // whose case is the author's
			name = nameOf(rest)
			if _, words, ok := datedName(name); ok && words != "" {
				name = words
			}
		}
		p.Title, content = titleFrom(content, name)
	}
	p.Content = withCover(content, cover(m), p.Title)
	t.hold(&p)
	t.tell(f.blog, rest)
	if p.Status != Draft {
		f.datesFrom[p.dateSource]++
	}
	f.blog.Posts = append(f.blog.Posts, p)
}

// tagsOf are tags and categories, which come to the same here, and more of them.
// Where they are one text, separators are what stands between them.
func tagsOf(m frontMatter, separators string, more ...string) []string {
	var names []string
	for _, list := range [][]string{
		m.list(separators, "tags", "keywords"), m.list(",", "tag"), m.list(separators, "categories"), m.list(",", "category"), more,
	} {
		for _, name := range list {
			if !slices.ContainsFunc(names, func(n string) bool { return domain.TagKey(n) == domain.TagKey(name) }) {
				names = append(names, name)
			}
		}
	}
	return names
}

// cover is the picture that front matter names, empty: none.
func cover(m frontMatter) string {
	for _, key := range []string{"cover", "image", "featured_image", "featuredImage", "feature_image", "images", "header", "hero", "thumbnail"} {
		switch v := m.get(key).(type) {
		case string:
			if IsImage(strings.SplitN(v, "?", 2)[0]) {
				return v
			}
		case []any:
			if len(v) > 0 {
				if s, ok := v[0].(string); ok && IsImage(s) {
					return s
				}
			}
		case map[string]any:
			if s := frontMatter(v).text("image", "src", "path", "url", "overlay_image", "teaser"); IsImage(s) {
				return s
			}
		}
	}
	return ""
}

// withCover puts a picture before a text that does not show it.
func withCover(content, src, alt string) string {
	if src == "" || strings.Contains(content, src) {
		return content
	}
	return "![" + strings.NewReplacer("[", "\\[", "]", "\\]", "\n", " ", "\\", "\\\\").Replace(alt) + "](" + destination(src) + ")\n\n" + content
}

var firstHeading = regexp.MustCompile(`^\s*#{1,2}[ \t]+(.+?)[ \t]*#*[ \t]*(?:\n|$)`)

// titleFrom finds a title for a text without one: its first heading, which goes, or its
// address, or its first words.
func titleFrom(content, slug string) (title, rest string) {
	if m := firstHeading.FindStringSubmatch(content); m != nil {
		return plain(m[1]), strings.TrimLeft(content[len(m[0]):], "\n")
	}
	if words := strings.TrimSpace(strings.Map(func(r rune) rune {
		if r == '-' || r == '_' {
			return ' '
		}
		return r
	}, slug)); words != "" && strings.Trim(words, "0123456789 ") != "" {
		first, size := utf8.DecodeRuneInString(words)
		return string(unicode.ToUpper(first)) + words[size:], content
	}
	return plain(firstWords(content)), content
}

var markdownMarks = regexp.MustCompile("!?\\[([^\\]]*)\\]\\([^)]*\\)|[*_`~#>]+")

func plain(s string) string {
	return strings.Join(strings.Fields(markdownMarks.ReplaceAllString(s, "$1")), " ")
}

// firstWords is the first line of a text that says something, cut to a title's length.
func firstWords(content string) string {
	for line := range strings.SplitSeq(content, "\n") {
		if words := plain(line); words != "" {
			return plaintext.Truncate(words, 80)
		}
	}
	return ""
}

// addPath notes an address that a post had.
func (p *Post) addPath(address string) {
	if i := strings.IndexAny(address, "?#"); i >= 0 {
		address = address[:i]
	}
	if old, ok := domain.OldPath(address); ok && !slices.Contains(p.Paths, old) {
		p.Paths = append(p.Paths, old)
	}
}

// draftPaths makes of a draft's addresses those that it would have had.
func (p *Post) draftPaths() {
	if p.Status == Draft {
		p.Paths, p.next = nil, p.Paths
	}
}

// addOther is addPath for one that front matter names, which may be relative to the
// folder of the first.
func (p *Post) addOther(prefix, address string) {
	_, bare, absolute := strings.Cut(address, "://")
	switch {
	case absolute:
		if i := strings.IndexByte(bare, '/'); i >= 0 {
			p.addPath(bare[i:])
		}
	case strings.HasPrefix(address, "/"):
		p.addPath(prefix + address)
	case len(p.Paths) > 0:
		p.addPath(path.Dir(p.Paths[0]) + "/" + address)
	default:
		p.addPath(prefix + "/" + address)
	}
}

// plainPaths keeps what the front matter says; a folder of files had no addresses.
func (f *folder) plainPaths(p *Post, rest string, m frontMatter) {
	stem := nameOf(rest)
	if _, slug, ok := datedName(stem); ok && slug != "" {
		stem = slug
	}
	p.Slug = m.text("slug")
	if p.Slug == "" {
		p.Slug = names.Slug(stem)
	}
	for _, key := range []string{"url", "permalink", "path"} {
		if address := m.text(key); address != "" {
			p.addOther("", address)
		}
	}
	for _, alias := range m.list(" \t\n", "aliases", "redirect_from") {
		p.addOther("", alias)
	}
}

// nameOf is what a file is called without its ending, or its folder if it is an index.
func nameOf(rest string) string {
	stem := strings.TrimSuffix(path.Base(rest), path.Ext(rest))
	if strings.EqualFold(stem, "index") && path.Dir(rest) != "." {
		stem = path.Base(path.Dir(rest))
	}
	return stem
}
