package folder

import (
	"strings"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/names"
	"inkfeed/domain/portable"
	"inkfeed/domain/portable/markup"
)

// noteTags adds the tags in a text to those of the front matter. Its edits remove lines that contain only tags, because
// the post shows its tags.
func (f *folder) noteTags(p *portable.Post, content string, skip []markup.Span) (edits []markup.Edit) {
	known := make(map[string]bool)
	for _, tag := range p.Tags {
		known[domain.TagKey(strings.TrimLeft(tag, "#"))] = true
	}
	for _, at := range noteTag.FindAllStringSubmatchIndex(content, -1) {
		name := strings.Trim(content[at[2]+1:at[3]], "/[]")
		if markup.Within(skip, at[2]) || strings.Trim(name, "0123456789") == "" {
			continue
		}
		if key := domain.TagKey(name); !known[key] {
			known[key] = true
			p.Tags = append(p.Tags, name)
		}
	}
	for _, at := range onlyTags.FindAllStringIndex(content, -1) {
		line := content[at[0]:at[1]]
		if !markup.Within(skip, at[0]+strings.IndexByte(line, '#')) && strings.Trim(line, "#0123456789 \t\n") != "" {
			edits = append(edits, markup.Edit{Span: markup.Span{Start: at[0], End: at[1]}, Text: ""})
		}
	}
	return edits
}

// noteTitle sets the title of a note: the front matter's, or the only heading of the first level if the text begins
// with it, or the file's name. It removes the heading from the text if that is the title.
func (f *folder) noteTitle(p *portable.Post, content string) string {
	stem := f.noteStem(p.File)
	if _, words, ok := datedName(stem); ok && words != "" {
		stem = words
	}
	p.Slug = names.Slug(stem)
	head := onlyTags.ReplaceAllString(content[:min(len(content), 2000)], "")
	if m := firstTitle.FindStringSubmatch(head); m != nil {
		heading := markup.Plain(m[1])
		code := markup.CodeIn(content)
		count := 0
		for _, at := range anyTitle.FindAllStringIndex(content, -1) {
			if !markup.Within(code, at[0]) {
				count++
			}
		}
		switch {
		case p.Title == "" && count == 1, f.kind == kindNotion:
			p.Title = heading
			content = strings.Replace(content, strings.TrimSpace(m[0]), "", 1)
		case strings.EqualFold(p.Title, heading), p.Title == "" && strings.EqualFold(stem, heading):
			content = strings.Replace(content, strings.TrimSpace(m[0]), "", 1)
		}
	}
	if p.Title = strings.TrimSpace(p.Title); p.Title == "" {
		p.Title = stem
	}
	return content
}

// isDaily reports whether a note is about a day and has no other title.
func (f *folder) isDaily(p *portable.Post) bool {
	return f.kind == kindLogseq && strings.HasPrefix(p.Where, "journals/") ||
		dayNote.MatchString(f.noteStem(p.File)) && (dayNote.MatchString(p.Title) || parsesAsDate(p.Title))
}

func parsesAsDate(title string) bool {
	_, ok := portable.ParseTime(title, time.UTC)
	return ok
}
