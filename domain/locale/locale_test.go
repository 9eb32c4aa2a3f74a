package locale

import (
	"context"
	"maps"
	"slices"
	"testing"
	"testing/fstest"
	"time"

	"golang.org/x/text/language"
)

// czech is a language with three plural forms of integers.
func czech(t *testing.T) *Language {
	t.Helper()
	all, err := load(fstest.MapFS{"catalogues/en.json": {Data: []byte(`{}`)}, "catalogues/cs.json": {Data: []byte(`{
		"Log in": "Přihlásit se",
		"Preview|button": "Zobrazit náhled",
		"{n} comments": {"one": "{n} komentář", "few": "{n} komentáře", "many": "{n} komentáře",
			"other": "{n} komentářů"},
		"{day} {month} {year}": "{day}. {month} {year}",
		"November|in a date": "listopadu",
		"Read <link>the guide</link> by {author}, {when}.": "{when}: přečtěte si <link>příručku</link> od {author}."
	}`)}})
	if err != nil {
		t.Fatal(err)
	}
	if all[0].Code() != "en" || all[1].Name != "čeština" {
		t.Fatalf("loaded %s and %s", all[0].Code(), all[1].Name)
	}
	return all[1]
}

func TestTextsAreTranslated(t *testing.T) {
	ctx := With(t.Context(), czech(t))
	for _, c := range []struct{ got, want string }{
		{T(ctx, "Log in"), "Přihlásit se"},
		{T(ctx, "Log out"), "Log out"},
		{T(ctx, "Preview|button"), "Zobrazit náhled"},
		{T(ctx, "Preview|heading"), "Preview"},
		{T(ctx, "{n} comments", "n", 1), "1 komentář"},
		{T(ctx, "{n} comments", "n", 3), "3 komentáře"},
		{T(ctx, "{n} comments", "n", 12345), "12\u00a0345 komentářů"},
		{T(ctx, "By {name}", "name", "{name}"), "By {name}"},
		{T(ctx, "An open brace {"), "An open brace {"},
		{T(ctx, "{error}", "error", M("Log in")), "Přihlásit se"},
		{Verbatim("Log in").In(ctx), "Log in"},
		{Message{}.In(ctx), ""},
		{T(ctx, "{amount} EUR", "amount", Decimal(1234.5, 2)), "1\u00a0234,50 EUR"},
		{M("{n} comments", "n", 3).String(), "3 comments"},
		{T(context.Background(), "Log in"), "Log in"},
		{Date(ctx, time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)), "23. listopadu 2026"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

func TestScriptsGetAllPluralForms(t *testing.T) {
	ctx := With(t.Context(), czech(t))
	want := map[string]string{"one": "{n} komentář", "few": "{n} komentáře", "many": "{n} komentáře",
		"other": "{n} komentářů"}
	if got := M("{n} comments").Forms(ctx); !maps.Equal(got, want) {
		t.Errorf("got %v", got)
	}
	if got := M("Log in").Forms(ctx); !maps.Equal(got, map[string]string{"other": "Přihlásit se"}) {
		t.Errorf("got %v", got)
	}
	if got := M("{n} comments").Forms(With(t.Context(), Pseudo()[0])); got["other"] == "" || got["other"][0] != '[' {
		t.Errorf("got %v", got)
	}
}

func TestTagsAndSlotsMoveWithTheTranslation(t *testing.T) {
	m := M("Read <link>the guide</link> by {author}, {when}.", "author", "<b>Ada</b>")
	want := []Part{{SlotPart, "when"}, {TextPart, ": přečtěte si "}, {OpenPart, "link"}, {TextPart, "příručku"},
		{ClosePart, "link"}, {TextPart, " od <b>Ada</b>."}}
	if got := m.Parts(With(t.Context(), czech(t))); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestListsReadAsInASentence(t *testing.T) {
	for want, texts := range map[string][]string{"": nil, "a": {"a"}, "a and b": {"a", "b"},
		"a, b and c": {"a", "b", "c"}} {
		if got := And(t.Context(), texts); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestTheBestLanguageIsChosen(t *testing.T) {
	set := NewSet(append([]*Language{English(), czech(t),
		newLanguage(language.MustParse("pt-BR"), "português", nil)}, Pseudo()...)...)
	for header, want := range map[string]string{
		"cs":                            "cs",
		"cs-CZ,cs;q=0.9,en;q=0.8":       "cs",
		"en-US,en;q=0.5":                "en",
		"en-XA":                         "en-XA",
		"ar-XB,en":                      "ar-XB",
		"de-DE,de;q=0.9,cs;q=0.3":       "cs",
		"de;q=0.9, cs;q=0.3, en;q=0.4":  "en",
		"sk,cs;q=0.8":                   "cs",
		"pt-PT":                         "pt-BR",
		"zh-Hant":                       "",
		"":                              "",
		"*":                             "",
		"cs;q=0":                        "",
		"nonsense;;;,":                  "",
		"\x00":                          "",
		"en;q=0.1,cs;q=1":               "cs",
		"x-klingon":                     "",
		"cs-CZ-x-very-long-private-use": "cs",
	} {
		got := ""
		if l := set.Match([]string{header}); l != nil {
			got = l.Code()
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", header, got, want)
		}
	}
	if set.Match(nil) != nil {
		t.Error("a request without the header has a language")
	}
}

func TestPseudoLocalesChangeTextsOnly(t *testing.T) {
	accented, mirrored := Pseudo()[0], Pseudo()[1]
	m := M("{n} comments by <link>{name}</link>", "n", 2, "name", "Ada")
	if got := accented.Text(m); got != "[2 çöɱɱéñţš ƀý <link>Ada</link>]" {
		t.Errorf("got %q", got)
	}
	if got := mirrored.Text(M("Log in")); got != "\u202eLog\u202c \u202ein\u202c" {
		t.Errorf("got %q", got)
	}
	if !mirrored.RightToLeft || mirrored.Direction() != "rtl" || accented.RightToLeft {
		t.Error("wrong directions")
	}
}

func TestDamagedCataloguesAreRefused(t *testing.T) {
	for _, data := range []string{`[]`, `{"a": 1}`, `{"a": {"one": "b"}}`, `{"a": {"one": 1}}`} {
		if _, err := load(fstest.MapFS{"catalogues/cs.json": {Data: []byte(data)}}); err == nil {
			t.Errorf("%s is accepted", data)
		}
	}
	if _, err := load(fstest.MapFS{"catalogues/no language.json": {Data: []byte(`{}`)}}); err == nil {
		t.Error("a file whose name is no language is accepted")
	}
}

func FuzzMessagesKeepTheirText(f *testing.F) {
	f.Add("{n} <b>comments</b> {")
	f.Fuzz(func(t *testing.T, text string) {
		if text == "" {
			return
		}
		var joined string
		m := Verbatim(text)
		for _, part := range m.Parts(context.Background()) {
			joined += part.Text
		}
		if joined != text || m.String() != text {
			t.Errorf("%q became %q and %q", text, joined, m.String())
		}
		Pseudo()[0].Text(M(text))
		M(text).Parts(context.Background())
	})
}

func BenchmarkT(b *testing.B) {
	for b.Loop() {
		T(b.Context(), "{n} comments", "n", 3)
	}
}
