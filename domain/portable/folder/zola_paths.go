package folder

import (
	"cmp"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"inkfeed/domain/names"
	"inkfeed/domain/portable"
	"inkfeed/domain/portable/frontmatter"
)

// zolaDated matches a date, with or without a time, at the beginning of a file's name.
var zolaDated = regexp.MustCompile(`^(\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])` +
	`(?:T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]+)?(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9]))?)` +
	`(?:\s?[_-](.+))?$`)

// zolaPaths adds the addresses at which Zola served a page.
func (f *folder) zolaPaths(p *portable.Post, rest string, m frontmatter.Values) {
	z := f.zola
	dir, base := path.Split(strings.TrimPrefix(rest, "content/"))
	dir = strings.TrimSuffix(dir, "/")
	stem, language := z.languageOf(strings.TrimSuffix(base, path.Ext(base)))
	if stem == "index" && dir != "" { // a page with files beside it has the name of its folder
		dir, stem = path.Split(dir)
		dir = strings.TrimSuffix(dir, "/")
	}
	name := stem
	if found := zolaDated.FindStringSubmatch(stem); found != nil {
		if found[2] != "" && !z.keepDates {
			name = found[2]
		}
	}
	p.Slug = z.slug(cmp.Or(m.Text("slug"), name))
	prefix := f.blog.Sites.Prefix
	if address := m.Text("path"); address != "" {
		p.AddPath(prefix + "/" + strings.Trim(address, "/"))
	} else {
		p.AddPath(prefix + path.Join("/", language, dir, p.Slug))
	}
	for _, alias := range m.List("", "aliases") { // relative to the site, not to the page
		p.AddPath(prefix + "/" + strings.TrimPrefix(alias, "/"))
	}
}

// languageOf separates the language from a file's name without extension, such as "post.fr". It is empty for the
// default language.
func (z *zolaSite) languageOf(stem string) (name, language string) {
	if name, language, ok := strings.Cut(stem, "."); ok && language != z.language &&
		slices.Contains(z.languages, language) {
		return name, language
	}
	return stem, ""
}

// slug returns a name as Zola writes it in a path.
func (z *zolaSite) slug(name string) string { return zolaSlug(name, z.slugify) }

// zolaSlug returns a name in one of Zola's ways of making slugs.
func zolaSlug(name, way string) string {
	switch way {
	case "off":
		return name
	case "safe":
		return strings.Map(func(r rune) rune {
			if strings.ContainsRune(`<>:"/\|?*`, r) {
				return -1
			}
			return r
		}, strings.TrimRight(name, " ."))
	}
	return names.Transliterated(name)
}

// zolaLink returns the address to which an internal link such as @/blog/post.md#part leads: the page's file, or the
// path of a section. It returns a broken link unchanged.
func (f *folder) zolaLink(target string) string {
	file, fragment, _ := strings.Cut(strings.TrimPrefix(target, "@/"), "#")
	if fragment != "" {
		fragment = "#" + fragment
	}
	if unescaped, err := url.PathUnescape(file); err == nil {
		file = unescaped
	}
	file = path.Join("content", file)
	name := path.Join(f.root, file)
	if !f.files.Has(name) {
		return target
	}
	base := path.Base(file)
	stem, language := f.zola.languageOf(strings.TrimSuffix(base, path.Ext(base)))
	if stem == "_index" {
		section := path.Join("/", f.blog.Sites.Prefix, language, strings.TrimPrefix(path.Dir(file), "content"))
		return strings.TrimSuffix(section, "/") + "/" + fragment
	}
	return (&url.URL{Path: "/" + name}).EscapedPath() + fragment
}
