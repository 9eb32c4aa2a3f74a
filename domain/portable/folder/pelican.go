package folder

import (
	"cmp"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"inkfeed/domain/plaintext"
	"inkfeed/domain/portable"
	"inkfeed/domain/portable/folder/literals"
	"inkfeed/domain/portable/folder/notation"
	"inkfeed/domain/portable/folder/permalink"
	"inkfeed/domain/portable/frontmatter"
	"inkfeed/domain/portable/markup"
	"inkfeed/domain/portable/templates"
)

const kindPelican = "Pelican"

// pelicanSettings are the settings that are read, with their defaults.
var pelicanSettings = map[string]string{
	"ARTICLE_URL": "{slug}.html", "ARTICLE_SAVE_AS": "", "PAGE_URL": "pages/{slug}.html", "PAGE_SAVE_AS": "",
	"ARTICLE_LANG_URL": "{slug}-{lang}.html", "PAGE_LANG_URL": "pages/{slug}-{lang}.html", "DEFAULT_CATEGORY": "misc",
	"TAG_URL": "tag/{slug}.html", "CATEGORY_URL": "category/{slug}.html", "AUTHOR_URL": "author/{slug}.html",
	"FEED_ALL_ATOM": "feeds/all.atom.xml", "FEED_ATOM": "", "FEED_RSS": "", "FEED_ALL_RSS": "", "SITEURL": "",
	"PATH": "", "SITENAME": "", "DEFAULT_LANG": "en", "SLUGIFY_SOURCE": "title", "TIMEZONE": "UTC",
}

func (f *folder) configurePelican() {
	m := frontmatter.Values{}
	for _, base := range []string{"pelicanconf.py", "publishconf.py"} {
		body, err := f.files.ReadText(path.Join(f.root, base), portable.MaxConfig)
		if err != nil {
			continue
		}
		for key, value := range literals.Python(string(body)) {
			_, isRead := pelicanSettings[key]
			if slices.Contains(pelicanVisibility, key) {
				m[key] = value
			} else if code, isCode := value.(literals.Code); isCode && isRead && key != "PATH" {
				f.blog.AddProblem("", "the setting %s is a program, so its default is assumed: %s", key,
					plaintext.Truncate(string(code), 60))
			} else if !isCode {
				m[key] = value
			}
		}
		for _, name := range pelicanChanged(string(body)) {
			m[name] = literals.Code("status")
		}
		m["liquid"] = m.Bool("liquid") || strings.Contains(string(body), "liquid_tags") ||
			strings.Contains(string(body), "jinja2content")
	}
	for key, usual := range pelicanSettings {
		if _, set := m[key]; !set {
			m[key] = usual
		}
	}
	c := &f.config
	c.values, c.title, c.address = m, m.Text("SITENAME"), m.Text("SITEURL")
	future, set := m["WITH_FUTURE_DATES"]
	c.future = !set || future == true
	f.pelicanStatus(m)
	c.fileDates = true
	f.files.Language = cmp.Or(m.Text("DEFAULT_LANG"), f.files.Language)
	if zone, err := time.LoadLocation(m.Text("TIMEZONE")); err == nil {
		c.zone = zone
	}
	if c.source = siteFolder(m.Text("PATH")); c.source == "" && f.files.Within(path.Join(f.root, "content")+"/") {
		c.source = "content"
	}
	for _, key := range []string{"FEED_ALL_ATOM", "FEED_ATOM", "FEED_ALL_RSS", "FEED_RSS"} {
		if feed := m.Text(key); feed != "" {
			form := ".atom"
			if strings.HasSuffix(key, "RSS") {
				form = ".rss"
			}
			f.blog.NoteList(path.Join("/", feed), portable.Listing{Feed: form})
		}
	}
}

// pelicanFile returns the path of a file within the folder that Pelican reads, if it is an article or a page.
func (f *folder) pelicanFile(rest string) (name string, ok bool) {
	if name, ok = rest, !aboutTheSource(rest); f.config.source != "" {
		name, ok = strings.CutPrefix(rest, f.config.source+"/")
	}
	set := f.config.values
	for i, pattern := range set.List("", "IGNORE_FILES") {
		if ignored, err := path.Match(pattern, path.Base(name)); ignored || err != nil || i == maxPelicanFolders {
			return "", false
		}
	}
	return name, ok && (f.isPelicanPage(name) || !inFolders(name, set.List("", "ARTICLE_EXCLUDES")) &&
		(set["ARTICLE_PATHS"] == nil || inFolders(name, set.List("", "ARTICLE_PATHS", "ARTICLE_DIR"))))
}

// maxPelicanFolders bounds the folders in each setting.
const maxPelicanFolders = 20

// inFolders reports whether a file is in one of some folders.
func inFolders(name string, folders []string) bool {
	return slices.ContainsFunc(folders[:min(len(folders), maxPelicanFolders)], func(folder string) bool {
		folder = siteFolder(folder)
		return folder == "" || strings.HasPrefix(name, folder+"/")
	})
}

// isPelicanPage reports whether a file is in one of the folders of pages.
func (f *folder) isPelicanPage(name string) bool {
	folders := f.config.values.List("", "PAGE_PATHS", "PAGE_DIR")
	if f.config.values.Get("PAGE_PATHS", "PAGE_DIR") == nil {
		folders = []string{"pages"}
	}
	return inFolders(name, folders) && !inFolders(name, f.config.values.List("", "PAGE_EXCLUDES"))
}

// pelicanPost is a document of a site of Pelican.
type pelicanPost struct {
	*document
	name string // within the folder that Pelican reads
}

func (d pelicanPost) frontMatter() bool {
	if d.matter == nil {
		d.matter, d.content = frontmatter.SplitHeaders(d.content)
	}
	with := make(frontmatter.Values)
	if status := d.config.values["status"]; status != nil {
		with["status"] = status
	}
	mergeConfig(with, d.matter)
	d.matter = with
	if strings.EqualFold(with.Text("status"), "skip") {
		with["status"] = "draft"
	}
	return true
}

func (d pelicanPost) isPage() bool { return d.isPelicanPage(d.name) }

func (d pelicanPost) tags() []string { return tagsOf(d.matter, ",;", d.category()...) }

// category returns the category of a post, which may be that of its folder.
func (d pelicanPost) category() []string {
	folder := path.Base(path.Dir(d.name))
	switch {
	case d.matter.Text("category") != "":
		return []string{d.matter.Text("category")}
	case d.isPage() || folder == "." || d.config.values["USE_FOLDER_AS_CATEGORY"] == false:
		return nil
	}
	return []string{folder}
}

func (d pelicanPost) translate(t *markup.Translator) bool {
	p, set := &d.post, d.config.values
	p.Slug = d.matter.Text("slug")
	if stem := nameOf(d.name); p.Slug == "" && (set.Text("SLUGIFY_SOURCE") == "basename" || p.Title == "") {
		p.Slug = permalink.PelicanSlug(stem)
	}
	p.Slug = cmp.Or(p.Slug, permalink.PelicanSlug(p.Title))
	kind := "ARTICLE"
	if d.isPage() {
		kind = "PAGE"
	}
	url, file := set.Text(kind+"_URL"), set.Text(kind+"_SAVE_AS")
	if lang := d.matter.Text("lang"); lang != "" && lang != set.Text("DEFAULT_LANG") {
		url, file = set.Text(kind+"_LANG_URL"), set.Text(kind+"_LANG_SAVE_AS")
	}
	for _, pattern := range []string{cmp.Or(d.matter.Text("url"), d.matter.Text("save_as")), file, url} {
		address, ok := d.pelicanAddress(pattern)
		if !ok {
			d.blog.AddProblem(d.rest, "its old address is not known: %s is not understood",
				plaintext.Truncate(pattern, 60))
		} else if pattern != "" {
			p.AddPath(d.blog.Sites.Prefix + "/" + strings.TrimPrefix(address, "/"))
		}
	}
	for _, alias := range d.matter.List(",", "aliases", "redirect_from", "alias") {
		p.AddOther(d.blog.Sites.Prefix, alias)
	}
	d.content = d.pelicanLinks(d.content)
	if image := d.matter.Text("cover", "image"); image != "" {
		d.matter["cover"] = d.pelicanLinks(image)
	}
	if set.Bool("liquid") {
		d.content = templates.TranslateLiquid(t, d.content, templates.LiquidPage{Title: p.Title, Values: d.matter,
			File: p.File, Site: &d.liquid, Bare: true})
	}
	return true
}

var pelicanField = regexp.MustCompile(`\{(\w+)(?:\.slug)?(?::([^{}]*))?\}`)

// pelicanAddress fills in a pattern of addresses.
func (d pelicanPost) pelicanAddress(pattern string) (address string, ok bool) {
	p := &d.post
	if len(pattern) > portable.MaxGlob {
		return "", false
	}
	category := append(d.category(), d.config.values.Text("DEFAULT_CATEGORY"))[0]
	values := map[string]string{"slug": p.Slug, "category": permalink.PelicanSlug(category),
		"author": permalink.PelicanSlug(p.Author),
		"lang":   cmp.Or(d.matter.Text("lang"), d.config.values.Text("DEFAULT_LANG"))}
	ok = true
	address = pelicanField.ReplaceAllStringFunc(pattern, func(field string) string {
		m := pelicanField.FindStringSubmatch(field)
		if m[1] == "date" && m[2] != "" {
			return permalink.Strftime(p.Created.In(d.config.zone), m[2])
		}
		value := cmp.Or(values[m[1]], d.matter.Text(m[1]))
		ok = ok && value != "" && m[2] == ""
		return value
	})
	return address, ok
}

var pelicanLink = regexp.MustCompile(`[{|](filename|static|attach|category|tag|author|index)[}|]([^\s()<>"'\]#?]*)`)

// pelicanLinks translates the addresses of files, tags and categories in a text.
func (d pelicanPost) pelicanLinks(text string) string {
	code := markup.CodeIn(text)
	var edits []markup.Edit
	for _, m := range pelicanLink.FindAllStringSubmatchIndex(text, -1) {
		kind, to := text[m[2]:m[3]], text[m[4]:m[5]]
		if markup.Within(code, m[0]) {
			continue
		}
		if unescaped, err := url.PathUnescape(to); err == nil {
			to = unescaped
		}
		switch kind {
		case "index":
			to = "/"
		case "category", "tag", "author":
			name := strings.TrimSuffix(path.Base(to), path.Ext(to))
			to = "/" + strings.ReplaceAll(d.config.values.Text(strings.ToUpper(kind)+"_URL"), "{slug}",
				permalink.PelicanSlug(name))
		default:
			name := path.Join(d.root, d.config.source, to)
			if !strings.HasPrefix(to, "/") {
				name = path.Join(path.Dir(d.post.File), to)
			}
			if to = notation.FileAddress(name); !d.files.Has(name) || portable.IsText(name) != d.isPost(name) ||
				kind == "filename" && !portable.IsText(name) && !portable.IsImage(name) {
				d.blog.AddProblem(d.rest, "a link leads to a file that was not imported: %s", text[m[4]:m[5]])
			}
		}
		edits = append(edits, markup.Edit{Span: markup.Span{Start: m[0], End: m[1]}, Text: to})
	}
	return markup.Apply(text, edits)
}
