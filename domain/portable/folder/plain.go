package folder

import (
	"maps"
	"regexp"

	"inkfeed/domain/names"
	"inkfeed/domain/portable"
	"inkfeed/domain/portable/folder/notation"
	"inkfeed/domain/portable/frontmatter"
	"inkfeed/domain/portable/markup"
)

// plainPost is a document of a plain folder, or of a site of an unknown program.
type plainPost struct{ *document }

func (d plainPost) frontMatter() bool {
	if d.matter == nil {
		d.matter, d.content = frontmatter.SplitHeaders(d.content)
	}
	with := maps.Clone(d.config.values)
	mergeConfig(with, d.matter)
	d.matter = with
	return true
}

func (d plainPost) translate(*markup.Translator) bool {
	d.plainPaths(&d.post, d.rest, d.matter)
	d.content = notation.WithoutComments(d.content)
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

// pelicanStatus matches the setting for the status of Pelican's posts that name none.
var pelicanStatus = regexp.MustCompile(`DEFAULT_METADATA\s*=[^}]*?["']status["']\s*:\s*["']([^"'\n]*)["']`)

// readPelican reads the defaults of front matter in the configuration of a site of Pelican.
func (f *folder) readPelican() {
	name, _ := f.files.Shallowest("pelicanconf.py")
	body, _ := f.files.ReadText(name, portable.MaxConfig)
	f.config.values = make(frontmatter.Values)
	if found := pelicanStatus.FindSubmatch(body); found != nil {
		f.config.values["status"] = string(found[1])
	}
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
