package portable

import (
	"path"
	"strings"
)

// noteLists notes what the configuration says of the addresses of lists and feeds.
func (f *folder) noteLists() {
	for _, l := range f.config.languages {
		if l.prefix != "" && !l.disabled {
			f.blog.languages = append(f.blog.languages, strings.Trim(l.prefix, "/"))
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
