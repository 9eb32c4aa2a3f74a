package folder

import (
	"slices"
	"strings"

	"inkfeed/domain/locale"
	"inkfeed/domain/plaintext"
	"inkfeed/domain/portable"
	"inkfeed/domain/portable/folder/notation"
	"inkfeed/domain/portable/markup"
)

// finishNotes replaces the marks of wiki links by links after all notes are read, and reports what was left out.
func (f *folder) finishNotes() {
	v := f.vault
	if v == nil {
		return
	}
	if v.chosen {
		for _, i := range v.unmarked {
			f.blog.Posts[i].Status = portable.Draft
		}
		if n := len(v.unmarked); n > 0 {
			f.blog.AddMessage(locale.M("{n} notes are imported as drafts: only other notes are marked as public",
				"n", n))
		}
	}
	if v.daily > 0 {
		f.blog.AddMessage(locale.M("{n} daily notes are imported as drafts: mark a note as public to publish it",
			"n", v.daily))
	}
	posts := make(map[string]*portable.Post, len(f.blog.Posts))
	for i := range f.blog.Posts {
		posts[f.blog.Posts[i].File] = &f.blog.Posts[i]
	}
	for i := range f.blog.Posts {
		f.linkNote(&f.blog.Posts[i], posts)
	}
}

// linkNote resolves the wiki links of a post. Links that readers cannot follow become text.
func (f *folder) linkNote(p *portable.Post, posts map[string]*portable.Post) {
	v := f.vault
	var lost lostLinks
	p.Title = v.links.Resolved(p.Title, notation.WikiLink.Shown)
	p.Content = v.links.Resolved(p.Content, func(l notation.WikiLink) string {
		shown := notation.Literal(l.Shown())
		if l.Target == "" {
			if l.Heading == "" {
				return shown
			}
			return "[" + shown + "](#" + notation.HeadingFragment(l.Heading) + ")"
		}
		file, ok := v.links.Names.Find(l.Target, l.From)
		if !ok {
			lost.missing = append(lost.missing, l.Target)
			return shown
		}
		if !portable.IsText(file) {
			if portable.IsImage(file) {
				return "[" + shown + "](" + markup.Destination(notation.FileAddress(file)) + ")"
			}
			lost.files = append(lost.files, l.Target)
			return shown
		}
		target := posts[file]
		if target == nil || strings.TrimSpace(target.Content) == "" {
			lost.missing = append(lost.missing, l.Target)
			return shown
		}
		if target.Status == portable.Draft && p.Status != portable.Draft {
			lost.hidden = append(lost.hidden, l.Target)
			return shown
		}
		if l.Text == "" && f.kind == kindDendron {
			shown = notation.Literal(v.links.Resolved(target.Title, notation.WikiLink.Shown))
		}
		if l.Embed {
			lost.notes = append(lost.notes, l.Target)
		}
		if l.Block {
			lost.blocks = append(lost.blocks, l.Target)
		}
		address := notation.FileAddress(file)
		if l.Heading != "" && !strings.EqualFold(l.Heading, target.Title) {
			address += "#" + notation.HeadingFragment(l.Heading)
		}
		return "[" + shown + "](" + markup.Destination(address) + ")"
	})
	f.reportLinks(p.Where, lost)
}

// lostLinks are the targets of wiki links that changed their meaning.
type lostLinks struct{ missing, hidden, blocks, files, notes []string }

func (f *folder) reportLinks(where string, lost lostLinks) {
	for _, problem := range []struct {
		format string
		names  []string
	}{
		{format: "links to missing notes are plain text now: %s", names: lost.missing},
		{format: "links to drafts are plain text now: %s", names: lost.hidden},
		{format: "links to a block lead to its note now: %s", names: lost.blocks},
		{format: "embedded notes are links to them now: %s", names: lost.notes},
		{format: "embedded files that are not pictures were left out: %s", names: lost.files},
	} {
		if n := len(problem.names); n > 0 {
			slices.Sort(problem.names)
			names := slices.Compact(problem.names)
			first := plaintext.Truncate(strings.Join(names[:min(len(names), 3)], ", "), 200)
			f.blog.AddProblem(where, problem.format, andOthers(first, len(names)-3))
		}
	}
}

// andOthers returns the first of some names, and how many others there are.
func andOthers(first string, n int) portable.Particular {
	if n <= 0 {
		return portable.Particular{Message: locale.Verbatim(first), Name: first}
	}
	return portable.Particular{Message: locale.M("{names} and {n} others", "names", first, "n", n),
		Name: first + ", …"}
}
