package folder

import (
	"cmp"
	"maps"
	"path"
	"regexp"
	"strings"
	"time"

	"inkfeed/domain/locale"
	"inkfeed/domain/portable"
	"inkfeed/domain/portable/frontmatter"
	"inkfeed/domain/portable/markup"
	"inkfeed/domain/portable/templates"
)

// hugoPost is a document of a site of Hugo.
type hugoPost struct {
	*document
	file hugoFile
}

func (d hugoPost) frontMatter() bool {
	if d.file.branch {
		if strings.TrimSpace(d.content) != "" {
			d.blog.AddProblem(d.rest, "left out: it is the page of a list, not a post")
		}
		return false
	}
	if d.withinBundle(d.file) {
		d.skip(d.rest, locale.M("texts within page bundles, which are not pages"))
		return false
	}
	d.matter = d.cascaded(d.file, d.matter)
	return true
}

func (d hugoPost) isPage() bool {
	return (d.file.dir == "" || d.isLanguage(d.file.dir)) && d.sectioned && d.post.Publish.IsZero()
}

func (d hugoPost) translate(t *markup.Translator) bool {
	p := &d.post
	d.hugoPaths(p, d.file, d.matter)
	d.noteSection()
	d.hugo.Page, d.hugo.File = d.matter, p.File
	if len(d.config.languages) > 1 {
		p.Language = cmp.Or(p.Language, d.file.language)
	}
	if d.languageDisabled(d.file.language) {
		p.Status, p.Publish = portable.Draft, time.Time{}
		d.blog.AddProblem(d.rest, "imported as a draft: its language is disabled")
	}
	d.noteOtherTerms()
	d.content = templates.TranslateShortcodes(t, &d.hugo, d.content)
	if portable.IsText(p.File) && !d.config.plainHeadings {
		d.content = templates.Attributes(d.content, d.config.blockAttributes)
	}
	return true
}

func (d hugoPost) isPublic() bool {
	return d.post.Status == portable.Published || d.post.Status == portable.Scheduled
}

// noteSection records the list and the feed of the section of a public page. Their addresses follow from the
// folder, even if the page has an address by another pattern.
func (d hugoPost) noteSection() {
	section, _, _ := strings.Cut(strings.Trim(d.file.dir, "/"), "/")
	if section == "" || section == "." || !d.isPublic() {
		return
	}
	address := d.hugoName("/" + section)
	d.blog.NoteList(address, portable.Listing{})
	d.blog.NoteList(address+"/index.xml", portable.Listing{Feed: ".rss"})
}

// noteOtherTerms records the pages of the terms of a post other than tags and categories, such as series. These do
// not become tags, so their pages lead to all posts.
func (d hugoPost) noteOtherTerms() {
	if !d.isPublic() {
		return
	}
	for singular, plural := range d.config.taxonomies {
		if singular == "tag" || singular == "category" {
			continue
		}
		for _, term := range d.matter.List("", plural) {
			if slug := d.hugoName(strings.TrimSpace(term)); strings.Trim(slug, "./") != "" {
				d.blog.NoteList(path.Join("/", plural, slug), portable.Listing{})
			}
		}
	}
}

// lowerKeys converts the keys of tables to lower case. It turns TOML's lists of tables into lists of any, as in YAML
// and JSON. It omits tables that are nested more than 50 levels deep.
func lowerKeys(v any, depth int) any {
	if depth > 50 {
		return nil
	}
	switch v := v.(type) {
	case map[string]any:
		if v == nil {
			return v
		}
		lower := make(map[string]any, len(v))
		for key, value := range v {
			lower[strings.ToLower(key)] = lowerKeys(value, depth+1)
		}
		return lower
	case []map[string]any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = lowerKeys(v[i], depth+1)
		}
		return list
	case []any:
		for i := range v {
			v[i] = lowerKeys(v[i], depth+1)
		}
	}
	return v
}

// siteParams returns the parameters of a Hugo site.
func (f *folder) siteParams() frontmatter.Values { return f.config.values.Table("params") }

// pageTarget selects the pages to which a rule of Hugo's configuration applies. A nil field selects all pages.
type pageTarget struct {
	kind, path, language, environment *regexp.Regexp
}

// permalinkRule is a permalink pattern of a Hugo site and the pages that it applies to.
type permalinkRule struct {
	target  pageTarget
	pattern string
}

// cascade is front matter that Hugo adds to the pages below a page.
type cascade struct {
	target   pageTarget
	settings frontmatter.Values
}

// branch is the data of a list page, _index.md, that affects the pages below it.
type branch struct {
	language string
	title    string // its slug if it has one, otherwise its title
	cascades []cascade
}

func (t pageTarget) matches(kind, name, language string) bool {
	for _, part := range []struct {
		pattern *regexp.Regexp
		value   string
	}{{t.kind, kind}, {t.path, name}, {t.language, language}, {t.environment, "production"}} {
		if part.pattern != nil && !part.pattern.MatchString(strings.ToLower(part.value)) {
			return false
		}
	}
	return true
}

// target parses the target of a rule. It reports a pattern that it does not understand; then the rule applies to all
// pages.
func (f *folder) target(m frontmatter.Values) (t pageTarget) {
	parts := map[string]**regexp.Regexp{
		"kind": &t.kind, "path": &t.path, "lang": &t.language, "environment": &t.environment,
	}
	for key, to := range parts {
		glob := strings.ToLower(m.Text(key))
		if glob == "" {
			continue
		}
		if key == "path" && !strings.HasPrefix(glob, "/") && !strings.HasPrefix(glob, "{") &&
			!strings.HasPrefix(glob, "*") {
			glob = "/" + glob
		}
		re, err := portable.CompileGlob(glob, "$")
		if err != nil {
			f.blog.AddProblem("", "the pattern %q of the site's configuration is not understood: %v", glob, err)
			continue
		}
		*to = re
	}
	return t
}

// cascadesIn parses a cascade: one table, or a list of tables.
func (f *folder) cascadesIn(v any) (list []cascade) {
	switch v := lowerKeys(v, 0).(type) {
	case map[string]any:
		settings := make(frontmatter.Values, len(v))
		for key, value := range v {
			if key != "_target" && key != "target" {
				settings[key] = value
			}
		}
		list = append(list, cascade{f.target(frontmatter.Values(v).Table("target", "_target")), settings})
	case []any:
		for _, each := range atMost(f, "cascades", v) {
			if table, ok := each.(map[string]any); ok {
				list = append(list, f.cascadesIn(table)...)
			}
		}
	}
	return list
}

// cascaded returns the settings that a page inherits from the lists above it, the closest first, and then from the
// site.
func (f *folder) cascaded(h hugoFile, m frontmatter.Values) frontmatter.Values {
	with := make(frontmatter.Values, len(m))
	maps.Copy(with, m)
	give := func(list []cascade) {
		for _, c := range list {
			if !c.target.matches("page", h.path(), h.language) {
				continue
			}
			for key, value := range c.settings {
				own, isTable := with.Get(key).(map[string]any)
				switch inherited, _ := value.(map[string]any); {
				case with.Get(key) == nil:
					with[key] = value
				case key == "params" && isTable:
					merged := make(map[string]any)
					mergeConfig(merged, inherited)
					mergeConfig(merged, own)
					with[key] = merged
				}
			}
		}
	}
	for dir := h.dir; ; dir = strings.TrimPrefix(path.Dir(dir), ".") {
		for _, b := range f.branches[dir] {
			if b.language == h.language {
				give(b.cascades)
			}
		}
		if dir == "" {
			break
		}
	}
	give(f.config.cascades)
	return with
}
