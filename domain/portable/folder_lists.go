package portable

import (
	"path"
	"strings"
)

// noteLists notes what the configuration says of the addresses of lists and feeds.
func (f *folder) noteLists() {
	for _, l := range f.config.languages {
		switch {
		case l.disabled:
		case l.prefix != "":
			f.blog.languages = append(f.blog.languages, strings.Trim(l.prefix, "/"))
		case l.name != "": // which redirected to the home page
			f.blog.noteList("/"+strings.ToLower(l.name), Listing{})
		}
	}
	for singular, plural := range f.config.taxonomies {
		address := path.Join("/", plural)
		f.blog.noteList(address, Listing{})
		if singular == "tag" || singular == "category" {
			f.blog.taxonomies = append(f.blog.taxonomies, address+"/")
		}
	}
	for _, kind := range []string{"tag", "category"} {
		if before, ok := strings.CutSuffix(strings.TrimSuffix(f.config.archives[kind], "/"), ":name"); ok {
			f.blog.taxonomies = append(f.blog.taxonomies, path.Join("/", before)+"/")
		}
	}
	for _, feed := range f.config.feeds {
		form := ".rss"
		if f.kind == kindJekyll {
			form = ".atom"
		}
		f.blog.noteList(feed, Listing{Feed: form})
	}
}

// noteSection notes the list and the feed of the section that a public page of Hugo is in. Their addresses follow
// from the folder, also where the page has an address by another pattern.
func (f *folder) noteSection(p Post, h hugoFile) {
	section, _, _ := strings.Cut(strings.Trim(h.dir, "/"), "/")
	if section == "" || section == "." || p.Status != Published && p.Status != Scheduled {
		return
	}
	address := f.hugoName("/" + section)
	f.blog.noteList(address, Listing{})
	f.blog.noteList(address+"/index.xml", Listing{Feed: ".rss"})
}

// noteOtherTerms notes the pages of what a post of Hugo is in besides tags and categories, such as
// series. They become no tags, so that these pages lead to all posts.
func (f *folder) noteOtherTerms(p Post, m frontMatter) {
	if p.Status != Published && p.Status != Scheduled {
		return
	}
	for singular, plural := range f.config.taxonomies {
		if singular == "tag" || singular == "category" {
			continue
		}
		for _, term := range m.list("", plural) {
			if slug := f.hugoName(strings.TrimSpace(term)); strings.Trim(slug, "./") != "" {
				f.blog.noteList(path.Join("/", plural, slug), Listing{})
			}
		}
	}
}
