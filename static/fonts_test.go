package static_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"inkfeed/static"
)

func TestStyleSheetLoadsFontsAtAddressesWithHashes(t *testing.T) {
	css := read(t, request("GET", "inkfeed.css").Body)
	fonts := regexp.MustCompile(`url\("?([^")]+)"?\)`).FindAllStringSubmatch(css, -1)
	if len(fonts) != 14 {
		t.Errorf("the style sheet loads %d files, want 14 fonts", len(fonts))
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

// The font of most texts is a large part of the 75 KB that a first visit may load.
func TestFontOfMostTextsIsSmall(t *testing.T) {
	if n := len(read(t, request("GET", "serif-common.woff2").Body)); n > 26<<10 {
		t.Errorf("the font of Latin texts has %d bytes, want at most 26 KB", n)
	}
}

// The licence of the fonts requires that every copy of them, such as the program, contains it.
func TestLicenceComesWithTheFonts(t *testing.T) {
	if text := read(t, request("GET", "OFL.txt").Body); !strings.Contains(text, "SIL OPEN FONT LICENSE Version 1.1") {
		t.Errorf("the licence is %.100q", text)
	}
}
