package blogger

import (
	"cmp"
	"net/url"
	"path"
	"regexp"
	"strings"

	"github.com/PuerkitoBio/goquery"

	"inkfeed/domain/portable"
	"inkfeed/domain/portable/markup"
)

// translateText translates the text of a post. The function file finds exported pictures.
func translateText(p *markup.Page, file func(address string) (string, bool)) (string, error) {
	p.Find("table.tr-caption-container").Each(func(_ int, s *goquery.Selection) {
		img := s.Find("img").First()
		if img.Length() == 0 {
			return
		}
		src := fullPicture(cmp.Or(img.Closest("a").AttrOr("href", ""), img.AttrOr("src", "")), img.AttrOr("src", ""))
		s.ReplaceWithNodes(markup.FigureNode(src, img.AttrOr("alt", ""), s.Find(".tr-caption").First()))
	})
	p.Find("a[href]").Each(func(_ int, s *goquery.Selection) {
		n := s.Get(0)
		if img := markup.OnlyChild(n, "img"); img != nil && isPictureHost(s.AttrOr("href", "")) {
			markup.SetAttribute(img, "src", fullPicture(s.AttrOr("href", ""), markup.Attribute(img, "src")))
			markup.Unwrap(n)
		}
	})
	p.Find("div.separator, p.separator").Each(func(_ int, s *goquery.Selection) { // one may contain several pictures
		if s.Find("img").Length() > 0 {
			s.SetAttr("class", "")
			s.Find("img").Each(func(_ int, img *goquery.Selection) { img.WrapHtml("<p></p>") })
		}
	})
	p.Find("img").Each(func(_ int, s *goquery.Selection) {
		if name, ok := file(s.AttrOr("src", "")); ok {
			s.SetAttr("src", (&url.URL{Path: name}).EscapedPath())
		}
	})
	return p.Markdown(p.Find("body"))
}

var sizedImage = regexp.MustCompile(`/(s\d+)-h/`)

// isPictureHost reports whether an address is on a host on which Blogger keeps pictures.
func isPictureHost(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	host := strings.ToLower(u.Hostname())
	return host == "photos1.blogger.com" || strings.HasSuffix(host, ".bp.blogspot.com") ||
		strings.HasSuffix(host, ".googleusercontent.com")
}

// fullPicture returns the address of a picture in full size. A link with "s1600-h" leads to a page that shows the
// picture.
func fullPicture(linked, shown string) string {
	if !isPictureHost(linked) {
		return cmp.Or(shown, linked)
	}
	return sizedImage.ReplaceAllString(linked, "/$1/")
}

// file returns the path of an exported picture, such as one in an album of Takeout. Only its name identifies it, so if
// several pictures have the name, none is used.
func (b *Export) file(address string) (string, bool) {
	name, _, ok := pictureName(address)
	if !ok || len(b.pictures[name]) != 1 {
		return "", false
	}
	files := b.blog.Files.ByName[strings.ToLower(name)]
	if len(files) != 1 || !portable.IsImage(files[0]) {
		return "", false
	}
	return "/" + files[0], true
}

// pictureName returns the file name in the address of a picture, and the address without the size before that name.
func pictureName(address string) (name, folder string, ok bool) {
	u, err := url.Parse(address)
	if err != nil || !isPictureHost(address) {
		return "", "", false
	}
	return path.Base(u.Path), u.Host + path.Dir(path.Dir(u.Path)), true
}
