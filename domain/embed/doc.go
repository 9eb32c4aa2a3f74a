// Package embed recognises the addresses of videos, posts, music, maps and code at other sites that a text can show as
// cards. It fetches nothing: package workers/embeds does.
package embed

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// Max is the maximum number of cards in a text. Further addresses stay links.
const Max = 20

// Kind is the form of what a frame shows.
type Kind string

// The kinds of frames.
const (
	Video Kind = "video"
	Audio Kind = "audio"
	Post  Kind = "post"
	Map   Kind = "map"
	Code  Kind = "code" // has no frame
)

// Embed is what an address shows as a card. Find knows what follows from the address, and With adds what the provider
// has told.
type Embed struct {
	Provider string // the name of the provider
	Kind     Kind
	Address  string // in canonical form, which identifies what is shown
	Frame    string // the address to show in a frame; empty: it cannot be framed, or only the provider knows it
	About    string // where the provider describes it as JSON; empty: nowhere
	Title    string
	Author   string
	Picture  string // the name of a picture of this site
	// AnyHost reports that any site may have an address of this form. It is shown as a link until the site has
	// confirmed what it is.
	AnyHost bool
	// Referrer reports that the provider refuses frames of pages that do not name their site.
	Referrer bool
}

// Shown reports whether the address is shown as a card.
func (e Embed) Shown() bool { return !e.AnyHost || e.Frame != "" }

// Host returns the host that the frame contacts, or an empty text if there is no frame.
func (e Embed) Host() string {
	host, _, _ := strings.Cut(strings.TrimPrefix(e.Frame, "https://"), "/")
	return host
}

// Card is what a provider has told about an address.
type Card struct {
	Address string `json:"address"` // see Embed.Address
	Title   string `json:"title,omitempty"`
	Author  string `json:"author,omitempty"`
	Picture string `json:"picture,omitempty"` // the name of the thumbnail's picture
	Frame   string `json:"frame,omitempty"`   // empty: that of Find
	// Again reports that the thumbnail could not be fetched for a passing reason.
	Again bool `json:"again,omitempty"`
}

// With returns e with what a card says about it.
func (e Embed) With(cards []Card) Embed {
	i := slices.IndexFunc(cards, func(c Card) bool { return c.Address == e.Address })
	if i >= 0 {
		c := cards[i]
		e.Title, e.Frame, e.Author, e.Picture = cmp.Or(c.Title, e.Title), cmp.Or(c.Frame, e.Frame), c.Author, c.Picture
	}
	return e
}

// Cards are the cards of a text, as JSON, so that they can be compared. They are empty until the addresses of the text
// were fetched.
type Cards string

// stored is the form of Cards.
type stored struct {
	Revision int    `json:"revision"` // of the text
	Cards    []Card `json:"cards,omitempty"`
}

// NewCards returns the cards of a revision of a text.
func NewCards(revision int, cards []Card) Cards {
	text, _ := json.Marshal(stored{revision, cards}) // plain fields do not fail
	return Cards(text)
}

func (c Cards) read() (s stored) {
	_ = json.Unmarshal([]byte(c), &s) // UnmarshalJSON has checked it
	return s
}

// List returns the cards.
func (c Cards) List() []Card { return c.read().Cards }

// Revision returns the revision of the text whose addresses were fetched.
func (c Cards) Revision() int { return c.read().Revision }

// MarshalJSON writes the cards as an object.
func (c Cards) MarshalJSON() ([]byte, error) { return []byte(cmp.Or(c, "null")), nil }

// UnmarshalJSON reads an object.
func (c *Cards) UnmarshalJSON(data []byte) error {
	var s *stored
	if err := json.Unmarshal(data, &s); err != nil || s == nil {
		*c = ""
		return err
	}
	*c = NewCards(s.Revision, s.Cards)
	return nil
}

// In lists the embeds of a text by its lines, without parsing its Markdown: it may also find addresses within code.
func In(text string) (found []Embed) {
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.Trim(line, "<> \t\r")
		switch strings.ToLower(line[:min(4, len(line))]) {
		case "www.":
			line = "https://" + line
		case "http":
		default:
			continue
		}
		if e, ok := Find(line); ok {
			found = append(found, e)
		}
	}
	return found
}
