package domain

import (
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

// Tags holds the names of a post's tags, as the author wrote them and in their order, separated by commas. Each tag
// occurs once, and names contain no commas. Tags can be compared with ==.
type Tags string

// List returns the names, or nil if there are none.
func (t Tags) List() []string {
	if t == "" {
		return nil
	}
	return strings.Split(string(t), ",")
}

// Keys returns the TagKey of each tag, in order and without duplicates.
func (t Tags) Keys() []string {
	var keys []string
	for _, name := range t.List() {
		if key := TagKey(name); key != "" && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return keys
}

// TagsOf joins names that CleanTags has cleaned.
func TagsOf(names []string) Tags { return Tags(strings.Join(names, ",")) }

// CleanTags parses tags that a form sent, separated by commas of any script. It removes a leading "#" and duplicates.
// The error is Invalid, about the field "tags".
func CleanTags(text string) (Tags, error) {
	var names, keys []string
	for name := range strings.FieldsFuncSeq(plaintext.CleanLine(text), isTagSeparator) {
		name = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(name), "#"))
		if !plaintext.Shown(name) {
			continue
		}
		if message := textProblem(tagTexts, name, MaxTag); !message.IsZero() {
			return "", FieldMessage("tags", message)
		}
		key := TagKey(name)
		if slices.Contains(keys, key) {
			continue
		}
		if key == "" {
			return "", FieldError("tags", `The tag "{tag}" needs at least one letter, number or symbol.`, "tag", name)
		}
		names, keys = append(names, name), append(keys, key)
	}
	if len(names) > MaxTags {
		return "", FieldError("tags", "Use at most {n} tags. You entered {entered}.", "n", MaxTags, "entered",
			len(names))
	}
	return TagsOf(names), nil
}

// isTagSeparator reports whether r is a comma: Latin, Arabic, ideographic or full-width.
func isTagSeparator(r rune) bool { return strings.ContainsRune(",،、，", r) }

// TagKey returns the key of a tag in addresses and partition keys. Case and width make no difference. Everything but
// letters, marks, digits and symbols becomes a hyphen, so "C++", "C#" and "C" differ. The key may be empty. The key of
// a key is the key itself, except in Cherokee: package cases swaps its two cases.
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
	return strings.TrimRight(norm.NFKC.String(b.String()), ".-")
}

// folded returns a name in NFKC with its case folded. For ASCII names it only lowers the case, which takes a
// hundredth of the time and no memory.
func folded(name string) string {
	for i := range len(name) {
		if name[i] >= utf8.RuneSelf {
			return cases.Fold().String(norm.NFKC.String(name))
		}
	}
	return strings.ToLower(name)
}

// Without returns the tags whose keys are not among those of others.
func (t Tags) Without(others Tags) Tags {
	keys := others.Keys()
	return TagsOf(slices.DeleteFunc(t.List(), func(name string) bool { return slices.Contains(keys, TagKey(name)) }))
}

// JoinTags returns the tags of both, without duplicates.
func JoinTags(a, b Tags) Tags { return TagsOf(append(a.List(), b.Without(a).List()...)) }
