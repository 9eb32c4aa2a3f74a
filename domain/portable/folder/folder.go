// Package folder reads folders of Markdown files: sites made with Hugo, Jekyll or Zola, folders of notes, and plain
// folders.
package folder

import (
	"cmp"
	"maps"
	"path"
	"strings"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/domain/portable"
	"inkfeed/domain/portable/frontmatter"
	"inkfeed/domain/portable/markup"
	"inkfeed/domain/portable/templates"
)

// folder is a folder of Markdown while it is read.
type folder struct {
	blog   *portable.Blog
	files  *portable.Files
	root   string // of the site among the files
	kind   string
	config siteConfig
	now    time.Time
	zola   *zolaSite // nil for other generators
	vault  *vault    // nil unless it is a folder of notes

	templates portable.TemplatePolicy
	liquid    templates.LiquidSite // of Jekyll
	hugo      templates.HugoSite

	branches map[string][]branch // of Hugo: the lists, by their folders within the content
	bundles  map[string]bool     // of Hugo: the folders of page bundles
	// sectioned reports that Hugo's pages are in sections, so that pages outside of sections are not posts.
	sectioned bool

	datesFrom    [portable.DateSources]int // posts by the source of their dates
	historyFault error                     // why the repository's history was not read
	left         []leftFiles
}

// leftFiles counts the files that were left out for one reason.
type leftFiles struct {
	reason locale.Message
	first  string
	count  int
}

// skip records that a file is left out.
func (f *folder) skip(name string, reason locale.Message) {
	if reason.String() == leftSilently.String() {
		return
	}
	for i := range f.left {
		if f.left[i].reason.String() == reason.String() {
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

// Read reads a folder of Markdown files.
func Read(files *portable.Files, o portable.Options, now time.Time) (*portable.Blog, error) {
	f := &folder{blog: &portable.Blog{Files: files}, files: files, now: now, templates: o.Templates}
	f.find()
	f.findZola()
	f.findNotes()
	f.blog.Format = f.kind
	f.configure()
	f.hugo = templates.HugoSite{Files: files, Root: f.root, Params: f.siteParams()}
	f.liquid = templates.LiquidSite{Files: files, Root: f.root, Config: f.config.values}
	f.blog.Title = f.config.title
	f.blog.Sites.Add(f.config.address)
	if f.config.prefix != "" {
		f.blog.Sites.Prefix = f.config.prefix
	}
	if f.kind == kindHugo {
		f.survey()
	}
	f.noteLists()
	for _, name := range files.Paths {
		if f.isPost(name) {
			f.read(name)
		}
		f.checkOutside(name)
	}
	f.finishNotes()
	for _, left := range f.left {
		f.blog.AddProblem("", "left out: %s (%d, such as %s)", left.reason, left.count, left.first)
	}
	f.reportDates()
	if len(f.blog.Posts) == 0 {
		f.blog.AddProblem("", "there is no post in %s, where %s keeps posts", f.postsAt(), f.kind)
	}
	return f.blog, nil
}

// read reads the post in a file.
func (f *folder) read(name string) {
	rest, _ := f.inside(name)
	body, err := f.files.ReadText(name, portable.MaxText)
	if err != nil {
		f.blog.AddProblem(rest, "not imported: %v", err)
		return
	}
	m, content, err := frontmatter.Split(string(body))
	switch {
	case err != nil: // it may say that the post is private
		if !strings.HasPrefix(path.Base(rest), "_index.") { // which are reported with the pages below
			f.blog.AddProblem(rest, "imported as a draft: %v", err)
		}
		m = frontmatter.Values{"draft": true}
	case m == nil && (f.kind == kindPlain || f.vault != nil):
		m, content = frontmatter.SplitHeaders(content)
	}
	switch {
	case f.zola != nil:
		m = zolaFrontMatter(rest, m)
	case f.vault != nil:
		m, content = f.noteFrontMatter(rest, m, content)
	}
	p := portable.Post{Key: "file:" + rest, Where: rest, File: name, Status: portable.Published}
	page := false
	var hugo hugoFile
	var jekyll jekyllFile
	switch f.kind {
	case kindHugo:
		hugo, _ = f.hugoFile(rest)
		if hugo.branch {
			if strings.TrimSpace(content) != "" {
				f.blog.AddProblem(rest, "left out: it is the page of a list, not a post")
			}
			return
		}
		if f.withinBundle(hugo) {
			f.skip(rest, locale.M("texts within page bundles, which are not pages"))
			return
		}
		m = f.cascaded(hugo, m)
	case kindJekyll:
		jekyll, _ = f.jekyllFile(rest)
		if reason := f.reasonToSkip(jekyll, m, content); !reason.IsZero() {
			f.skip(rest, reason)
			return
		}
		with := f.jekyllDefaults(jekyll)
		mergeConfig(with, m)
		m = with
	case kindPlain:
		with := maps.Clone(f.config.values)
		mergeConfig(with, m)
		m = with
	}
	p.Title = m.Text("title", "name")
	mayBeFuture := f.dates(&p, rest, m)
	switch f.kind {
	case kindHugo:
		page = (hugo.dir == "" || f.isLanguage(hugo.dir)) && f.sectioned && p.Publish.IsZero()
	case kindJekyll:
		page = f.isJekyllPage(jekyll, p)
	}
	f.status(&p, m, page, mayBeFuture)
	p.SetAuthor(f.blog, m.List("", "authors", "author")...)
	separators := ","
	if f.kind == kindJekyll || f.vault != nil {
		separators = ", \t"
	}
	p.Tags = tagsOf(m, separators, folderCategories(jekyll)...)
	p.Language = m.Text("language", "lang", "locale")
	for _, table := range []frontmatter.Values{m, m.Table("params"), m.Table("extra")} {
		p.CanonicalURL = cmp.Or(p.CanonicalURL, table.Text("canonicalURL", "canonical_url", "canonical"))
	}
	f.series(&p, m)
	t := &markup.Translator{Templates: f.templates}
	switch f.kind {
	case kindHugo:
		f.hugoPaths(&p, hugo, m)
		f.noteSection(p, hugo)
		f.hugo.Page, f.hugo.File = m, name
		if len(f.config.languages) > 1 {
			p.Language = cmp.Or(p.Language, hugo.language)
		}
		if f.languageDisabled(hugo.language) {
			p.Status, p.Publish = portable.Draft, time.Time{}
			f.blog.AddProblem(rest, "imported as a draft: its language is disabled")
		}
		f.noteOtherTerms(p, m)
		content = templates.TranslateShortcodes(t, &f.hugo, content)
	case kindJekyll:
		f.hideUndated(&p, jekyll)
		f.jekyllPaths(&p, jekyll, m)
		content = templates.TranslateLiquid(t, content, templates.LiquidPage{Title: p.Title, Values: m, File: name,
			Site: &f.liquid})
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
		if content, err = t.HTML(content); err != nil {
			f.blog.AddProblem(rest, "not imported: %v", err)
			return
		}
	} else {
		content = t.Markdown(callouts(content))
	}
	content = strings.Trim(content, "\n")
	if p.Title == "" {
		name := p.Slug
		if f.kind == kindPlain { // the case is the author's choice
			name = nameOf(rest)
			if _, words, ok := datedName(name); ok && words != "" {
				name = words
			}
		}
		p.Title, content = markup.TitleFrom(content, name)
	}
	p.Content = markup.WithCover(content, cover(m), p.Title)
	t.DraftUntranslated(&p)
	t.ReportLosses(f.blog, rest)
	if p.Status != portable.Draft {
		f.datesFrom[p.DateSource]++
	}
	f.blog.Posts = append(f.blog.Posts, p)
}

// tagsOf returns the tags and categories of front matter, which both become tags, and further ones. The separators
// separate names in a single text.
func tagsOf(m frontmatter.Values, separators string, more ...string) []string {
	var names []string
	known := make(map[string]bool)
	for _, list := range [][]string{
		m.List(separators, "tags", "keywords"), m.List(",", "tag"), m.List(separators, "categories"),
		m.List(",", "category"), more,
	} {
		for _, name := range list {
			if key := domain.TagKey(name); !known[key] {
				known[key] = true
				names = append(names, name)
			}
		}
	}
	return names
}

// cover returns the picture that front matter names, or empty.
func cover(m frontmatter.Values) string {
	for _, key := range []string{"cover", "image", "featured_image", "featuredImage", "feature_image", "images",
		"header", "hero", "thumbnail"} {
		switch v := m.Get(key).(type) {
		case string:
			if portable.IsImage(strings.SplitN(v, "?", 2)[0]) {
				return v
			}
		case []any:
			if len(v) > 0 {
				if s, ok := v[0].(string); ok && portable.IsImage(s) {
					return s
				}
			}
		case map[string]any:
			s := frontmatter.Values(v).Text("image", "src", "path", "url", "overlay_image", "teaser")
			if portable.IsImage(s) {
				return s
			}
		}
	}
	return ""
}
