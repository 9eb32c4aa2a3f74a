package static_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"inkfeed/static"
)

func TestStyleSheetsLoadFontsAtAddressesWithHashes(t *testing.T) {
	for sheet, want := range map[string]int{"inkfeed.css": 16, "typeface-serif.css": 7, "typeface-sans.css": 14,
		"typeface-book.css": 21, "typeface-slab.css": 19} {
		wantFonts(t, sheet, want)
	}
}

func wantFonts(t *testing.T, sheet string, want int) {
	t.Helper()
	css := read(t, request("GET", sheet).Body)
	fonts := regexp.MustCompile(`url\("?([^")]+)"?\)`).FindAllStringSubmatch(css, -1)
	if len(fonts) != want {
		t.Errorf("%s loads %d files, want %d fonts", sheet, len(fonts), want)
	}
	for _, font := range fonts {
		w := httptest.NewRecorder()
		served := static.ServeHashed(w, httptest.NewRequest(http.MethodGet, static.Prefix+font[1], nil), font[1])
		if !served || w.Header().Get("Content-Type") != "font/woff2" || w.Header().Get("Content-Encoding") != "" ||
			!strings.HasPrefix(w.Body.String(), "wOF2") ||
			w.Header().Get("Cache-Control") != "public, max-age=31536000, immutable" {
			t.Errorf("%s: served %v, %v", font[1], served, w.Header())
		}
	}
}

// The fonts of most texts are a large part of what a first visit may load.
func TestFontsOfMostTextsAreSmall(t *testing.T) {
	for font, most := range map[string]int{"serif-common.woff2": 26, "source-sans-common.woff2": 20,
		"inter-common.woff2": 20, "garamond-common.woff2": 31, "bitter-common.woff2": 24,
		"math-common.woff2": 46} {
		if n := len(read(t, request("GET", font).Body)); n > most<<10 {
			t.Errorf("%s has %d bytes, want at most %d KB", font, n, most)
		}
	}
}

// The licence of the fonts requires that every copy of them, such as the program, contains it.
func TestLicenceComesWithTheFonts(t *testing.T) {
	if text := read(t, request("GET", "OFL.txt").Body); !strings.Contains(text, "SIL OPEN FONT LICENSE Version 1.1") {
		t.Errorf("the licence is %.100q", text)
	}
}
