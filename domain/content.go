package domain

import (
	"cmp"
	"context"
	"encoding/json"
	"html"
	"slices"
	"strings"

	"inkfeed/domain/locale"
	"inkfeed/domain/plaintext"
)

// textMessages are the messages about an invalid text.
type textMessages struct {
	empty, tooLong, exceeds locale.Message // the last two have slots: see textProblem
}

var (
	titleTexts = textMessages{
		locale.M("The title can't be empty."),
		locale.M("The title is too long. Use at most {n} characters."),
		locale.M("The title has {characters} characters. Use at most {n}."),
	}
	tagTexts = textMessages{
		locale.M("A tag can't be empty."),
		locale.M("A tag is too long. Use at most {n} characters."),
		locale.M("A tag has {characters} characters. Use at most {n}."),
	}
	commentTexts = textMessages{
		locale.M("The comment can't be empty."),
		locale.M("The comment is too long. Use at most {n} characters."),
		locale.M("The comment has {characters} characters. Use at most {n}."),
	}
	descriptionTexts = textMessages{
		locale.M("The description can't be empty."),
		locale.M("The description is too long. Use at most {n} characters."),
		locale.M("The description has {characters} characters. Use at most {n}."),
	}
	nameTexts = textMessages{
		locale.M("The name can't be empty."),
		locale.M("The name is too long. Use at most {n} characters."),
		locale.M("The name has {characters} characters. Use at most {n}."),
	}
	seriesTexts = textMessages{
		locale.M("The title of the series can't be empty."),
		locale.M("The title of the series is too long. Use at most {n} characters."),
		locale.M("The title of the series has {characters} characters. Use at most {n}."),
	}
	bodyTexts = textMessages{
		locale.M("The text can't be empty."),
		locale.M("The text is too long. Use at most {n} characters."),
		locale.M("The text has {characters} characters. Use at most {n}."),
	}
)

// textProblem returns a message about a text that is empty or has more than the given number of characters, or an empty
// message.
func textProblem(texts textMessages, s string, most int) locale.Message {
	switch {
	case !plaintext.Shown(s):
		return texts.empty
	case len(s) > most*plaintext.BytesPerCharacter:
		return texts.tooLong.With("n", most)
	case !plaintext.Exceeds(s, most):
		return locale.Message{}
	}
	return texts.exceeds.With("characters", plaintext.Characters(s), "n", most)
}

// shown reports whether something of a Markdown text is shown. An entity such as &#8203; counts as its character.
func shown(markdown string) bool { return plaintext.Shown(html.UnescapeString(markdown)) }

// contentProblem returns a message about an invalid text of a post, or an empty message.
func contentProblem(s string) locale.Message {
	n := StoredBytes(s)
	switch {
	case !shown(s):
		return locale.M("The post can't be empty.")
	case n <= MaxContent:
		return locale.Message{}
	}
	return locale.M("The post is too long ({bytes} of at most {n} bytes). Shorten it or split it into parts.",
		"bytes", n, "n", MaxContent)
}

// StoredBytes returns the size of a text in storage, where it is a JSON string: quotes, line breaks and some other
// characters are escaped.
func StoredBytes(s string) int {
	n := len(s)
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"', c == '\\', c == '\n', c == '\r', c == '\t', c == '\b', c == '\f':
			n++
		case c < ' ', c == '<', c == '>', c == '&': // \u003c
			n += 5
		case c == 0xe2 && i+2 < len(s) && s[i+1] == 0x80 && s[i+2]&^1 == 0xa8: // U+2028 and U+2029
			n += 3
		}
	}
	return n
}

// Cover is the picture of a post that is shown above its title, in lists and in previews of links. It is always a
// picture of this site. The zero value stands for a post without a cover.
type Cover struct {
	Image ImageName `json:"name,omitzero"`
	Alt   string    `json:"alt,omitempty"` // the description, at most MaxAlt characters; may be empty
	// Focus is the part of the picture that stays visible where its edges are cut off: one of CoverFocuses.
	Focus string `json:"focus,omitempty"`
}

// CoverFocuses are the parts of a picture that can be its focus, row by row: how far they are from the left and from
// the top, in percent. The centre is empty.
var CoverFocuses = []string{"0,0", "50,0", "100,0", "0,50", "", "100,50", "0,100", "50,100", "100,100"}

// CardWidth and CardHeight are the size in pixels of the picture that stands for a post without a cover in previews of
// links, as other sites recommend it.
const (
	CardWidth  = 1200
	CardHeight = 630
)

// NoCover is the value of Details.Cover for a post without a cover, even if its text has pictures.
const NoCover = "none"

// Exists reports whether there is a cover.
func (c Cover) Exists() bool { return c.Image.Hash != "" }

// Name returns the name of the picture, or "" if there is no cover.
func (c Cover) Name() string {
	if !c.Exists() {
		return ""
	}
	return c.Image.String()
}

// CoverOf returns the cover that the details choose for a text with these pictures: the first of them, another
// picture of this site, or none. Unless the author described the cover, it has the description of the same picture
// in the text.
func (d Details) CoverOf(pictures []Cover) Cover {
	var c Cover
	switch chosen, ok := ParseImageName(d.Cover); {
	case d.Cover == "" && len(pictures) > 0:
		c = pictures[0]
	case ok:
		c.Image = chosen
		for _, p := range pictures {
			if p.Image == chosen {
				c = p
				break
			}
		}
	}
	if c.Exists() {
		c.Alt, c.Focus = cmp.Or(d.CoverAlt, c.Alt), d.CoverFocus
	}
	c.Alt = plaintext.Truncate(plaintext.OneLine(c.Alt), MaxAlt)
	return c
}

// cleanCover normalises the choice of a cover: "", NoCover, or the name or path of a picture of this site.
func (d *Details) cleanCover(errs fieldErrors) {
	chosen := strings.TrimPrefix(plaintext.CleanLine(d.Cover), MediaPrefix)
	if d.Cover = chosen; chosen == "" || chosen == NoCover {
		return
	}
	name, ok := ParseImageFile(chosen) // also accepts the name of a variant
	if d.Cover = name.String(); !ok {
		d.Cover = ""
		errs.add("cover", "Choose a picture that was uploaded to this site.")
	}
}

func (d *Details) cleanCoverAlt(errs fieldErrors) {
	if d.Cover == NoCover {
		d.CoverAlt = ""
	}
	alt, err := CleanAlt(d.CoverAlt)
	if d.CoverAlt = alt; err != nil {
		errs.addMessage("coverAlt", Reason(err))
		d.CoverAlt = ""
	}
}

func (d *Details) cleanCoverFocus(errs fieldErrors) {
	focus := strings.ReplaceAll(plaintext.CleanLine(d.CoverFocus), " ", "")
	if focus == "50,50" || d.Cover == NoCover {
		focus = ""
	}
	if d.CoverFocus = focus; !slices.Contains(CoverFocuses, focus) {
		d.CoverFocus = ""
		errs.add("coverFocus", "Choose one of the nine parts of the picture.")
	}
}

// CleanAlt validates and normalises an alternative text, which may be empty. The error is Invalid, about the field
// "alt".
func CleanAlt(alt string) (string, error) {
	alt = plaintext.CleanLine(alt)
	if alt == "" {
		return "", nil
	}
	if message := textProblem(descriptionTexts, alt, MaxAlt); !message.IsZero() {
		return alt, FieldMessage("alt", message)
	}
	return alt, nil
}

// MaxMentions is the maximum number of names in a text that are looked up as mentions.
const MaxMentions = 20

// Mention is a name that a text mentions, such as @ada, and the user who had it when the text was written.
type Mention struct {
	Name   string `json:"name"` // as typed, without @
	UserID string `json:"userId"`
	Added  bool   `json:"added,omitempty"` // by an edit of a comment: it notifies no one
}

// Mentions are the mentions of a text, each name once, as JSON, so that they can be compared. They are empty if there
// are none.
type Mentions string

// MentionsOf returns the mentions of a list.
func MentionsOf(list []Mention) Mentions {
	if len(list) == 0 {
		return ""
	}
	text, _ := json.Marshal(list) // plain fields do not fail
	return Mentions(text)
}

// List returns the mentions in the order of the text.
func (m Mentions) List() (list []Mention) {
	if m != "" {
		_ = json.Unmarshal([]byte(m), &list) // UnmarshalJSON has checked it
	}
	return list
}

// Edited returns the mentions of a text that an edit has replaced by one with other mentions. Those of users whom it
// did not mention before are Added.
func (m Mentions) Edited(to Mentions) Mentions {
	before := make(map[string]bool)
	for _, mention := range m.List() {
		before[mention.UserID] = before[mention.UserID] || !mention.Added
	}
	list := to.List()
	for i := range list {
		list[i].Added = !before[list[i].UserID]
	}
	return MentionsOf(list)
}

// MarshalJSON writes the mentions as an array, or null if there are none.
func (m Mentions) MarshalJSON() ([]byte, error) { return []byte(cmp.Or(m, "null")), nil }

// UnmarshalJSON reads an array or null.
func (m *Mentions) UnmarshalJSON(data []byte) error {
	var list []Mention
	err := json.Unmarshal(data, &list)
	*m = MentionsOf(list)
	return err
}

// ResolveMentions returns which of the names in a text are mentions, with the present usernames by the ids of the
// users. A former username counts as well. Names without a user are left out. Each name costs byName.
func ResolveMentions(ctx context.Context, typed []string,
	byName func(ctx context.Context, username string) (User, error)) (Mentions, map[string]string, error) {
	var list []Mention
	usernames := map[string]string{}
	for _, name := range typed[:min(len(typed), MaxMentions)] {
		u, err := byName(ctx, name)
		switch {
		case err == nil:
			list, usernames[u.ID] = append(list, Mention{Name: name, UserID: u.ID}), u.Username
		case !Is(err, NotFound):
			return "", nil, err
		}
	}
	return MentionsOf(list), usernames, nil
}
