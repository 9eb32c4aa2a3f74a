package folder

import (
	"cmp"
	"maps"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"inkfeed/domain/plaintext"
	"inkfeed/domain/portable"
	"inkfeed/domain/portable/frontmatter"
)

func (f *folder) configureHugo(m frontmatter.Values) {
	c := &f.config
	c.ugly = m.Bool("uglyurls") || m.Table("uglyurls") != nil
	attributes := m.Table("markup").Table("goldmark").Table("parser").Table("attribute")
	byDefault, said := frontmatter.ParseBool(attributes["title"])
	c.emoji, c.plainHeadings, c.blockAttributes = m.Bool("enableemoji"), said && !byDefault, attributes.Bool("block")
	c.keepCase, c.withoutMarks = m.Bool("disablepathtolower"), m.Bool("removepathaccents")
	for _, pattern := range atMost(f, "files to ignore", m.List("", "ignorefiles")) {
		re, err := regexp.Compile(pattern)
		if err != nil || len(pattern) > portable.MaxGlob {
			f.blog.AddProblem("", "the pattern %q of files to ignore is not understood",
				plaintext.Truncate(pattern, 60))
			continue
		}
		c.ignored = append(c.ignored, re)
	}
	dates := m.Table("frontmatter").List(" ", "date")
	if i := slices.Index(dates, ":filename"); i >= 0 {
		c.fileDates, c.fileDateWins = true, i == 0
	}
	f.configureLanguages(m)
	c.cascades = append(c.cascades, f.cascadesIn(m["cascade"])...) // those of a language win
	f.configurePermalinks(m["permalinks"], pageTarget{})
	c.taxonomies = map[string]string{"tag": "tags", "category": "categories"}
	if taxonomies, ok := m["taxonomies"].(map[string]any); ok {
		c.taxonomies = make(map[string]string, len(taxonomies))
		for singular, plural := range taxonomies {
			c.taxonomies[singular] = frontmatter.TextOf(plural)
		}
	}
	c.pagination = cmp.Or(m.Table("pagination").Text("path"), m.Text("paginatepath"), "page")
	c.feeds = []string{"/" + cmp.Or(m.Table("outputformats").Table("rss").Text("basename"), "index") + ".xml"}
}

func (f *folder) configureLanguages(m frontmatter.Values) {
	c := &f.config
	c.language = strings.ToLower(cmp.Or(m.Text("defaultcontentlanguage"), "en"))
	c.languageSubdir = m.Bool("defaultcontentlanguageinsubdir")
	disabled := m.List(" ", "disablelanguages")
	languages := m.Table("languages")
	shared := len(languages) == 0 // whether a language has its pages in the site's content folder
	for _, name := range slices.Sorted(maps.Keys(languages)) {
		settings := languages.Table(name)
		l := language{name: name, address: settings.Text("baseurl")}
		off, understood := frontmatter.ParseBool(settings.Get("disabled"))
		l.disabled = off || !understood && settings.Get("disabled") != nil ||
			slices.ContainsFunc(disabled, func(s string) bool { return strings.EqualFold(s, name) })
		if l.address == "" && (name != c.language || c.languageSubdir) {
			l.prefix = "/" + name
		}
		c.languages = append(c.languages, l)
		dir := settings.Text("contentdir")
		if shared = shared || dir == ""; dir != "" {
			c.contents = append(c.contents, contentFolder{dir: siteFolder(dir), language: name})
		}
		if name == c.language && c.title == "" {
			c.title = settings.Text("title")
		}
		own := pageTarget{language: regexp.MustCompile("^" + regexp.QuoteMeta(name) + "$")}
		for _, inherited := range f.cascadesIn(settings["cascade"]) {
			inherited.target.language = own.language
			c.cascades = append(c.cascades, inherited)
		}
		f.configurePermalinks(settings["permalinks"], own)
	}
	c.languages = atMost(f, "languages", c.languages)
	f.blog.LinksByFile = len(c.languages) > 1 // Hugo's own render hook for links
	content := cmp.Or(siteFolder(m.Text("contentdir")), "content")
	mounts, _ := m.Table("module")["mounts"].([]any)
	switch mounted := f.mountedContents(atMost(f, "mounts", mounts)); {
	case len(mounted) > 0:
		c.contents, c.unusedContent = mounted, content
	case shared:
		c.contents = append(c.contents, contentFolder{dir: content})
	default:
		c.unusedContent = content
	}
	c.contents = c.contents[:min(len(c.contents), maxRules)]
	// The folder of one language may contain that of another, so the longest name comes first.
	slices.SortStableFunc(c.contents, func(a, b contentFolder) int { return len(b.dir) - len(a.dir) })
}

// mountedContents returns the folders that Hugo's configuration mounts as content. They replace all others.
func (f *folder) mountedContents(mounts []any) (contents []contentFolder) {
	for _, mount := range mounts {
		m := frontmatter.Values(frontmatter.AsMap(mount))
		target, isContent := strings.CutPrefix(siteFolder(m.Text("target"))+"/", "content/")
		if source := siteFolder(m.Text("source")); source != "" && isContent {
			contents = append(contents, contentFolder{dir: source, language: strings.ToLower(m.Text("lang")),
				at: target})
			if m.Get("files", "includefiles", "excludefiles") != nil {
				f.config.unread = true
				f.blog.AddProblem("", "all posts are imported as drafts: the configuration publishes only some files "+
					"of the folder %q", source)
			}
		}
	}
	return contents
}

// configurePermalinks reads Hugo's permalinks: patterns by section, tables of such patterns by kind of page, or a list
// of rules with targets. They apply to the pages of a language if one is given. Rules that are read first win.
func (f *folder) configurePermalinks(v any, of pageTarget) {
	c := &f.config
	type sectioned struct{ kind, section, pattern string }
	var all []sectioned
	switch v := v.(type) {
	case []any:
		for _, each := range atMost(f, "permalinks", v) {
			table, _ := each.(map[string]any)
			if pattern := frontmatter.Values(table).Text("pattern"); pattern != "" {
				target := f.target(frontmatter.Values(table).Table("target"))
				target.language = cmp.Or(of.language, target.language)
				c.permalinks = append(c.permalinks, permalinkRule{target, pattern})
			}
		}
	case map[string]any:
		for key, value := range v {
			switch value := value.(type) {
			case string:
				all = append(all, sectioned{"{page,term}", key, value})
			case map[string]any:
				for section, pattern := range value {
					all = append(all, sectioned{key, section, frontmatter.TextOf(pattern)})
				}
			}
		}
	}
	all = atMost(f, "permalinks", all)
	slices.SortFunc(all, func(a, b sectioned) int { // the rule for the deepest section comes first
		return cmp.Or(len(b.section)-len(a.section), strings.Compare(a.section, b.section),
			strings.Compare(a.kind, b.kind))
	})
	for _, rule := range all {
		section := strings.Trim(rule.section, "/ ")
		pages := "/{" + section + "," + section + "/**}"
		if section == "" {
			pages = "/*"
		}
		target := f.target(frontmatter.Values{"kind": rule.kind, "path": pages})
		target.language = of.language
		c.permalinks = append(c.permalinks, permalinkRule{target, rule.pattern})
	}
}

// permalinkFor returns the pattern of a page's address. The kind is "page", "section", "taxonomy" or "term". The name
// is the path within the content, such as "/posts/first" or "/tags/go".
func (c *siteConfig) permalinkFor(kind, name, language string) (pattern string, ok bool) {
	for _, rule := range c.permalinks {
		if rule.target.matches(kind, name, language) {
			return rule.pattern, true
		}
	}
	return "", false
}

// hugoPrefix returns the prefix of the paths of a language.
func (f *folder) hugoPrefix(name string) (whole, base string) {
	base = f.blog.Sites.Prefix
	for _, l := range f.config.languages {
		if l.name != name {
			continue
		}
		if u, err := url.Parse(l.address); err == nil && l.address != "" {
			base = strings.TrimSuffix(u.Path, "/")
		}
		return base + l.prefix, base
	}
	return base, base
}

// hugoFile is a file that Hugo reads as a page.
type hugoFile struct {
	dir      string // of the page, within the content
	stem     string // its name without language and extension; for a bundle, the folder's name
	language string
	bundle   string // the folder of a page bundle, within the content, or empty
	branch   bool   // whether it is the page of a list
}

// path returns the page's logical path.
func (h hugoFile) path() string { return "/" + path.Join(h.dir, h.stem) }

// hugoFile returns the page of Hugo that a file holds.
func (f *folder) hugoFile(rest string) (h hugoFile, ok bool) {
	for _, content := range f.config.contents {
		if name, inside := strings.CutPrefix(rest, content.dir+"/"); inside {
			rest, h.language, ok = content.at+name, content.language, true
			break
		}
	}
	if !ok {
		return h, false
	}
	dir, base := path.Split(rest)
	h.dir = strings.TrimSuffix(dir, "/")
	h.stem = strings.TrimSuffix(base, path.Ext(base))
	if ext := strings.ToLower(strings.TrimPrefix(path.Ext(h.stem), ".")); ext != "" && f.isLanguage(ext) {
		h.language, h.stem = ext, strings.TrimSuffix(h.stem, path.Ext(h.stem))
	}
	h.language = cmp.Or(h.language, f.config.language)
	switch {
	case h.stem == "_index":
		h.branch = true
		h.stem = ""
	case h.stem == "index" && h.dir != "":
		h.bundle = h.dir
		dir, h.stem = path.Split(h.dir)
		h.dir = strings.TrimSuffix(dir, "/")
	}
	return h, true
}

func (f *folder) isLanguage(name string) bool {
	if len(f.config.languages) == 0 {
		return name == f.config.language
	}
	return slices.ContainsFunc(f.config.languages, func(l language) bool { return l.name == name })
}

func (f *folder) languageDisabled(name string) bool {
	return slices.ContainsFunc(f.config.languages, func(l language) bool { return l.name == name && l.disabled })
}

// survey finds Hugo's list pages with the settings that they pass on, the page bundles, and whether there are sections.
func (f *folder) survey() {
	f.branches, f.bundles = make(map[string][]branch), make(map[string]bool)
	for _, name := range f.files.Paths {
		rest, inside := f.inside(name)
		if !inside || !portable.IsText(name) && !isHTML(name) {
			continue
		}
		h, ok := f.hugoFile(rest)
		f.sectioned = f.sectioned || ok && !h.branch && h.dir != ""
		switch {
		case !ok:
		case h.bundle != "":
			f.bundles[h.bundle] = true
		case h.branch:
			b := branch{language: h.language}
			m, err := f.settings(name, rest)
			if err != nil { // it may say that the pages below are private
				m = frontmatter.Values{"cascade": map[string]any{hiddenBySite: true}}
			}
			b.title, b.cascades = m.Text("slug", "title"), f.cascadesIn(m.Get("cascade"))
			f.branches[h.dir] = append(f.branches[h.dir], b)
		}
	}
}

// settings returns the front matter of a list page, and reports an error.
func (f *folder) settings(name, rest string) (m frontmatter.Values, err error) {
	body, err := f.files.ReadText(name, portable.MaxText)
	if err == nil {
		m, _, err = frontmatter.Split(string(body))
	}
	if err != nil {
		f.blog.AddProblem(rest, "posts below are imported as drafts: %v", err)
	}
	return m, err
}

// withinBundle reports whether a file is in a page bundle without being its page. Hugo makes no page of such a file.
func (f *folder) withinBundle(h hugoFile) bool {
	for dir := h.dir; dir != ""; dir = strings.TrimPrefix(path.Dir(dir), ".") {
		if f.bundles[dir] {
			return true
		}
	}
	return false
}
