package folder

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"inkfeed/domain/locale"
	"inkfeed/domain/plaintext"
	"inkfeed/domain/portable"
	"inkfeed/domain/portable/frontmatter"
)

// visibility is the audience of a post, from the widest to the smallest.
type visibility int

const (
	visible  visibility = iota // visible to everyone, in lists
	listless                   // visible to everyone who has the address
	secret                     // visible only to the author
)

// visibilityKeys are the keys of front matter that set a post's audience, normalised by PlainKey, with the
// meanings of "yes" and "no". Other values are looked up in visibilityWords.
var visibilityKeys = map[string]struct{ yes, no visibility }{
	"draft": {secret, visible}, "isdraft": {secret, visible},
	"publish": {visible, secret}, "published": {visible, secret}, "ispublished": {visible, secret},
	"public": {visible, secret}, "ispublic": {visible, secret}, "dgpublish": {visible, secret},
	"private": {secret, visible}, "isprivate": {secret, visible}, "secret": {secret, visible},
	"status": {visible, secret}, "poststatus": {visible, secret},
	"visibility": {visible, secret}, "access": {visible, secret}, "privacy": {secret, visible},
	"restricted": {secret, visible},
	"hidden":     {listless, visible}, "unlisted": {listless, visible}, "listed": {visible, listless},
	"hide": {listless, visible}, "ishidden": {listless, visible},
	"headless": {secret, visible}, "deleted": {secret, visible}, "trashed": {secret, visible},
	"members": {secret, visible}, "membersonly": {secret, visible}, "memberonly": {secret, visible},
	"subscribersonly": {secret, visible}, "protected": {secret, visible}, "encrypted": {secret, visible},
	"encrypt": {secret, visible},
}

// passwordKeys are the keys of a password. A password hides the post.
var passwordKeys = []string{"password", "passwd", "passphrase", "postpassword"}

var visibilityWords = map[string]visibility{
	"published": visible, "publish": visible, "public": visible, "live": visible, "online": visible,
	"everyone": visible, "everybody": visible, "anyone": visible,
	"all": visible, "open": visible, "visible": visible, "listed": visible, "release": visible, "released": visible,
	"unlisted": listless, "hidden": listless, "link": listless,
	"draft": secret, "drafts": secret, "private": secret, "unpublished": secret, "pending": secret, "review": secret,
	"inreview": secret, "trash": secret, "trashed": secret, "deleted": secret, "archived": secret, "idea": secret,
	"wip": secret, "todo": secret,
	"members": secret, "paid": secret, "password": secret, "protected": secret, "internal": secret, "me": secret,
	"friends": secret,
}

// scheduledWords are values of "status" that make the visibility depend on the date.
var scheduledWords = []string{"scheduled", "future"}

// growthWords are values of "status" about the progress of a note, which do not affect its audience.
var growthWords = []string{"seedling", "seed", "sprout", "sapling", "budding", "evergreen", "growing",
	"done", "complete", "completed", "finished", "final", "finalized", "active", "ongoing", "maintained"}

// visibilityOf returns the smallest audience that the keys of front matter name. A value that is not understood
// hides the post. There are no reasons if the front matter says plainly that a post is a draft, unlisted or
// published.
func visibilityOf(m frontmatter.Values) (audience visibility, reasons []reason) {
	for _, key := range slices.Sorted(maps.Keys(m)) {
		value, plain := m[key], frontmatter.PlainKey(key)
		if slices.Contains(passwordKeys, plain) {
			if no, isBool := frontmatter.ParseBool(value); frontmatter.TextOf(value) != "" && !(isBool && !no) {
				audience = secret
				reasons = append(reasons, reason{format: "imported as a draft: it had a password"})
			}
			continue
		}
		if plain == "params" { // Hugo keeps the settings of themes there
			inner, more := visibilityOf(m.Table(key))
			audience, reasons = max(audience, inner), append(reasons, more...)
			continue
		}
		_, known := visibilityKeys[plain]
		if text, ok := value.(string); !known || value == nil || ok && strings.TrimSpace(text) == "" {
			continue
		}
		found, understood := meaningOf(plain, value)
		if !understood {
			reasons = append(reasons, notUnderstood(key, value))
		}
		if found == secret && plain == "headless" {
			reasons = append(reasons, reason{format: "imported as a draft: it was headless, without a page of its own"})
		}
		audience = max(audience, found)
	}
	return audience, reasons
}

// meaningOf returns the audience named by the value of one of visibilityKeys. A value that is not understood
// means secret.
func meaningOf(key string, value any) (audience visibility, understood bool) {
	word := frontmatter.PlainKey(frontmatter.TextOf(value))
	if yes, ok := frontmatter.ParseBool(value); ok {
		if yes {
			return visibilityKeys[key].yes, true
		}
		return visibilityKeys[key].no, true
	}
	if audience, ok := visibilityWords[word]; ok {
		return audience, true
	}
	switch {
	case slices.Contains(scheduledWords, word),
		(key == "published" || key == "publish") && frontmatter.IsDate(value),
		key == "status" && slices.Contains(growthWords, word):
		return visible, true
	}
	return secret, false
}

// reason explains in the report why a post is hidden.
type reason struct {
	format string
	args   []any
}

// notUnderstood is the reason for hiding a post because of a value that is not understood.
func notUnderstood(key string, value any) reason {
	return reason{format: "imported as a draft: %s: %s is not understood",
		args: []any{portable.Reason(key), shown(value)}}
}

// shown returns a value of front matter as a report shows it.
func shown(v any) portable.Particular {
	if text := frontmatter.TextOf(v); text != "" {
		quoted := strconv.Quote(plaintext.Truncate(text, 60))
		return portable.Particular{Message: locale.Verbatim(quoted), Name: quoted}
	}
	return portable.Particular{Message: locale.M("its value"), Name: "…"}
}

// status sets the status of a post, which must have its dates already.
func (f *folder) status(p *portable.Post, m frontmatter.Values, page bool) {
	audience, reasons := visibilityOf(m)
	if strings.HasPrefix(p.File, "_drafts/") || strings.Contains(p.File, "/_drafts/") {
		audience = secret
	}
	if slices.Contains(scheduledWords, strings.ToLower(m.Text("status"))) && p.Publish.IsZero() {
		audience = secret
		reasons = append(reasons,
			reason{format: "imported as a draft: it was scheduled without a valid date"})
	}
	if build := m.Table("build", "_build"); build != nil {
		audience = max(audience, buildAudience(build, &reasons))
	}
	expires, err := m.Time(f.config.zone, "expiryDate", "unpublishDate")
	if err != nil || !expires.IsZero() && expires.Before(f.now) {
		audience = secret
		reasons = append(reasons, reason{format: "imported as a draft: it has expired"})
	}
	for _, r := range reasons {
		f.blog.AddProblem(p.Where, r.format, r.args...)
	}
	switch {
	case audience == secret:
		p.Status = portable.Draft
	case p.Publish.After(f.now) && !f.config.future:
		p.Status = portable.Scheduled
		p.Hidden = audience == listless || page
	case audience == listless, page:
		p.Status = portable.Unlisted
	}
	if p.Status != portable.Scheduled {
		p.Publish = time.Time{}
	}
}

// buildAudience returns the audience that Hugo's build options give a page. A page that is not rendered has no
// address.
func buildAudience(build frontmatter.Values, reasons *[]reason) visibility {
	audience := visible
	option := func(key string) string {
		v := build.Get(key)
		if yes, ok := frontmatter.ParseBool(v); ok {
			return map[bool]string{true: "always", false: "never"}[yes]
		}
		return strings.ToLower(frontmatter.TextOf(v))
	}
	switch list := option("list"); list {
	case "", "always", "local":
	case "never":
		audience = listless
	default:
		audience = secret
		*reasons = append(*reasons, notUnderstood("build.list", list))
	}
	switch render := option("render"); render {
	case "", "always":
	case "never", "link":
		audience = secret
		*reasons = append(*reasons, reason{format: "imported as a draft: Hugo did not render it as a page"})
	default:
		audience = secret
		*reasons = append(*reasons, notUnderstood("build.render", render))
	}
	return audience
}
