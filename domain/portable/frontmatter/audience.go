package frontmatter

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"inkfeed/domain/locale"
	"inkfeed/domain/plaintext"
	"inkfeed/domain/portable"
)

// Audience is the audience of a post, from the widest to the smallest.
type Audience int

const (
	Public   Audience = iota // visible to everyone, in lists
	Unlisted                 // visible to everyone who has the address
	Private                  // visible only to the author
)

// Visibility is what front matter says about the audience of a post.
type Visibility struct {
	Audience
	// Scheduled reports that the post is public from its date on.
	Scheduled bool
	// Reasons explain why a post is private, unless the front matter says so plainly.
	Reasons []Reason
}

// visibilityKeys are the keys of front matter that set a post's audience, normalised by PlainKey, with the
// meanings of "yes" and "no". Other values are looked up in visibilityWords.
var visibilityKeys = map[string]struct{ yes, no Audience }{
	"draft": {Private, Public}, "isdraft": {Private, Public},
	"publish": {Public, Private}, "published": {Public, Private}, "ispublished": {Public, Private},
	"public": {Public, Private}, "ispublic": {Public, Private}, "dgpublish": {Public, Private},
	"private": {Private, Public}, "isprivate": {Private, Public}, "secret": {Private, Public},
	"status": {Public, Private}, "poststatus": {Public, Private},
	"visibility": {Public, Private}, "access": {Public, Private}, "privacy": {Private, Public},
	"restricted": {Private, Public},
	"hidden":     {Unlisted, Public}, "unlisted": {Unlisted, Public}, "listed": {Public, Unlisted},
	"hide": {Unlisted, Public}, "ishidden": {Unlisted, Public},
	"headless": {Private, Public}, "deleted": {Private, Public}, "trashed": {Private, Public},
	"members": {Private, Public}, "membersonly": {Private, Public}, "memberonly": {Private, Public},
	"subscribersonly": {Private, Public}, "protected": {Private, Public}, "encrypted": {Private, Public},
	"encrypt": {Private, Public}, "unpublished": {Private, Public}, "trash": {Private, Public},
	"archived": {Private, Public}, "visible": {Public, Unlisted}, "routable": {Public, Private},
	"state": {Public, Private}, "stage": {Public, Private}, "wip": {Private, Public},
	"workinprogress": {Private, Public}, "inprogress": {Private, Public}, "unfinished": {Private, Public},
	"live": {Public, Private}, "online": {Public, Private}, "released": {Public, Private},
	"unreleased": {Private, Public}, "ispublish": {Public, Private}, "nopublish": {Private, Public},
	"enabled": {Public, Private}, "disabled": {Private, Public}, "show": {Public, Private},
}

// ambiguousKeys are the visibilityKeys that also name other things, such as the address of a demonstration, the date of
// a film or the parts of a page to show.
var ambiguousKeys = []string{"live", "online", "released", "show"}

// passwordKeys are the keys of a password. A password hides the post.
var passwordKeys = []string{"password", "passwd", "passphrase", "postpassword"}

var visibilityWords = map[string]Audience{
	"published": Public, "publish": Public, "public": Public, "live": Public, "online": Public,
	"everyone": Public, "everybody": Public, "anyone": Public,
	"all": Public, "open": Public, "visible": Public, "listed": Public, "release": Public, "released": Public,
	"unlisted": Unlisted, "hidden": Unlisted, "link": Unlisted,
	"draft": Private, "drafts": Private, "private": Private, "unpublished": Private, "pending": Private,
	"review": Private, "inreview": Private, "trash": Private, "trashed": Private, "deleted": Private,
	"archived": Private, "idea": Private, "wip": Private, "todo": Private,
	"members": Private, "paid": Private, "password": Private, "protected": Private, "internal": Private, "me": Private,
	"friends": Private,
}

// scheduledWords are values of "status" that make the visibility depend on the date.
var scheduledWords = []string{"scheduled", "future"}

// growthWords are values of progressKeys about the progress of a note, which do not affect its audience.
var growthWords = []string{"seedling", "seed", "sprout", "sapling", "budding", "evergreen", "growing",
	"done", "complete", "completed", "finished", "final", "finalized", "active", "ongoing", "maintained"}

// wordKeys are the visibilityKeys whose values are words. Numbers mean nothing there.
var wordKeys = []string{"status", "poststatus", "state", "stage", "visibility", "access", "privacy"}

// progressKeys are the keys whose values may be growthWords.
var progressKeys = []string{"status", "state", "stage"}

// SetsVisibility reports whether a key sets a post's audience.
func SetsVisibility(key string) bool {
	plain := PlainKey(key)
	_, known := visibilityKeys[plain]
	return known || slices.Contains(passwordKeys, plain)
}

// Visibility returns the smallest audience that the keys of front matter name. A value that is not understood makes the
// post private. There are no reasons if the front matter says plainly that a post is a draft, unlisted or published.
func (m Values) Visibility() (v Visibility) {
	for _, key := range slices.Sorted(maps.Keys(m)) {
		value, plain := m[key], PlainKey(key)
		if text, ok := value.(string); value == nil || ok && strings.TrimSpace(text) == "" {
			continue
		}
		_, known := visibilityKeys[plain]
		switch {
		case plain == "params", plain == "extra": // Hugo and Zola keep the settings of themes there
			inner := AsMap(value).Visibility()
			v.Audience, v.Scheduled = max(v.Audience, inner.Audience), v.Scheduled || inner.Scheduled
			v.Reasons = append(v.Reasons, inner.Reasons...)
		case plain == "build":
			v.build(AsMap(value))
		case slices.Contains(passwordKeys, plain):
			if yes, isBool := ParseBool(value); yes || !isBool {
				v.hide(Reason{format: "imported as a draft: it had a password"})
			}
		case strings.ContainsRune(key, utf8.RuneError):
			v.hide(notUnderstood(key, value))
		case known:
			found, understood := meaningOf(plain, value)
			if !understood {
				v.hide(notUnderstood(key, value))
			}
			if found == Private && plain == "headless" {
				v.hide(Reason{format: "imported as a draft: it was headless, without a page of its own"})
			}
			v.Audience = max(v.Audience, found)
			v.Scheduled = v.Scheduled || slices.Contains(scheduledWords, PlainKey(TextOf(value)))
		}
	}
	return v
}

// hide makes the post private for a reason.
func (v *Visibility) hide(r Reason) {
	v.Audience, v.Reasons = Private, append(v.Reasons, r)
}

// meaningOf returns the audience named by the value of one of visibilityKeys. A value that is not understood
// means Private.
func meaningOf(key string, value any) (audience Audience, understood bool) {
	word := PlainKey(TextOf(value))
	_, notANumber := strconv.ParseFloat(word, 64)
	switch yes, isBool := ParseBool(value); {
	case slices.Contains(scheduledWords, word),
		(key == "published" || key == "publish") && IsDate(value),
		slices.Contains(progressKeys, key) && slices.Contains(growthWords, word),
		slices.Contains(ambiguousKeys, key) && isOfOtherThing(value):
		return Public, true
	case notANumber == nil && (slices.Contains(wordKeys, key) || word != "0" && word != "1"):
		return Private, false
	case isBool && yes:
		return visibilityKeys[key].yes, true
	case isBool:
		return visibilityKeys[key].no, true
	}
	if audience, ok := visibilityWords[word]; ok {
		return audience, true
	}
	return Private, false
}

// isOfOtherThing reports whether a value of one of ambiguousKeys is not about the audience.
func isOfOtherThing(value any) bool {
	text, isText := value.(string)
	return !isText && TextOf(value) == "" || strings.Contains(text, "://") || IsDate(value)
}

// Reason explains in the report why a post is private.
type Reason struct {
	format string
	args   []any
}

// Problem returns the reason as a problem of a post.
func (r Reason) Problem(where string) portable.Problem {
	return portable.NewProblem(where, r.format, r.args...)
}

// notUnderstood is the reason for hiding a post because of a value that is not understood.
func notUnderstood(key string, value any) Reason {
	return Reason{format: "imported as a draft: %s: %s is not understood",
		args: []any{portable.Reason(key), shown(value)}}
}

// shown returns a value of front matter as a report shows it.
func shown(v any) portable.Particular {
	if text := TextOf(v); text != "" {
		quoted := strconv.Quote(plaintext.Truncate(text, 60))
		return portable.Particular{Message: locale.Verbatim(quoted), Name: quoted}
	}
	return portable.Particular{Message: locale.M("its value"), Name: "…"}
}

// build applies Hugo's build options. A page that is not rendered has no address.
func (v *Visibility) build(options Values) {
	option := func(key string) string {
		value := options.Get(key)
		if yes, ok := ParseBool(value); ok {
			return map[bool]string{true: "always", false: "never"}[yes]
		}
		if text := strings.ToLower(TextOf(value)); text != "" || value == nil || value == "" {
			return text
		}
		return "…" // a list or a table
	}
	switch list := option("list"); list {
	case "", "always", "local":
	case "never":
		v.Audience = max(v.Audience, Unlisted)
	default:
		v.hide(notUnderstood("build.list", list))
	}
	switch render := option("render"); render {
	case "", "always":
	case "never", "link":
		v.hide(Reason{format: "imported as a draft: Hugo did not render it as a page"})
	default:
		v.hide(notUnderstood("build.render", render))
	}
}
