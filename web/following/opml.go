package following

import (
	"context"
	"encoding/xml"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/labstack/echo/v4"
	"golang.org/x/net/html/charset"

	"inkfeed/domain"
	"inkfeed/domain/names"
	view "inkfeed/views/following"
	"inkfeed/web/site"
)

// opml exports what a user follows for feed readers, and imports such lists.
type opml struct{ settings }

func (h opml) register(e *echo.Echo) {
	site.Get(e, site.OPMLPath, h.export)
	e.POST(site.OPMLImportPath, h.receive)
}

// document is a list of feeds in OPML 2.0.
type document struct {
	XMLName  xml.Name  `xml:"opml"`
	Version  string    `xml:"version,attr"`
	Title    string    `xml:"head>title"`
	Outlines []outline `xml:"body>outline"`
}

type outline struct {
	Type string `xml:"type,attr"`
	Text string `xml:"text,attr"`
	Feed string `xml:"xmlUrl,attr"`
	Page string `xml:"htmlUrl,attr"`
}

// feedFile is the last part of the addresses of feeds in the list.
const feedFile = "/feed.atom"

func (h opml) export(c echo.Context) error {
	u, err := h.SignedIn(c)
	if err != nil {
		return err
	}
	all, err := h.store.Follows.All(c.Request().Context(), u.ID)
	if err != nil {
		return err
	}
	list := document{Version: "2.0", Title: h.Info().Title()}
	for _, t := range targetsOf(all, false) {
		text := t.Tag
		if text == "" {
			text = names.Called(t.author.Username, t.author.DisplayName)
		}
		page := site.AbsoluteURL(h.BaseURL(c), t.path())
		list.Outlines = append(list.Outlines, outline{"rss", text, page + feedFile, page})
	}
	content, err := xml.MarshalIndent(list, "", "  ")
	if err != nil {
		return err
	}
	c.Response().Header().Set("Content-Disposition", mime.FormatMediaType("attachment",
		map[string]string{"filename": "following.opml"}))
	c.Response().Header().Set("Cache-Control", site.CacheNever)
	return c.Blob(http.StatusOK, "text/x-opml; charset=utf-8", append([]byte(xml.Header), content...))
}

// Limits of an imported list.
const (
	maxOPML      = 1 << 20 // bytes
	maxDepth     = 20      // of elements
	importBudget = 8 * time.Second
)

// receive follows the authors and tags of an uploaded list. What the limits or the time leave out is counted, and
// follows when the file is uploaded again.
func (h opml) receive(c echo.Context) error {
	u, err := h.SignedIn(c)
	if err != nil {
		return err
	}
	file, err := upload(c.Request())
	var addresses []string
	if err == nil {
		addresses, err = readOPML(file)
	}
	if err != nil {
		return site.Redisplay(h.Site, c, err, h.form, view.SettingsPage{})
	}
	result, err := h.followAll(c, u, addresses)
	if err != nil {
		return site.Redisplay(h.Site, c, err, h.form, view.SettingsPage{})
	}
	return h.form(c, http.StatusOK, view.SettingsPage{Import: &result})
}

// upload returns the uploaded file of a form.
func upload(r *http.Request) (io.Reader, error) {
	parts, err := r.MultipartReader()
	for err == nil {
		part, failed := parts.NextPart()
		if failed == nil && part.FormName() == "file" && part.FileName() != "" {
			return part, nil
		}
		err = failed
	}
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return nil, errLargeOPML
	}
	return nil, domain.FieldError("file", "Choose a file.")
}

var (
	errNoOPML    = domain.FieldError("file", "This is not a list of feeds in OPML.")
	errLargeOPML = domain.FieldError("file", "This file is too large.")
)

// readOPML returns the addresses in a list of feeds. It reads at most maxOPML bytes and domain.MaxFollows outlines.
func readOPML(r io.Reader) (addresses []string, err error) {
	limited := &io.LimitedReader{R: r, N: maxOPML + 1}
	d := xml.NewDecoder(limited)
	d.CharsetReader = charset.NewReaderLabel
	found, depth := false, 0
	for {
		token, err := d.RawToken()
		switch {
		case limited.N == 0:
			return nil, errLargeOPML
		case errors.Is(err, io.EOF) && found && depth == 0:
			return addresses, nil
		case err != nil:
			return nil, errNoOPML
		}
		switch t := token.(type) {
		case xml.StartElement:
			depth++
			found = found || strings.EqualFold(t.Name.Local, "opml")
			if !found || depth > maxDepth {
				return nil, errNoOPML
			}
			if address := addressOf(t); address != "" {
				addresses = append(addresses, address)
			}
			if len(addresses) > domain.MaxFollows {
				return nil, domain.FieldError("file", "This list has more than {n} feeds.", "n", domain.MaxFollows)
			}
		case xml.EndElement:
			if depth--; depth < 0 {
				return nil, errNoOPML
			}
		}
	}
}

// addressOf returns the address of the feed of an outline or, without one, of its page.
func addressOf(e xml.StartElement) (address string) {
	if !strings.EqualFold(e.Name.Local, "outline") {
		return ""
	}
	for _, a := range e.Attr {
		if strings.EqualFold(a.Name.Local, "xmlUrl") || strings.EqualFold(a.Name.Local, "htmlUrl") && address == "" {
			address = strings.TrimSpace(a.Value)
		}
	}
	return address
}

// sourceAt returns the parameter of routes, and its value, of the page of an author or tag or of a feed of theirs.
func sourceAt(path string) (parameter, value string) {
	first, rest, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	if name, ok := strings.CutPrefix(strings.Replace(first, "%40", "@", 1), "@"); ok && name != "" {
		return "username", name
	}
	if tag, _, _ := strings.Cut(rest, "/"); first == "tags" && tag != "" {
		return "tag", tag
	}
	return "", ""
}

// followAll follows the authors and tags with addresses on this site.
func (h opml) followAll(c echo.Context, u domain.User, addresses []string) (result view.Import, err error) {
	ctx, cancel := context.WithTimeout(c.Request().Context(), importBudget)
	defer cancel()
	followed := make(map[domain.Source]bool, u.Following)
	err = h.store.Follows.Each(ctx, u.ID, func(f domain.Follow) error { followed[f.Source] = true; return nil })
	if err != nil {
		return result, err
	}
	base, err := url.Parse(h.BaseURL(c))
	if err != nil {
		return result, err
	}
	for i, address := range addresses {
		if ctx.Err() != nil || result.Stopped != nil {
			result.Left += len(addresses) - i
			break
		}
		t, err := h.importedTarget(c, base, address)
		if err == nil && followed[t.Source] {
			result.Already++
			continue
		}
		if err == nil {
			err = h.add(c, u, t)
		}
		if err := result.Count(err); err != nil {
			return result, err
		}
		followed[t.Source] = err == nil
	}
	return result, nil
}

// importedTarget returns the author or tag that an address on this site names. Others need no lookup.
func (h opml) importedTarget(c echo.Context, base *url.URL, address string) (target, error) {
	at, err := url.Parse(address)
	if err != nil || !strings.EqualFold(at.Host, base.Host) {
		return target{}, site.ErrNoPage
	}
	return h.targetAt(c, at.EscapedPath())
}
