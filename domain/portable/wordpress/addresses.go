package wordpress

import (
	"net/url"
	"strconv"
	"strings"

	"inkfeed/domain/portable"
)

// addPaths adds the addresses of a post: its permalink, its number, the permalinks with the slugs and dates that it had
// before, from which WordPress redirects, and the pages of its files.
func (w *Export) addPaths(p *portable.Post, item *wxrItem) {
	add := func(link string) { p.AddPath((&url.URL{Path: link}).EscapedPath()) }
	link, prefix := pathOf(item.Link), w.blog.Sites.Prefix
	if link != "/" {
		add(link)
	}
	if item.ID > 0 {
		p.AddOld(prefix + "/?p=" + strconv.Itoa(item.ID))
	}
	for _, date := range append(item.meta("_wp_old_date"), item.Date) {
		for _, slug := range append(item.meta("_wp_old_slug"), item.Name) {
			add(withSlug(withDate(link, item.Date, date), item.Name, slug))
		}
	}
	for _, id := range w.attachments.files[item.ID] {
		if page := pathOf(w.attachments.byID[id].page); page != "/" {
			add(page)
		}
		p.AddOld(prefix + "/?attachment_id=" + strconv.Itoa(id))
	}
}

// withDate returns a permalink with another date, in the form of "2006-01-02" and a time.
func withDate(link, date, other string) string {
	for _, length := range []int{len("2006-01-02"), len("2006-01")} {
		if len(date) < length || len(other) < length {
			continue
		}
		if part := "/" + strings.ReplaceAll(date[:length], "-", "/") + "/"; strings.Contains(link, part) {
			return strings.Replace(link, part, "/"+strings.ReplaceAll(other[:length], "-", "/")+"/", 1)
		}
	}
	return link
}

// withSlug returns a permalink with another slug. It returns "" if the permalink does not have the slug.
func withSlug(link, slug, other string) string {
	slug = portable.UnescapedSlug(slug)
	at := strings.LastIndex(link, "/"+slug)
	if slug == "" || at < 0 {
		return ""
	}
	return link[:at+1] + portable.UnescapedSlug(other) + link[at+1+len(slug):]
}
