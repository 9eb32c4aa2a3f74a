// Package frontmatter reads the front matter of Markdown files: YAML, TOML or JSON.
package frontmatter

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/domain/portable"
)

// Values are the fields of front matter.
type Values map[string]any

// MaxBytes is the maximum size of front matter, in bytes. A YAML parser can take very long for larger input.
const MaxBytes = 64 << 10

// Get returns the value of the first of the keys that the front matter has, or nil. It ignores the case of letters.
func (m Values) Get(keys ...string) any {
	for _, key := range keys {
		if v, ok := m[key]; ok && v != nil {
			return v
		}
		for k, v := range m {
			if v != nil && strings.EqualFold(k, key) {
				return v
			}
		}
	}
	return nil
}

// Text returns the value of the first of some keys as a text: see TextOf.
func (m Values) Text(keys ...string) string { return TextOf(m.Get(keys...)) }

// TextOf returns a value of front matter as a text.
func TextOf(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return strings.TrimSpace(v)
	case time.Time:
		return v.Format(time.RFC3339Nano)
	case bool, int, int64, uint64, float64:
		return fmt.Sprint(v)
	}
	return ""
}

// Bool reports whether the value of the first of some keys means yes: see ParseBool.
func (m Values) Bool(keys ...string) bool {
	yes, _ := ParseBool(m.Get(keys...))
	return yes
}

// List returns a list of names: the elements of a list, or the parts of a single text between separators.
func (m Values) List(separators string, keys ...string) []string {
	var names []string
	var add func(v any)
	add = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, each := range v {
				add(each)
			}
		case map[string]any: // some themes describe each tag in a table
			add(Values(v).Get("name", "title"))
		default:
			if name := TextOf(v); name != "" {
				names = append(names, name)
			}
		}
	}
	v := m.Get(keys...)
	if s, ok := v.(string); ok {
		for part := range strings.FieldsFuncSeq(s, func(r rune) bool { return strings.ContainsRune(separators, r) }) {
			add(part)
		}
		return names
	}
	add(v)
	return names
}

// Time returns the date under the first of some keys, or zero if there is none. A date without a zone is in the given
// zone.
func (m Values) Time(zone *time.Location, keys ...string) (time.Time, error) {
	v := m.Get(keys...)
	switch v := v.(type) {
	case nil:
		return time.Time{}, nil
	case time.Time:
		name := v.Location().String()
		if name == "local" || strings.HasSuffix(name, "-local") || v.Location() == time.Local {
			// TOML dates without a zone.
			return domain.FromLocal(v, zone), nil
		}
		return v, nil
	}
	text := TextOf(v)
	if text == "" {
		return time.Time{}, nil
	}
	t, ok := portable.ParseTime(text, zone)
	if !ok {
		return time.Time{}, portable.NewFault(
			locale.M("{date} is not understood as a date", "date", strconv.Quote(text)), nil)
	}
	return t, nil
}

// ParseBool reads a value that means yes or no.
func ParseBool(v any) (yes, ok bool) {
	switch v := v.(type) {
	case bool:
		return v, true
	case int, int64, uint64, float64:
		return fmt.Sprint(v) != "0", true
	case string:
		switch strings.ToLower(strings.TrimSpace(v)) {
		case "true", "yes", "y", "on", "1":
			return true, true
		case "false", "no", "n", "off", "0":
			return false, true
		}
	}
	return false, false
}

// PlainKey normalises a key of front matter: "members_only", "membersOnly" and "Members only" become the same key.
func PlainKey(key string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) { // also invisible characters
			return -1
		}
		return r
	}, strings.ToLower(key))
}

// Table returns a value that is a table, or nil.
func (m Values) Table(keys ...string) Values {
	table, _ := m.Get(keys...).(map[string]any)
	return table
}

// At returns the value of a path of keys such as author.email.
func (m Values) At(name string) string {
	for {
		first, rest, nested := strings.Cut(name, ".")
		if !nested {
			return m.Text(name)
		}
		m, name = AsMap(m.Get(first)), rest
	}
}

// Remove deletes keys, in any case.
func (m Values) Remove(keys ...string) {
	for k := range m {
		if slices.ContainsFunc(keys, func(key string) bool { return strings.EqualFold(k, key) }) {
			delete(m, k)
		}
	}
}

// AsMap returns a value of front matter as a table, or nil if it is none.
func AsMap(v any) Values {
	m, _ := v.(map[string]any)
	return m
}
