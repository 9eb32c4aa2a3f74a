package domain

import (
	"cmp"
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
			p.Language = cmp.Or(text.Details.Language, plaintext.LanguageOf(text.Content))
		}
	}
	return pages
}

// FreePagePath returns an address for a page with a title. taken reports whether the site has something else at an
// address.
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
		if n == 100 {
			slug, n = "page", 0
		}
	}
}

func clonePages(p siteinfo.Pages) siteinfo.Pages {
	p.List, p.Former = slices.Clone(p.List), slices.Clone(p.Former)
	return p
}
