package storm

import (
	"bytes"
	"image"
	"image/png"
	"mime/multipart"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/PuerkitoBio/goquery"

	"inkfeed/domain/siteinfo"
	"inkfeed/web/cli/systemtest/harness"
)

// identity is what pages show of the site's identity.
type identity struct {
	name string
	logo int  // its width in the header, or 0 if there is none
	icon bool // whether the icons are not made from the logo
}

// siteIdentity is the identity of the site, which one client at a time lets the administrator change.
type siteIdentity struct {
	changing sync.Mutex
	register[identity]

	mu    sync.Mutex
	tried map[identity]bool // all identities that the site may have had
}

func newSiteIdentity() *siteIdentity {
	first := identity{name: siteinfo.Product}
	return &siteIdentity{register: newRegister(first), tried: map[identity]bool{first: true}}
}

// mayHaveBeen reports whether a client ever tried to give this identity to the site.
func (s *siteIdentity) mayHaveBeen(i identity) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tried[i]
}

// changeSite gives the site another name, and mostly other pictures, unless another client is doing so.
func (c *client) changeSite() {
	site := c.storm.site
	if !site.changing.TryLock() {
		return
	}
	defer site.changing.Unlock()
	if !site.settled() {
		return
	}
	administrator := c.administrator()
	a := administrator.get("open the settings", "/admin/settings")
	if a.status != http.StatusOK {
		return
	}
	next := identity{name: "Site " + c.token("name")}
	form := url.Values{"name": {next.name}, "version": {a.page.Find(`input[name="version"]`).AttrOr("value", "")},
		"registration": {"open"}, "role": {"author"}, "days": {"3"}}
	files := make(map[string][]byte)
	const height = 64 // of logos, of which some are wide and others stand beside the name
	switch now := site.possible[0]; c.random.IntN(4) {
	case 0:
		form.Set("logo-remove", "yes")
	case 1:
		if site.certain() {
			next.logo = now.logo
			break
		}
		fallthrough
	default:
		width := height + 2*c.random.IntN(3*height)
		files["logo"] = drawing(width, height)
		next.logo = siteinfo.Picture{Hash: "any", Width: width, Height: height}.
			WidthAt(siteinfo.NewLooks().LogoHeight())
	}
	if c.random.IntN(2) == 0 {
		form.Set("icon-remove", "yes")
	} else {
		side := 192 + c.random.IntN(64)
		files["icon"], next.icon = drawing(side, side), true
	}
	site.mu.Lock()
	site.tried[next] = true
	site.mu.Unlock()
	administrator.files = files
	_, o, within := administrator.write("change the site", "/admin/settings", form, http.StatusConflict)
	switch o {
	case done:
		site.acknowledge(next)
		c.storm.record("site name")
		if next.logo > 0 {
			c.storm.record("site logo")
		}
	case unknownOutcome:
		site.suspect(next, within)
	}
	c.readSite()
}

// readSite reads the front page anonymously at a process, and at each process the pictures that the page names. They
// must exist even if others have replaced them, because settings and pictures change together and replaced pictures
// stay for a day.
func (c *client) readSite() {
	anonymous := *c
	anonymous.http.Jar = nil
	read := func(process int, path string) (answer, bool) {
		a, id, err := anonymous.sendTo(process, 30*time.Second, http.MethodGet, path, nil)
		c.storm.history.add("client %d anonymously, process %d: GET %s: %d, cache %s (request %s) %v",
			c.number, process, path, a.status, a.cache, id, err)
		return a, err == nil && a.status != http.StatusServiceUnavailable
	}
	front, ok := read(c.random.IntN(harness.StormProcesses), "/")
	if !ok {
		return
	}
	if shown := shownIdentity(front.page); !c.storm.site.mayHaveBeen(shown) {
		c.storm.fail([]string{"change the site", shown.name}, "the site has the identity %+v, which it was never given",
			shown)
	}
	for _, path := range shownPictures(front.page) {
		for process := range harness.StormProcesses {
			a, ok := read(process, path)
			if ok && a.status != http.StatusOK {
				c.storm.fail([]string{path, "change the site"},
					"process %d has status %d for %s, which a page has just named", process, a.status, path)
			}
			if ok {
				c.storm.record("site picture read")
			}
		}
	}
}

// shownIdentity returns the identity of the site that a page shows.
func shownIdentity(page *goquery.Document) identity {
	brand := page.Find("a.brand")
	logo := brand.Find("img.logo")
	i := identity{name: harness.Text(brand)}
	if i.name == "" {
		i.name = logo.AttrOr("alt", "")
	}
	i.logo, _ = strconv.Atoi(logo.AttrOr("width", "0"))
	icon := shownIcons(page).AttrOr("href", "")
	i.icon = icon != "" && pictureHash(icon) != pictureHash(logo.AttrOr("src", ""))
	return i
}

// shownIcons returns the links to the icons that are made from the site's pictures.
func shownIcons(page *goquery.Document) *goquery.Selection {
	return page.Find(`link[rel*="icon"][href^="` + siteinfo.PicturePrefix + `"]`)
}

func pictureHash(path string) string {
	hash, _, _ := strings.Cut(strings.TrimPrefix(path, siteinfo.PicturePrefix), "-")
	return hash
}

// shownPictures returns the paths of all pictures of the site that a page names.
func shownPictures(page *goquery.Document) (paths []string) {
	shownIcons(page).Each(func(_ int, icon *goquery.Selection) { paths = append(paths, icon.AttrOr("href", "")) })
	if logo := page.Find("a.brand img.logo"); logo.Length() > 0 {
		paths = append(paths, logo.AttrOr("src", ""))
	}
	return paths
}

// drawing returns a PNG of this size.
func drawing(width, height int) []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, width, height))); err != nil {
		panic(err) // writing to memory does not fail
	}
	return b.Bytes()
}

// withFiles returns the body of a form with files, and its content type.
func withFiles(form url.Values, files map[string][]byte) (body, contentType string) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for name, values := range form {
		if err := w.WriteField(name, values[0]); err != nil {
			panic(err) // writing to memory does not fail
		}
	}
	for name, content := range files {
		part, err := w.CreateFormFile(name, name+".png")
		if err != nil {
			panic(err)
		}
		part.Write(content)
	}
	w.Close()
	return b.String(), w.FormDataContentType()
}
