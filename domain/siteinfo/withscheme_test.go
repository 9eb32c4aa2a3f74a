package siteinfo_test

import (
	"testing"

	"inkfeed/domain/siteinfo"
)

func TestAnAddressWithoutASchemeGetsTheOneThatWasMeant(t *testing.T) {
	for typed, want := range map[string]string{
		"example.org":             "https://example.org",
		"www.example.org/a?b#c":   "https://www.example.org/a?b#c",
		"Example.ORG:8443":        "https://Example.ORG:8443",
		"háčky.example/kočka":     "https://háčky.example/kočka",
		"example.xn--p1ai":        "https://example.xn--p1ai",
		"example.org/@ada":        "https://example.org/@ada",
		"ada@example.org":         "mailto:ada@example.org",
		"https://example.org":     "https://example.org",
		"http://example.org":      "http://example.org",
		"mailto:ada@example.org":  "mailto:ada@example.org",
		"/about":                  "/about",
		"/example.org":            "/example.org",
		"//example.org":           "//example.org",
		"@ada":                    "@ada",
		"@ada@example.org":        "@ada@example.org",
		"about.html":              "about.html",
		"index.php?p=1":           "index.php?p=1",
		"about":                   "about",
		"localhost:8080":          "localhost:8080",
		"127.0.0.1":               "127.0.0.1",
		"javascript:alert.call()": "javascript:alert.call()",
		"two words.org":           "two words.org",
		"e.g.":                    "e.g.",
		"":                        "",
	} {
		if got := siteinfo.WithScheme(typed); got != want {
			t.Errorf("%q becomes %q, want %q", typed, got, want)
		}
	}
}
