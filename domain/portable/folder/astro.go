package folder

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"

	"inkfeed/domain/locale"
	"inkfeed/domain/portable"
	"inkfeed/domain/portable/folder/literals"
	"inkfeed/domain/portable/folder/notation"
	"inkfeed/domain/portable/folder/permalink"
	"inkfeed/domain/portable/frontmatter"
	"inkfeed/domain/portable/markup"
	"inkfeed/domain/portable/templates"
)

const kindAstro = "Astro"

// astroSite is what the programs of a site of Astro say about its collections.
type astroSite struct {
	collections []astroCollection   // the most specific folders first
	routes      map[string][]string // the folders of the addresses of collections, by their names
	unknown     []string            // those of pages of unknown collections
	mixed       []string            // those of pages of known collections that call other programs, too
	filters     map[string][]string // the conditions of the pages of collections, by their names
	helpers     map[string][]string // the conditions of other programs that read collections, by their names
	redirects   map[string][]string // addresses that lead to another, by the other
}

// astroCollection is a folder of texts.
type astroCollection struct {
	name, dir string
	defaults  frontmatter.Values        // of keys of front matter
	only      *regexp.Regexp            // the files within the folder; nil: all
	pattern   string                    // of these files
	without   map[string]*regexp.Regexp // the files that are left out, by their patterns
}

var (
	astroCollections = regexp.MustCompile(`(\w+)\s*=\s*defineCollection\(`)
	astroBase        = regexp.MustCompile(`\bbase:\s*["'` + "`" + `]\.?/?([^"'` + "`" + `\n]*)`)
	astroNames       = regexp.MustCompile(`["']?([\w-]+)["']?\s*:\s*(\w+)`)
	astroGet         = regexp.MustCompile(`\bgetCollection\(\s*["']([\w-]+)["']`)
	// astroCall matches the call of a program that may read a collection.
	astroCall = regexp.MustCompile(`\b(?:get|load|fetch|find|query)[A-Z]\w*\(`)
	astroOwn  = []string{"getCollection(", "getStaticPaths(", "getEntry(", "getEntries(", "getImage("}
	// astroRoute matches the file of a route with a parameter that names one page, not a list.
	astroRoute = regexp.MustCompile(`^(.*?)/?\[(?:\.\.\.)?(\w+)\](?:/index)?\.astro$`)
	astroLists = []string{"tag", "tags", "category", "page", "year", "month", "author", "lang", "locale", "series"}
)

func (f *folder) configureAstro() {
	a := &astroSite{routes: make(map[string][]string), redirects: make(map[string][]string),
		filters: make(map[string][]string), helpers: make(map[string][]string)}
	f.astro, f.config.values = a, make(frontmatter.Values)
	for _, ending := range []string{"mjs", "ts", "js", "cjs", "mts"} {
		base := "astro.config." + ending
		body, err := f.files.ReadText(path.Join(f.root, base), portable.MaxConfig)
		if err != nil {
			continue
		}
		m := frontmatter.Values(literals.JavaScript(string(body)))
		f.config.values, f.config.address = m, m.Text("site")
		if prefix := strings.Trim(m.Text("base"), "/"); prefix != "" {
			f.config.prefix = "/" + prefix
		}
		for from, to := range m.Table("redirects") {
			target := portable.Post{}
			if text, isText := to.(string); isText && !strings.ContainsAny(from, "[*") {
				if target.AddPath(text); len(target.Paths) > 0 {
					a.redirects[target.Paths[0]] = append(a.redirects[target.Paths[0]], from)
				}
			}
		}
		f.blog.AddProblem("", "%s is a program: only the plain values in it are read", base)
		break
	}
	for _, name := range []string{"src/content.config.ts", "src/content.config.js", "src/content.config.mjs",
		"src/content/config.ts", "src/content/config.js", "src/content/config.mjs"} {
		body, _ := f.files.ReadText(path.Join(f.root, name), portable.MaxConfig)
		f.readAstroCollections(string(body))
	}
	for _, name := range f.files.Paths {
		f.readAstroProgram(name)
	}
}

// readAstroProgram reads which collections a route shows, or another program reads, and under which conditions.
func (f *folder) readAstroProgram(name string) {
	a := f.astro
	rest, _ := f.inside(name)
	route, isPage := strings.CutPrefix(rest, "src/pages/")
	m, filters := astroRoute.FindStringSubmatch(route), a.filters
	switch {
	case !isPage && strings.HasPrefix(rest, "src/") && slices.Contains([]string{".ts", ".js", ".mjs"}, path.Ext(rest)):
		filters = a.helpers
	case !isPage || m == nil || strings.Contains(m[1], "[") || slices.Contains(astroLists, m[2]):
		return
	}
	body, _ := f.files.ReadText(name, portable.MaxConfig)
	source := string(body)
	found := astroGet.FindAllStringSubmatchIndex(source, maxRules)
	for _, get := range found {
		collection := source[get[2]:get[3]]
		if terms := filters[collection]; len(filters) < maxRules && len(terms) < maxRules {
			filters[collection] = append(terms, literals.Conditions(source[get[1]:])...)
		}
		if known := a.routes[collection]; isPage && len(a.routes) < maxRules && len(known) < maxAstroRoutes {
			a.routes[collection] = appendNew(known, m[1])
		}
	}
	calls := slices.ContainsFunc(astroCall.FindAllString(source, maxRules), func(call string) bool {
		return !slices.Contains(astroOwn, call)
	})
	switch {
	case isPage && found == nil && len(a.unknown) < maxAstroRoutes:
		a.unknown = append(a.unknown, m[1])
	case isPage && calls && len(a.mixed) < maxAstroRoutes:
		a.mixed = append(a.mixed, m[1])
	}
}

// readAstroCollections reads the names and folders of collections.
func (f *folder) readAstroCollections(source string) {
	defaults := astroDefault.FindAllStringSubmatchIndex(source, maxRules)
	found := astroCollections.FindAllStringSubmatchIndex(source, maxCollections)
	names := make(map[string]string) // of collections, by variables
	if _, list, ok := strings.Cut(source, "export const collections"); ok {
		for _, m := range astroNames.FindAllStringSubmatch(list, maxRules) {
			names[m[2]] = m[1]
		}
	}
	for i, m := range found {
		end := len(source)
		if i+1 < len(found) {
			end = found[i+1][0]
		}
		variable := source[m[2]:m[3]]
		c := astroCollection{name: cmp.Or(names[variable], variable)}
		c.dir = "src/content/" + c.name
		if base := astroBase.FindStringSubmatch(source[m[1]:end]); base != nil {
			c.dir = siteFolder(base[1])
		}
		c.restrict(source, found[0][0], m[1], end, defaults)
		f.astro.collections = append(f.astro.collections, c)
	}
	slices.SortStableFunc(f.astro.collections, func(a, b astroCollection) int { return len(b.dir) - len(a.dir) })
}

// astroFile returns the collection of a file and its path within, or the collection "" and its path within src/pages.
func (f *folder) astroFile(rest string) (collection, name string, ok bool) {
	if name, ok = strings.CutPrefix(rest, "src/pages/"); ok {
		return "", name, true
	}
	for _, c := range f.astro.collections {
		if name, ok = strings.CutPrefix(rest, c.dir+"/"); ok {
			return c.name, name, true
		}
	}
	if name, ok = strings.CutPrefix(rest, "src/content/"); ok {
		collection, name, ok = strings.Cut(name, "/")
	}
	return collection, name, ok
}

// astroPost is a document of a site of Astro.
type astroPost struct {
	*document
	collection, name string
}

func (d astroPost) frontMatter() bool {
	if strings.HasPrefix(d.name, "_") || strings.Contains(d.name, "/_") {
		d.skip(d.rest, locale.M("files whose names begin with _, which Astro leaves out"))
		return false
	}
	if d.collection == "" && nameOf(d.name) == "404" {
		return false
	}
	for _, c := range d.astro.collections {
		if c.name == d.collection {
			d.matter = c.completed(d.matter)
		}
	}
	return true
}

func (d astroPost) isPage() bool {
	return d.post.Publish.IsZero() && !slices.Contains(blogCollections, strings.ToLower(d.collection)) &&
		d.collection != "posts" && d.collection != "post"
}

func (d astroPost) translate(t *markup.Translator) bool {
	p, prefix := &d.post, d.config.prefix
	id := strings.TrimSuffix(d.name, path.Ext(d.name))
	p.Slug = nameOf(d.name)
	if d.collection == "" {
		p.AddPath(prefix + "/" + id)
	} else {
		segments := strings.Split(id, "/")
		for i, segment := range segments {
			segments[i] = permalink.AstroSlug(segment)
		}
		id = strings.TrimSuffix(strings.Join(segments, "/"), "/index")
		if slug := d.matter.Text("slug"); slug != "" {
			id, p.Slug = slug, path.Base(slug)
		}
		routes, filters := d.astro.routes[d.collection], d.astro.filters[d.collection]
		if read, ok := d.astro.helpers[d.collection]; ok && routes == nil {
			routes, filters = d.astro.mixed, read
		}
		d.holdHidden(t, filters)
		if routes == nil && len(d.astro.routes) > 0 && d.astro.unknown == nil && p.Status != portable.Draft {
			p.Hold()
			d.blog.AddProblem(d.rest, "imported as a draft: no page of the site shows the collection %s", d.collection)
		}
		if routes == nil {
			routes = append(d.astro.unknown[:len(d.astro.unknown):len(d.astro.unknown)], d.collection)
		}
		for _, route := range routes {
			p.AddPath(prefix + path.Join("/", route, id))
		}
	}
	for _, alias := range d.matter.List("", "aliases", "redirect_from") {
		p.AddOther(prefix, alias)
	}
	for _, address := range p.Paths {
		for _, from := range d.astro.redirects[address] {
			p.AddPath(prefix + from)
		}
	}
	if strings.HasSuffix(d.rest, ".mdx") {
		d.content = templates.TranslateMDX(t, d.content, d.imported)
	}
	return true
}

// Limits of what is read from programs.
const (
	maxAstroRoutes = 5 // of a collection
	maxCollections = 100
)

// imported returns the address of a picture that a text imports, or empty. A name such as @/a.png is that of a file
// within src.
func (d *document) imported(name string) string {
	name, _, _ = strings.Cut(name, "?")
	for _, alias := range []string{"@/", "~/", "src/", "/src/"} {
		if within, ok := strings.CutPrefix(name, alias); ok {
			return notation.FileAddress(path.Join(d.root, "src", within))
		}
	}
	if strings.HasPrefix(name, "@") {
		name = "/" + strings.TrimPrefix(name, "@")
	}
	return name
}
