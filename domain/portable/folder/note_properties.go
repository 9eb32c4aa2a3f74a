package folder

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"maps"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/portable"
	"inkfeed/domain/portable/folder/notation"
	"inkfeed/domain/portable/frontmatter"
	"inkfeed/domain/portable/markup"
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
		content = notation.LogseqPage(m, content)
		f.vault.links.Names.Alias(f.noteStem(file), file)
		if title := m.Text("title"); title != "" {
			f.vault.links.Names.Alias(title, file)
		}
	case kindNotion:
		content = f.notionPage(file, m, content)
	}
	for _, alias := range m.List(",", "aliases", "alias") {
		f.vault.links.Names.Alias(notation.Unlinked(alias), file)
	}
	m.Remove("aliases", "alias")
	for _, key := range []string{"title", "cover", "image", "banner", "thumbnail"} {
		if link := m.Text(key); strings.Contains(link, "[[") {
			m.Remove(key)
			name := notation.Unlinked(link)
			if picture, ok := f.vault.links.Names.Find(name, file); ok && portable.IsImage(picture) {
				name = notation.FileAddress(picture)
			}
			m[key] = name
		}
	}
	var tags []any
	for _, name := range tagsOf(m, ", \t") {
		if name = strings.TrimLeft(notation.Unlinked(name), "#"); name != "" {
			tags = append(tags, name)
		}
	}
	m.Remove("tags", "tag", "keywords", "categories", "category")
	m["tags"] = tags
	return m, content
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

// notionPage moves the lines of a database's properties, which follow the title, into front matter. The database's
// table determines which properties exist.
func (f *folder) notionPage(file string, m frontmatter.Values, content string) string {
	if id := notionName.FindStringSubmatch(path.Base(file)); id != nil {
		words := strings.FieldsFunc(id[1], func(r rune) bool { return r == ' ' })
		m["permalink"] = "/" + strings.Join(words, "-") + "-" + strings.ToLower(id[2])
	}
	columns, before := f.notionColumns(path.Dir(file)), slices.Collect(maps.Keys(m))
	lines := strings.Split(strings.TrimLeft(content, "\n"), "\n")
	if len(lines) > 2 && strings.HasPrefix(lines[0], "# ") && strings.TrimSpace(lines[1]) == "" {
		at := 2
		for ; at < len(lines); at++ {
			found := notionLine.FindStringSubmatch(lines[at])
			if found == nil {
				break
			}
			name := strings.ToLower(strings.TrimSpace(found[1]))
			key := notionKeys[name]
			if key == "" && frontmatter.SetsVisibility(name) {
				key = name
			}
			if key == "" && !columns[name] {
				break
			}
			value := strings.TrimSpace(found[2])
			switch key {
			case "":
			case "tags", "category", "categories":
				m[key] = notionList(value)
			case "created", "date", "updated":
				if t, err := time.Parse("January 2, 2006 3:04 PM", value); err == nil {
					m[key] = domain.FromLocal(t, f.config.zone)
				} else {
					m[key] = value
				}
			default:
				m[key] = value
			}
		}
		if at < len(lines) && strings.TrimSpace(lines[at]) != "" { // the lines were text, not properties
			for key := range m {
				if key != "permalink" && !slices.Contains(before, key) {
					delete(m, key)
				}
			}
			at = 2
		}
		content = strings.Join(slices.Concat(lines[:2], lines[at:]), "\n")
	}
	content = notionAside.ReplaceAllStringFunc(content, func(s string) string {
		return markup.BlockQuote(notionAside.FindStringSubmatch(s)[1])
	})
	return notionTable.ReplaceAllString(content, "$1")
}

func notionList(value string) []any {
	var names []any
	for name := range strings.SplitSeq(value, ",") {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// notionColumns returns the names of a database's properties in lower case. The table of a folder of pages is beside
// it, under the same name.
func (f *folder) notionColumns(dir string) map[string]bool {
	if columns, known := f.vault.columns[dir]; known {
		return columns
	}
	bare := func(name string) string { return strings.ToLower(notionID.ReplaceAllString(name, "")) }
	columns := make(map[string]bool)
	f.vault.columns[dir] = columns
	for _, name := range f.vault.tables {
		stem := strings.TrimSuffix(strings.TrimSuffix(path.Base(name), path.Ext(name)), "_all")
		if path.Dir(name) != path.Dir(dir) || bare(stem) != bare(path.Base(dir)) {
			continue
		}
		body, err := f.files.ReadText(name, portable.MaxText)
		if err != nil {
			continue
		}
		head, err := csv.NewReader(bytes.NewReader(body)).Read()
		if err != nil {
			continue
		}
		for _, column := range head {
			columns[strings.ToLower(strings.TrimSpace(column))] = true
		}
	}
	return columns
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
