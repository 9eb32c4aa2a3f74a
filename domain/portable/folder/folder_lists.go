package folder

import (
	"maps"
	"path"
	"slices"
	"strings"

	"inkfeed/domain/portable"
	"inkfeed/domain/portable/frontmatter"
)

// noteLists records the addresses of lists and feeds in the configuration.
func (f *folder) noteLists() {
	for _, l := range f.config.languages {
		switch {
		case l.disabled:
		case l.prefix != "":
			f.blog.Languages = append(f.blog.Languages, strings.Trim(l.prefix, "/"))
		case l.name != "": // it redirected to the home page
			f.blog.NoteList("/"+strings.ToLower(l.name), portable.Listing{})
		}
	}
	for _, singular := range slices.Sorted(maps.Keys(f.config.taxonomies)) { // the first of two has a common address
		address := path.Join("/", f.config.taxonomies[singular])
		f.blog.NoteList(address, portable.Listing{})
		if singular == "tag" || singular == "category" {
			f.blog.Taxonomies = append(f.blog.Taxonomies, address+"/")
		}
	}
	for _, kind := range []string{"tag", "category"} {
		if before, ok := strings.CutSuffix(strings.TrimSuffix(f.config.archives[kind], "/"), ":name"); ok {
			f.blog.Taxonomies = append(f.blog.Taxonomies, path.Join("/", before)+"/")
		}
	}
	for _, feed := range f.config.feeds {
		form := ".rss"
		if f.kind == kindJekyll {
			form = ".atom"
		}
		f.blog.NoteList(feed, portable.Listing{Feed: form})
	}
}

// noteSection records the list and the feed of the section of a public page of Hugo. Their addresses follow from the
// folder, even if the page has an address by another pattern.
func (f *folder) noteSection(p portable.Post, h hugoFile) {
	section, _, _ := strings.Cut(strings.Trim(h.dir, "/"), "/")
	if section == "" || section == "." || p.Status != portable.Published && p.Status != portable.Scheduled {
		return
	}
	address := f.hugoName("/" + section)
	f.blog.NoteList(address, portable.Listing{})
	f.blog.NoteList(address+"/index.xml", portable.Listing{Feed: ".rss"})
}

// noteOtherTerms records the pages of the terms of a Hugo post other than tags and categories, such as series. These do
// not become tags, so their pages lead to all posts.
func (f *folder) noteOtherTerms(p portable.Post, m frontmatter.Values) {
	if p.Status != portable.Published && p.Status != portable.Scheduled {
		return
	}
	for singular, plural := range f.config.taxonomies {
		if singular == "tag" || singular == "category" {
			continue
		}
		for _, term := range m.List("", plural) {
			if slug := f.hugoName(strings.TrimSpace(term)); strings.Trim(slug, "./") != "" {
				f.blog.NoteList(path.Join("/", plural, slug), portable.Listing{})
			}
		}
	}
}
