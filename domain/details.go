package domain

import (
	"cmp"
	"encoding/json"
	"iter"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/language"
	"golang.org/x/text/unicode/norm"

	"inkfeed/domain/locale"
	"inkfeed/domain/names"
	"inkfeed/domain/plaintext"
	"inkfeed/domain/siteinfo"
)

// Details are the properties of a post that only pages show: no query asks for them and no count changes
// them. Items store them as one nested object, which one patch operation sets, so a property that is
// added here needs no change of the storage. A property is a text, has a JSON name and is omitted if it is
// empty. New ones follow at the end, so that JSON stays the same. DetailFields describes them: forms, drafts,
// comparisons, exports and imports go through it instead of naming the properties.
type Details struct {
	// Language is the language that the author says the post is written in, as a BCP 47 tag. If it is
	// empty, pages detect the language from the text.
	Language string `json:"language,omitempty" yaml:"language,omitempty"`
	// Cover is the author's choice of a cover: the name of a picture of this site, NoCover, or "" for the first picture
	// of the text. CoverOf returns the cover.
	Cover string `json:"cover,omitempty" yaml:"cover,omitempty"`
	// CoverAlt describes the cover. If it is empty, the description in the text applies.
	CoverAlt string `json:"coverAlt,omitempty" yaml:"coverAlt,omitempty"`
	// Series is the title of the series that the post is a part of, or empty: see SeriesKey.
	Series string `json:"series,omitempty" yaml:"series,omitempty"`
	// SeriesPart is the number of the part in decimal digits. If it is empty, the part comes after all parts with
	// numbers, in the order of publication.
	SeriesPart string `json:"seriesPart,omitempty" yaml:"seriesPart,omitempty"`
	// CanonicalURL is the address on another site where the text was first published, or empty. Search engines then
	// list that address instead of the post's.
	CanonicalURL string `json:"canonicalURL,omitempty" yaml:"canonicalURL,omitempty"`
	// Subtitle is shown below the title. See also Extract.
	Subtitle string `json:"subtitle,omitempty" yaml:"subtitle,omitempty"`
	// CoverFocus is the part of the cover that stays visible where its edges are cut off: see Cover.
	CoverFocus string `json:"coverFocus,omitempty" yaml:"coverFocus,omitempty"`
	// Address is the end of the post's address that the author chose, or empty: see Slug.
	Address string `json:"address,omitempty" yaml:"address,omitempty"`
}

// Slug returns the readable end of the address of a post with these details, given its imported slug, which may be
// empty, and its title.
func (d Details) Slug(imported, title string) string {
	return names.Slug(cmp.Or(d.Address, imported, title))
}

// Limits of the properties of a series.
const (
	MaxSeries      = 100 // characters of the title
	MaxSeriesPart  = 9999
	MaxSeriesPosts = 500 // the posts of a series that its page shows
)

// maxLanguage is the length of the longest language tag, in characters. The longest in use have about 35.
const maxLanguage = 50

// maxCanonicalURL is the length of the longest canonical address, in bytes. Every copy of a post holds it.
const maxCanonicalURL = 1000

// DetailField describes a property of Details.
type DetailField struct {
	Name  string         // of the form's field, of the JSON property and in front matter
	Label locale.Message // at the beginning of a line: "Language"
	Noun  locale.Message // within a sentence: "the language"
	// Hint explains the field of a form that is a single line of text. It is empty for the fields that the form groups
	// or lets the author choose.
	Hint     locale.Message
	Heading  locale.Message // of the section of a form that holds the field; empty: it is in none
	InText   bool           // the form has it between the title and the text
	Code     bool           // the value is a code or an address, not words of a language
	PostOnly bool           // static pages do not have it
	maxDraft int            // bytes in a draft
	clean    func(*Details, fieldErrors)
	pointer  func(*Details) *string
}

// Of returns the value of the property.
func (f DetailField) Of(d Details) string { return *f.pointer(&d) }

// DetailFields returns the properties of Details in the order in which pages show them.
func DetailFields() iter.Seq[DetailField] { return slices.Values(detailFields) }

// detailFields are in the order of pages. Where fields depend on each other, the function of one validates both.
var detailFields = []DetailField{
	{Name: "language", Label: locale.M("Language"), Noun: locale.M("language|detail"), Code: true,
		maxDraft: 10 * maxLanguage, clean: (*Details).cleanLanguage,
		pointer: func(d *Details) *string { return &d.Language }},
	{Name: "series", Label: locale.M("Series|one"), Noun: locale.M("series|detail"), PostOnly: true,
		maxDraft: 10 * MaxSeries * plaintext.BytesPerCharacter, clean: (*Details).cleanSeries,
		pointer: func(d *Details) *string { return &d.Series }},
	{Name: "seriesPart", Label: locale.M("Part|number in a series"), Noun: locale.M("part|detail"), PostOnly: true,
		maxDraft: MaxSeries * plaintext.BytesPerCharacter,
		pointer:  func(d *Details) *string { return &d.SeriesPart }},
	{Name: "cover", Label: locale.M("Cover"), Noun: locale.M("cover picture|detail"),
		maxDraft: MaxAlt * plaintext.BytesPerCharacter, clean: (*Details).cleanCover,
		pointer: func(d *Details) *string { return &d.Cover }},
	{Name: "coverAlt", Label: locale.M("Description of the cover"), Noun: locale.M("description of the cover|detail"),
		maxDraft: 10 * MaxAlt * plaintext.BytesPerCharacter, clean: (*Details).cleanCoverAlt,
		pointer: func(d *Details) *string { return &d.CoverAlt }},
	{Name: "canonicalURL", Label: locale.M("First published at"), Noun: locale.M("canonical address|detail"),
		Code: true, PostOnly: true, Heading: locale.M("First published elsewhere"),
		Hint: locale.M("The web address of the text, if it first appeared on another site. " +
			"Search engines then list that address."),
		maxDraft: 10 * maxCanonicalURL, clean: (*Details).cleanCanonicalURL,
		pointer: func(d *Details) *string { return &d.CanonicalURL }},
	{Name: "subtitle", Label: locale.M("Subtitle"), Noun: locale.M("subtitle|detail"), InText: true,
		maxDraft: 10 * MaxSubtitle * plaintext.BytesPerCharacter, clean: (*Details).cleanSubtitle,
		pointer: func(d *Details) *string { return &d.Subtitle }},
	{Name: "coverFocus", Label: locale.M("Focal point of the cover"), Noun: locale.M("focal point|detail"), Code: true,
		maxDraft: maxLanguage, clean: (*Details).cleanCoverFocus,
		pointer: func(d *Details) *string { return &d.CoverFocus }},
	{Name: "address", Label: locale.M("End of the address"), Noun: locale.M("end of the address|detail"),
		Code: true, PostOnly: true,
		maxDraft: 10 * MaxTitle * plaintext.BytesPerCharacter, clean: (*Details).cleanAddress,
		pointer: func(d *Details) *string { return &d.Address }},
}

// DetailsOf reads details from a form or from front matter, as typed.
func DetailsOf(get func(name string) string) (d Details) {
	for _, f := range detailFields {
		*f.pointer(&d) = get(f.Name)
	}
	return d
}

// OfPage returns the details that a static page may have.
func (d Details) OfPage() Details {
	for _, f := range detailFields {
		if f.PostOnly {
			*f.pointer(&d) = ""
		}
	}
	return d
}

// Clean validates and normalises details for publishing. The error names each invalid field; the result omits these.
func (d Details) Clean() (Details, error) {
	errs := fieldErrors{}
	for _, f := range detailFields {
		if f.clean != nil {
			f.clean(&d, errs)
		}
	}
	return d, errs.err()
}

func (d *Details) cleanLanguage(errs fieldErrors) {
	var ok bool
	if d.Language, ok = cleanLanguage(d.Language); !ok {
		errs.add("language", "Enter a language code, such as cs, en, fr, tr or pt-BR.")
	}
}

// cleanLanguage returns the tag of a language in its usual spelling, or "" for no or an invalid one.
func cleanLanguage(typed string) (code string, ok bool) {
	if typed = plaintext.CleanLine(typed); typed == "" {
		return "", true
	}
	tag, err := language.Parse(typed)
	if len(typed) > maxLanguage || err != nil {
		return "", false
	}
	return tag.String(), true
}

func (d *Details) cleanCanonicalURL(errs fieldErrors) {
	typed := siteinfo.WithScheme(plaintext.CleanLine(d.CanonicalURL))
	if d.CanonicalURL = ""; typed == "" {
		return
	}
	address, err := url.Parse(typed)
	switch {
	case err != nil || address.Scheme != "http" && address.Scheme != "https" || address.Hostname() == "" ||
		address.User != nil:
		errs.add("canonicalURL", "Enter a web address that begins with https:// or http://.")
	case len(address.String()) > maxCanonicalURL:
		errs.add("canonicalURL", "Use at most {n} characters.", "n", maxCanonicalURL)
	default:
		d.CanonicalURL = address.String()
	}
}

// MaxSubtitle is the maximum length of a subtitle, in characters. The summary of a post has room for it.
const MaxSubtitle = SummaryLimit

// Extract returns what lists, feeds and previews of links show of a text: the subtitle, or without one the given
// beginning of the text.
func (d Details) Extract(beginning string) string { return cmp.Or(d.Subtitle, beginning) }

func (d *Details) cleanSubtitle(errs fieldErrors) {
	if d.Subtitle = plaintext.CleanLine(d.Subtitle); plaintext.Exceeds(d.Subtitle, MaxSubtitle) {
		d.Subtitle = ""
		errs.add("subtitle", "Use at most {n} characters.", "n", MaxSubtitle)
	}
}

func (d *Details) cleanAddress(errs fieldErrors) {
	if d.Address = plaintext.CleanLine(d.Address); d.Address == "" {
		return
	}
	if names.Hyphenated(d.Address) == "" {
		d.Address = ""
		errs.add("address", "Use at least one letter or digit.")
		return
	}
	d.Address = names.Slug(d.Address)
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
		if message := textProblem(seriesTexts, title, MaxSeries); message.IsZero() {
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

// Text returns the values of all fields, one per line. Screening searches it for links.
func (d Details) Text() string {
	var values []string
	for _, f := range detailFields {
		values = append(values, f.Of(d))
	}
	return strings.TrimSpace(strings.Join(values, "\n"))
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
