package locale

import (
	"context"
	"strings"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
	"golang.org/x/text/number"
)

// Language is a language of the interface with its catalogue. It does not change after it was loaded.
type Language struct {
	Tag  language.Tag
	Name string // in the language itself, such as "čeština"
	// RightToLeft reports that the language is written from right to left.
	RightToLeft bool

	messages map[string]forms
	fallback *Language           // of which a pseudo-locale changes the texts; nil for others
	change   func(string) string // of a pseudo-locale; nil for others
	printer  *message.Printer
}

// forms is a translation.
type forms struct {
	other  string            // without plural forms, the translation
	plural map[string]string // by CLDR's category; nil without plural forms
}

func newLanguage(tag language.Tag, name string, messages map[string]forms) *Language {
	script, _ := tag.Script()
	return &Language{Tag: tag, Name: name, RightToLeft: rightToLeft[script.String()], messages: messages,
		printer: message.NewPrinter(tag)}
}

// rightToLeft has the scripts of living languages that are written from right to left.
var rightToLeft = map[string]bool{"Adlm": true, "Arab": true, "Hebr": true, "Nkoo": true, "Rohg": true, "Syrc": true,
	"Thaa": true}

// Code returns the language's BCP 47 tag, as in lang attributes: "cs".
func (l *Language) Code() string { return l.Tag.String() }

// Direction returns the value of dir attributes: "ltr" or "rtl".
func (l *Language) Direction() string {
	if l.RightToLeft {
		return "rtl"
	}
	return "ltr"
}

// Number formats an integer with the digits and separators of the language.
func (l *Language) Number(n int64) string { return l.printer.Sprint(number.Decimal(n)) }

// category returns CLDR's plural category of a number: "one", "few", "other" and so on.
func (l *Language) category(n int) string {
	return categories[plural.Cardinal.MatchPlural(l.Tag, max(n, -n), 0, 0, 0, 0)]
}

var categories = map[plural.Form]string{plural.Zero: "zero", plural.One: "one", plural.Two: "two", plural.Few: "few",
	plural.Many: "many", plural.Other: "other"}

// pseudo changes a text as a pseudo-locale does. Other languages leave it alone.
func (l *Language) pseudo(text string) string {
	if l.change == nil {
		return text
	}
	return l.change(text)
}

type contextKey struct{}

// With returns a context whose texts are in a language.
func With(ctx context.Context, l *Language) context.Context {
	return WithFunc(ctx, func() *Language { return l })
}

// WithFunc returns a context whose texts are in the language that a function returns. It is called whenever a text is
// translated, and must return the same language each time.
func WithFunc(ctx context.Context, choose func() *Language) context.Context {
	return context.WithValue(ctx, contextKey{}, choose)
}

// From returns the language of a context; English by default.
func From(ctx context.Context) *Language {
	if choose, ok := ctx.Value(contextKey{}).(func() *Language); ok {
		return choose()
	}
	return English()
}

// Set is the languages that a site offers.
type Set struct {
	languages []*Language
	byCode    map[string]*Language
	matcher   language.Matcher
}

// NewSet returns a set of languages, which must not be empty. Languages that are equally good matches are preferred in
// this order.
func NewSet(languages ...*Language) *Set {
	s := &Set{languages: languages, byCode: make(map[string]*Language)}
	tags := make([]language.Tag, len(languages))
	for i, l := range languages {
		tags[i], s.byCode[l.Code()] = l.Tag, l
	}
	s.matcher = language.NewMatcher(tags)
	return s
}

// Languages returns the languages of the set in its order.
func (s *Set) Languages() []*Language { return s.languages }

// Get returns the language with a code, and nil if the set has none.
func (s *Set) Get(code string) *Language { return s.byCode[code] }

// Match returns the language that fits the values of the header Accept-Language best, and nil if none fits. It answers
// the usual case, in which the first language of the header is in the set, without parsing the header.
func (s *Set) Match(accept []string) *Language {
	if len(accept) == 0 || len(accept[0]) > maxAcceptLanguage {
		return nil
	}
	first, _, _ := strings.Cut(accept[0], ",")
	if l := s.byCode[first]; l != nil {
		return l
	}
	if base, region, _ := strings.Cut(first, "-"); len(region) == 2 {
		if l := s.byCode[base]; l != nil {
			return l
		}
	}
	tags, _, err := language.ParseAcceptLanguage(accept[0])
	if err != nil || len(tags) == 0 {
		return nil
	}
	_, i, confidence := s.matcher.Match(tags...)
	if confidence == language.No {
		return nil
	}
	return s.languages[i]
}

// Choose returns the language of a response: that of the user's own setting, which may be empty, else the best match
// for the header Accept-Language, else the site's default, else the first of the set.
func (s *Set) Choose(own string, accept []string, siteDefault string) *Language {
	if l := s.Get(own); l != nil {
		return l
	}
	if l := s.Match(accept); l != nil {
		return l
	}
	if l := s.Get(siteDefault); l != nil {
		return l
	}
	return s.languages[0]
}

// maxAcceptLanguage is the length of a header Accept-Language, in bytes, beyond which it is ignored. Browsers send less
// than a tenth of it.
const maxAcceptLanguage = 500
