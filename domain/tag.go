package domain

import (
	"slices"
	"strings"
	"unicode"

	"inkfeed/domain/names"
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

// TagKey returns the key of a tag in addresses and partition keys: see names.Key. Symbols count, so "C++", "C#" and "C"
// differ. The key may be empty.
func TagKey(name string) string { return names.Key(name, isTagSymbol) }

func isTagSymbol(r rune, _ bool) bool {
	return r == '+' || r == '#' || r == '.' || unicode.IsNumber(r) || unicode.Is(unicode.So, r)
}

// FormerKeys returns the keys under which earlier releases may have listed a post with the tags, other than Keys. One
// of them kept a hyphen before dots at the end.
func (t Tags) FormerKeys() (former []string) {
	keys := t.Keys()
	for _, name := range t.List() {
		key := names.FormerKey(name, isTagSymbol)
		for _, key := range []string{strings.TrimRight(key, ".-"), strings.TrimRight(key, ".")} {
			if key != "" && !slices.Contains(keys, key) && !slices.Contains(former, key) {
				former = append(former, key)
			}
		}
	}
	return former
}

// Without returns the tags whose keys are not among those of others.
func (t Tags) Without(others Tags) Tags {
	keys := others.Keys()
	return TagsOf(slices.DeleteFunc(t.List(), func(name string) bool { return slices.Contains(keys, TagKey(name)) }))
}

// JoinTags returns the tags of both, without duplicates.
func JoinTags(a, b Tags) Tags { return TagsOf(append(a.List(), b.Without(a).List()...)) }
