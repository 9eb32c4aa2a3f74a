package locale

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/number"
)

// Message is a text of the interface that is translated when it is shown. The zero value is the empty text.
type Message struct {
	key  string
	args []any // slot names and values, alternating
}

// M returns a message: an English text, followed by the names and values of its slots, in pairs. A value is a string,
// an integer, a float64 that is shown with one decimal, a time that is shown as a date, a Message or a fmt.Stringer.
func M(text string, args ...any) Message { return Message{text, args} }

// With returns the message with values for its slots, whose names and values follow in pairs.
func (m Message) With(args ...any) Message { return Message{m.key, slices.Concat(m.args, args)} }

// Verbatim returns a message that is the same in all languages, such as a name.
func Verbatim(text string) Message { return Message{verbatim, []any{"text", text}} }

// verbatim is the key of texts that are not translated. No catalogue has it.
const verbatim = "{text}"

// T returns a text in the language of the context. Its arguments are those of [M].
func T(ctx context.Context, text string, args ...any) string { return M(text, args...).In(ctx) }

// Number formats an integer in the language of the context.
func Number[N ~int | ~int64](ctx context.Context, n N) string { return From(ctx).Number(int64(n)) }

// IsZero reports whether the message is empty.
func (m Message) IsZero() bool { return m.key == "" }

// String returns the message in English, for logs and tests.
func (m Message) String() string { return English().Text(m) }

// In returns the message in the language of the context.
func (m Message) In(ctx context.Context) string { return From(ctx).Text(m) }

// Forms returns the message in the language of the context by CLDR's plural categories, for scripts that fill in the
// number. Without plural forms it has only the category other. Slots without a value stay as they are.
func (m Message) Forms(ctx context.Context) map[string]string {
	l := From(ctx)
	forms := map[string]string{"other": l.Text(m)}
	for category := range l.plurals(m.key) {
		forms[category] = l.fill(l.pseudo(l.plurals(m.key)[category]), m)
	}
	return forms
}

// Parts returns the message in the language of the context, split at its tags and at the slots without a value.
func (m Message) Parts(ctx context.Context) []Part {
	l := From(ctx)
	return split(l.template(m), func(slot string) (string, bool) { return l.value(m, slot) })
}

// Text returns a message in the language. Slots without a value stay as they are.
func (l *Language) Text(m Message) string { return l.fill(l.template(m), m) }

// fill replaces the slots of a template by the values of a message.
func (l *Language) fill(template string, m Message) string {
	if !strings.Contains(template, "{") {
		return template
	}
	var b strings.Builder
	for {
		before, rest, _ := strings.Cut(template, "{")
		b.WriteString(before)
		slot, after, found := strings.Cut(rest, "}")
		if !found {
			b.WriteString(template[len(before):])
			return b.String()
		}
		if value, ok := l.value(m, slot); ok {
			b.WriteString(value)
		} else {
			b.WriteString("{" + slot + "}")
		}
		template = after
	}
}

// template returns the translation of a message, with its slots.
func (l *Language) template(m Message) string {
	forms, translated := l.messages[m.key]
	text := forms.other
	switch {
	case m.key == "" || m.key == verbatim:
		return m.key
	case !translated && l.fallback != nil:
		return l.pseudo(l.fallback.template(m))
	case !translated:
		text = WithoutContext(m.key)
	case forms.plural != nil:
		if n, ok := m.count(); ok {
			if form, ok := forms.plural[l.category(n)]; ok {
				text = form
			}
		}
	}
	return l.pseudo(text)
}

// plurals returns the plural forms of a text by category, or nil if it has none.
func (l *Language) plurals(key string) map[string]string {
	forms, translated := l.messages[key]
	if !translated && l.fallback != nil {
		return l.fallback.plurals(key)
	}
	return forms.plural
}

// count returns the number that chooses the plural form.
func (m Message) count() (n int, ok bool) {
	for i := 0; i+1 < len(m.args); i += 2 {
		if m.args[i] == "n" {
			switch n := m.args[i+1].(type) {
			case int:
				return n, true
			case int64:
				return int(n), true
			}
		}
	}
	return 0, false
}

// value returns the text of a slot, and whether the message has a value for it.
func (l *Language) value(m Message, slot string) (string, bool) {
	for i := 0; i+1 < len(m.args); i += 2 {
		if m.args[i] != slot {
			continue
		}
		switch value := m.args[i+1].(type) {
		case string:
			return value, true
		case int:
			return l.Number(int64(value)), true
		case int64:
			return l.Number(value), true
		case float64:
			return l.printer.Sprint(number.Decimal(value, number.Scale(1))), true
		case decimal:
			return l.printer.Sprint(number.Decimal(value.value, number.Scale(value.places))), true
		case time.Time:
			return l.Text(dateMessage(value)), true
		case Message:
			return l.Text(value), true
		case Stored:
			return l.Text(value.Message()), true
		default:
			return fmt.Sprint(value), true
		}
	}
	return "", false
}

// WithoutContext returns an English text without the bar and the words after it, which tell equal texts apart.
func WithoutContext(key string) string {
	text, _, _ := strings.Cut(key, "|")
	return text
}
