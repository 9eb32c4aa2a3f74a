package folder

import (
	"regexp"

	"inkfeed/domain/names"
	"inkfeed/domain/portable"
	"inkfeed/domain/portable/frontmatter"
)

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
