package locale

import (
	"errors"
	"testing"
	"time"
)

func TestStoredMessagesAreTranslatedLater(t *testing.T) {
	ctx := With(t.Context(), czech(t))
	at := time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		stored any
		want   string
	}{
		"a text":                         {M("Log in"), "Přihlásit se"},
		"a text with a context":          {M("Preview|button"), "Zobrazit náhled"},
		"a number":                       {M("{n} comments", "n", 3), "3 komentáře"},
		"a large number":                 {M("{n} comments", "n", int64(12345)), "12\u00a0345 komentářů"},
		"a decimal number":               {M("{size} MB", "size", 1.0), "1,0 MB"},
		"a date":                         {M("Since {date}", "date", at), "Since 23. listopadu 2026"},
		"a message in a slot":            {M("In {what}", "what", M("{n} comments", "n", 3)), "In 3 komentáře"},
		"a name with braces":             {M("By {name}", "name", `{"text":"x"}`), `By {"text":"x"}`},
		"an error in a slot":             {M("Failed: {error}", "error", errors.New("x")), "Failed: x"},
		"a text that is not translated":  {Verbatim("Log {in"), "Log {in"},
		"nothing":                        {Message{}, ""},
		"a text from before messages":    {"Log in", "Přihlásit se"},
		"such a text with a bar":         {"The tag a|b", "The tag a|b"},
		"such a text with a slot":        {"The tag {n}", "The tag {n}"},
		"such a text that looks encoded": {`{"text":`, `{"text":`},
		"such a text that is JSON":       {`{"a":1}`, `{"a":1}`},
		"such a text that is a number":   {"12", "12"},
	} {
		if m, ok := c.stored.(Message); ok {
			c.stored = string(m.Stored())
		}
		stored := Stored(c.stored.(string))
		if got := stored.In(ctx); got != c.want {
			t.Errorf("%s: %s is %q, want %q", name, string(stored), got, c.want)
		}
		if got := T(ctx, "{problem}", "problem", stored); got != c.want {
			t.Errorf("%s: %q in a slot, want %q", name, got, c.want)
		}
	}
}
