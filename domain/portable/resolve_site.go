package portable

import (
	"inkfeed/domain"
	"net/url"
	"regexp"
	"strings"
)

// addresses are where a blog used to be.
type addresses struct {
	Hosts  map[string]bool
	files  map[string]bool // hosts that keep its files
	Prefix string          // of its paths, without a slash at the end
}

// KeepsFiles notes that a file of the blog was at that address.
func (a *addresses) KeepsFiles(address string) {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Host == "" {
		return
	}
	if a.files == nil {
		a.files = make(map[string]bool)
	}
	a.files[bareHost(origin(u).Host)] = true
}

var jetpack = regexp.MustCompile(`^i[0-3]\.wp\.com$`)

// origin is the address of what a cache of WordPress.com's and Jetpack's shows, whose
// paths begin with a host.
func origin(u *url.URL) *url.URL {
	if !jetpack.MatchString(strings.ToLower(u.Host)) {
		return u
	}
	host, rest, _ := strings.Cut(strings.TrimPrefix(u.Path, "/"), "/")
	return &url.URL{Scheme: u.Scheme, Host: host, Path: "/" + rest}
}

// Add notes that the blog was at that address.
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

// AddressInText finds addresses in Markdown.
var AddressInText = regexp.MustCompile(`https?://([\w.-]+)(/[^\s()<>"'?#\]\\]*)`)

// FindSite guesses the blog's address, where an export does not say it, from the links that
// its posts have to each other: it is the host of most links with the path of a post.
func (b *Blog) FindSite() {
	paths := make(map[string]bool)
	for _, p := range b.Posts {
		for _, old := range append(p.Paths, p.next...) {
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
