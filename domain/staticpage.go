package domain

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"inkfeed/domain/names"
	"inkfeed/domain/plaintext"
	"inkfeed/domain/siteinfo"
)

// Limits of static pages.
const (
	MaxPages     = 50
	MaxFormer    = 200 // former addresses; the oldest are forgotten
	MaxPagePath  = 100 // characters
	MaxPageLabel = 40  // characters
)

// CleanPagePath normalises the address of a static page: lower case, one slash before each part and none at the end.
// The error is Invalid, about the field "path".
func CleanPagePath(typed string) (string, error) {
	typed = strings.TrimSpace(plaintext.CleanLine(typed))
	if decoded, err := url.PathUnescape(typed); err == nil {
		typed = plaintext.CleanLine(decoded)
	}
	parts := strings.FieldsFunc(strings.ToLower(typed), func(r rune) bool { return r == '/' })
	for _, part := range parts {
		if strings.Trim(part, ".") == "" || strings.ContainsFunc(part, notInPath) {
			return "", FieldError("path",
				"Use letters, digits, hyphens and slashes only, such as /about or /club/history.")
		}
	}
	path := "/" + strings.Join(parts, "/")
	switch {
	case len(parts) == 0:
		return "", FieldError("path", "Enter an address, such as /about.")
	case plaintext.Exceeds(path, MaxPagePath):
		return "", FieldError("path", "Use at most {n} characters.", "n", MaxPagePath)
	}
	return path, nil
}

func notInPath(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_.", r)
}

// ErrPagePathTaken returns the error for an address that something else on the site has, about the field "path".
func ErrPagePathTaken() error {
	return FieldError("path", "This address is used by another part of the site. Choose a different one.")
}

// CleanPage normalises and checks what an administrator enters about a static page. The error names each invalid field:
// "path" and "label".
func CleanPage(p siteinfo.StaticPage) (siteinfo.StaticPage, error) {
	path, err := CleanPagePath(p.Path)
	if err == nil {
		p.Path = path
	}
	p.Label = strings.TrimSpace(plaintext.CleanLine(p.Label))
	if plaintext.Exceeds(p.Label, MaxPageLabel) {
		err = JoinErrors(err, FieldError("label", "Use at most {n} characters.", "n", MaxPageLabel))
	}
	return p, err
}

// PutPage adds a static page at the end of the list, or changes the page with that id. The former path of a page
// redirects to it until another page takes that path.
func PutPage(pages siteinfo.Pages, p siteinfo.StaticPage) (siteinfo.Pages, error) {
	if other, taken := pages.At(p.Path); taken && other.PostID != p.PostID {
		return pages, FieldError("path", "This address is used by the page “{page}”. Choose a different one.",
			"page", other.Name())
	}
	pages = clonePages(pages)
	pages.Former = slices.DeleteFunc(pages.Former, func(f siteinfo.FormerPath) bool { return f.Path == p.Path })
	i := slices.IndexFunc(pages.List, func(old siteinfo.StaticPage) bool { return old.PostID == p.PostID })
	if i < 0 {
		if len(pages.List) >= MaxPages {
			return pages, FieldError("path", "A site can have {n} pages. Delete one first.", "n", MaxPages)
		}
		pages.List = append(pages.List, p)
		return pages, nil
	}
	old := &pages.List[i]
	if old.Path != p.Path {
		pages.Former = append(pages.Former, siteinfo.FormerPath{Path: old.Path, PostID: p.PostID})
		pages.Former = pages.Former[max(0, len(pages.Former)-MaxFormer):]
	}
	old.Path, old.Label, old.Navigation, old.Footer = p.Path, p.Label, p.Navigation, p.Footer
	return pages, nil
}

// MovePage moves a static page by some places in the list.
func MovePage(pages siteinfo.Pages, postID string, by int) siteinfo.Pages {
	pages = clonePages(pages)
	i := slices.IndexFunc(pages.List, func(p siteinfo.StaticPage) bool { return p.PostID == postID })
	if to := i + by; i >= 0 && to >= 0 && to < len(pages.List) {
		p := pages.List[i]
		pages.List = slices.Insert(slices.Delete(pages.List, i, i+1), to, p)
	}
	return pages
}

// RemovePage removes a static page with its former addresses.
func RemovePage(pages siteinfo.Pages, postID string) siteinfo.Pages {
	pages = clonePages(pages)
	pages.List = slices.DeleteFunc(pages.List, func(p siteinfo.StaticPage) bool { return p.PostID == postID })
	pages.Former = slices.DeleteFunc(pages.Former, func(f siteinfo.FormerPath) bool { return f.PostID == postID })
	return pages
}

// RefreshPage updates what the list of pages shows of a text: its title, and whether it is published. It removes a
// deleted page. An older state of the text changes nothing.
func RefreshPage(pages siteinfo.Pages, text Post) siteinfo.Pages {
	if !text.Deleted.IsZero() {
		return RemovePage(pages, text.ID)
	}
	pages = clonePages(pages)
	for i := range pages.List {
		if p := &pages.List[i]; p.PostID == text.ID && p.PostVersion <= text.Version {
			p.Title, p.Published, p.PostVersion = text.Title, text.Open(), text.Version
			p.Language = cmp.Or(text.Details.Language, plaintext.LanguageOf(text.Content, ""))
		}
	}
	return pages
}

// FreePagePath returns an address for a page with a title. It counts until one is free. taken reports whether the site
// has something else at an address.
func FreePagePath(pages siteinfo.Pages, title string, taken func(path string) bool) string {
	slug := cmp.Or(names.Hyphenated(title), "page")
	for n := 1; ; n++ {
		path := "/" + slug
		if n > 1 {
			path = fmt.Sprintf("/%s-%d", slug, n)
		}
		if path, err := CleanPagePath(path); err == nil && !taken(path) {
			if _, used := pages.At(path); !used {
				return path
			}
		}
		if n == 100 && slug != "page" {
			slug, n = "page", 0
		}
	}
}

func clonePages(p siteinfo.Pages) siteinfo.Pages {
	p.List, p.Former = slices.Clone(p.List), slices.Clone(p.Former)
	return p
}

// ImportedPage is the entry of a static page in an export, with its former addresses.
type ImportedPage struct {
	siteinfo.StaticPage
	Former []string
}

// PagePlacement says where an imported static page is.
type PagePlacement struct {
	Page siteinfo.StaticPage
	// Added reports that the page was not here before, and Full that it was left out, because the list is full.
	Added, Full bool
	// Kept reports that the page was here before, with another address or other links than in the export. They stay.
	Kept bool
	// Wanted is the address in the export if something else has it, or if it is not valid. Otherwise it is empty.
	Wanted string
}

// PlacePages adds the entries of imported static pages that are not here at the end of the list. A page whose address
// something else has gets a free one. taken reports whether the site has something else than a page at an address.
func PlacePages(pages siteinfo.Pages, imported []ImportedPage, taken func(path string) bool) (siteinfo.Pages,
	[]PagePlacement) {
	placements := make([]PagePlacement, len(imported))
	for n, p := range imported {
		if here, ok := pages.ByID(p.PostID); ok {
			placements[n] = PagePlacement{Page: here, Kept: here.Path != p.Path || here.Label != p.Label ||
				here.Navigation != p.Navigation || here.Footer != p.Footer}
			continue
		}
		pages, placements[n] = placePage(pages, p, taken)
	}
	return pages, placements
}

func placePage(pages siteinfo.Pages, p ImportedPage, taken func(string) bool) (siteinfo.Pages, PagePlacement) {
	occupied := func(path string) bool {
		_, former := pages.FormerlyAt(path)
		return former || taken(path)
	}
	entry := siteinfo.StaticPage{PostID: p.PostID, Label: p.Label, Navigation: p.Navigation, Footer: p.Footer}
	if clean, err := CleanPage(siteinfo.StaticPage{Path: "/page", Label: p.Label}); err == nil {
		entry.Label = clean.Label
	} else {
		entry.Label = ""
	}
	entry.Path = p.Path
	placed := PagePlacement{Added: true, Page: entry}
	if placed.Full = len(pages.List) >= MaxPages; placed.Full {
		return pages, placed
	}
	path, err := CleanPagePath(p.Path)
	if _, used := pages.At(path); err != nil || used || occupied(path) {
		placed.Wanted = p.Path
		path = FreePagePath(pages, cmp.Or(path, p.Title), occupied)
	}
	placed.Page.Path = path
	changed, _ := PutPage(pages, placed.Page) // the address is free, and the list is not full
	for _, former := range p.Former[:min(len(p.Former), MaxFormer)] {
		if len(changed.Former) >= MaxFormer { // the site's own stay
			break
		}
		former, err := CleanPagePath(former)
		if _, used := changed.At(former); err != nil || used || occupied(former) || slices.Contains(changed.Former,
			siteinfo.FormerPath{Path: former, PostID: p.PostID}) {
			continue
		}
		changed.Former = append(changed.Former, siteinfo.FormerPath{Path: former, PostID: p.PostID})
	}
	return changed, placed
}

// RefreshPages updates the list of pages from several texts: see RefreshPage.
func RefreshPages(pages siteinfo.Pages, texts []Post) siteinfo.Pages {
	for _, text := range texts {
		pages = RefreshPage(pages, text)
	}
	return pages
}

// SitePicture is the content of a picture of the site, a PNG or JPEG, under its siteinfo.Picture.Hash.
type SitePicture struct {
	Hash    string
	Content []byte
}

// MinSiteIcon is the least width of the site's icon, in pixels.
const MinSiteIcon = 192

// NewSitePicture returns the content with its hash.
func NewSitePicture(content []byte) SitePicture {
	sum := sha256.Sum256(content)
	return SitePicture{hex.EncodeToString(sum[:16]), content}
}
