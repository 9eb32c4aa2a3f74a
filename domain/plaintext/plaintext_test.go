package plaintext_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"inkfeed/domain/names"
	"inkfeed/domain/plaintext"
)

func TestTruncate(t *testing.T) {
	for name, c := range map[string]struct {
		in    string
		limit int
		want  string
	}{
		"keeps what is within the limit":            {"one two", 7, "one two"},
		"cuts between words":                        {"one two three", 9, "one two…"},
		"counts the ellipsis":                       {"one two three", 8, "one two…"},
		"removes punctuation before the ellipsis":   {"one, two, three", 10, "one, two…"},
		"removes the full stop before the ellipsis": {"One. Two three", 8, "One…"},
		"cuts inside a word that is too long":       {"incomprehensibilities", 5, "inco…"},
		"keeps a family emoji whole":                {"👩‍👩‍👧 abcdef abcdefg", 9, "👩‍👩‍👧 abcdef…"},
		"cuts a script without spaces":              {"吾輩は猫である。名前はまだ無い。", 8, "吾輩は猫である…"},
		"keeps an accent with its letter":           {"e\u0301te\u0301 e\u0301te\u0301", 5, "e\u0301te\u0301…"},
		"cuts a character with too many marks":      {"e" + strings.Repeat("\u0301", 100), 3, "e\u0301\u0301\u0301…"},
		"cuts a word of characters with many marks": {"é one" + strings.Repeat("e\u0301\u0301\u0301\u0301", 9), 5,
			"é…"},
		"leaves an empty text empty": {"", 5, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := plaintext.Truncate(c.in, c.limit); got != c.want {
				t.Errorf("Truncate(%q, %d) = %q, want %q", c.in, c.limit, got, c.want)
			}
		})
	}
}

func TestAddressesKeepTheirCharactersWhenATextIsComposed(t *testing.T) {
	const d, c = "koc\u030cka", "ko\u010dka" // decomposed, composed
	for in, want := range map[string]string{
		d:                                      c,
		"see https://a.example/" + d + " " + d: "see https://a.example/" + d + " " + c,
		d + " [" + d + "](//a.example/" + d + ")": c + " [" + c + "](//a.example/" + d + ")",
		"WWW.a.example/" + d + "\n" + d:           "WWW.a.example/" + d + "\n" + c,
		"<HTTP://a.example/" + d + ">" + d:        "<HTTP://a.example/" + d + ">" + c,
		"[a](/" + d + ")":                         "[a](/" + c + ")", // this site's paths are composed
		"//" + d + "\u3000" + d:                   "//" + d + "\u3000" + c,
	} {
		if got := plaintext.Clean(in); got != want || plaintext.Clean(got) != got {
			t.Errorf("%+q becomes %+q, want %+q", in, got, want)
		}
	}
}

func FuzzCleanIsIdempotent(f *testing.F) {
	f.Add("e\u0301 https://e\u0301.example/e\u0301<\u0338e\u0301")
	f.Fuzz(func(t *testing.T, s string) {
		once := plaintext.Clean(s)
		if again := plaintext.Clean(once); again != once {
			t.Errorf("%+q becomes %+q and then %+q", s, once, again)
		}
	})
}

func FuzzTruncate(f *testing.F) {
	f.Add("one two three", 5)
	f.Add("👩‍👩‍👧é漢字", 2)
	f.Fuzz(func(t *testing.T, s string, limit int) {
		if limit < 1 || limit > 1000 || !utf8.ValidString(s) {
			t.Skip()
		}
		got := plaintext.Truncate(s, limit)
		if n := plaintext.Characters(got); n > limit {
			t.Errorf("Truncate(%q, %d) = %q: %d characters", s, limit, got, n)
		}
		if !utf8.ValidString(got) {
			t.Errorf("Truncate(%q, %d) = %q is not valid UTF-8", s, limit, got)
		}
		if len(got) > 4*limit+len("…") {
			t.Errorf("Truncate(%q, %d) has %d bytes", s, limit, len(got))
		}
		if got != s && !strings.HasPrefix(s, strings.TrimSuffix(got, "…")) {
			t.Errorf("Truncate(%q, %d) = %q is not a prefix of the text", s, limit, got)
		}
	})
}

func TestSlugIsReadableInAnyScript(t *testing.T) {
	for title, want := range map[string]string{
		"Hello, World!":             "hello-world",
		"  What's new?  ":           "whats-new",
		"Ünïcode façade":            "ünïcode-façade",
		"吾輩は猫である":                   "吾輩は猫である",
		"مرحبا بالعالم":             "مرحبا-بالعالم",
		"हिन्दी में":                "हिन्दी-में",
		"ﬁne ① ½":                   "fine-1-1-2",
		"!!!":                       "post",
		"Likes":                     "likes-post",
		"Versions":                  "versions-post",
		"Unpublish":                 "unpublish-post",
		"Report":                    "report-post",
		"Moderate":                  "moderate-post",
		"a/b\\c?d#e%f":              "a-b-c-d-e-f",
		strings.Repeat("word ", 50): strings.TrimSuffix(strings.Repeat("word-", 16), "-"),
	} {
		if got := names.Slug(title); got != want {
			t.Errorf("Slug(%q) = %q, want %q", title, got, want)
		}
	}
}

func FuzzSlug(f *testing.F) {
	f.Add("Hello, World!")
	f.Add(strings.Repeat("漢", 100))
	f.Add("弢\xe6.\xa2\xf5ŀ") // invalid bytes, which kept the rest from being normalised
	f.Fuzz(func(t *testing.T, title string) {
		got := names.Slug(title)
		if got == "" || len(got) > 80 || !utf8.ValidString(got) || strings.ContainsAny(got, "/\\?#%<>\"' \n") {
			t.Errorf("Slug(%q) = %q", title, got)
		}
		if again := names.Slug(got); again != got {
			t.Errorf("Slug(%q) = %q, and its slug is %q", title, got, again)
		}
	})
}
