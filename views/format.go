package views

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/a-h/templ"
	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
	"golang.org/x/text/unicode/norm"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/domain/siteinfo"
)

// FormatDate formats the date of a time in the site's time zone: "2 January 2006".
func FormatDate(ctx context.Context, t time.Time) string { return locale.Date(ctx, SiteDate(ctx, t)) }

// SiteDate returns a time in the site's time zone, for its date. A date without a time of day is the same in all zones.
func SiteDate(ctx context.Context, t time.Time) time.Time {
	if domain.IsDate(t) {
		return t.UTC()
	}
	return siteTime(ctx, t)
}

// siteTime returns a time in the site's time zone.
func siteTime(ctx context.Context, t time.Time) time.Time { return t.In(siteinfo.Zone(ctx)) }

// FormatDateTime formats a time in the site's time zone: "2 January 2006, 15:04 UTC".
func FormatDateTime(ctx context.Context, t time.Time) string {
	return locale.DateTime(ctx, siteTime(ctx, t))
}

// FormatDuration formats a duration in the largest unit that divides it: "2 days", "36 hours".
func FormatDuration(d time.Duration) locale.Message {
	for _, unit := range []struct {
		length time.Duration
		text   locale.Message
	}{{24 * time.Hour, locale.M("{n} days")}, {time.Hour, locale.M("{n} hours")},
		{time.Minute, locale.M("{n} minutes")}} {
		if d >= unit.length && d%unit.length == 0 {
			return unit.text.With("n", int(d/unit.length))
		}
	}
	return locale.Verbatim(d.Round(time.Second).String())
}

func timestamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// TextareaContent is the content of a textarea or pre element. HTML parsers drop the first line break, so it adds one.
func TextareaContent(s string) string { return "\n" + s }

// LangAttribute is the lang attribute of a text; none if its language is unknown or the page's.
func LangAttribute(ctx context.Context, language string) templ.Attributes {
	if language == "" || language == locale.From(ctx).Code() {
		return nil
	}
	return templ.Attributes{"lang": language}
}

// SavedAt is when a post's current text was saved.
func SavedAt(p domain.Post) time.Time {
	if p.Edited.IsZero() {
		return p.Created
	}
	return p.Edited
}

// TagText formats tags as a form shows and accepts them: separated by commas.
func TagText(tags domain.Tags) string { return strings.Join(tags.List(), ", ") }

// Megabytes formats a size: "1.2 MB", or "34 KB" below a tenth of a megabyte.
func Megabytes(bytes int64) locale.Message {
	if bytes < 100_000 {
		return locale.M("{size} KB", "size", (bytes+999)/1000)
	}
	return locale.M("{size} MB", "size", float64(bytes)/1e6)
}

// seconds formats a duration in whole seconds.
func seconds(d time.Duration) string { return strconv.Itoa(int(d / time.Second)) }

// LanguageName returns a language's own name or, if it is unknown, its code.
func LanguageName(code string) string {
	tag, err := language.Parse(code)
	if err != nil {
		return code
	}
	return cmp.Or(display.Self.Name(tag), code)
}

type namedLanguage struct{ code, name string }

// writingLanguages are the languages that forms offer, in the order of their names. Forms accept all BCP 47 tags.
var writingLanguages = sync.OnceValue(func() (languages []namedLanguage) {
	for _, code := range strings.Fields(`af am ar az be bg bn bs ca cs cy da de de-AT de-CH el en en-GB en-US eo es
		es-419 et eu fa fi fil fr fr-CA ga gl gu he hi hr hu hy id is it ja ka kk km kn ko lb lo lt lv mk ml mn mr ms
		mt my nb ne nl nn pa pl pt-BR pt-PT ro ru si sk sl sq sr sv sw ta te th tr uk ur uz vi zh-Hans zh-Hant`) {
		languages = append(languages, namedLanguage{code, LanguageName(code)})
	}
	// Decomposed, a letter with an accent follows the letter without it.
	key := func(l namedLanguage) string { return strings.ToLower(norm.NFD.String(l.name)) }
	slices.SortFunc(languages, func(a, b namedLanguage) int { return cmp.Compare(key(a), key(b)) })
	return languages
})
