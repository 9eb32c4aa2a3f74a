package markdown

import (
	"strings"

	"inkfeed/domain"
)

// FirstImage returns the first picture of this site that a post shows, without rendering the post:
// it reads the source once. It finds pictures with an inline address outside of code blocks. Unlike
// Markdown.Post it misses a picture whose address is given by reference, and accepts one inside a
// code span.
func FirstImage(source string) (domain.ImageName, bool) {
	fence := ""
	afterText := false // the previous line is part of a paragraph, so an indented line is not code
	for line := range strings.Lines(source) {
		text := strings.TrimLeft(line, " \t")
		indented := len(line)-len(text) >= 4 || strings.HasPrefix(line, "\t")
		mark := fenceOf(text)
		switch {
		case fence != "":
			if !indented && strings.HasPrefix(mark, fence) && strings.TrimSpace(text) == mark {
				fence = ""
			}
			continue
		case mark != "" && !indented:
			fence, afterText = mark, false
			continue
		case indented && !afterText:
			continue
		}
		afterText = strings.TrimSpace(text) != ""
		if name, ok := imageIn(text); ok {
			return name, true
		}
	}
	return domain.ImageName{}, false
}

// Cover returns the cover of a post without rendering the post: see FirstImage. A cover that the author did not
// describe has no description.
func Cover(p domain.Post) domain.Cover {
	first, ok := FirstImage(p.Content)
	if !ok {
		return p.Details.CoverOf(nil)
	}
	return p.Details.CoverOf([]domain.Cover{{Image: first}})
}

// fenceOf returns the run of at least three backticks or tildes at the start of a line, or "".
func fenceOf(line string) string {
	for _, mark := range []string{"`", "~"} {
		if run := line[:len(line)-len(strings.TrimLeft(line, mark))]; len(run) >= 3 {
			return run
		}
	}
	return ""
}

// maxImagePath is longer than the address of any picture, in bytes.
const maxImagePath = 100

// imageIn finds the first picture of this site in a line such as "![A cat](/media/…)".
func imageIn(line string) (domain.ImageName, bool) {
	for {
		at := strings.Index(line, "](")
		if at < 0 {
			return domain.ImageName{}, false
		}
		begin := strings.Index(line[:at], "![")
		rest := strings.TrimLeft(line[at+2:], " <")
		rest = rest[:min(len(rest), maxImagePath+1)]
		end := strings.IndexAny(rest, " \t\n>)")
		if begin >= 0 && end >= 0 && (begin == 0 || line[begin-1] != '\\') {
			if name, ok := domain.ParseImagePath(rest[:end]); ok {
				return name, true
			}
		}
		line = line[at+2:]
	}
}
