package domain

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/language"
	"golang.org/x/text/unicode/norm"

	"inkfeed/domain/locale"
	"inkfeed/domain/names"
	"inkfeed/domain/plaintext"
)

// Details are the properties of a post that only pages show: no query asks for them and no count changes
// them. Items store them as one nested object, which one patch operation sets, so a property that is
// added here needs no change of the storage. A property is a text, has a JSON name and is omitted if it is
// empty. New ones follow at the end, so that JSON stays the same.
type Details struct {
	// Language is the language that the author says the post is written in, as a BCP 47 tag. If it is
	// empty, pages detect the language from the text.
	Language string `json:"language,omitempty"`
	// Cover is the author's choice of a cover: the name of a picture of this site, NoCover, or "" for the first picture
	// of the text. CoverOf returns the cover.
	Cover string `json:"cover,omitempty"`
	// CoverAlt describes the cover. If it is empty, the description in the text applies.
	CoverAlt string `json:"coverAlt,omitempty"`
	// Series is the title of the series that the post is a part of, or empty: see SeriesKey.
	Series string `json:"series,omitempty"`
	// SeriesPart is the number of the part in decimal digits. If it is empty, the part comes after all parts with
	// numbers, in the order of publication.
	SeriesPart string `json:"seriesPart,omitempty"`
}

// Limits of the properties of a series.
const (
	MaxSeries      = 100 // characters of the title
	MaxSeriesPart  = 9999
	MaxSeriesPosts = 500 // the posts of a series that its page shows
)

// maxLanguage is the length of the longest language tag, in characters. The longest in use have about 35.
const maxLanguage = 50

// DetailsOf reads details from a form, as typed.
func DetailsOf(form interface{ Get(field string) string }) Details {
	return Details{Language: plaintext.Truncate(plaintext.CleanLine(form.Get("language")), maxLanguage),
		Cover: plaintext.CleanLine(form.Get("cover")), CoverAlt: form.Get("coverAlt"),
		Series: form.Get("series"), SeriesPart: form.Get("seriesPart")}
}

// Clean validates and normalises details for publishing. The error names each invalid field; the result omits these.
func (d Details) Clean() (Details, error) {
	errs := fieldErrors{}
	if d.Language = plaintext.CleanLine(d.Language); d.Language != "" {
		var ok bool
		if d.Language, ok = cleanLanguage(d.Language); !ok {
			errs.add("language", "Enter a language code, such as cs, en, fr, tr or pt-BR.")
		}
	}
	var ok bool
	if d.Cover, ok = cleanCover(d.Cover); !ok {
		errs.add("cover", "Choose a picture that was uploaded to this site.")
	}
	if d.Cover == NoCover {
		d.CoverAlt = ""
	}
	alt, err := CleanAlt(d.CoverAlt)
	if err != nil {
		errs.addMessage("coverAlt", Reason(err))
		alt = ""
	}
	d.CoverAlt = alt
	d.cleanSeries(errs)
	return d, errs.err()
}

// cleanSeries validates and normalises the title of the series and the part. Without a valid title there is no part.
func (d *Details) cleanSeries(errs fieldErrors) {
	title, part := plaintext.CleanLine(d.Series), plaintext.CleanLine(norm.NFKC.String(d.SeriesPart))
	d.Series, d.SeriesPart = "", ""
	switch {
	case title == "" && part == "":
		return
	case title == "":
		errs.add("series", "Enter the title of the series, or leave the part empty.")
	case SeriesKey(title) == "":
		errs.add("series", "Enter a title with at least one letter or digit.")
	default:
		if message := checkText(seriesTexts, title, MaxSeries); message.IsZero() {
			d.Series = title
		} else {
			errs.addMessage("series", message)
		}
	}
	if part == "" {
		return
	}
	switch number, err := strconv.Atoi(part); {
	case err != nil || number < 0 || number > MaxSeriesPart:
		errs.addMessage("seriesPart", locale.M("Enter a whole number from 0 to {most}, or leave the part empty.",
			"most", strconv.Itoa(MaxSeriesPart)))
	case d.Series != "":
		d.SeriesPart = strconv.Itoa(number)
	}
}

// SeriesKey returns what identifies a series among those of its author, and the end of its address: the letters and
// digits of the title. Titles with one key are the same series. The key is empty for a title that has neither.
func SeriesKey(title string) string { return names.Hyphenated(title) }

// SeriesPlace returns the key of the series of a post and its place within the series, or "" if it is in none. The
// places of a series begin with SeriesPlaces and sort in the order of the parts.
func (s Summary) SeriesPlace() string {
	key := SeriesKey(s.Details.Series)
	if key == "" {
		return ""
	}
	part := "~" // after all digits
	if number, err := strconv.Atoi(s.Details.SeriesPart); err == nil {
		part = fmt.Sprintf("%04d", number)
	}
	return key + "/" + part + "/" + Timestamp(s.Created).Format("2006-01-02T15:04:05.000Z") + "/" + s.PostID
}

// SeriesPlaces returns the range of the places of a series: from the first one, to the one after the last.
func SeriesPlaces(key string) (from, to string) { return key + "/", key + "0" } // '0' follows '/'

// Series is a series of an author that has listed posts.
type Series struct {
	Key    string // see SeriesKey
	Title  string // the spelling in the newest post
	Posts  int
	Newest time.Time // when the newest post was published
	// Language is the one that the author says the newest post is written in, or empty.
	Language string
}

// SeriesTitle returns the title of a series: the spelling in its newest listed post. A series without a listed post has
// that of its newest post.
func SeriesTitle(posts []Summary) string { return newestPart(posts).Details.Series }

// SeriesLanguage returns the language that the post which SeriesTitle takes the title from names.
func SeriesLanguage(posts []Summary) string { return newestPart(posts).Details.Language }

func newestPart(posts []Summary) (newest Summary) {
	for i, s := range posts {
		if i == 0 || s.Listed() && !newest.Listed() || s.Listed() == newest.Listed() && NewestFirst(s, newest) < 0 {
			newest = s
		}
	}
	return newest
}

func cleanLanguage(code string) (_ string, ok bool) {
	if len(code) > maxLanguage {
		return "", false
	}
	tag, err := language.Parse(code)
	if err != nil {
		return "", false
	}
	return tag.String(), true
}

// Text returns the values of all fields, one per line. Screening searches it for links.
func (d Details) Text() string {
	return strings.TrimSpace(d.Language + "\n" + d.Cover + "\n" + d.CoverAlt + "\n" + d.Series + "\n" + d.SeriesPart)
}

// JSON returns the details as JSON for digests, or "" if there are none. It omits empty fields, so a new field
// changes the digest of no post that does not use it.
func (d Details) JSON() string {
	if d == (Details{}) {
		return ""
	}
	text, _ := json.Marshal(d) // cannot fail: all fields are texts
	return string(text)
}

// Language returns the language of a post as a BCP 47 tag: the one that its author set, otherwise the one
// that its text is in. It is empty if neither is known.
func (s Summary) Language() string { return cmp.Or(s.Details.Language, plaintext.LanguageOf(s.Text)) }

// InLanguage returns a copy of a list of an author's posts, in which the posts that name no language are in that of the
// author.
func InLanguage(list []Summary, language string) []Summary {
	list = slices.Clone(list)
	for i := range list {
		list[i].Details.Language = cmp.Or(list[i].Details.Language, language)
	}
	return list
}

// Cover is the picture of a post that is shown above its title, in lists and in previews of links. It is always a
// picture of this site. The zero value stands for a post without a cover.
type Cover struct {
	Image ImageName `json:"name,omitzero"`
	Alt   string    `json:"alt,omitempty"` // the description, at most MaxAlt characters; may be empty
}

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
	name, ok := ParseImageFile(chosen) // also accepts the name of a variant
	if !ok {
		return "", false
	}
	return name.String(), true
}
