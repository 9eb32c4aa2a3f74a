package folder

import (
	"maps"
	"path"
	"slices"
	"strings"

	"inkfeed/domain/portable"
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
