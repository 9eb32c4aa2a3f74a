package wordpress

import (
	"cmp"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	"inkfeed/domain/locale"
	"inkfeed/domain/portable"
	"inkfeed/domain/portable/markup"
)

// pattern is a synced pattern: blocks that several posts show.
type pattern struct {
	content string
	public  bool
	used    bool
}

// Limits of synced patterns, which a short text can repeat many times.
const (
	maxPatterns = 8         // within each other
	maxInserted = 512 << 10 // bytes in one text
	maxAdded    = 16 << 20  // bytes in all texts
)

var patternBlock = regexp.MustCompile(`<!--\s*wp:(?:core/)?block\s+(\{[^>]*?\})\s*/?-->`)

// insertPatterns replaces references to synced patterns by their content. It returns false if that exceeds a limit.
func (w *Export) insertPatterns(t *markup.Translator, source string) (string, bool) {
	left := min(maxInserted, maxAdded-w.inserted)
	before := left
	for depth := 0; left >= 0 && patternBlock.MatchString(source); depth++ {
		source = patternBlock.ReplaceAllStringFunc(source, func(mark string) string {
			var block struct {
				Ref     int
				Content map[string]json.RawMessage
			}
			_ = json.Unmarshal([]byte(patternBlock.FindStringSubmatch(mark)[1]), &block) // then it has no number
			switch p := w.patterns[block.Ref]; {
			case p == nil:
				t.RecordLoss(locale.M("a synced pattern was left out, because the export lacks it"))
			case !p.public:
				t.RecordLoss(locale.M("a synced pattern was left out, because it was not public"))
			case depth == maxPatterns:
				t.RecordLoss(locale.M("a synced pattern was left out, because it is nested too deeply"))
			default:
				if len(block.Content) > 0 {
					t.RecordLoss(locale.M("changes that the post made to a synced pattern were left out"))
				}
				if left -= len(p.content); left >= 0 {
					p.used = true
					return p.content
				}
			}
			return ""
		})
	}
	w.inserted += before - max(left, 0)
	return source, left >= 0
}

var (
	// noteReferences match references to footnotes, in two passes, because alternatives would take quadratic time.
	noteReferences = []*regexp.Regexp{
		regexp.MustCompile(`(?is)<sup\b[^>]*\bdata-fn="([^"]*)"[^>]*>.*?</sup>`),
		regexp.MustCompile(`(?is)<a\b[^>]*\bdata-fn="([^"]*)"[^>]*>.*?</a>`)}
	noteMark = regexp.MustCompile(`\x14(\d+)\x14`)
)

// holdNotes replaces references to footnotes by marks. It returns the texts of these footnotes, which are in a property
// of the post, in the order of the marks.
func holdNotes(t *markup.Translator, item *wxrItem, source string) (_ string, notes []string) {
	var listed []struct{ ID, Content string }
	for _, meta := range item.Meta {
		if meta.Key == "footnotes" {
			_ = json.Unmarshal([]byte(meta.Value), &listed) // references without a text are reported below
		}
	}
	texts, numbers := make(map[string]string), make(map[string]int)
	for _, note := range listed {
		texts[note.ID] = note.Content
	}
	source = strings.ReplaceAll(source, "\x14", "")
	replace := func(id string) string {
		text, ok := texts[id]
		if !ok {
			t.RecordLoss(locale.M("a footnote was left out, because the export lacks its text"))
			return ""
		}
		if numbers[id] == 0 {
			notes = append(notes, text)
			numbers[id] = len(notes)
		}
		return "\x14" + strconv.Itoa(numbers[id]) + "\x14"
	}
	for _, pattern := range noteReferences {
		source = pattern.ReplaceAllStringFunc(source, func(reference string) string {
			return replace(pattern.FindStringSubmatch(reference)[1])
		})
	}
	return source, notes
}

// addNotes replaces the marks of footnotes in Markdown, and adds the footnotes.
func addNotes(t *markup.Translator, content string, notes []string) (string, error) {
	if len(notes) == 0 {
		return content, nil
	}
	content = noteMark.ReplaceAllString(content, "[^$1]")
	for i, note := range notes {
		text, err := t.HTML(note)
		if err != nil {
			return "", err
		}
		content += "\n\n" + markup.Footnote(strconv.Itoa(i+1), text)
	}
	return content, nil
}

var (
	blockMark = regexp.MustCompile(`<!--\s*(/?)wp:([\w/-]+)\s*([^>]*?)(/?)-->`)
	caption   = regexp.MustCompile(`(?is)<figcaption\b[^>]*>.*?</figcaption>`)
	// staticBlock matches the blocks of WordPress that show nothing if they are empty.
	staticBlock = regexp.MustCompile(`^(?:audio|button|buttons|classic|code|column|columns|cover|details|` +
		`embed|file|footnotes|freeform|gallery|group|heading|html|image|list|list-item|media-text|missing|more|` +
		`nextpage|paragraph|preformatted|pullquote|quote|separator|shortcode|social-links|spacer|table|` +
		`text-columns|verse|video)$`)
	// readersBlock matches the blocks of plugins around a text that only some readers may see.
	readersBlock = regexp.MustCompile(`(?i)paywall|premium-content|subscriber|membership|memberpress|` +
		`members-|restrict|protect|private|paid|conditional|visibility|logged`)
	// readersSetting matches the properties by which plugins show a block to some readers only, unless they are empty.
	readersSetting = regexp.MustCompile(`(?i)"(?:[\w-]*(?:visibility|visibleto|condition|contentcontrols?|` +
		`blockcontrols|restrict|paywall|membership|protected|userrole|allowedrole|userstatus|logged_?in|` +
		`hideblock)[\w-]*|roles?|password|private)"\s*:\s*(?:true|[1-9]|"[^"]|\{\s*"|\[\s*[^\s\]])|` +
		`"blockVisibility"|"logged[_-]?(?:in|out)`)
	codeBlock = regexp.MustCompile(`(?i)/(?:code|code-?block|code-?block-?pro|markdown)$`)
)

// translateBlocks removes the marks of blocks, and names the blocks whose content is not known. A block without content
// is made from its properties when it is shown. Its link stays, and the words in the properties of a plugin's block.
func translateBlocks(t *markup.Translator, source string) string {
	return blockMark.ReplaceAllStringFunc(source, func(mark string) string {
		m := blockMark.FindStringSubmatch(mark)
		name, empty := strings.TrimPrefix(m[2], "core/"), m[4] != ""
		foreign := strings.Contains(name, "/") && !strings.HasPrefix(name, "core-embed/")
		if m[1] != "" {
			return ""
		}
		if readersBlock.MatchString(name) || readersSetting.MatchString(m[3]) {
			t.Hold(locale.M("the block {name} may have been for some readers only, so the post is a draft",
				"name", name))
		}
		if codeBlock.MatchString(name) || !foreign && (!empty || staticBlock.MatchString(name)) {
			return ""
		}
		kept := ""
		if empty {
			var properties map[string]any
			_ = json.Unmarshal([]byte(m[3]), &properties) // others have no words
			address, _ := properties["url"].(string)
			if _, ok := markup.WebAddress(address); ok {
				label, _ := properties["label"].(string)
				service, _ := properties["service"].(string)
				kept = markup.LinkParagraph(address, cmp.Or(label, service, address))
			} else if foreign {
				kept = markup.TextsOf("", properties)
			}
		}
		if foreign || empty && kept == "" {
			t.RecordUnknown(name, !empty || kept != "")
		}
		return kept
	})
}

// verse returns a poem, whose lines are separated and indented as they were typed, as HTML.
func verse(content string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(emptyLines.ReplaceAllString(strings.Trim(content, "\n"), "\n\n"), "\n\n") {
		lines := strings.Split(part, "\n")
		for i, line := range lines {
			said := strings.TrimLeft(line, " ")
			lines[i] = strings.Repeat("&nbsp;", min(len(line)-len(said), maxVerseIndent)) + said
		}
		b.WriteString("<p>" + strings.Join(lines, "<br>\n") + "</p>\n")
	}
	return b.String()
}

const maxVerseIndent = 40

// errPatterns reports that the synced patterns of a post exceed a limit.
var errPatterns = portable.NewFault(locale.M("its synced patterns are too long"), nil)
