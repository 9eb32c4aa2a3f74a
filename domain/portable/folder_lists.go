package portable

// noteLists notes what the configuration says of the addresses of lists and feeds.
func (f *folder) noteLists() {
	for _, language := range f.config.languages {
		if language != f.config.language {
			f.blog.languages = append(f.blog.languages, language)
		}
	}
}
