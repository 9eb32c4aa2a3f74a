package portable

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"inkfeed/domain"
)

// folder reads a folder of Markdown: of Hugo, of Jekyll, or of anybody.
type folder struct {
	blog   *Blog
	files  *Files
	root   string // of the site among the files
	kind   string
	config siteConfig
	now    time.Time
}

const (
	kindHugo   = "Hugo"
	kindJekyll = "Jekyll"
	kindPlain  = "Markdown"
)

// siteConfig is what of a generator's configuration says where its posts were.
type siteConfig struct {
	title      string
	address    string
	prefix     string // of all paths
	permalink  string // of Jekyll
	permalinks map[string]string
	ugly       bool
	zone       *time.Location
	language   string
	languages  []string
	future     bool
}

func readFolder(files *Files, now time.Time) (*Blog, error) {
	f := &folder{blog: &Blog{Files: files}, files: files, now: now}
	f.find()
	f.blog.Format = f.kind
	f.configure()
	f.blog.Title = f.config.title
	f.blog.sites.at(f.config.address)
	if f.config.prefix != "" {
		f.blog.sites.prefix = f.config.prefix
	}
	var pages []string
	for _, name := range files.order {
		if f.isPost(name) {
			f.read(name)
		} else if f.isJekyllPage(name) {
			pages = append(pages, name)
		}
		f.checkOutside(name)
	}
	if len(pages) > 0 {
		f.blog.problem("", "%s not imported, the first is %s", domain.Count(len(pages), "page outside of _posts is", "pages outside of _posts are"), pages[0])
	}
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
		switch {
		case base == "_config.yml" || base == "_config.yaml", path.Base(path.Dir(name)) == "_posts":
			kind = kindJekyll
		case base == "hugo.toml", base == "hugo.yaml", base == "hugo.yml", base == "hugo.json",
			base == "config.toml" && !strings.HasPrefix(dir, "."), base == "_index.md":
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
		case strings.HasPrefix(base, "config.") && strings.HasSuffix(root, "config/_default"):
			root = strings.Trim(strings.TrimSuffix(root, "config/_default"), "/")
		}
		f.kind, f.root, best = kind, root, strings.Count(root, "/")
	}
}

// isPost tells whether a file is one that is read as a post.
func (f *folder) isPost(name string) bool {
	ending := strings.ToLower(path.Ext(name))
	if !isText(name) && !(f.kind != kindPlain && (ending == ".html" || ending == ".htm")) {
		return false
	}
	rest, inside := f.inside(name)
	if !inside {
		return false
	}
	switch f.kind {
	case kindHugo:
		return strings.HasPrefix(rest, "content/")
	case kindJekyll:
		for part := range strings.SplitSeq(path.Dir(rest), "/") {
			if part == "_posts" || part == "_drafts" {
				return true
			}
		}
		return false
	}
	return !aboutTheSource(name)
}

// postsAt describes where the generator keeps its posts.
func (f *folder) postsAt() string {
	switch f.kind {
	case kindHugo:
		return path.Join(f.root, "content")
	case kindJekyll:
		return path.Join(f.root, "_posts") + " and _drafts"
	}
	return "the folder"
}

// checkOutside reports a file that looks like a post and lies where the generator has none:
// it is Markdown with a date in its front matter.
func (f *folder) checkOutside(name string) {
	rest, inside := f.inside(name)
	if f.kind == kindPlain || !inside || !isText(name) || f.isPost(name) || aboutTheSource(name) || strings.HasPrefix(rest, "archetypes/") {
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

// isJekyllPage tells whether a file is a page with words of its own, and no post.
func (f *folder) isJekyllPage(name string) bool {
	rest, inside := f.inside(name)
	return f.kind == kindJekyll && inside && isText(name) && !strings.HasPrefix(rest, "_") && !strings.HasPrefix(path.Base(name), "index.") && !aboutTheSource(name)
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
	p := Post{Key: "file:" + rest, Where: rest, file: name, Status: Published}
	p.Title = m.text("title", "name")
	f.dates(&p, m)
	f.status(&p, m)
	separators := ","
	if f.kind == kindJekyll {
		separators = ", \t"
	}
	p.Tags = tagsOf(m, separators)
	t := &translator{}
	isHTML := !isText(name)
	switch f.kind {
	case kindHugo:
		if strings.HasPrefix(path.Base(name), "_index.") {
			if strings.TrimSpace(content) != "" {
				f.blog.problem(rest, "the page of a list is no post: not imported")
			}
			return
		}
		f.hugoPaths(&p, rest, m)
		content = t.hugo(content)
	case kindJekyll:
		f.jekyllPaths(&p, rest, m)
		content = t.jekyll(content, p.Title)
	default:
		f.plainPaths(&p, rest, m)
	}
	if isHTML {
		if content, err = t.html(content); err != nil {
			f.blog.problem(rest, "not imported: %v", err)
			return
		}
	} else {
		content = t.markdown(content)
	}
	content = strings.Trim(content, "\n")
	if p.Title == "" {
		p.Title, content = titleFrom(content, p.Slug)
	}
	p.Content = withCover(content, cover(m), p.Title)
	t.tell(f.blog, rest)
	f.blog.Posts = append(f.blog.Posts, p)
}

func (f *folder) dates(p *Post, m frontMatter) {
	for _, d := range []struct {
		to   *time.Time
		keys []string
	}{
		{&p.Created, []string{"date", "created", "created_at", "pubDate", "published_at", "publishDate", "pubdate"}},
		{&p.Edited, []string{"lastmod", "last_modified_at", "modified", "updated", "updated_at", "lastModified", "updatedDate"}},
		{&p.Publish, []string{"publishDate", "pubdate", "date"}},
	} {
		t, err := m.time(f.config.zone, d.keys...)
		if err != nil {
			f.blog.problem(p.Where, "%v", err)
		}
		*d.to = t
	}
}

func (f *folder) status(p *Post, m frontMatter) {
	status := strings.ToLower(m.text("status", "visibility"))
	expires, _ := m.time(f.config.zone, "expiryDate")
	build, _ := m.get("build", "_build").(map[string]any)
	switch {
	case m.yes("draft"), m.no("published"), strings.HasPrefix(p.file, "_drafts/"), strings.Contains(p.file, "/_drafts/"),
		status == "draft", status == "private":
		p.Status = Draft
	case !expires.IsZero() && expires.Before(f.now):
		p.Status = Draft
		f.blog.problem(p.Where, "it has expired, and is a draft now")
	case p.Publish.After(f.now) && !f.config.future:
		p.Status = Scheduled
	case status == "unlisted", m.yes("hidden", "unlisted"), build != nil && frontMatter(build).text("list") == "never":
		p.Status = Unlisted
	}
	if p.Status != Scheduled {
		p.Publish = time.Time{}
	}
}

// tagsOf are tags and categories, which come to the same here.
// Where they are one text, separators are what stands between them.
func tagsOf(m frontMatter, separators string) []string {
	var names []string
	for _, list := range [][]string{
		m.list(separators, "tags", "keywords"), m.list(",", "tag"), m.list(separators, "categories"), m.list(",", "category"),
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
			return domain.Truncate(words, 80)
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
	stem := strings.TrimSuffix(path.Base(rest), path.Ext(rest))
	if strings.EqualFold(stem, "index") && path.Dir(rest) != "." {
		stem = path.Base(path.Dir(rest))
	}
	if d, slug, ok := datedName(stem); ok {
		stem = slug
		if p.Created.IsZero() {
			p.Created = d
		}
	}
	p.Slug = m.text("slug")
	if p.Slug == "" {
		p.Slug = domain.Slug(stem)
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

var dated = regexp.MustCompile(`^(\d{2,4})-(\d{1,2})-(\d{1,2})-(.+)$`)

// datedName reads a file's name such as 2024-05-01-hello.
func datedName(stem string) (time.Time, string, bool) {
	m := dated.FindStringSubmatch(stem)
	if m == nil {
		return time.Time{}, "", false
	}
	t, err := time.Parse("2006-1-2", fmt.Sprintf("%s-%s-%s", m[1], m[2], m[3]))
	return t, m[4], err == nil
}
