package portable

import (
	"bytes"
	"regexp"
	"strings"
)

// maxElements is the maximum number of elements in all lists of a JSON document. A decoded element takes up to a
// hundred times the memory of its text, so this bounds the memory of a decoded document.
const maxElements = 500_000

// maxJSONDepth is the nesting depth above which package json refuses a document.
const maxJSONDepth = 10_000

// CheckJSON returns an error if the lists of a JSON document have more than maxElements elements. It does not check the
// syntax.
func CheckJSON(body []byte) error {
	elements := 0
	var inList []bool // for each open list or object, whether it is a list
	for i := 0; i < len(body); i++ {
		switch c := body[i]; c {
		case '"':
			for i++; i < len(body) && body[i] != '"'; i++ {
				if body[i] == '\\' {
					i++
				}
			}
		case '[', '{':
			if len(inList) == maxJSONDepth {
				return nil
			}
			inList = append(inList, c == '[')
			if c == '[' {
				elements++ // the first element; an empty list counts as one, too
			}
		case ']', '}':
			inList = inList[:max(0, len(inList)-1)]
		case ',':
			if len(inList) > 0 && inList[len(inList)-1] {
				elements++
			}
		}
		if elements > maxElements {
			return errHoldsMore
		}
	}
	return nil
}

// ReadJSON reads a document of JSON. It repairs the document and checks its size: see RepairJSON and CheckJSON.
func (f *Files) ReadJSON(name string) ([]byte, error) {
	body, err := f.ReadText(name, MaxDocument)
	if err != nil {
		return nil, err
	}
	body, repaired := RepairJSON(body)
	if repaired {
		f.repairs[name] = ReplacedProblem(name)
	}
	return body, CheckJSON(body)
}

// ReadCSV reads a table. It replaces NULs.
func (f *Files) ReadCSV(name string) ([]byte, error) {
	body, err := f.ReadText(name, MaxDocument)
	if bytes.IndexByte(body, 0) >= 0 {
		body = bytes.ReplaceAll(body, []byte{0}, []byte("\uFFFD"))
		f.repairs[name] = ReplacedProblem(name)
	}
	return body, err
}

var (
	// jsonEscape matches an escape, or both of a surrogate pair.
	jsonEscape = regexp.MustCompile(`^\\(?:["\\/bfnrt]|u[dD][89abAB][[:xdigit:]]{2}\\u[dD][c-fC-F][[:xdigit:]]{2}|` +
		`u[[:xdigit:]]{4})`)
	// badEscape matches an escape of half of a pair, or of a control character that is not white space.
	badEscape = regexp.MustCompile(`^\\(?:[bf]|u(?:[dD][89a-fA-F]..|00[01][0-8bBcCeEfF]|0019|001[aAdD]))$`)
)

// RepairJSON repairs texts in JSON that package json refuses or changes in silence. It escapes line breaks, tabs and
// backslashes that begin no escape, and replaces other control characters and halves of surrogate pairs by U+FFFD.
func RepairJSON(body []byte) (_ []byte, replaced bool) {
	var b []byte
	end := 0 // of what b has
	put := func(from, to int, text string) {
		b = append(append(b, body[end:from]...), text...)
		end = to
	}
	inText := false
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case c == '"':
			inText = !inText
		case !inText:
		case c == '\n':
			put(i, i+1, `\n`)
		case c == '\t':
			put(i, i+1, `\t`)
		case c < ' ':
			put(i, i+1, "\uFFFD")
			replaced = true
		case c == '\\' && i+1 < len(body) && strings.IndexByte(`"\/nrt`, body[i+1]) >= 0:
			i++
		case c == '\\':
			escape := jsonEscape.Find(body[i:min(i+len(`\ud83d\ude42`), len(body))])
			if escape == nil {
				put(i, i+1, `\\`)
			} else if badEscape.Match(escape) {
				put(i, i+len(escape), "\uFFFD")
				replaced = true
			}
			i += max(1, len(escape)) - 1
		}
	}
	if end == 0 {
		return body, false
	}
	return append(b, body[end:]...), replaced
}
