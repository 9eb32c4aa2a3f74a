package folder

import (
	"cmp"
	"net/url"
	"path"
	"regexp"
	"strings"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/domain/names"
	"inkfeed/domain/portable"
	"inkfeed/domain/portable/folder/notation"
	"inkfeed/domain/portable/frontmatter"
	"inkfeed/domain/portable/markup"
)

var (
	noteTag    = regexp.MustCompile(`(?m)(?:^|[\s(])(#(?:\[\[[^\]\n]+\]\]|[\p{L}\p{M}\p{N}\p{So}_/-]+))`)
	highlights = regexp.MustCompile(`==([^=\s](?:[^=\n]*[^=\s])?)==`)
	blockID    = regexp.MustCompile(`(?m)(?:^|[ \t]+)\^[A-Za-z0-9-]+[ \t]*$`)
	formulas   = regexp.MustCompile(`(?s)\$\$.+?\$\$|\$[^\s$](?:[^$\n]*[^\s$\\])?\$`)
	onlyTags   = regexp.MustCompile(`(?m)^[ \t]*(?:#[\p{L}\p{M}\p{N}\p{So}_/-]+[ \t]*)+(?:\n|$)`)
	query      = regexp.MustCompile("(?ms)^[ \t>]*(```+|~~~+)[ \t]*" +
		"(dataviewjs|dataview|tasks|query|button|tracker|base)\\b.*?^[ \t>]*(```+|~~~+)[ \t]*$")
	inlineQuery = regexp.MustCompile("`" +
		`(?:= (?:this\b|\[\[|date\(|dateformat\(|choice\(|default\()|\$= )` + "[^`\n]*`")
	templater   = regexp.MustCompile(`<%[^%\n]*%>`)
	inlineField = regexp.MustCompile(`(?m)^[ \t]*(?:[-*] )?[\p{L}][\p{L}\p{N} _-]{0,40}:: |` +
		`[\[(][\p{L}][\p{L}\p{N} _-]{0,40}:: [^\])\n]*[\])]`)
	foamLinks  = regexp.MustCompile(`(?ms)^\[//begin\]: # .*?^\[//end\]: # [^\n]*\n?`)
	firstTitle = regexp.MustCompile(`^\s*#[ \t]+(.+?)[ \t]*#*[ \t]*(?:\n|$)`)
	anyTitle   = regexp.MustCompile(`(?m)^#[ \t]+\S`)
	dayNote    = regexp.MustCompile(`^(?:daily\.)?(?:journal\.)?(\d{4})[-_. ]?(\d{2})[-_. ]?(\d{2})$`)
)

// note is a document of a folder of notes.
type note struct{ *document }

func (d note) frontMatter() bool {
	if d.matter == nil {
		d.matter, d.content = frontmatter.SplitHeaders(d.content)
	}
	d.matter, d.content = d.noteFrontMatter(d.rest, d.matter, d.content)
	return true
}

func (d note) tags() []string { return tagsOf(d.matter, ", \t") }

// translate replaces wiki links by marks: see finishNotes.
func (d note) translate(t *markup.Translator) bool {
	p := &d.post
	d.plainPaths(p, d.rest, d.matter)
	d.content = strings.ReplaceAll(notation.WithoutComments(d.content), notation.WikiMark, "")
	d.content = foamLinks.ReplaceAllString(d.content, "")
	d.content = d.noteTitle(p, d.content)
	d.noteStatus(p, d.matter)
	if d.kind == kindObsidian { // the address on Obsidian Publish
		p.AddPath("/" + strings.ReplaceAll(strings.TrimSuffix(p.Where, path.Ext(p.Where)), " ", "+"))
	}
	if d.kind == kindNotion {
		return true
	}
	code := d.translateBlocks(t)
	d.translateMarks(t, code)
	d.translateFragments()
	return true
}

// translateBlocks translates the lines that contain only tags, and the blocks with queries. It returns the code in the
// text.
func (d note) translateBlocks(t *markup.Translator) (code []markup.Span) {
	content := d.content
	code = markup.CodeIn(content)
	edits := d.noteTags(&d.post, content, code)
	for _, at := range query.FindAllStringSubmatchIndex(content, -1) {
		if !markup.Within(code, at[0]) {
			edits = append(edits, markup.Edit{Span: markup.Span{Start: at[0], End: at[1]},
				Text: t.Template(locale.M("the query {name}", "name", content[at[4]:at[5]]), content[at[0]:at[1]], "")})
		}
	}
	if len(edits) > 0 {
		d.content = markup.Apply(content, edits)
		code = markup.CodeIn(d.content)
	}
	return code
}

// translateMarks translates the marks of notes outside of code and formulas.
func (d note) translateMarks(t *markup.Translator, code []markup.Span) {
	content := d.content
	var maths []markup.Span
	for _, at := range formulas.FindAllStringIndex(content, -1) {
		maths = append(maths, markup.Span{Start: at[0], End: at[1]})
	}
	text := func(at int) bool { return !markup.Within(code, at) && !markup.Within(maths, at) }
	links, places := notation.FindWikiLinks(content, code, maths)
	edits := d.vault.links.Mark(links, places, d.post.File)
	edits = append(edits, highlightEdits(content, text)...)
	for _, at := range blockID.FindAllStringIndex(content, -1) {
		if text(at[0]) && text(at[1]-1) {
			edits = append(edits, markup.Edit{Span: markup.Span{Start: at[0], End: at[1]}, Text: ""})
		}
	}
	for _, at := range inlineField.FindAllStringIndex(content, -1) {
		if text(at[0]) {
			t.RecordLoss(locale.M("an inline field of Dataview is shown as it was typed"))
		}
	}
	for _, code := range []struct {
		pattern *regexp.Regexp
		name    locale.Message
	}{{templater, locale.M("code of Templater")}, {inlineQuery, locale.M("a query of Dataview")}} {
		for _, at := range code.pattern.FindAllStringIndex(content, -1) {
			if text(at[0]) {
				edits = append(edits, markup.Edit{Span: markup.Span{Start: at[0], End: at[1]},
					Text: t.Template(code.name, content[at[0]:at[1]], "")})
			}
		}
	}
	d.content = markup.Apply(content, edits)
}

// highlightEdits makes highlighted words bold. text reports whether a place is neither code nor a formula.
func highlightEdits(content string, text func(at int) bool) (edits []markup.Edit) {
	for _, at := range highlights.FindAllStringSubmatchIndex(content, -1) {
		if !text(at[0]) || !text(at[1]-1) {
			continue
		}
		mark := "**"
		if strings.Contains(content[max(at[0]-1, 0):min(at[1]+1, len(content))], "*") {
			mark = "" // otherwise both marks would be read as one
		}
		edits = append(edits, markup.Edit{Span: markup.Span{Start: at[0], End: at[2]}, Text: mark},
			markup.Edit{Span: markup.Span{Start: at[3], End: at[1]}, Text: mark})
	}
	return edits
}

// translateFragments makes links to headings lead to the ids of headings.
func (d note) translateFragments() {
	if !strings.Contains(d.content, "#") {
		return
	}
	d.content = markup.Rewrite(d.content, func(l markup.Link) (string, bool) {
		address, fragment, ok := strings.Cut(l.Destination, "#")
		if !ok || l.Image || strings.Contains(address, ":") {
			return "", false
		}
		if unescaped, err := url.PathUnescape(fragment); err == nil {
			fragment = unescaped
		}
		if strings.HasPrefix(fragment, "^") {
			return cmp.Or(address, "#"), true
		}
		return address + "#" + notation.HeadingFragment(fragment), true
	})
}

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
