package domain

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"inkfeed/domain/plaintext"
)

// Limits of the tags of a post.
const (
	MaxTags = 10
	MaxTag  = 50 // characters
)

// Tags are the names of a post's tags as its author wrote them, in their order, each
// once, separated by commas, which no name holds. So they compare with ==.
type Tags string

// List is the names one by one; nil when there are none.
func (t Tags) List() []string {
	if t == "" {
		return nil
	}
	return strings.Split(string(t), ",")
}

// Keys is what the tags are found by, see TagKey, in their order, each once.
func (t Tags) Keys() []string {
	var keys []string
	for _, name := range t.List() {
		if key := TagKey(name); key != "" && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return keys
}

// TagsOf puts names together that CleanTags made, or a store kept.
func TagsOf(names []string) Tags { return Tags(strings.Join(names, ",")) }

// CleanTags reads what a form sent as tags: names with commas between them, of
// whichever script has one. A "#" before a name is taken away, and so is what stands
// there a second time. The error is about the field "tags".
func CleanTags(text string) (Tags, error) {
	var names, keys []string
	for name := range strings.FieldsFuncSeq(plaintext.CleanLine(text), isTagSeparator) {
		name = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(name), "#"))
		if name == "" {
			continue
		}
		if message := checkText("A tag", name, MaxTag); message != "" {
			return "", FieldError("tags", message)
		}
		key := TagKey(name)
		if slices.Contains(keys, key) {
			continue
		}
		if key == "" {
			return "", FieldError("tags", fmt.Sprintf("The tag %q needs at least one letter, number or symbol.", name))
		}
		names, keys = append(names, name), append(keys, key)
	}
	if len(names) > MaxTags {
		return "", FieldError("tags", fmt.Sprintf("Use at most %d tags. You entered %d.", MaxTags, len(names)))
	}
	return TagsOf(names), nil
}

// isTagSeparator knows the commas of other scripts too: Arabic, ideographic and
// full-width.
func isTagSeparator(r rune) bool { return strings.ContainsRune(",،、，", r) }

// TagKey is what a tag is found by, in addresses and as a partition key: case and
// width of letters make no difference, and a hyphen stands for what is neither a
// letter, a mark, a digit nor a symbol. So "C++", "C#" and "C" are three. It is empty
// when nothing is left.
func TagKey(name string) string {
	var b strings.Builder
	gap := false
	for _, r := range folded(name) {
		switch {
		case r == '+' || r == '#' || r == '.' && b.Len() > 0,
			unicode.IsLetter(r), unicode.IsNumber(r), unicode.Is(unicode.So, r),
			unicode.IsMark(r) && b.Len() > 0 && !gap:
			if gap && b.Len() > 0 {
				b.WriteByte('-')
			}
			gap = false
			b.WriteRune(r)
		case r == '\'' || r == '’' || r == '\u200d': // it's → its; joiners
		default:
			gap = true
		}
	}
	return strings.TrimRight(norm.NFKC.String(b.String()), ".")
}

// folded is a name in NFKC, its case folded. Of most names that is their lower case, which
// takes a hundredth of the time and no memory.
func folded(name string) string {
	for i := range len(name) {
		if name[i] >= utf8.RuneSelf {
			return cases.Fold().String(norm.NFKC.String(name))
		}
	}
	return strings.ToLower(name)
}

// Without are the tags whose keys others have not.
func (t Tags) Without(others Tags) Tags {
	keys := others.Keys()
	return TagsOf(slices.DeleteFunc(t.List(), func(name string) bool { return slices.Contains(keys, TagKey(name)) }))
}

// JoinTags are the tags of both, each once.
func JoinTags(a, b Tags) Tags { return TagsOf(append(a.List(), b.Without(a).List()...)) }
