package templates

import (
	"regexp"
	"strings"

	"inkfeed/domain/portable/markup"
)

// liquidToken is a tag or an output expression of Liquid in a text.
type liquidToken struct {
	markup.Span
	tag   string // empty: a value, or raw text
	rest  string // the parameters, the value's expression, or the raw text
	raw   bool
	match int // index of the tag that closes it, or -1
	// trimsBefore and trimsAfter report whether white space before and after the token is removed.
	trimsBefore, trimsAfter bool
}

// liquidTokens returns the tags and output expressions of Liquid in a text, with their matching closing tags.
func liquidTokens(source string) []liquidToken {
	var list []liquidToken
	unclosed := make(map[*regexp.Regexp]bool) // closing tags that the rest of the text does not contain
	for at := 0; ; {
		i := strings.IndexByte(source[at:], '{')
		if i < 0 || at+i+1 >= len(source) {
			break
		}
		at += i
		k := liquidToken{match: -1}
		rest := source[at:min(len(source), at+maxLiquidTag)]
		switch source[at+1] {
		case '{':
			m := liquidValue.FindStringSubmatch(rest)
			if m == nil {
				at++
				continue
			}
			k.Span, k.rest = markup.Span{Start: at, End: at + len(m[0])}, m[1]
		case '%':
			m, end := liquidTag.FindStringSubmatch(rest), strings.Index(rest, "%}")
			if m == nil || end < len(m[0]) {
				at++
				continue
			}
			k.Span, k.tag = markup.Span{Start: at, End: at + end + 2}, m[1]
			k.rest = strings.TrimSpace(strings.TrimSuffix(rest[len(m[0]):end], "-"))
		default:
			at++
			continue
		}
		k.trimsBefore = source[at+2] == '-'
		k.trimsAfter = source[k.End-3] == '-'
		ending := map[string]*regexp.Regexp{"raw": liquidEnd, "comment": commentEnd}[k.tag]
		if ending != nil && !unclosed[ending] {
			if m := ending.FindStringIndex(source[k.End:]); m != nil {
				k.raw, k.rest = true, ""
				if k.tag == "raw" {
					k.rest = source[k.End : k.End+m[0]]
				}
				k.End += m[1]
			} else {
				unclosed[ending] = true
			}
		}
		list = append(list, k)
		at = k.End
	}
	return matchTags(list)
}

// matchTags finds the closing tag of each tag.
func matchTags(list []liquidToken) []liquidToken {
	var open []int
	waiting := make(map[string]int)
	for i := range list {
		list[i].match = -1
	}
	for i, k := range list {
		name, closes := strings.CutPrefix(k.tag, "end")
		switch {
		case k.tag == "" || k.raw:
		case !closes:
			open = append(open, i)
			waiting[name]++
		case waiting[name] > 0:
			for list[i].match < 0 {
				last := open[len(open)-1]
				open = open[:len(open)-1]
				waiting[list[last].tag]--
				if list[last].tag == name {
					list[last].match, list[i].match = i, last
				}
			}
		}
	}
	return list
}
