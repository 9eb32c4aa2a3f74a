package portable

import (
	"net/url"
	"path"
	"regexp"
	"strings"

	"inkfeed/domain"
)

// addresses are the hosts and the path prefix of the old blog.
type addresses struct {
	Hosts     map[string]bool
	FileHosts map[string]bool // hosts with its files
	Prefix    string          // of its paths, without a slash at the end
	// Blogs maps the hosts of several blogs to the values of Post.Blog.
	Blogs map[string]string
}

// AddBlog records that one of several blogs was at an address.
func (a *addresses) AddBlog(address, blog string) {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Host == "" {
		return
	}
	if a.Add(address); a.Blogs == nil {
		a.Blogs = make(map[string]string)
	}
	a.Blogs[bareHost(u.Host)] = blog
}

// AddFileHost records the host of an address at which a file of the blog was.
func (a *addresses) AddFileHost(address string) {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Host == "" {
		return
	}
	if a.FileHosts == nil {
		a.FileHosts = make(map[string]bool)
	}
	a.FileHosts[bareHost(origin(u).Host)] = true
}

var jetpack = regexp.MustCompile(`^i[0-3]\.wp\.com$`)

// origin returns the original address behind an image cache of WordPress.com or Jetpack. The paths of such a cache
// begin with a host.
func origin(u *url.URL) *url.URL {
	if !jetpack.MatchString(strings.ToLower(u.Host)) {
		return u
	}
	host, rest, _ := strings.Cut(strings.TrimPrefix(u.Path, "/"), "/")
	return &url.URL{Scheme: u.Scheme, Host: host, Path: "/" + rest}
}

// Add records that the blog was at an address.
func (a *addresses) Add(address string) {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Host == "" {
		return
	}
	if a.Hosts == nil {
		a.Hosts = make(map[string]bool)
	}
	a.Hosts[bareHost(u.Host)] = true
	if a.Prefix == "" {
		a.Prefix = strings.TrimSuffix(u.Path, "/")
	}
}

func bareHost(host string) string { return strings.TrimPrefix(strings.ToLower(host), "www.") }

// AddressInText matches addresses in Markdown. Their hosts may have letters of any script.
var AddressInText = regexp.MustCompile(`(?i:https?)://([\p{L}\p{M}\p{N}_.-]+)(/[^\s()<>"'?#\]\\]*)`)

// FindSite guesses the blog's address from the links between its posts, for exports that do not state it. It chooses
// the host of most links that have the path of a post.
func (b *Blog) FindSite() {
	paths := make(map[string]bool)
	for _, p := range b.Posts {
		for _, old := range append(p.Paths, p.Next...) {
			paths[old] = true
		}
	}
	found := make(map[string]map[string]bool) // paths by host
	for _, p := range b.Posts {
		for _, m := range AddressInText.FindAllStringSubmatch(p.Content, -1) {
			old, ok := domain.OldPath(m[2])
			if !ok || !paths[old] {
				continue
			}
			host := bareHost(m[1])
			if found[host] == nil {
				found[host] = make(map[string]bool)
			}
			found[host][old] = true
		}
	}
	best, most, tied := "", 0, false
	for host, paths := range found {
		switch n := len(paths); {
		case n > most:
			best, most, tied = host, n, false
		case n == most:
			tied = true
		}
	}
	if most > 0 && !tied {
		b.Sites.Add("https://" + best)
	}
}

// byFile returns the index of the post whose file or folder an address names, without the ending of a text, relative
// to the file that contains the address or to one of the folders above.
func (d *Directory) byFile(from, dest string) (to int, fragment string, ok bool) {
	name, _, fragment, local := d.blog.Sites.local(dest, path.Dir(from))
	if from == "" || !local || name == "" || IsText(name) {
		return 0, "", false
	}
	key := strings.ToLower(name)
	if ending := path.Ext(key); ending == ".html" || ending == ".htm" || path.Base(key) == "index" {
		key = "/" + baseOf(key)
	}
	for _, folder := range above(from) {
		for _, language := range []string{languageSuffix.FindString(stemOf(from)), ""} {
			if to, ok = d.bases[strings.Trim(strings.ToLower(folder)+key, "/")+language]; ok && to >= 0 {
				return to, fragment, true
			}
		}
	}
	return 0, "", false
}
