package folder

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"

	"inkfeed/domain/plaintext"
	"inkfeed/domain/portable"
	"inkfeed/domain/portable/frontmatter"
)

// collection is one of Jekyll's collections.
type collection struct {
	permalink string // its pattern, or empty
	output    bool   // its documents are pages of the site
}

// frontMatterDefault is a set of front matter that Jekyll's configuration gives to the pages in a scope.
type frontMatterDefault struct {
	path     string         // the beginning of the pages' paths
	glob     *regexp.Regexp // instead of path, if that is a pattern
	kind     string         // "posts", "drafts", "pages", a collection, or empty: all
	anyKind  bool
	settings map[string]any
}

func (f *folder) configureJekyll(m frontmatter.Values) {
	c := &f.config
	c.permalink = m.Text("permalink")
	if prefix := strings.Trim(m.Text("baseurl"), "/"); prefix != "" {
		c.prefix = "/" + prefix
	}
	c.source = f.jekyllSource(siteFolder(m.Text("source")))
	c.collectionsDir = siteFolder(m.Text("collections_dir"))
	c.excluded, c.included = f.excludedPaths(m.List("", "exclude")),
		atMost(f, "paths to include", m.List("", "include"))
	c.collections = make(map[string]collection)
	if labels, ok := m["collections"].([]any); ok {
		for _, label := range labels {
			c.collections[frontmatter.TextOf(label)] = collection{}
		}
	}
	collections := m.Table("collections")
	for label := range collections {
		settings := collections.Table(label)
		c.collections[label] = collection{permalink: settings.Text("permalink"), output: settings.Bool("output")}
	}
	if posts, ok := c.collections["posts"]; ok && posts.permalink != "" {
		c.permalink = posts.permalink
	}
	delete(c.collections, "posts")
	delete(c.collections, "drafts")
	c.emoji = slices.Contains(m.List("", "plugins", "gems"), "jemoji")
	c.pagination = m.Text("paginate_path")
	if c.pagination == "" {
		c.pagination = "/page:num/"
	}
	c.feeds = []string{"/" + strings.TrimPrefix(m.Table("feed").Text("path"), "/")}
	if c.feeds[0] == "/" {
		c.feeds[0] = "/feed.xml"
	}
	c.archives = make(map[string]string)
	for kind, pattern := range m.Table("jekyll-archives").Table("permalinks") {
		c.archives[kind] = frontmatter.TextOf(pattern)
	}
	f.configureDefaults(m)
}

// siteFolder returns a folder within a site without slashes at its ends, or empty for the site itself.
func siteFolder(name string) string {
	return strings.TrimPrefix(path.Clean("/"+name), "/")
}

// jekyllSource returns the folder that Jekyll reads. If the export lacks the folder that the configuration names,
// because a build of the site makes it, the source is the folder nearest to the site's that has posts.
func (f *folder) jekyllSource(named string) string {
	if named == "" || f.files.Within(path.Join(f.root, named)+"/") {
		return named
	}
	found, ok := "", false
	for _, file := range f.files.Paths {
		rest, inside := f.inside(file)
		folder, _, hasPosts := strings.Cut("/"+rest, "/_posts/")
		if inside && hasPosts && (!ok || strings.Count(folder, "/") < strings.Count(found, "/")) {
			found, ok = folder, true
		}
	}
	if !ok {
		f.blog.AddProblem("", "the folder %q, which the configuration names as the source, is not in the export",
			named)
		return named
	}
	found = strings.TrimPrefix(found, "/")
	f.blog.AddProblem("", "the folder %q, which the configuration names as the source, is not in the export: the "+
		"posts of the folder %q are read instead", named, cmp.Or(found, "."))
	return found
}

func (f *folder) configureDefaults(m frontmatter.Values) {
	sets, _ := m["defaults"].([]any)
	for _, set := range atMost(f, "defaults", sets) {
		table, _ := set.(map[string]any)
		values := frontmatter.Values(table).Table("values")
		if values == nil {
			continue
		}
		scope := frontmatter.Values(table).Table("scope")
		d := frontMatterDefault{settings: values, kind: scope.Text("type")}
		switch _, typed := scope["type"]; {
		case !typed:
			d.anyKind = true
		case d.kind == "post", d.kind == "page", d.kind == "draft": // names that older versions of Jekyll used
			d.kind += "s"
		}
		d.path = strings.TrimPrefix(scope.Text("path"), "/")
		if dir := f.config.collectionsDir; dir != "" {
			d.path = strings.TrimPrefix(d.path, dir+"/")
		}
		if strings.ContainsAny(d.path, "*?[{") {
			var err error
			if d.glob, err = portable.CompileGlob(d.path, "(?:/.*)?$"); err != nil {
				f.blog.AddProblem("", "the scope %q of the configuration's defaults is not understood: %v", d.path, err)
				continue
			}
		}
		f.config.defaults = append(f.config.defaults, d)
	}
}

func (d frontMatterDefault) appliesTo(name, kind string) bool {
	if !d.anyKind && d.kind != kind {
		return false
	}
	if d.glob != nil {
		return d.glob.MatchString(name)
	}
	return strings.HasPrefix(name, d.path)
}

// jekyllDefaults returns the settings that Jekyll's configuration gives to a file. Of two sets, the one with the longer
// path wins, then the one with a type, then the later one.
func (f *folder) jekyllDefaults(file jekyllFile) frontmatter.Values {
	settings := make(map[string]any)
	var last *frontMatterDefault
	for i := range f.config.defaults {
		d := &f.config.defaults[i]
		if !d.appliesTo(file.name, file.collection) {
			continue
		}
		wins := last == nil || len(d.path) > len(last.path) ||
			len(d.path) == len(last.path) && (!d.anyKind || last.anyKind)
		if wins {
			mergeConfig(settings, d.settings)
			last = d
			continue
		}
		below := make(map[string]any)
		mergeConfig(below, d.settings)
		mergeConfig(below, settings)
		settings = below
	}
	return settings
}

// jekyllFile is a file that Jekyll reads.
type jekyllFile struct {
	name       string // its path within the source, without the folder of the collections
	collection string // "posts", "drafts", "pages" or the label of a collection
}

// jekyllFile returns the collection in which Jekyll reads a file, or false if Jekyll does not read it.
func (f *folder) jekyllFile(rest string) (file jekyllFile, ok bool) {
	c := &f.config
	name := rest
	if c.source != "" {
		if name, ok = strings.CutPrefix(rest, c.source+"/"); !ok {
			return file, false
		}
	}
	if matchesAny(c.excluded, name) {
		return file, false
	}
	inCollections := true
	if c.collectionsDir != "" {
		name, inCollections = strings.CutPrefix(name, c.collectionsDir+"/")
	}
	parts := strings.Split(path.Dir(name), "/")
	for _, part := range parts {
		if part == "_posts" || part == "_drafts" {
			return jekyllFile{name, part[1:]}, true
		}
	}
	if label, special := strings.CutPrefix(parts[0], "_"); special && inCollections {
		if _, known := c.collections[label]; known {
			return jekyllFile{name, label}, true
		}
	}
	for i, part := range append(parts, path.Base(name)) {
		if part != "." && strings.ContainsRune("_.#~", rune(part[0])) && !slices.Contains(c.included, part) &&
			!slices.Contains(c.included, path.Join(parts[:min(i+1, len(parts))]...)) {
			return file, false
		}
	}
	return jekyllFile{name, "pages"}, true
}

// excludedPaths returns the patterns of the paths that the configuration excludes.
func (f *folder) excludedPaths(patterns []string) (excluded []*regexp.Regexp) {
	for _, pattern := range atMost(f, "paths to exclude", patterns) {
		if pattern = strings.Trim(pattern, "/"); pattern == "" {
			continue
		}
		re, err := portable.CompileGlob(pattern, "(?:/.*)?$")
		if err != nil {
			f.blog.AddProblem("", "the path %q to exclude is not understood: %v", plaintext.Truncate(pattern, 60), err)
			continue
		}
		excluded = append(excluded, re)
	}
	return excluded
}
