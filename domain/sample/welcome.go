package sample

import (
	"bytes"
	"crypto/sha512"
	"embed"
	"fmt"
	"path"
	"strings"

	"inkfeed/domain"
)

// posts are the sample posts of a new site, in a folder for each language. A file begins with lines for the title, the
// tags, the kind of the picture (see covers) and domain.Details, and continues after an empty line with the text.
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
	Details              domain.Details
	// Picture is a kind of cover, and Alt its description.
	Picture, Alt string
}

// WelcomePosts returns the sample posts of an administrator in a WelcomeLanguage, the newest first. The ids follow from
// the administrator's and are the same in all languages, so that the posts can be found again, and exist in one
// language only.
func WelcomePosts(userID, language string) ([]WelcomePost, error) {
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
		head, content, _ := strings.Cut(string(body), "\n\n")
		values := map[string]string{"language": language}
		for line := range strings.SplitSeq(head, "\n") {
			name, value, _ := strings.Cut(line, ": ")
			values[name] = value
		}
		_, alt, _ := strings.Cut(content, "![")
		alt, _, _ = strings.Cut(alt, "]")
		list = append(list, WelcomePost{ID: domain.NewIDFrom(bytes.NewReader(sum[:])), Title: values["title"],
			Tags: values["tags"], Content: content, Picture: values["picture"], Alt: alt,
			Details: domain.DetailsOf(func(name string) string { return values[name] })})
	}
	return list, nil
}

// Draw draws the picture of the post.
func (p WelcomePost) Draw() []byte {
	return draw(welcomeWidth, welcomeWidth*9/16, 3, covers[p.Picture])
}

// Showing returns the content with the picture at a path.
func (p WelcomePost) Showing(path string) string {
	return strings.ReplaceAll(p.Content, pictureSlot, path)
}
