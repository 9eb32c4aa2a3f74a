package portable

import (
	"cmp"
	"maps"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/runes"
	"golang.org/x/text/unicode/norm"

	"inkfeed/domain"
)

// Listing is an address of the old blog at which there was a list of posts or a feed. Further pages of a list, and
// feeds in files such as index.xml, need no listing of their own: see domain.OldList.
type Listing struct {
	Path    string // see domain.OldPath; "/" is the home page
	Tag     string // the tag of the posts, or empty
	Archive bool   // whether the list has all posts, by date
	Year    int    // or the posts of a year
	Feed    string // the format of a feed, such as ".rss", or empty
}

// listLayout describes where the blogs of a format have their lists.
type listLayout struct {
	// taxonomies are the beginnings of the addresses of tags and categories.
	taxonomies []string
	// feeds maps the ends of the addresses of the home page's feeds to their formats. File names and the feeds of tags
	// can be left out: see domain.OldList and domain.ParentOf.
	feeds map[string]string
	// dates reports whether there is a list for each year, month and day.
	dates bool
	// archive is the end of the address of the archive if there is a list for each year below it.
	archive string
}

// listLayouts maps the names of formats to their layouts. All other formats have the layout "".
var listLayouts = map[string]listLayout{
	"":     {taxonomies: []string{"/tags/", "/tag/", "/categories/", "/category/"}},
	"Hugo": {taxonomies: []string{"/tags/", "/categories/"}},
	"Zola": {taxonomies: []string{"/tags/", "/categories/"}},
	"WordPress": {taxonomies: []string{"/tag/", "/category/"}, dates: true,
		feeds: map[string]string{"/feed/rss2": ".rss", "/feed/rdf": ".rss"}},
	"Ghost":       {taxonomies: []string{"/tag/"}},
	"WriteFreely": {taxonomies: []string{"/tag:"}},
	"Blogger": {taxonomies: []string{"/search/label/"},
		feeds: map[string]string{"/feeds/posts/default": ".atom", "/feeds/posts/summary": ".atom"}},
	"Tumblr":   {taxonomies: []string{"/tagged/"}, archive: "/archive"},
	"Medium":   {taxonomies: []string{"/tagged/"}, archive: "/archive"},
	"Hexo":     {taxonomies: []string{"/tags/", "/categories/"}, archive: "/archives"},
	"Substack": {},
}

// homeFeeds are the ends of the addresses of feeds in most formats.
var homeFeeds = map[string]string{
	"/feed": ".rss", "/feed/rss": ".rss", "/rss": ".rss", "/feed/atom": ".atom", "/atom": ".atom",
}

// Limits of a blog's listings, whose addresses are stored in one record.
const (
	maxListings     = 20_000
	maxListingBytes = 768 << 10
	maxTried        = 500_000 // addresses; most of them are those of terms in each language
	maxHomes        = 100
	MaxParents      = 8 // of the address of a post
)

// listings collects the listings of a blog.
type listings struct {
	blog   *Blog
	layout listLayout
	posts  map[string]bool // addresses of posts
	seen   map[string]bool
	tags   map[string]string // names of tags by their keys
	years  map[int]bool      // in which posts were written
	lists  map[string]bool   // ends of the addresses of lists of authors
	all    []Listing
	bytes  int
	tried  int // addresses
}

// Listings returns the addresses of the blog's lists and feeds, except those at which there was a post. It derives them
// from the blog's format, its posts and the reader's notes.
func (b *Blog) Listings() []Listing {
	l := listings{blog: b, layout: listLayouts[""], posts: make(map[string]bool), seen: make(map[string]bool),
		tags: make(map[string]string), years: make(map[int]bool), lists: map[string]bool{"/authors": true}}
	if known, ok := listLayouts[b.Format]; ok {
		l.layout = known
	}
	if b.Taxonomies != nil {
		l.layout.taxonomies = b.Taxonomies
	}
	addresses := 0
	for _, p := range b.Posts {
		for _, old := range p.Paths {
			l.posts[old] = true
			addresses++
		}
		if p.Status != Published && p.Status != Scheduled {
			continue
		}
		l.years[p.Created.UTC().Year()] = true
		if slug := slugWithout(strings.ToLower(p.Author)); slug != "" {
			l.lists["/author/"+slug] = true
		}
		for _, name := range p.Tags {
			if key := domain.TagKey(name); key != "" && l.tags[key] == "" {
				l.tags[key] = name
			}
		}
	}
	if b.Format == "Inkfeed" && addresses == 0 {
		return nil // it was not on another site
	}
	homes := l.homes()
	for _, home := range homes {
		l.home(home)
	}
	for _, home := range homes[:1+min(len(b.Languages), maxHomes)] {
		for address, list := range b.Lists {
			l.add(home+address, list)
		}
	}
	for _, home := range homes {
		l.terms(home)
	}
	l.dates()
	l.parents()
	slices.SortFunc(l.all, func(a, b Listing) int { return cmp.Compare(a.Path, b.Path) })
	return l.all
}

// add adds a listing at an unescaped address, unless a post or another listing has the address.
func (l *listings) add(address string, as Listing) {
	if l.tried++; l.full() {
		return
	}
	old, ok := "/", address == "/"
	if !ok {
		old, ok = domain.OldPath(url.PathEscape(address))
	}
	if !ok && as.Feed != "" {
		old, ok = domain.OldFeed(url.PathEscape(address))
	}
	if !ok || l.posts[old] || l.seen[old] || l.bytes+len(old) > maxListingBytes {
		return
	}
	l.seen[old], l.bytes = true, l.bytes+len(old)
	as.Path = old
	l.all = append(l.all, as)
}

// full reports whether no further listing can be added.
func (l *listings) full() bool { return len(l.all) == maxListings || l.tried > maxTried }

// homes returns the addresses of home pages without a slash at the end: the site's, those of its languages, and those
// of each blog of a site with several.
func (l *listings) homes() []string {
	prefix := l.blog.Sites.Prefix
	homes := []string{prefix}
	for _, language := range l.blog.Languages[:min(len(l.blog.Languages), maxHomes)] {
		homes = append(homes, prefix+"/"+language)
	}
	if l.blog.Format != "WriteFreely" {
		return homes
	}
	for _, p := range l.blog.Posts {
		for _, old := range p.Paths {
			if home := path.Dir(old); home != "/" && !slices.Contains(homes, home) && len(homes) < maxHomes {
				homes = append(homes, home)
			}
		}
	}
	return homes
}

// home adds a home page, its feeds, its archive and its lists of tags.
func (l *listings) home(home string) {
	l.add(cmp.Or(home, "/"), Listing{})
	for _, feeds := range []map[string]string{homeFeeds, l.layout.feeds} {
		for end, form := range feeds {
			l.add(home+end, Listing{Feed: form})
		}
	}
	for _, end := range []string{"/archive", "/archives"} {
		l.add(home+end, Listing{Archive: true})
	}
	for end := range l.lists {
		l.add(home+end, Listing{})
	}
	if l.layout.archive != "" {
		for year := range l.years {
			l.add(home+l.layout.archive+"/"+strconv.Itoa(year), Listing{Archive: true, Year: year})
		}
	}
	for _, taxonomy := range l.layout.taxonomies {
		if list, ok := strings.CutSuffix(taxonomy, "/"); ok {
			l.add(home+list, Listing{})
		}
	}
}

// terms adds the lists of tags and categories. Their addresses are those that the reader noted, or those that
// generators form from the names. If an address fits two tags, the tag with the more exact form has it: /tags/c belongs
// to C, and to C++ only if there is no C.
func (l *listings) terms(home string) {
	noted := make(map[string]bool)
	byPath := func(a, b Term) int { return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Name, b.Name)) }
	for _, t := range slices.SortedFunc(maps.Keys(l.blog.Terms), byPath) {
		noted[domain.TagKey(t.Name)] = true
		l.add(home+t.Path, Listing{Tag: t.Name})
	}
	for form := range termForms {
		if l.full() {
			return
		}
		for _, key := range slices.Sorted(maps.Keys(l.tags)) {
			slug := termForms[form](strings.TrimSpace(l.tags[key]))
			if noted[key] || strings.Trim(slug, "-._") == "" || strings.ContainsAny(slug, "/?") {
				continue
			}
			for _, taxonomy := range l.layout.taxonomies {
				l.add(home+taxonomy+slug, Listing{Tag: l.tags[key]})
			}
		}
	}
}

// termForms are the forms in which generators write the name of a tag in an address, the most exact first.
var termForms = []func(name string) string{
	// themes of Jekyll, Blogger, Tumblr
	func(name string) string { return name },
	func(name string) string { return strings.Join(strings.Fields(strings.ToLower(name)), "-") }, // Hugo: c++
	func(name string) string { return slugWithout(strings.ToLower(name)) },                       // Jekyll: c
	func(name string) string { // Zola: c, and cafe of Café
		letters := runes.Remove(runes.In(unicode.Mn)).String(norm.NFD.String(name))
		return slugWithout(strings.ToLower(letters))
	},
}

// dates adds the archives for each year, month and day.
func (l *listings) dates() {
	if !l.layout.dates {
		return
	}
	for _, p := range l.blog.Posts {
		if p.Status == Published && !p.Created.IsZero() {
			for _, form := range []string{"/2006", "/2006/01"} {
				l.parent(l.blog.Sites.Prefix + p.Created.UTC().Format(form))
			}
		}
	}
}

// parents adds the pages above posts: sections, categories and dates.
func (l *listings) parents() {
	for _, p := range l.blog.Posts {
		if p.Status != Published && p.Status != Unlisted {
			continue
		}
		for _, old := range p.Paths {
			if strings.HasPrefix(old, "/?") {
				continue
			}
			for n := 0; n < MaxParents; n++ {
				if old = path.Dir(old); old == "/" {
					break
				}
				l.parent(old)
			}
		}
	}
}

var datePath = regexp.MustCompile(`/(\d{4})(/\d{1,2})?(/\d{1,2})?$`)

// parent adds a page above a post.
func (l *listings) parent(address string) {
	if m := datePath.FindStringSubmatch(address); m != nil {
		if m[3] != "" && !l.layout.dates {
			return // only some formats have a list for each day
		}
		year, _ := strconv.Atoi(m[1])
		l.add(address, Listing{Archive: true, Year: year})
		return
	}
	l.add(address, Listing{Tag: l.tags[domain.TagKey(path.Base(address))]})
}
