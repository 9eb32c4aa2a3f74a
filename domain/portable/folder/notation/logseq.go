package notation

import (
	"regexp"
	"slices"
	"strings"

	"inkfeed/domain/portable/frontmatter"
)

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

// LogseqPage moves the page's properties into front matter and converts the blocks on the outline's first level to
// paragraphs. The blocks below them stay a list.
func LogseqPage(m frontmatter.Values, content string) string {
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
				names = append(names, Unlinked(strings.TrimLeft(strings.TrimSpace(name), "#")))
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

// Unlinked returns a name without the brackets of a wiki link.
func Unlinked(name string) string {
	inner, ok := strings.CutPrefix(strings.TrimPrefix(strings.TrimSpace(name), "!"), "[[")
	if !ok {
		return strings.TrimSpace(name)
	}
	inner, _, _ = strings.Cut(strings.TrimSuffix(inner, "]]"), "|")
	return strings.TrimSpace(inner)
}
