package locale

import (
	"strconv"
	"strings"
)

// FormatSlot is the slot for a verb of a format.
type FormatSlot struct {
	Name   string
	Quoted bool // the verb is %q
}

// FromFormat returns the text of a message for a format of package fmt. Its verbs become slots: the first integer is
// {n}, which chooses the plural form, and other values are named after their position, from {1} on.
func FromFormat(format string) (text string, slots []FormatSlot) {
	var b strings.Builder
	counted := false
	for {
		before, verb, found := strings.Cut(format, "%")
		b.WriteString(before)
		if !found || verb == "" {
			return b.String(), slots
		}
		format = verb[1:]
		if verb[0] == '%' {
			b.WriteByte('%')
			continue
		}
		slot := FormatSlot{Name: strconv.Itoa(len(slots) + 1), Quoted: verb[0] == 'q'}
		if verb[0] == 'd' && !counted {
			slot.Name, counted = "n", true
		}
		slots = append(slots, slot)
		b.WriteString("{" + slot.Name + "}")
	}
}
