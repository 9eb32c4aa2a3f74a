package locale

import "strings"

// PartKind is the kind of a Part.
type PartKind uint8

const (
	TextPart  PartKind = iota // a text
	SlotPart                  // the name of a slot without a value
	OpenPart                  // the name of a tag that begins
	ClosePart                 // the name of a tag that ends
)

// Part is a piece of a message with tags or with slots that are rendered as elements.
type Part struct {
	Kind PartKind
	Text string
}

// split splits a translation at its tags, and at the slots without a value.
func split(template string, value func(slot string) (string, bool)) (parts []Part) {
	text := func(s string) {
		if last := len(parts) - 1; last >= 0 && parts[last].Kind == TextPart {
			parts[last].Text += s
		} else if s != "" {
			parts = append(parts, Part{TextPart, s})
		}
	}
	for template != "" {
		at := strings.IndexAny(template, "{<")
		if at < 0 {
			text(template)
			break
		}
		text(template[:at])
		end := map[byte]string{'{': "}", '<': ">"}[template[at]]
		name, after, found := strings.Cut(template[at+1:], end)
		if !found {
			text(template[at:])
			break
		}
		closing, isClosing := strings.CutPrefix(name, "/")
		switch {
		case end == ">" && isClosing:
			parts = append(parts, Part{ClosePart, closing})
		case end == ">":
			parts = append(parts, Part{OpenPart, name})
		default:
			if s, ok := value(name); ok {
				text(s)
			} else {
				parts = append(parts, Part{SlotPart, name})
			}
		}
		template = after
	}
	return parts
}
