package folder

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"inkfeed/domain/locale"
	"inkfeed/domain/portable"
	"inkfeed/domain/portable/markup"
	"inkfeed/domain/portable/templates"
)

// jekyllPost is a document of a site of Jekyll.
type jekyllPost struct {
	*document
	file jekyllFile
}

func (d jekyllPost) frontMatter() bool {
	if reason := d.reasonToSkip(); !reason.IsZero() {
		d.skip(d.rest, reason)
		return false
	}
	with := d.jekyllDefaults(d.file)
	mergeConfig(with, d.matter)
	d.matter = with
	return true
}

func (d jekyllPost) tags() []string {
	return tagsOf(d.matter, ", \t", folderCategories(d.file)...)
}

func (d jekyllPost) translate(t *markup.Translator) bool {
	d.hideUndated()
	d.jekyllPaths(&d.post, d.file, d.matter)
	d.content = templates.TranslateLiquid(t, d.content, templates.LiquidPage{Title: d.post.Title, Values: d.matter,
		File: d.post.File, Site: &d.liquid})
	return true
}

// blogCollections are names of collections whose documents are posts, with or without a date.
var blogCollections = []string{"articles", "blog", "entries", "essays", "journal", "news", "notes", "stories",
	"til", "writing", "writings"}

// reasonToSkip returns why a file that Jekyll reads is not imported, or an empty message.
func (d jekyllPost) reasonToSkip() (reason locale.Message) {
	file := d.file
	switch file.collection {
	case "posts", "drafts":
		return locale.Message{}
	case "pages":
	default:
		if !d.config.collections[file.collection].output {
			return locale.M("documents of collections that have no pages on the site")
		}
		return locale.Message{}
	}
	stem := strings.ToLower(strings.TrimSuffix(path.Base(file.name), path.Ext(file.name)))
	switch {
	case stem == "index" && path.Dir(file.name) == ".", stem == "404", aboutTheSource(file.name):
		return leftSilently
	case d.matter == nil:
		return locale.M("files without front matter, from which Jekyll makes no pages")
	case strings.TrimSpace(d.content) == "", d.matter.Get("redirect_to") != nil:
		return locale.M("pages without a text of their own")
	case liquidLoop.MatchString(d.content):
		return locale.M("pages that list posts")
	}
	return locale.Message{}
}

// leftSilently is the reason for leaving out files without a report, such as the home page.
var leftSilently = locale.Verbatim("-")

var liquidLoop = regexp.MustCompile(`\{%-?\s*(?:for|tablerow)\s`)

// isPage reports whether the file is a page outside of the blog. A document of a collection is a post if it has a
// date of its own or if the collection has a name of blogs.
func (d jekyllPost) isPage() bool {
	switch d.file.collection {
	case "posts", "drafts":
		return false
	case "pages":
		return true
	}
	return d.post.Publish.IsZero() && !slices.Contains(blogCollections, strings.ToLower(d.file.collection))
}

// hideUndated makes a file in _posts without a date in its name a draft, because Jekyll ignores it.
func (d jekyllPost) hideUndated() {
	base := path.Base(d.file.name)
	_, rest, ok := datedName(strings.TrimSuffix(base, path.Ext(base)))
	if d.file.collection != "posts" || ok && rest != "" {
		return
	}
	d.post.Status, d.post.Publish = portable.Draft, time.Time{}
	d.blog.AddProblem(d.rest, "imported as a draft: its file name has no date, so Jekyll did not publish it")
}
