package embed

import (
	"cmp"
	"encoding/json"
	"errors"
	"html"
	"regexp"
	"strings"

	"inkfeed/domain/plaintext"
)

// Limits of texts of a provider, in characters.
const (
	maxTitle  = 200
	maxAuthor = 100
)

// ErrUnconfirmed reports an answer that does not describe the embed.
var ErrUnconfirmed = errors.New("the answer does not describe the embed")

// answer is a description in the form of oEmbed or, for a repository, of Forgejo.
type answer struct {
	Title       string `json:"title"`
	Author      string `json:"author_name"`
	Thumbnail   string `json:"thumbnail_url"`
	HTML        string `json:"html"`
	FullName    string `json:"full_name"`
	Description string `json:"description"`
	Avatar      string `json:"avatar_url"`
}

var (
	filesOfGist    = regexp.MustCompile(`"files":(\[[^\]]{1,1000}\])`)
	frameOfVideo   = regexp.MustCompile(`src="(https://[^"/]+/videos/embed/[\w-]{20,40})[?"]`)
	nameInBluesky  = regexp.MustCompile(`data-bluesky-uri="at://(did:[\w.:-]{1,200}/app\.bsky\.feed\.post/\w{1,20})"`)
	textOfPost     = regexp.MustCompile(`(?s)<p[^>]*>(.*?)</p>`)
	elementsOfPost = regexp.MustCompile(`<[^>]*>`)
)

// Read reads the description of an embed that About returned, and the address of its thumbnail, which may be empty. The
// description of a gist may be cut off.
func (e Embed) Read(description []byte) (card Card, thumbnail string, err error) {
	card.Address = e.Address
	if e.Provider == "GitHub Gist" {
		card.Title, err = titleOfGist(description)
		return card, "", err
	}
	var a answer
	if json.Unmarshal(description, &a) != nil {
		return Card{}, "", ErrUnconfirmed
	}
	card.Author, thumbnail = clean(a.Author, maxAuthor), cmp.Or(a.Thumbnail, a.Avatar)
	switch e.Provider {
	case "Codeberg":
		if a.FullName == "" {
			return Card{}, "", ErrUnconfirmed
		}
		if card.Title = e.Title; e.Author == "" {
			card.Title = clean(a.FullName, maxTitle)
		}
		card.Author = clean(cmp.Or(a.Description, e.Author), maxTitle)
		return card, thumbnail, nil
	case "Mastodon":
		if card.Frame = e.Address + "/embed"; !strings.Contains(a.HTML, `"`+card.Frame+`"`) {
			return Card{}, "", ErrUnconfirmed
		}
	case "PeerTube":
		found := frameOfVideo.FindStringSubmatch(a.HTML)
		site, _, _ := strings.Cut(e.Address, "/w/")
		if found == nil || !strings.HasPrefix(found[1], site+"/") {
			return Card{}, "", ErrUnconfirmed
		}
		card.Frame = found[1]
	case "Bluesky":
		if found := nameInBluesky.FindStringSubmatch(a.HTML); found != nil {
			card.Frame = "https://embed.bsky.app/embed/" + found[1]
		}
		if found := textOfPost.FindStringSubmatch(a.HTML); found != nil {
			a.Title = html.UnescapeString(elementsOfPost.ReplaceAllString(found[1], " "))
		}
	}
	card.Title = clean(a.Title, maxTitle)
	if card.Title == "" && card.Author == "" {
		return Card{}, "", ErrUnconfirmed
	}
	return card, thumbnail, nil
}

// titleOfGist returns the names of the files, which are at the beginning of a description.
func titleOfGist(description []byte) (string, error) {
	var names []string
	found := filesOfGist.FindSubmatch(description)
	if found == nil || json.Unmarshal(found[1], &names) != nil || len(names) == 0 {
		return "", ErrUnconfirmed
	}
	return clean(strings.Join(names, ", "), maxTitle), nil
}

// clean returns a text of a provider as one line of limited length.
func clean(text string, limit int) string {
	return plaintext.Truncate(plaintext.WithoutDirections(plaintext.CleanLine(text)), limit)
}
