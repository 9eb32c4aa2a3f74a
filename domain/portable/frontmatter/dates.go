package frontmatter

import (
	"cmp"
	"regexp"
	"strings"
	"time"
)

// Date returns the first date among some keys, normalised by PlainKey, and whether it has no time of day. If
// there is no valid date, the error is about the first invalid one.
func (m Values) Date(zone *time.Location, keys []string) (t time.Time, dateOnly bool, err error) {
	byKey := make(map[string]string, len(m))
	for key, value := range m {
		if plain := PlainKey(key); value != nil && (byKey[plain] == "" || key < byKey[plain]) {
			byKey[plain] = key
		}
	}
	for _, key := range keys {
		name, ok := byKey[key]
		if !ok {
			continue
		}
		if _, isBool := ParseBool(m[name]); isBool && (key == "published" || key == "publish") && !IsDate(m[name]) {
			continue
		}
		if m[name] == false && key != "date" { // Starlight shows no last change then
			continue
		}
		found, fault := m.Time(zone, name)
		if fault == nil && !found.IsZero() {
			return found, isDateOnly(m[name]), nil
		}
		err = cmp.Or(err, fault)
	}
	return time.Time{}, false, err
}

// isDateOnly reports whether a date has no time of day.
func isDateOnly(v any) bool {
	if t, ok := v.(time.Time); ok {
		return strings.HasPrefix(t.Location().String(), "date-")
	}
	return !strings.Contains(TextOf(v), ":") && !timeOfDay.MatchString(TextOf(v))
}

// timeOfDay matches times that are written without a colon: 20200102T1504, 202001021504, 3 pm, seconds since 1970.
var timeOfDay = regexp.MustCompile(`(?i)\dT\d|^\d{9,}$|\d ?[ap]m\b`)

// IsDate reports whether a value of front matter is a date.
func IsDate(v any) bool {
	t, err := (Values{"date": v}).Time(time.UTC, "date")
	return err == nil && !t.IsZero()
}
