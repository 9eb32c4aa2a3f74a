package folder

import (
	"cmp"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"inkfeed/domain/locale"
	"inkfeed/domain/portable"
	"inkfeed/domain/portable/frontmatter"
	"inkfeed/domain/portable/markup"
	"inkfeed/domain/portable/templates"
)

const kindZola = "Zola"

// zolaSite is the part of a Zola site's configuration that determines the addresses of its pages.
type zolaSite struct {
	slugify   string // of paths: "on", "safe" or "off"
	slugTerms string // of taxonomies and their terms: the same
	keepDates bool   // dates of file names stay in paths
	language  string // the default
	languages []string
	// taxonomies are the names of the lists for which the site had pages, such as "tags".
	taxonomies []string
	// hidden are the folders of draft sections, in any language: all pages in them become drafts. The value
	// is false if the front matter of the section is not understood.
	hidden map[string]bool
}

// findZola recognises a site of Zola. Its configuration must have base_url, which other generators spell differently. A
// site without a configuration is recognised by its sections.
func (f *folder) findZola() {
	if f.kind == kindJekyll {
		return
	}
	best := ""
	for _, base := range []string{"config.toml", "zola.toml"} {
		for _, name := range f.files.ByName[base] {
			if f.files.RootOf[name] == 0 && path.Base(name) == base && strings.Count(name, "/") <= 3 &&
				f.isZolaConfig(name) &&
				(best == "" || strings.Count(name, "/") < strings.Count(best, "/")) {
				best = name
			}
		}
	}
	switch {
	case best != "":
		root := strings.TrimPrefix(path.Dir(best), ".")
		if f.kind == kindHugo && f.root != root && f.hasConfigOfHugo() {
			return
		}
		f.kind, f.root = kindZola, root
	case f.kind == kindHugo && !f.hasConfigOfHugo() && f.hasZolaSections():
		f.kind = kindZola
	default:
		return
	}
	f.zola = &zolaSite{hidden: make(map[string]bool)}
}

var zolaAddress = regexp.MustCompile(`(?m)^\s*base_url\s*=`)

func (f *folder) isZolaConfig(name string) bool {
	body, err := f.files.ReadText(name, portable.MaxConfig)
	if err != nil {
		return false
	}
	m, err := frontmatter.DecodeTOML(string(body))
	if err != nil {
		return zolaAddress.Match(body)
	}
	_, ok := m["base_url"]
	return ok
}

// hasConfigOfHugo reports whether the configuration in the site's folder is Hugo's.
func (f *folder) hasConfigOfHugo() bool {
	for _, name := range configNames[kindHugo] {
		if name = path.Join(f.root, name); f.files.Has(name) && !f.isZolaConfig(name) {
			return true
		}
	}
	return slices.ContainsFunc(configFolders, func(folder string) bool {
		return f.files.Within(path.Join(f.root, folder) + "/")
	})
}

// zolaSectionKeys are keys of a section's front matter that Hugo lacks.
var zolaSectionKeys = []string{"sort_by", "paginate_by", "paginate_path", "page_template", "insert_anchor_links",
	"transparent", "generate_feed", "generate_feeds"}

func (f *folder) hasZolaSections() bool {
	for _, name := range f.files.ByName["_index.md"] {
		body, err := f.files.ReadText(name, portable.MaxText)
		if err != nil {
			continue
		}
		m, _, _ := frontmatter.Split(string(body))
		for _, key := range zolaSectionKeys {
			if _, ok := m[key]; ok {
				return true
			}
		}
	}
	return false
}

// configureZola reads the configuration and the sections.
func (f *folder) configureZola() {
	z, m := f.zola, frontmatter.Values{}
	for _, base := range []string{"zola.toml", "config.toml"} {
		if name := path.Join(f.root, base); f.files.Has(name) {
			m = f.load(name)
			break
		}
	}
	f.config.title = m.Text("title")
	f.config.address = m.Text("base_url")
	f.config.emoji = m.Table("markdown").Bool("render_emoji")
	f.config.future = true // Zola publishes pages with a date in the future
	f.files.Language = cmp.Or(m.Text("default_language"), f.files.Language)
	z.language = cmp.Or(m.Text("default_language"), "en")
	if languages, ok := m["languages"].(map[string]any); ok {
		for name := range languages {
			z.languages = append(z.languages, name)
			if name != z.language {
				f.blog.Languages = append(f.blog.Languages, name)
			}
		}
	}
	z.slugify = "on"
	if slugify, ok := m["slugify"].(map[string]any); ok {
		z.slugify = cmp.Or(strings.ToLower(frontmatter.Values(slugify).Text("paths")), "on")
		z.slugTerms = strings.ToLower(frontmatter.Values(slugify).Text("taxonomies"))
		z.keepDates = frontmatter.Values(slugify).Bool("paths_keep_dates")
	}
	if yes, ok := frontmatter.ParseBool(m["slugify_paths"]); ok && !yes { // as before version 0.11
		z.slugify = "safe"
	}
	switch taxonomies := m["taxonomies"].(type) {
	case []map[string]any:
		for _, each := range taxonomies {
			z.taxonomies = append(z.taxonomies, frontmatter.Values(each).Text("name"))
		}
	case []any:
		z.taxonomies = m.List("", "taxonomies")
	}
	slices.Sort(z.languages)
	z.languages, z.taxonomies = atMost(f, "languages", z.languages), atMost(f, "taxonomies", z.taxonomies)
	for _, name := range f.files.Paths {
		rest, inside := f.inside(name)
		stem, _, _ := strings.Cut(path.Base(rest), ".")
		if !inside || stem != "_index" || !isZolaPost(rest) {
			continue
		}
		if m, err := f.settings(name, rest); err != nil || m.Visibility().Audience == frontmatter.Private {
			z.hidden[path.Dir(rest)] = err == nil
		}
	}
}

// zolaFrontMatter adds the keys of other generators to front matter of Zola.
func zolaFrontMatter(rest string, m frontmatter.Values) frontmatter.Values {
	common := maps.Clone(m)
	if common == nil {
		common = make(frontmatter.Values)
	}
	if found := zolaDated.FindStringSubmatch(nameOf(rest)); found != nil && common["date"] == nil &&
		strings.Contains(found[1], "T") {
		common["date"] = found[1]
	}
	taxonomies, _ := m["taxonomies"].(map[string]any)
	// The usual ones come first, for a post has a limited number of tags.
	tags := []any{m["tags"], m["categories"], taxonomies["tags"], taxonomies["categories"]}
	for _, name := range slices.Sorted(maps.Keys(taxonomies)) {
		if name != "tags" && name != "categories" && name != "authors" {
			tags = append(tags, taxonomies[name])
		}
	}
	common["tags"] = tags
	delete(common, "categories")
	if extra, ok := m["extra"].(map[string]any); ok {
		for _, key := range []string{"cover", "cover_image", "image", "featured_image", "hero", "thumbnail"} {
			if src := frontmatter.Values(extra).Text(key); portable.IsImage(src) {
				common["cover"] = src
				break
			}
		}
	}
	return common
}

// isZolaPost reports whether a file of the site is a page.
func isZolaPost(rest string) bool {
	return strings.HasPrefix(rest, "content/") && portable.IsText(rest)
}

// zolaPost is a document of a site of Zola.
type zolaPost struct{ *document }

func (d zolaPost) frontMatter() bool {
	d.matter = zolaFrontMatter(d.rest, d.matter)
	return true
}

// translate leaves out a section, whose page is a list.
func (d zolaPost) translate(t *markup.Translator) bool {
	p := &d.post
	if stem, _, _ := strings.Cut(path.Base(d.rest), "."); stem == "_index" {
		if strings.TrimSpace(d.content) != "" {
			d.skip(d.rest, locale.M("pages of sections, which are lists"))
		}
		return false
	}
	d.zolaPaths(p, d.rest, d.matter)
	d.zolaTerms(d.matter)
	if yes, _ := frontmatter.ParseBool(d.matter["render"]); d.matter["render"] != nil && !yes {
		p.Status = portable.Draft
		d.blog.AddProblem(d.rest, "imported as a draft: Zola made no page of it (render = false)")
	}
	for dir := path.Dir(d.rest); dir != "."; dir = path.Dir(dir) {
		if plainly, hidden := d.zola.hidden[dir]; plainly {
			p.Status = portable.Draft
		} else if hidden {
			p.Hold()
		}
	}
	d.content = templates.Attributes(templates.TranslateZola(t, fencesWithoutOptions(d.content)), false)
	if strings.Contains(d.content, "@/") {
		d.content = markup.Rewrite(d.content, func(l markup.Link) (string, bool) {
			if !strings.HasPrefix(l.Destination, "@/") {
				return "", false
			}
			to := d.zolaLink(l.Destination)
			return to, to != l.Destination
		})
	}
	return true
}

// zolaTerms records the addresses of the lists of a page's terms.
func (f *folder) zolaTerms(m frontmatter.Values) {
	z, taxonomies := f.zola, m.Table("taxonomies")
	for _, taxonomy := range z.taxonomies {
		for _, term := range taxonomies.List("", taxonomy) {
			f.blog.NoteTerm("/"+zolaSlug(taxonomy, z.slugTerms)+"/", zolaSlug(term, z.slugTerms), term)
		}
	}
}

// fencesWithoutOptions reduces the text behind a fence to the language: "rust,linenos,hl_lines=2" to "rust".
func fencesWithoutOptions(source string) string {
	if !strings.Contains(source, "```") && !strings.Contains(source, "~~~") {
		return source
	}
	lines := strings.Split(source, "\n")
	open := "" // the fence of the surrounding code block, or empty
	for i, line := range lines {
		m := fenceLine.FindStringSubmatch(line)
		switch {
		case m == nil:
		case open != "":
			if strings.HasPrefix(m[2], open) && m[3] == "" {
				open = ""
			}
		case m[2][0] == '`' && strings.Contains(m[3], "`"): // code within a line
		default:
			open = m[2]
			language, _, _ := strings.Cut(m[3], ",")
			if language = strings.TrimSpace(language); strings.Contains(language, "=") ||
				slices.Contains(fenceOptions, language) {
				language = ""
			}
			lines[i] = m[1] + m[2] + language
		}
	}
	return strings.Join(lines, "\n")
}

var (
	fenceLine    = regexp.MustCompile("^([ \t>]*(?:(?:[-*+]|\\d{1,9}[.)])[ \t]+)*)(`{3,}|~{3,})[ \t]*(.*?)[ \t]*$")
	fenceOptions = []string{"linenos", "copy", "nocopy"}
)
