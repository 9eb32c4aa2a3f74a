package folder

import (
	"cmp"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"inkfeed/domain/locale"
	"inkfeed/domain/plaintext"
	"inkfeed/domain/portable"
	"inkfeed/domain/portable/folder/literals"
	"inkfeed/domain/portable/folder/permalink"
	"inkfeed/domain/portable/frontmatter"
	"inkfeed/domain/portable/markup"
	"inkfeed/domain/portable/templates"
)

const kindEleventy = "Eleventy"

// eleventySite is what the configuration and the data files of a site of Eleventy say.
type eleventySite struct {
	left    []string                      // folders within the site that have no pages
	folders map[string]frontmatter.Values // data of folders, by their paths below the folder that Eleventy reads
	plain   bool                          // whether Markdown is not a template
	base    frontmatter.Values            // data of all pages
	layouts []string                      // folders, among the files, with layouts
	matters map[string]frontmatter.Values // what layouts say about visibility, by their names
	aliases map[string]string             // of layouts
	// dataName is the name of the data file of each folder; empty: that of the folder. otherData are the data files
	// that may be in a format that is not read, by their paths to the first dot.
	dataName  string
	otherData map[string][]string
}

func (f *folder) configureEleventy() {
	e := &eleventySite{folders: make(map[string]frontmatter.Values), base: make(frontmatter.Values),
		matters: make(map[string]frontmatter.Values), aliases: make(map[string]string)}
	f.eleventy = e
	m, ignored := frontmatter.Values{}, []string(nil)
	for _, base := range []string{".eleventy.js", "eleventy.config.js", "eleventy.config.mjs", "eleventy.config.cjs",
		"eleventy.config.ts"} {
		body, err := f.files.ReadText(path.Join(f.root, base), portable.MaxConfig)
		if err != nil {
			continue
		}
		if m = literals.JavaScript(string(body)); m == nil {
			m = frontmatter.Values{}
		}
		for _, found := range eleventySetting.FindAllStringSubmatch(string(body), -1) {
			mergeConfig(m, map[string]any{"dir": map[string]any{strings.ToLower(found[1]): found[2]}})
		}
		for _, found := range eleventyIgnored.FindAllStringSubmatch(string(body), maxRules) {
			ignored = append(ignored, strings.TrimPrefix(found[1], "./"))
		}
		f.eleventyCalls(base, string(body))
		f.blog.AddProblem("", "%s is a program: only the plain values in it are read", base)
	}
	c, dir := &f.config, m.Table("dir")
	if prefix := strings.Trim(m.Text("pathPrefix"), "/"); prefix != "" {
		c.prefix = "/" + prefix
	}
	c.source = siteFolder(dir.Text("input"))
	data := siteFolder(path.Join(c.source, cmp.Or(dir.Text("data"), "_data")))
	e.left = []string{data, siteFolder(cmp.Or(dir.Text("output"), "_site")),
		siteFolder(path.Join(c.source, cmp.Or(dir.Text("includes"), "_includes")))}
	if layouts := dir.Text("layouts"); layouts != "" {
		e.left = append(e.left, siteFolder(path.Join(c.source, layouts)))
	}
	e.plain = m["markdownTemplateEngine"] == false
	body, _ := f.files.ReadText(path.Join(f.root, ".eleventyignore"), portable.MaxConfig)
	c.excluded = f.excludedPaths(slices.DeleteFunc(append(ignored, strings.Split(string(body), "\n")...),
		func(line string) bool { return strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") }))
	c.values = make(frontmatter.Values)
	data = path.Join(f.root, data)
	for _, name := range f.files.Paths {
		if path.Dir(name) == data {
			f.eleventyGlobal(name)
		}
		if path.Dir(name) == data && path.Ext(name) == ".json" && len(c.values) < maxEleventyData {
			var table map[string]any
			if f.readJSON(name, &table) {
				c.values[markup.Stem(name)] = table
			}
		}
	}
	site := c.values.Table("site", "metadata", "meta")
	c.title, c.address = site.Text("title", "name"), site.Text("url")
	maps.Copy(e.base, f.eleventyData(path.Join(data, "eleventyComputed")))
	for _, layouts := range e.left[2:] {
		e.layouts = append(e.layouts, path.Join(f.root, layouts))
	}
}

var (
	eleventyIgnored = regexp.MustCompile(`\.ignores\.add\(\s*["'` + "`" + `]([^"'` + "`" + `\n]*)`)
	eleventySetting = regexp.MustCompile(`\.set(Input|Includes|Data|Layouts|Output)Directory\(\s*["']([^"'\n]*)["']`)
)

// eleventyFile returns the path of a file within the folder that Eleventy reads, if it makes a page of it.
func (f *folder) eleventyFile(rest string) (name string, ok bool) {
	if name, ok = rest, true; f.config.source != "" {
		name, ok = strings.CutPrefix(rest, f.config.source+"/")
	}
	for _, folder := range f.eleventy.left {
		ok = ok && !strings.HasPrefix(rest, folder+"/")
	}
	return name, ok && !aboutTheSource(name) && !strings.HasPrefix(name, ".") && !matchesAny(f.config.excluded, rest)
}

// eleventyPost is a document of a site of Eleventy.
type eleventyPost struct {
	*document
	name   string // within the folder that Eleventy reads
	isPost bool   // whether it is in a collection
}

func (d *eleventyPost) frontMatter() bool {
	own, reason := d.matter, locale.Message{}
	switch {
	case d.name == "index.md", d.name == "index.html", strings.HasPrefix(d.name, "404."):
		reason = leftSilently
	case isHTML(d.name) && own == nil:
		reason = locale.M("HTML files without front matter")
	case own["pagination"] != nil, liquidLoop.MatchString(d.content) && isHTML(d.name):
		reason = locale.M("pages that list posts")
	case strings.TrimSpace(d.content) == "":
		reason = locale.M("pages without a text of their own")
	}
	if !reason.IsZero() {
		d.skip(d.rest, reason)
		return false
	}
	d.matter = make(frontmatter.Values)
	d.addFolderData(d.matter, path.Dir(d.name))
	d.isPost = d.matter["tags"] != nil
	delete(d.matter, "tags")
	maps.Copy(d.matter, d.eleventyData(strings.TrimSuffix(d.post.File, path.Ext(d.post.File))))
	maps.Copy(d.matter, d.eleventyValues(d.post.File, own))
	for key, value := range d.layoutValues(d.matter.Text("layout"), 0) {
		if _, set := d.matter[key]; !set {
			d.matter[key] = value
		}
	}
	d.isPost = d.isPost || d.matter["tags"] != nil
	if yes, ok := frontmatter.ParseBool(d.matter["permalink"]); ok && !yes {
		d.matter["draft"] = true
		d.blog.AddProblem(d.rest, "imported as a draft: it had no page of its own (permalink: false)")
	}
	if hidden := d.matter["eleventyExcludeFromCollections"]; hidden != nil {
		d.matter["unlisted"] = hidden
	}
	if date := strings.ToLower(d.matter.Text("date")); strings.HasSuffix(date, "last modified") ||
		strings.HasSuffix(date, "created") {
		delete(d.matter, "date")
	}
	return true
}

// isPage reports whether a document is in no collection and has no date, unless its folder has the name of blogs.
func (d *eleventyPost) isPage() bool {
	folder, _, _ := strings.Cut(strings.ToLower(d.name), "/")
	return !d.isPost && d.post.Publish.IsZero() && folder != "posts" && folder != "_posts" &&
		!slices.Contains(blogCollections, folder)
}

// eleventyCollections are tags that only make a page part of a collection.
var eleventyCollections = []string{"all", "blog", "nav", "post", "posts"}

func (d *eleventyPost) tags() []string {
	return slices.DeleteFunc(tagsOf(d.matter, ""), func(tag string) bool {
		return slices.Contains(eleventyCollections, tag)
	})
}

func (d *eleventyPost) translate(t *markup.Translator) bool {
	d.eleventyPaths()
	if strings.HasSuffix(d.name, ".mdx") {
		d.content = templates.TranslateMDX(t, d.content, d.imported)
	} else if !d.eleventy.plain && d.matter.Text("templateEngineOverride") != "md" {
		d.content = templates.TranslateLiquid(t, d.content, templates.LiquidPage{Title: d.post.Title, Values: d.matter,
			File: d.post.File, Site: &d.liquid, Bare: true})
	}
	return true
}

// eleventyPaths adds the addresses at which Eleventy served a page.
func (d *eleventyPost) eleventyPaths() {
	p, stem := &d.post, strings.TrimSuffix(d.name, path.Ext(d.name))
	dir, base := path.Split(stem)
	if _, words, ok := datedName(base); ok && words != "" {
		base = words
	}
	whole := dir + base // without the date
	if folder := path.Base(dir); base == "index" || base == folder {
		base = folder
		if _, words, ok := datedName(base); ok && words != "" {
			base = words
		}
		stem = path.Clean(dir)
	}
	p.Slug = base
	values := frontmatter.Values{"page": map[string]any{"fileSlug": base, "filePathStem": "/" + whole,
		"date": p.Created.In(d.config.zone), "inputPath": "./" + d.rest}}
	switch pattern := d.matter.Text("permalink"); {
	case pattern == "" || pattern == "true":
		p.AddPath(d.config.prefix + "/" + stem)
		p.AddPath(d.config.prefix + "/" + whole)
	case pattern != "false":
		address, ok := permalink.FillIn(pattern, func(name string) any {
			if v := values.Table("page").Get(strings.TrimPrefix(name, "page.")); strings.HasPrefix(name, "page.") {
				return v
			}
			return d.matter.At(name)
		})
		if !ok {
			pattern = plaintext.Truncate(pattern, 60)
			d.blog.AddProblem(d.rest, "its old address is not known: %s is not understood", pattern)
			if mayHide.MatchString(d.matter.Text("permalink")) {
				d.blog.AddProblem(d.rest, "imported as a draft: %s: %s is not understood", "permalink", pattern)
				p.Hold()
			}
		} else {
			p.AddPath(d.config.prefix + "/" + strings.TrimPrefix(address, "/"))
		}
	}
	for _, alias := range d.matter.List("", "redirect_from", "aliases", "redirects") {
		p.AddOther(d.config.prefix, alias)
	}
}
