package folder

import (
	"cmp"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"inkfeed/domain/locale"
	"inkfeed/domain/plaintext"
	"inkfeed/domain/portable"
	"inkfeed/domain/portable/folder/notation"
	"inkfeed/domain/portable/folder/permalink"
	"inkfeed/domain/portable/frontmatter"
	"inkfeed/domain/portable/markup"
	"inkfeed/domain/portable/templates"
)

const kindHexo = "Hexo"

func (f *folder) configureHexo() {
	m, c := frontmatter.Values{}, &f.config
	for _, name := range configNames[kindJekyll][:2] {
		if name = path.Join(f.root, name); f.files.Has(name) {
			m = f.load(name)
			break
		}
	}
	f.configureCommon(m)
	if root := strings.Trim(m.Text("root"), "/"); root != "" {
		c.prefix = "/" + root
	}
	c.future = m.Get("future") == nil || m.Bool("future")
	c.source = siteFolder(cmp.Or(m.Text("source_dir"), "source"))
	c.permalink = cmp.Or(m.Text("permalink"), ":year/:month/:day/:title/")
	if len(c.permalink) > portable.MaxGlob {
		c.permalink = ":title/"
		f.blog.AddProblem("", "the old addresses of posts are not known: their pattern is too long")
	}
	c.excluded = f.excludedPaths(append(m.List("", "exclude"), m.List("", "ignore")...))
	c.hexoNames = permalink.ReadHexoNames(m.Text("new_post_name"))
	c.feeds = []string{"/atom.xml"}
	if feeds := m.Table("feed").List("", "path"); len(feeds) > 0 {
		c.feeds = nil
		for _, feed := range feeds {
			c.feeds = append(c.feeds, "/"+strings.TrimPrefix(feed, "/"))
		}
	}
	f.blog.NoteList(path.Join("/", cmp.Or(m.Text("archive_dir"), "archives")), portable.Listing{Archive: true})
	f.blog.Taxonomies = []string{f.hexoList("tag"), f.hexoList("category")}
}

// hexoList returns the beginning of the addresses of the lists of tags or categories.
func (f *folder) hexoList(kind string) string {
	plural := map[string]string{"tag": "tags", "category": "categories"}[kind]
	return path.Join("/", cmp.Or(f.config.values.Text(kind+"_dir"), plural)) + "/"
}

// hexoFile returns the path of a file within the folder that Hexo reads, and whether it is a post.
func (f *folder) hexoFile(rest string) (name string, isPost, ok bool) {
	name, ok = strings.CutPrefix(rest, f.config.source+"/")
	if !ok || matchesAny(f.config.excluded, name) || matchesAny(f.config.excluded, rest) {
		return "", false, false
	}
	for _, posts := range []string{"_posts/", "_drafts/"} {
		if within, isPost := strings.CutPrefix(name, posts); isPost {
			return within, true, !hexoHidden.MatchString(within)
		}
	}
	return name, false, !hexoHidden.MatchString(name)
}

// hexoHidden matches the paths that Hexo does not read.
var hexoHidden = regexp.MustCompile(`(?:^|/)[_.]`)

// hexoPost is a document of a site of Hexo.
type hexoPost struct {
	*document
	name   string // within the folder of the posts, or of the pages
	isPost bool
}

func (d hexoPost) frontMatter() bool {
	if key := d.config.values.Table("hide_posts").Text("filter"); key != "" && d.matter.Get(key) != nil {
		if yes, isBool := frontmatter.ParseBool(d.matter.Get(key)); yes || !isBool {
			d.matter["hidden"] = true
		}
	}
	reason := locale.Message{}
	switch {
	case strings.TrimSuffix(d.name, path.Ext(d.name)) == "index" && !d.isPost, strings.HasPrefix(d.name, "404."):
		reason = leftSilently
	case d.isPost:
	case isHTML(d.name) && d.matter == nil:
		reason = locale.M("HTML files without front matter")
	case strings.TrimSpace(d.content) == "":
		reason = locale.M("pages without a text of their own")
	}
	if !reason.IsZero() {
		d.skip(d.rest, reason)
	}
	return reason.IsZero()
}

func (d hexoPost) isPage() bool { return !d.isPost }

func (d hexoPost) translate(t *markup.Translator) bool {
	d.hexoPaths()
	locked := d.config.values.Table("encrypt").List(",", "tags")
	if slices.ContainsFunc(d.tags(), func(tag string) bool { return slices.Contains(locked, tag) }) {
		d.post.Hold()
		d.blog.AddProblem(d.post.Where, "imported as a draft: it had a password")
	}
	stem := strings.TrimSuffix(d.post.File, path.Ext(d.post.File))
	asset := func(name string) string { // in the folder of the post, which has the name of its file
		file := path.Join(stem, name)
		if !strings.HasPrefix(name, "/") && d.files.Has(file) {
			return notation.FileAddress(file)
		}
		return name
	}
	photos := d.matter.List("", "photos")
	for i, photo := range photos {
		photos[i] = markup.Picture(asset(photo), "", "")
	}
	d.content = strings.Join(append([]string{d.content}, photos...), "\n\n")
	post := func(slug string) (address, title string) {
		slug, fragment, _ := strings.Cut(slug, "#")
		found := d.hexoPosts()[strings.TrimSuffix(slug, ".md")]
		if found == nil {
			return "", ""
		}
		if address = notation.FileAddress(found.file); fragment != "" {
			address += "#" + fragment
		}
		return address, cmp.Or(found.titleIn(d.files), slug)
	}
	d.content = templates.TranslateLiquid(t, d.content, templates.LiquidPage{Title: d.post.Title, Values: d.matter,
		File: d.post.File, Site: &d.liquid, Hexo: &templates.Hexo{Asset: asset, Post: post}})
	d.content = markup.Rewrite(d.content, func(l markup.Link) (string, bool) {
		to := asset(l.Destination)
		return to, to != l.Destination
	})
	return true
}

// hexoTarget is a post to which tags lead.
type hexoTarget struct {
	file, title string
	isRead      bool
}

// titleIn returns the beginning of the title of the post, which it reads once.
func (t *hexoTarget) titleIn(files *portable.Files) string {
	if !t.isRead {
		body, _ := files.ReadText(t.file, portable.MaxText)
		m, _, _ := frontmatter.SplitHexo(string(body))
		t.title, t.isRead = notation.Literal(plaintext.Truncate(m.Text("title"), 200)), true
	}
	return t.title
}

// hexoPosts returns the posts by the names that tags use for them.
func (f *folder) hexoPosts() map[string]*hexoTarget {
	if f.hexo == nil {
		f.hexo = make(map[string]*hexoTarget)
		for _, file := range f.files.Paths {
			rest, _ := f.inside(file)
			if name, isPost, _ := f.hexoFile(rest); isPost && portable.IsText(file) {
				stem, target := strings.TrimSuffix(name, path.Ext(name)), &hexoTarget{file: file}
				f.hexo[stem], f.hexo[f.config.hexoNames.Title(stem)] = target, target
			}
		}
	}
	return f.hexo
}

// hexoPaths adds the addresses at which Hexo served a file.
func (d hexoPost) hexoPaths() {
	p := &d.post
	stem := strings.TrimSuffix(d.name, path.Ext(d.name))
	p.Slug = nameOf(d.name)
	address := d.matter.Text("permalink")
	switch {
	case address != "":
	case d.isPost:
		address = d.hexoAddress(stem)
	default:
		address = stem + ".html"
	}
	p.AddPath(d.config.prefix + "/" + strings.TrimPrefix(address, "/"))
	for _, alias := range d.matter.List("", "alias", "aliases", "redirect_from") {
		p.AddOther(d.config.prefix, alias)
	}
}

// hexoAddress returns the address of a post by the pattern in the configuration.
func (d hexoPost) hexoAddress(stem string) string {
	p, c := &d.post, &d.config
	slug := d.config.hexoNames.Title(stem)
	date := p.Created.In(c.zone)
	sum := sha1.Sum([]byte(slug + fmt.Sprint(p.Created.Unix())))
	category, categories := cmp.Or(c.values.Text("default_category"), "uncategorized"), d.hexoCategories()
	if len(categories) > 0 {
		category = categories[len(categories)-1]
	}
	values := map[string]string{
		"year": date.Format("2006"), "month": date.Format("01"), "i_month": date.Format("1"),
		"day": date.Format("02"), "i_day": date.Format("2"), "hour": date.Format("15"), "minute": date.Format("04"),
		"second": date.Format("05"), "timestamp": fmt.Sprint(p.Created.Unix()), "title": slug,
		"name": path.Base(slug), "post_title": permalink.HexoSlug(p.Title, 1), "category": category,
		"hash": hex.EncodeToString(sum[:])[:12],
	}
	defaults := c.values.Table("permalink_defaults")
	for _, name := range jekyllPlaceholder.FindAllString(c.permalink, maxRules) {
		if _, known := values[name[1:]]; !known {
			if value := cmp.Or(d.matter.Text(name[1:]), defaults.Text(name[1:])); value != "" {
				values[name[1:]] = value
			}
		}
	}
	return expandJekyll(c.permalink, values)
}

// hexoCategories records the lists of the tags and categories of a post, and returns the paths of the categories. A
// list of categories is a path; a list of lists has several paths.
func (d hexoPost) hexoCategories() (paths []string) {
	c := &d.config
	slug := func(kind, name string) string {
		transform, _ := strconv.Atoi(c.values.Text("filename_case"))
		return cmp.Or(c.values.Table(kind+"_map").Text(name), permalink.HexoSlug(name, transform))
	}
	for _, tag := range d.matter.List("", "tags", "tag") {
		d.blog.NoteTerm(d.hexoList("tag"), slug("tag", tag), tag)
	}
	add := func(names []string) {
		address := ""
		for _, name := range names[:min(len(names), maxHexoLevels)] {
			address = path.Join(address, slug("category", name))
			d.blog.NoteTerm(d.hexoList("category"), address, name)
		}
		paths = append(paths, address)
	}
	lists, _ := d.matter.Get("categories", "category").([]any)
	for _, each := range lists {
		if list, isList := each.([]any); isList {
			add(frontmatter.Values{"": list}.List("", ""))
		}
	}
	if names := d.matter.List("", "categories", "category"); len(paths) == 0 && len(names) > 0 {
		add(names)
	}
	return paths
}

// maxHexoLevels bounds the depth of categories.
const maxHexoLevels = 10
