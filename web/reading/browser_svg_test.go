package reading_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

// hostileSVG marks its root element with a script, and loads files of another site. A rectangle shows that it is drawn.
const hostileSVG = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20" onload="ran()">
	<style>@import url(SITE/sheet.css); @font-face { font-family: a; src: url(SITE/font) }</style>
	<script>function ran() { document.documentElement.setAttribute("ran", "") } ran()</script>
	<script href="SITE/script.js"/>
	<rect id="r" width="9" height="9"/><text font-family="a">a</text>REST</svg>`

const hostileRest = `<image href="SITE/picture.png" width="9" height="9"/>
	<foreignObject width="9" height="9"><iframe xmlns="http://www.w3.org/1999/xhtml" src="SITE/frame"/></foreignObject>`

func TestSVGRunsAndLoadsNothingAtItsOwnAddress(t *testing.T) {
	w, b := webtest.OpenWorld(t)
	var requests atomic.Int32
	var unguarded string
	site := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/unguarded.svg" {
			rw.Header().Set("Content-Type", "image/svg+xml")
			_, _ = io.WriteString(rw, unguarded)
		} else if r.URL.Path != "/favicon.ico" {
			requests.Add(1)
		}
	}))
	t.Cleanup(site.Close)
	uploaded := strings.NewReplacer("REST", "", "SITE", site.URL).Replace(hostileSVG)
	unguarded = strings.NewReplacer("SITE", site.URL).Replace(strings.Replace(hostileSVG, "REST", hostileRest, 1))
	path := w.Ada.Scripted().Upload("/images", []byte(uploaded)).Want(http.StatusCreated).JSON().URL
	open := func(address, scripts, ran string, loads bool) {
		t.Helper()
		requests.Store(0)
		b.Do(chromedp.Navigate(address))
		b.WantValue(`document.querySelector("#r").getBBox().width`, "9")
		b.WantValue(`document.querySelectorAll("script").length`, scripts)
		b.WantValue(`document.documentElement.hasAttribute("ran")`, ran)
		if n := requests.Load(); n > 0 != loads {
			t.Errorf("%s loads %d files", address, n)
		}
	}
	open(site.URL+"/unguarded.svg", "2", "true", true) // the test would notice
	open(b.Base+path, "0", "false", false)
	// The headers protect alone, in case a hostile file is stored.
	name := strings.TrimPrefix(path, domain.MediaPrefix)
	w.Data.Must(w.Data.Files.Disk.Put(w.Data.Context(), name, []byte(unguarded)))
	open(b.Base+path+"?uncached", "2", "false", false)
}
