package domain

import (
	"strings"

	"inkfeed/domain/plaintext"
)

// Cover is the picture of a post that is shown above its title, in lists and in previews of links. It is always a
// picture of this site. The zero value stands for a post without a cover.
type Cover struct {
	Image ImageName `json:"name,omitzero"`
	Alt   string    `json:"alt,omitempty"` // what it shows, in words, at most MaxAlt characters; may be empty
}

// NoCover is the value of Details.Cover for a post that has no cover although its text has pictures.
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
	if c.Exists() && d.CoverAlt != "" {
		c.Alt = d.CoverAlt
	}
	c.Alt = plaintext.Truncate(plaintext.OneLine(c.Alt), MaxAlt)
	return c
}

// cleanCover normalises the choice of a cover: "", NoCover, or the name or path of a picture of this site.
func cleanCover(chosen string) (_ string, ok bool) {
	chosen = strings.TrimPrefix(plaintext.CleanLine(chosen), MediaPrefix)
	if chosen == "" || chosen == NoCover {
		return chosen, true
	}
	name, ok := ParseImageFile(chosen) // of a variant, the picture
	if !ok {
		return "", false
	}
	return name.String(), true
}
