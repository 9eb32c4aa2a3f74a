package folder

import (
	"regexp"
	"slices"
	"strings"

	"inkfeed/domain/locale"
	"inkfeed/domain/plaintext"
	"inkfeed/domain/portable"
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
	p.Title = v.resolved(p.Title, wikiLink.shown)
	p.Content = v.resolved(p.Content, func(l wikiLink) string {
		shown := literal(l.shown())
		if l.target == "" {
			if l.heading == "" {
				return shown
			}
			return "[" + shown + "](#" + headingFragment(l.heading) + ")"
		}
		file, ok := v.names.find(l.target, l.from)
		if !ok {
			lost.missing = append(lost.missing, l.target)
			return shown
		}
		if !portable.IsText(file) {
			if portable.IsImage(file) {
				return "[" + shown + "](" + markup.Destination(fileAddress(file)) + ")"
			}
			lost.files = append(lost.files, l.target)
			return shown
		}
		target := posts[file]
		if target == nil || strings.TrimSpace(target.Content) == "" {
			lost.missing = append(lost.missing, l.target)
			return shown
		}
		if target.Status == portable.Draft && p.Status != portable.Draft {
			lost.hidden = append(lost.hidden, l.target)
			return shown
		}
		if l.text == "" && f.kind == kindDendron {
			shown = literal(v.resolved(target.Title, wikiLink.shown))
		}
		if l.embed {
			lost.notes = append(lost.notes, l.target)
		}
		if l.block {
			lost.blocks = append(lost.blocks, l.target)
		}
		address := fileAddress(file)
		if l.heading != "" && !strings.EqualFold(l.heading, target.Title) {
			address += "#" + headingFragment(l.heading)
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

var pictureSize = regexp.MustCompile(`^\d+(?:x\d+)?$`)

// pictureText returns the description of an embedded picture. Its parameters may be a size.
func pictureText(parameters string) string {
	var kept []string
	for part := range strings.SplitSeq(parameters, "|") {
		if part = strings.TrimSpace(part); part != "" && !pictureSize.MatchString(part) {
			kept = append(kept, part)
		}
	}
	return strings.Join(kept, " ")
}
