package folder

import (
	"strings"

	"inkfeed/domain/names"
	"inkfeed/domain/portable"
	"inkfeed/domain/portable/folder/notation"
	"inkfeed/domain/portable/frontmatter"
	"inkfeed/domain/portable/markup"
	"inkfeed/domain/portable/templates"
)

// plainPost is a document of a plain folder, or of a site of an unknown program.
type plainPost struct{ *document }

func (d plainPost) frontMatter() bool {
	if d.matter == nil {
		d.matter, d.content = frontmatter.SplitHeaders(d.content)
	}
	return true
}

func (d plainPost) translate(t *markup.Translator) bool {
	d.plainPaths(&d.post, d.rest, d.matter)
	if d.content = notation.WithoutComments(d.content); strings.HasSuffix(d.rest, ".mdx") {
		d.content = templates.TranslateMDX(t, d.content, d.imported)
	}
	return true
}

// untitled returns the file's name, of which the case is the author's choice.
func (d plainPost) untitled() string {
	name := nameOf(d.rest)
	if _, words, ok := datedName(name); ok && words != "" {
		name = words
	}
	return name
}

// plainPaths adds the addresses in front matter. A plain folder of files had no other addresses.
func (f *folder) plainPaths(p *portable.Post, rest string, m frontmatter.Values) {
	stem := nameOf(rest)
	if _, slug, ok := datedName(stem); ok && slug != "" {
		stem = slug
	}
	p.Slug = m.Text("slug")
	if p.Slug == "" {
		p.Slug = names.Slug(stem)
	}
	for _, key := range []string{"url", "permalink", "path"} {
		if address := m.Text(key); address != "" {
			p.AddOther("", address)
		}
	}
	for _, alias := range m.List(" \t\n", "aliases", "redirect_from") {
		p.AddOther("", alias)
	}
}
