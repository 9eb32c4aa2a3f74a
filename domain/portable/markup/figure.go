package markup

import (
	"bytes"
	"regexp"
	"strings"
)

// Marks around a figure until SetApart moves it into a paragraph of its own. They are control characters, which texts
// do not need.
const (
	FigureBegin  = "\x11"
	FigureMiddle = "\x12"
	FigureEnd    = "\x13"
)

var (
	// FigureMarks removes the marks.
	FigureMarks  = strings.NewReplacer(FigureBegin, "", FigureMiddle, "", FigureEnd, "")
	figureMarked = regexp.MustCompile("\x11([^\x11-\x13]*)\x12([^\x11-\x13]*)\x13")
)

// Figure returns a picture that gets a paragraph of its own, with its caption below it, when SetApart processes the
// text.
func Figure(src, alt, caption string) string {
	return figure(Picture(src, alt, ""), caption)
}

// figure is Figure for an image in Markdown.
func figure(image, caption string) string {
	return FigureBegin + FigureMarks.Replace(image) + FigureMiddle + FigureMarks.Replace(Italic(caption)) + FigureEnd
}

var (
	// Container matches the marks at the beginning of a line that put it into quotes and list items.
	Container  = regexp.MustCompile(`^(?:[ \t]*(?:>|[-*+][ \t]|\d{1,9}[.)][ \t]))*[ \t]*`)
	listMarker = regexp.MustCompile(`[-*+]|\d+[.)]`)
	listItem   = regexp.MustCompile(`^[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]`)
)

// SetApart puts the figures and blocks of a text into paragraphs of their own, between blank lines, within the same
// quote or list item. In a table row, a heading or a link they stay where they are.
func SetApart(text string) string {
	out := make([]byte, 0, len(text))
	for {
		m := figureMarked.FindStringSubmatchIndex(text)
		if m == nil {
			return string(append(out, text...))
		}
		image, caption := text[m[2]:m[3]], text[m[4]:m[5]]
		out = append(out, text[:m[0]]...)
		text = text[m[1]:]

		start := bytes.LastIndexByte(out, '\n') + 1
		line := string(out[start:])
		opening := Container.FindString(line)
		said := line[len(opening):]
		switch {
		case strings.HasSuffix(said, "[") && strings.HasPrefix(text, "]"):
			out = append(out, image...)
			continue
		case strings.HasPrefix(said, "|"), strings.HasPrefix(said, "#"):
			out = append(out, strings.TrimSpace(image+" "+caption)...)
			continue
		}
		inside := listMarker.ReplaceAllStringFunc(opening, func(s string) string { return strings.Repeat(" ", len(s)) })
		edge := strings.TrimRight(inside, " \t")
		switch {
		case said != "":
			out = append(bytes.TrimRight(out, " \t"), "\n"+edge+"\n"+inside...)
		case !listMarker.MatchString(opening) && !endsBlank(out[:start]):
			out = append(out[:start], edge+"\n"+inside...)
		}
		lines := strings.Split(image, "\n")
		for i, line := range lines[1:] {
			if lines[i+1] = inside + line; line == "" {
				lines[i+1] = edge
			}
		}
		out = append(out, strings.Join(lines, "\n")...)
		if caption != "" {
			out = append(out, "\n"+edge+"\n"+inside+caption...)
		}
		after := strings.TrimLeft(text, " \t\r")
		next := strings.TrimPrefix(after, "\n")
		next, _, _ = strings.Cut(next[:min(len(next), MaxIndent)], "\n")
		switch {
		case after != "" && after[0] != '\n':
			out = append(out, "\n"+edge+"\n"+inside...)
			text = strings.TrimLeft(text, " \t")
		case strings.Trim(next, " \t\r>") == "", opening != "" && listItem.MatchString(next): // which sets it apart
		default:
			out = append(out, "\n"+edge...)
		}
	}
}

// endsBlank reports whether a text of whole lines is empty or ends with a blank line.
func endsBlank(lines []byte) bool {
	lines = bytes.TrimSuffix(lines, []byte("\n"))
	return len(bytes.Trim(lines[bytes.LastIndexByte(lines, '\n')+1:], " \t\r>")) == 0
}
