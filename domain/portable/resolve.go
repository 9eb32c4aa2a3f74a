package portable

import (
	"net/url"
	"path"
	"regexp"
	"strings"

	"golang.org/x/text/unicode/norm"

	"inkfeed/domain"
)

// file returns the path of the file that an address names, or false if the address is not that of one of the blog's
// files.
func (a *addresses) file(dest string) (string, bool) {
	u, err := url.Parse(strings.TrimSpace(dest))
	if err != nil || u.Host == "" {
		p, _, _, ok := a.local(dest, "")
		return p, ok
	}
	if u = origin(u); a.FileHosts[bareHost(u.Host)] {
		u.Host = ""
		u.Scheme = ""
	}
	p, _, _, ok := a.local(u.String(), "")
	return p, ok
}

// local returns the path of an address within the blog, or false if the address leads elsewhere. A relative address is
// relative to folder.
func (a *addresses) local(dest, folder string) (p, query, fragment string, ok bool) {
	u, err := url.Parse(strings.TrimSpace(dest))
	if err != nil || u.Opaque != "" || u.Scheme != "" && (u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
		return "", "", "", false
	}
	if u.Host != "" && !a.Hosts[bareHost(u.Host)] {
		return "", "", "", false
	}
	if p = u.Path; p == "" {
		return "", u.RawQuery, u.Fragment, u.Host != "" || u.RawQuery != ""
	}
	if !strings.HasPrefix(p, "/") {
		p = folder + "/" + p
	}
	if len(p) > 4000 {
		return "", "", "", false
	}
	return path.Clean("/" + norm.NFC.String(p)), u.RawQuery, u.Fragment, true
}

// Directory finds the posts and files to which addresses in the posts of a blog lead. The blog must not change while
// the directory is in use.
type Directory struct {
	blog   *Blog
	paths  map[string]int // index of the post, by its blog and its former paths
	drafts map[string]int // by the paths that one would have had
	files  map[string]int // by its file
	stems  map[string]int // by its file's last part without ending, and by that in a language; -1: several
	bases  map[string]int // by its file without ending, or by the folder of which it is the index; -1: several
	images map[string]endings
}

// NewDirectory returns the directory of a blog.
func NewDirectory(b *Blog) *Directory {
	d := &Directory{blog: b, paths: make(map[string]int), drafts: make(map[string]int), files: make(map[string]int),
		stems: make(map[string]int), bases: make(map[string]int), images: endingsOf(b.Files)}
	for i, p := range b.Posts {
		for _, old := range p.Paths {
			if _, there := d.paths[p.Blog+old]; !there {
				d.paths[p.Blog+old] = i
			}
		}
		for _, next := range p.Next {
			if _, there := d.drafts[p.Blog+next]; !there {
				d.drafts[p.Blog+next] = i
			}
		}
		if p.File == "" {
			continue
		}
		d.files[p.File] = i
		addOnly(d.stems, stemOf(p.File), i)
		addOnly(d.stems, stemOf(p.File)+inLanguage(p), i)
		if strings.TrimSpace(p.Content) != "" { // a page that is not translated yet is not imported
			addOnly(d.bases, baseOf(p.File), i)
		}
	}
	return d
}

// inLanguage returns the end of the keys of stems for posts in the language of a post.
func inLanguage(p Post) string { return "\x00" + p.Language }

// above returns the folders above a file, the outermost first, beginning with "" for that of the export.
func above(file string) []string {
	folders := []string{""}
	for i, c := range file {
		if c == '/' {
			folders = append(folders, file[:i])
		}
	}
	return folders
}

// addOnly adds an index, or -1 if there is one with this key already.
func addOnly(to map[string]int, key string, i int) {
	if _, there := to[key]; there {
		i = -1
	}
	to[key] = i
}

// baseOf returns the path of a file without its ending, in lower case. For the index of a folder, such as a page
// bundle, it is the path of the folder. A language suffix stays.
func baseOf(file string) string {
	folder, stem := path.Split(strings.ToLower(strings.TrimSuffix(file, path.Ext(file))))
	if language, ok := strings.CutPrefix(stem, "index"); ok && (language == "" || language[0] == '.') {
		return strings.Trim(folder, "/") + language
	}
	return folder + stem
}

// stemOf returns the name by which other pages refer to a file: the last part of baseOf.
func stemOf(file string) string { return path.Base(baseOf(file)) }

// languageSuffix matches the language at the end of a file's name without its extension.
var languageSuffix = regexp.MustCompile(`\.[a-z]{2}(?:-[a-z]+)?$`)

// Post returns the index of the post to which an address in the post at index from leads, and the fragment in the
// address.
func (d *Directory) Post(from int, dest string) (to int, fragment string, ok bool) {
	p := d.blog.Posts[from]
	sites := &d.blog.Sites
	if p.File != "" {
		if name, _, fragment, local := sites.local(dest, path.Dir(p.File)); local && IsText(name) {
			for _, folder := range append(above(p.File), contentFolders...) {
				if to, ok = d.files[path.Join(folder, name[1:])]; ok {
					return to, fragment, true
				}
			}
			for _, language := range []string{languageSuffix.FindString(stemOf(p.File)), inLanguage(p), ""} {
				if to, ok = d.stems[stemOf(name)+language]; ok && to >= 0 {
					return to, fragment, true
				}
			}
		}
	}
	if d.blog.LinksByFile && !strings.Contains(dest, "://") {
		if to, fragment, ok = d.byFile(p.File, dest); ok {
			return to, fragment, true
		}
	}
	folder := "/"
	if len(p.Paths) > 0 {
		folder = p.Paths[0]
	}
	blog := p.Blog
	if u, err := url.Parse(strings.TrimSpace(dest)); err == nil && u.Host != "" {
		blog = sites.Blogs[bareHost(u.Host)]
	}
	for _, folder := range []string{folder, path.Dir(folder)} { // of a page in a file such as /docs/a.html
		name, query, fragment, local := sites.local(dest, folder)
		if !local {
			return 0, "", false
		}
		home := strings.TrimSuffix(strings.TrimSuffix(name, "/"), "/index.php")
		if old, isQuery := oldQuery(sites.Prefix, query); isQuery && (home == "" || home == sites.Prefix) {
			to, ok = d.at(blog + old)
			return to, fragment, ok
		}
		for _, candidate := range []string{name, sites.Prefix + name} {
			if old, isPath := domain.OldPath(candidate); isPath {
				if to, ok = d.at(blog + old); ok {
					return to, fragment, true
				}
			}
		}
	}
	to, fragment, ok = d.byFile(p.File, dest)
	return to, fragment, ok
}

// at returns the post with a path, after its blog. It returns a draft only if no other post has the path.
func (d *Directory) at(path string) (n int, ok bool) {
	if n, ok = d.paths[path]; !ok {
		n, ok = d.drafts[path]
	}
	return n, ok
}

var contentFolders = []string{"content", "content/posts", "_posts", "source/_posts"}

// IsText reports whether a file has the extension of a text that may be a post.
func IsText(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".md", ".markdown", ".mdown", ".mkd", ".mdx":
		return true
	}
	return false
}

// File returns the file of the export to which an address in the post at index from leads, if the export has it.
func (d *Directory) File(from int, dest string) (name string, ok bool) {
	p, files := d.blog.Posts[from], d.blog.Files
	if files == nil {
		return "", false
	}
	if p.File != "" && !strings.HasPrefix(dest, "/") {
		name, _, _, local := d.blog.Sites.local(dest, path.Dir(p.File))
		if local && files.Has(name[min(1, len(name)):]) {
			return name[1:], true
		}
	}
	name, ok = d.blog.Sites.file(dest)
	if !ok || name == "" || name == "/" {
		return "", false
	}
	short := strings.TrimPrefix(name, d.blog.Sites.Prefix)
	for _, folder := range fileFolders {
		for _, n := range []string{name, short} {
			if candidate := strings.TrimPrefix(path.Join(folder, n), "/"); files.Has(candidate) {
				return candidate, true
			}
		}
	}
	if !IsImage(name) {
		return "", false
	}
	if found, ok := d.closest(name); ok {
		return found, true
	}
	if full := unscaled(name); full != name {
		return d.closest(full)
	}
	return "", false
}

// fileFolders are the folders from which generators copy files unchanged.
var fileFolders = []string{"", "static", "assets", "content", "public", "source", "src", "docs"}

// Foreign reports whether an address leads to another site and therefore needs no change.
func (d *Directory) Foreign(dest string) bool {
	u, err := url.Parse(strings.TrimSpace(dest))
	if err != nil {
		return false
	}
	if u.Host == "" {
		return u.Scheme != ""
	}
	host := bareHost(origin(u).Host)
	return !d.blog.Sites.Hosts[host] && !d.blog.Sites.FileHosts[host]
}

// Inside reports whether an address in the post at index from leads to a page or file of the old blog other than its
// front page.
func (d *Directory) Inside(from int, dest string) bool {
	folder := "/"
	if file := d.blog.Posts[from].File; file != "" {
		folder = path.Dir(file)
	}
	if name, query, _, ok := d.blog.Sites.local(dest, folder); ok {
		_, named := oldQuery("", query)
		return named || name != "" && name != "/"
	}
	name, ok := d.blog.Sites.file(dest)
	return ok && name != "/"
}

// oldQuery returns the path of an address that identifies a page only by a query, as WordPress does: /?p=12.
func oldQuery(home, query string) (string, bool) {
	values, err := url.ParseQuery(query)
	if err != nil {
		return "", false
	}
	address, _, ok := domain.OldQuery(home, values)
	return address, ok
}

// unscaled returns the name of the original of a picture that WordPress has scaled down.
func unscaled(name string) string {
	return path.Dir(name) + "/" + scaled.ReplaceAllString(path.Base(name), "$1")
}

var scaled = regexp.MustCompile(`-(?:\d{2,5}x\d{2,5}|scaled|rotated|e\d{10,})(\.\w+)$`)
