// Package folder reads folders of Markdown files: sites made with Hugo, Jekyll, Zola, Hexo, Eleventy, Astro or Pelican,
// folders of notes, and plain folders.
package folder

import (
	"cmp"
	"path"
	"strings"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/portable"
	"inkfeed/domain/portable/folder/notation"
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
	vault  *vault // nil unless it is a folder of notes

	// What only sites of one generator have. They are nil for others.
	zola     *zolaSite
	hexo     map[string]*hexoTarget // see hexoPosts
	eleventy *eleventySite
	astro    *astroSite

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
	f.findConfigured()
	f.findNotes()
	f.blog.Format = f.kind
	f.configure()
	f.hugo = templates.HugoSite{Files: files, Root: f.root, Params: f.siteParams()}
	f.liquid = templates.LiquidSite{Files: files, Root: path.Join(f.root, f.config.source), Config: f.config.values}
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
		} else {
			f.skipOther(name)
		}
		f.checkOutside(name)
	}
	f.finishNotes()
	for _, left := range f.left {
		f.blog.AddProblem("", "left out: %s (%d, such as %s)", left.reason, left.count,
			strings.Join(left.examples, ", "))
	}
	f.reportDates()
	if len(f.blog.Posts) == 0 {
		f.blog.AddProblem("", "there is no post in %s, where %s keeps posts", f.postsAt(), f.kind)
	}
	return f.blog, nil
}

// document is a file of the site while it is read as a post.
type document struct {
	*folder
	rest    string // the file's path within the site
	matter  frontmatter.Values
	content string
	post    portable.Post
}

// dialect is the part of reading a document that depends on the program that the site was made with. Its methods are
// called in this order. The methods of document are the defaults.
type dialect interface {
	// frontMatter completes the front matter. It reports whether the document is a post.
	frontMatter() (isPost bool)
	// isPage reports whether a post, which has its dates already, is a page outside of the blog.
	isPage() bool
	tags() []string
	// translate sets the addresses of a post, and translates what Markdown lacks in the text. It reports whether the
	// document is a post.
	translate(t *markup.Translator) (isPost bool)
	// untitled returns the name of a post without a title.
	untitled() string
}

func (d *document) isPage() bool     { return false }
func (d *document) tags() []string   { return tagsOf(d.matter, ",") }
func (d *document) untitled() string { return d.post.Slug }

// dialectOf returns the dialect in which a document is read.
func (f *folder) dialectOf(d *document) dialect {
	switch {
	case f.vault != nil:
		return note{d}
	case f.kind == kindHugo:
		file, _ := f.hugoFile(d.rest)
		return hugoPost{d, file}
	case f.kind == kindJekyll:
		file, _ := f.jekyllFile(d.rest)
		return jekyllPost{d, file}
	case f.kind == kindZola:
		return zolaPost{d}
	case f.kind == kindHexo:
		name, isPost, _ := f.hexoFile(d.rest)
		return hexoPost{d, name, isPost}
	case f.kind == kindEleventy:
		name, _ := f.eleventyFile(d.rest)
		return &eleventyPost{document: d, name: name}
	case f.kind == kindAstro:
		collection, name, _ := f.astroFile(d.rest)
		return astroPost{d, collection, name}
	case f.kind == kindPelican:
		name, _ := f.pelicanFile(d.rest)
		return pelicanPost{d, name}
	}
	return plainPost{d}
}

// open reads a file and separates its front matter. It reports a file that cannot be read.
func (f *folder) open(name string) (d *document, ok bool) {
	d = &document{folder: f}
	d.rest, _ = f.inside(name)
	body, err := f.files.ReadText(name, portable.MaxText)
	if err != nil {
		f.blog.AddProblem(d.rest, "not imported: %v", err)
		return d, false
	}
	split := frontmatter.Split
	if f.kind == kindHexo {
		split = frontmatter.SplitHexo
	}
	if d.matter, d.content, err = split(string(body)); err != nil { // it may say that the post is private
		if !strings.HasPrefix(path.Base(d.rest), "_index.") { // which are reported with the pages below
			f.blog.AddProblem(d.rest, "imported as a draft: %v", err)
		}
		d.matter = frontmatter.Values{"draft": true}
	}
	d.post = portable.Post{Key: "file:" + d.rest, Where: d.rest, File: name, Status: portable.Published}
	return d, true
}

// read reads the post in a file.
func (f *folder) read(name string) {
	d, ok := f.open(name)
	if !ok {
		return
	}
	as := f.dialectOf(d)
	if !as.frontMatter() {
		return
	}
	p := &d.post
	p.Title = d.matter.Text("title", "name")
	mayBeFuture := f.dates(p, d.rest, d.matter)
	f.status(p, d.matter, as.isPage(), mayBeFuture)
	p.SetAuthor(f.blog, d.matter.List("", "authors", "author")...)
	p.Tags = as.tags()
	p.Language = d.matter.Text("language", "lang", "locale")
	description := ""
	for _, table := range []frontmatter.Values{d.matter, d.matter.Table("params"), d.matter.Table("extra")} {
		description = cmp.Or(description, table.Text("subtitle", "description", "excerpt", "summary"))
		p.CanonicalURL = cmp.Or(p.CanonicalURL, table.Text("canonicalURL", "canonical_url", "canonical"))
	}
	var series []string
	if series, p.SeriesPart = d.matter.Series(); len(series) > 0 {
		if p.Series = series[0]; len(series) > 1 {
			f.blog.AddProblem(p.Where, "it is in %d series, of which only the first was imported: %s", len(series),
				p.Series)
		}
	}
	t := &markup.Translator{Templates: f.templates}
	if !as.translate(t) {
		return
	}
	if f.config.emoji {
		p.Title, d.content = templates.Emoji(t, p.Title), templates.Emoji(t, d.content)
	}
	if !d.toMarkdown(t) {
		return
	}
	if p.Title == "" {
		p.Title, d.content = markup.TitleFrom(d.content, as.untitled())
	}
	if !strings.Contains(description, "{{") && !strings.Contains(description, "{%") { // which is template code
		t.SetSubtitle(p, description, d.content)
	}
	p.Content = markup.WithCover(p, d.content, cover(d.matter), p.Title, "")
	t.DraftUntranslated(p)
	t.ReportLosses(f.blog, d.rest)
	if p.Status != portable.Draft {
		f.datesFrom[p.DateSource]++
	}
	f.blog.Posts = append(f.blog.Posts, *p)
}

// toMarkdown translates the text to Markdown. It reports a text that cannot be read.
func (d *document) toMarkdown(t *markup.Translator) bool {
	if isHTML(d.post.File) {
		var err error
		if d.content, err = t.HTML(d.content); err != nil {
			d.blog.AddProblem(d.rest, "not imported: %v", err)
			return false
		}
	} else {
		d.content = t.Markdown(notation.Callouts(d.content))
	}
	d.content = strings.Trim(d.content, "\n")
	return true
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
		"header", "hero", "heroImage", "thumbnail"} {
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
