package folder

import (
	"fmt"
	"maps"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"inkfeed/domain/portable"
	"inkfeed/domain/portable/frontmatter"
)

// noteFrontMatter translates a note's properties into front matter with the usual keys, and registers the
// note's other names.
func (f *folder) noteFrontMatter(rest string, m frontmatter.Values, content string) (frontmatter.Values, string) {
	file := path.Join(f.root, rest)
	if m = maps.Clone(m); m == nil {
		m = make(frontmatter.Values)
	}
	m.Remove("url", "path", "link", "source")  // in clippings, the source page
	if share := m.Get("share"); share != nil { // from the plugin Enveloppe
		m.Remove("share")
		m["dg-publish"] = share
	}
	switch f.kind {
	case kindDendron:
		dendronFrontMatter(m)
	case kindLogseq:
		content = logseqPage(m, content)
		f.vault.names.alias(f.noteStem(file), file)
		if title := m.Text("title"); title != "" {
			f.vault.names.alias(title, file)
		}
	case kindNotion:
		content = f.notionPage(file, m, content)
	}
	for _, alias := range m.List(",", "aliases", "alias") {
		f.vault.names.alias(unlinked(alias), file)
	}
	m.Remove("aliases", "alias")
	for _, key := range []string{"title", "cover", "image", "banner", "thumbnail"} {
		if link := m.Text(key); strings.Contains(link, "[[") {
			m.Remove(key)
			name := unlinked(link)
			if picture, ok := f.vault.names.find(name, file); ok && portable.IsImage(picture) {
				name = fileAddress(picture)
			}
			m[key] = name
		}
	}
	var tags []any
	for _, name := range tagsOf(m, ", \t") {
		if name = strings.TrimLeft(unlinked(name), "#"); name != "" {
			tags = append(tags, name)
		}
	}
	m.Remove("tags", "tag", "keywords", "categories", "category")
	m["tags"] = tags
	return m, content
}

// unlinked returns a name without the brackets of a wiki link.
func unlinked(name string) string {
	inner, ok := strings.CutPrefix(strings.TrimPrefix(strings.TrimSpace(name), "!"), "[[")
	if !ok {
		return strings.TrimSpace(name)
	}
	inner, _, _ = strings.Cut(strings.TrimSuffix(inner, "]]"), "|")
	return strings.TrimSpace(inner)
}

// noteStem returns the name of a note's file.
func (f *folder) noteStem(file string) string {
	stem := strings.TrimSuffix(path.Base(file), path.Ext(file))
	switch f.kind {
	case kindNotion:
		if m := notionName.FindStringSubmatch(path.Base(file)); m != nil {
			stem = m[1]
		}
	case kindLogseq:
		if unescaped, err := url.PathUnescape(stem); err == nil {
			stem = unescaped
		}
		stem = strings.ReplaceAll(stem, "___", "/")
	case kindDendron:
		if m := dayNote.FindString(stem); m == "" {
			stem = stem[strings.LastIndexByte(stem, '.')+1:]
		}
	}
	return strings.TrimSpace(stem)
}

// noteStatus records whether a note is marked as public, and makes a daily note without a mark a draft. The marks that
// hide a note are those of all front matter.
func (f *folder) noteStatus(p *portable.Post, m frontmatter.Values) {
	v := f.vault
	marked := false
	for key, value := range m {
		if !slices.Contains(publicKeys, frontmatter.PlainKey(key)) || value == nil || frontmatter.IsDate(value) {
			continue
		}
		yes, understood := frontmatter.ParseBool(value)
		marked, v.chosen = marked || yes, v.chosen || yes || !understood
	}
	switch {
	case marked || p.Status == portable.Draft:
	case f.isDaily(p):
		p.Status, p.Publish = portable.Draft, time.Time{}
		v.daily++
	default:
		v.unmarked = append(v.unmarked, len(f.blog.Posts)) // the index of this post, which is added next
	}
}

// publicKeys are the keys, normalised by PlainKey, by which programs mark notes that they publish.
var publicKeys = []string{"publish", "published", "dgpublish", "public"}

// dendronFrontMatter converts Dendron's times, which are in milliseconds.
func dendronFrontMatter(m frontmatter.Values) {
	for _, key := range []string{"created", "updated"} {
		var ms int64
		if _, err := fmt.Sscan(m.Text(key), &ms); err == nil && ms > 1e11 && ms < 1e14 && len(m.Text(key)) < 15 {
			m[key] = time.UnixMilli(ms).UTC()
		}
	}
	if excluded := m.Get("nav_exclude"); excluded != nil { // the page exists, but no menu leads to it
		m["is_hidden"] = excluded
	}
	if id := m.Text("id"); id != "" && !strings.ContainsAny(id, "/ ") {
		m["permalink"] = "/notes/" + id
	}
}

var (
	logseqProperty = regexp.MustCompile(`^\s*(?:- )?([\p{L}][\p{L}\p{N}_.-]{0,40}):: ?(.*)$`)
	logseqDrawer   = regexp.MustCompile(`(?m)^[ \t]*:LOGBOOK:[ \t]*\n(?:[ \t]*CLOCK:.*\n)*[ \t]*:END:[ \t]*\n?`)
	logseqLink     = regexp.MustCompile(`\[([^\[\]\n]+)\]\(\[\[([^\[\]\n|]+)\]\]\)`)
	logseqEmbed    = regexp.MustCompile(`\{\{embed \[\[([^\[\]\n]+)\]\]\s*\}\}`)
	logseqVideo    = regexp.MustCompile(`\{\{(?:video|youtube|vimeo|tweet|twitter) (https?://[^\s}]+)\s*\}\}`)
)

// logseqInternal are properties of blocks that control only the editor.
var logseqInternal = []string{"id", "collapsed", "background-color", "heading", "card-last-interval", "card-repeats",
	"card-ease-factor", "card-next-schedule", "card-last-reviewed", "card-last-score"}

// logseqPage moves the page's properties into front matter and converts the blocks on the outline's first level to
// paragraphs. The blocks below them stay a list.
func logseqPage(m frontmatter.Values, content string) string {
	lines := strings.Split(content, "\n")
	first := 0
	for ; first < len(lines); first++ {
		if strings.TrimSpace(lines[first]) == "" {
			continue
		}
		found := logseqProperty.FindStringSubmatch(lines[first])
		if found == nil {
			break
		}
		key := strings.ToLower(found[1])
		if _, there := m[key]; !there {
			m[key] = strings.TrimSpace(found[2])
		}
	}
	for _, key := range []string{"tags", "alias"} {
		if text, ok := m[key].(string); ok { // the names may contain spaces
			var names []any
			for name := range strings.SplitSeq(text, ",") {
				names = append(names, unlinked(strings.TrimLeft(strings.TrimSpace(name), "#")))
			}
			m[key] = names
		}
	}
	lines = lines[first:]
	outline := first == len(lines) || len(lines) > 0 && strings.HasPrefix(lines[0], "-")
	var kept []string
	for _, line := range lines {
		found := logseqProperty.FindStringSubmatch(line)
		if found != nil && slices.Contains(logseqInternal, strings.ToLower(found[1])) {
			continue
		}
		if outline {
			switch block, ok := strings.CutPrefix(line, "- "); {
			case ok || line == "-":
				kept = append(kept, "")
				if line = block; !ok {
					line = ""
				}
			case strings.HasPrefix(line, "\t"):
				line = line[1:]
			default:
				line = strings.TrimPrefix(line, "  ")
			}
		}
		kept = append(kept, line)
	}
	content = logseqDrawer.ReplaceAllString(strings.Join(kept, "\n"), "")
	content = logseqEmbed.ReplaceAllString(content, "![[$1]]")
	content = logseqVideo.ReplaceAllString(content, "<$1>")
	return logseqLink.ReplaceAllString(content, "[[$2|$1]]")
}

var (
	notionName  = regexp.MustCompile(`(?i)^(.*?) ?([0-9a-f]{32})\.md$`)
	notionID    = regexp.MustCompile(`(?i) ?[0-9a-f]{32}$`)
	notionLine  = regexp.MustCompile(`^([^:\n]{1,60}): (.*)$`)
	notionAside = regexp.MustCompile(`(?s)<aside>\n(.*?)\n</aside>`)
	notionTable = regexp.MustCompile(`\[([^\[\]\n]*)\]\([^()\n]*\.csv\)`)
)

// notionKeys maps Notion's own names of properties to keys of front matter.
var notionKeys = map[string]string{
	"created time": "created", "date created": "created", "created": "created", "publish date": "date",
	"published date":   "date",
	"publication date": "date", "published on": "date", "date": "date",
	"last edited time": "updated", "last edited": "updated", "updated": "updated",
	"tags": "tags", "tag": "tags", "category": "category", "categories": "categories",
	"status": "status", "published": "published", "publish": "publish", "public": "public", "draft": "draft",
	"slug": "slug", "author": "author",
}
