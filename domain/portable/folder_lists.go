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
		} else if f.kind == kindHugo && len(f.config.languages) > 1 && !l.disabled {
			f.blog.noteList("/"+l.name, Listing{}) // Hugo redirects it to the home page
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

// noteSections notes the lists of the sections that a page of Hugo is in, with their feeds. Their addresses
// follow from the folders, also where the page has an address by another pattern.
func (f *folder) noteSections(h hugoFile) {
	whole, _ := f.hugoPrefix(h.language)
	prefix := strings.TrimPrefix(whole, f.blog.sites.prefix)
	for dir := strings.Trim(h.dir, "/"); dir != "" && dir != "."; dir = path.Dir(dir) {
		address := prefix + f.hugoName("/"+dir)
		f.blog.noteList(address, Listing{})
		f.blog.noteList(address+"/index.xml", Listing{Feed: ".rss"})
	}
}
