package sample

import (
	"bytes"
	"crypto/sha512"
	"embed"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"path"
	"strings"

	"inkfeed/domain"
)

// posts are the sample posts of a new site, in a folder for each language. The first line of a file is the title and
// the second one has the tags.
//
//go:embed posts/*/*.txt
var posts embed.FS

// DefaultLanguage is the language of the sample posts on a site whose language has none.
const DefaultLanguage = "en"

// WelcomeLanguage returns the language in which a site with the given language gets its sample posts.
func WelcomeLanguage(siteLanguage string) string {
	for code := siteLanguage; code != ""; code = code[:max(strings.LastIndexByte(code, '-'), 0)] {
		if _, err := posts.ReadDir(path.Join("posts", code)); err == nil {
			return code
		}
	}
	return DefaultLanguage
}

// pictureSlot stands for the address of the picture in a sample post.
const pictureSlot = "{picture}"

// WelcomePost is a sample post with which an administrator begins a new site.
type WelcomePost struct {
	ID string
	// Title, Tags and Content are as an author types them.
	Title, Tags, Content string
}

// WelcomePosts returns the sample posts of an administrator in a WelcomeLanguage, the newest first. The picture is the
// path of the one that Picture returns. The ids follow from the administrator's and are the same in all languages, so
// that the posts can be found again, and exist in one language only.
func WelcomePosts(userID, language, picture string) ([]WelcomePost, error) {
	folder := path.Join("posts", language)
	files, err := posts.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("sample: %w", err)
	}
	var list []WelcomePost
	for _, f := range files {
		body, err := posts.ReadFile(path.Join(folder, f.Name()))
		if err != nil {
			return nil, fmt.Errorf("sample: %w", err)
		}
		sum := sha512.Sum512([]byte("sample:" + userID + ":" + f.Name()))
		p := WelcomePost{ID: domain.NewIDFrom(bytes.NewReader(sum[:]))}
		p.Title, p.Content, _ = strings.Cut(string(body), "\n")
		p.Tags, p.Content, _ = strings.Cut(p.Content, "\n")
		p.Content = strings.ReplaceAll(p.Content, pictureSlot, picture)
		list = append(list, p)
	}
	return list, nil
}

// PictureAlt returns the description of the picture that one of the sample posts shows.
func PictureAlt(list []WelcomePost) string {
	for _, p := range list {
		if _, image, ok := strings.Cut(p.Content, "\n!["); ok {
			alt, _, _ := strings.Cut(image, "]")
			return alt
		}
	}
	return ""
}

// Picture returns the picture of the sample posts as a PNG: hills in the evening light.
func Picture() ([]byte, error) {
	const width, height, hills = 960, 540, 4
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	mix := func(a, b color.RGBA, share float64) color.RGBA {
		part := func(a, b uint8) uint8 { return uint8(float64(a)*(1-share) + float64(b)*share) }
		return color.RGBA{part(a.R, b.R), part(a.G, b.G), part(a.B, b.B), 255}
	}
	top, bottom := color.RGBA{0x3b, 0x5b, 0x8c, 255}, color.RGBA{0xf6, 0xd6, 0xa8, 255}
	far, near := color.RGBA{0x9a, 0x8f, 0xa6, 255}, color.RGBA{0x1f, 0x2b, 0x3a, 255}
	for x := range width {
		for y := range height {
			c := mix(top, bottom, float64(y)/height)
			for hill := range hills {
				at, wave := float64(hill), float64(x)/width
				edge := height*(0.5+0.12*at) + 40*math.Sin(wave*(5+2*at)+at*1.7) + 12*math.Sin(wave*(19+5*at)+at)
				if float64(y) > edge {
					c = mix(far, near, at/(hills-1))
				}
			}
			img.SetRGBA(x, y, c)
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		return nil, fmt.Errorf("sample: %w", err)
	}
	return b.Bytes(), nil
}
