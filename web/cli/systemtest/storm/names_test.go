package storm

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/PuerkitoBio/goquery"

	"inkfeed/domain"
	"inkfeed/web/cli/systemtest/harness"
)

// spelling is a name or a list of tags as a person types it and as the site shows it.
type spelling struct{ typed, shown string }

// tagLists are the tags that clients choose from. Among them are decomposed accents, several
// scripts, and characters outside the Basic Multilingual Plane.
var tagLists = []spelling{
	{"", ""},
	{"sea", "sea"},
	{"sea, wind", "sea,wind"},
	{"Du\u0308ne", "Düne"},
	{"月, sea", "月,sea"},
	{"بحر", "بحر"},
	{"😀, #𠮷野家", "😀,𠮷野家"},
	{"👩‍🚀, wind", "👩‍🚀,wind"},
}

// tags chooses tags, as the site shows them.
func (c *client) tags() string { return tagLists[c.random.IntN(len(tagLists))].shown }

// typedTags returns the text that a person types for the given tags.
func typedTags(shown string) string {
	i := slices.IndexFunc(tagLists, func(s spelling) bool { return s.shown == shown })
	return tagLists[i].typed
}

// contested are names that any client may want.
var contested = []spelling{{"ada", "ada"}, {"bob", "bob"}, {"carol", "carol"}, {"dora", "dora"},
	{"zoe\u0308", "zoë"}, {"𠮷野家", "𠮷野家"}}

func isContested(name string) bool {
	return slices.ContainsFunc(contested, func(s spelling) bool { return s.shown == name })
}

// username returns a unique name in one of several scripts.
func (c *client) username() spelling {
	c.counter++
	number := fmt.Sprintf("%d-%d", c.number, c.counter)
	stem := []spelling{{"user", "user"}, {"user", "user"}, {"zoe\u0308", "zoë"}, {"чайка", "чайка"}, {"مريم", "مريم"},
		{"𠮷野", "𠮷野"}}[c.random.IntN(6)]
	return spelling{stem.typed + number, stem.shown + number}
}

// profilePath returns the address of an account's page.
func profilePath(name string) string { return "/@" + url.PathEscape(name) }

// linkedName returns the username in a link to an account's page.
func linkedName(link *goquery.Selection) string {
	name, err := url.PathUnescape(strings.TrimPrefix(link.AttrOr("href", ""), "/@"))
	if err != nil {
		return ""
	}
	return name
}

func (c *client) rename() {
	if !c.account.name.settled() {
		return
	}
	name := c.username()
	if c.random.IntN(4) == 0 {
		name = contested[c.random.IntN(len(contested))]
	}
	_, o, within := c.write("rename", "/settings/username", url.Values{"username": {name.typed}},
		http.StatusConflict, http.StatusUnprocessableEntity)
	switch o {
	case done:
		c.account.name.acknowledge(name.shown)
		c.account.names = append(c.account.names, name.shown)
		c.storm.record("rename")
	case unknownOutcome:
		c.account.name.suspect(name.shown, within)
	}
}

// changeDisplayName sets, changes or removes the display name.
func (c *client) changeDisplayName() {
	if !c.account.display.settled() {
		return
	}
	c.counter++
	name := []spelling{{"", ""}, {"Ada from the dunes %d", "Ada from the dunes %d"}, {"Zoe\u0308 %d", "Zoë %d"},
		{"王小明 %d", "王小明 %d"}, {"محمد %d", "محمد %d"}, {"𠮷野 %d", "𠮷野 %d"}}[c.random.IntN(6)]
	if name.shown != "" {
		name = spelling{fmt.Sprintf(name.typed, c.counter), fmt.Sprintf(name.shown, c.counter)}
	}
	_, o, within := c.write("set the display name", "/settings/profile",
		url.Values{"displayName": {name.typed}, "bio": {""}}, http.StatusConflict)
	switch o {
	case done:
		c.account.display.acknowledge(name.shown)
		c.storm.record("display name")
	case unknownOutcome:
		c.account.display.suspect(name.shown, within)
	}
}

// shownName returns the display name in a link to an account, or "".
func shownName(link *goquery.Selection) string { return harness.Text(link.Find(".display-name")) }

// shownTags returns the tags on a post's page.
func shownTags(page *goquery.Document) string {
	var tags []string
	page.Find(`article.post .tags a[rel="tag"]`).Each(func(_ int, link *goquery.Selection) {
		tags = append(tags, strings.TrimPrefix(harness.Text(link), "#"))
	})
	return strings.Join(tags, ",")
}

// checkName checks that every acknowledged name of an account leads to the account under its
// present name. The present username and display name become the only possible ones.
func (r *reader) checkName(a *account) {
	for i, name := range a.names {
		p := r.Get(profilePath(name))
		if a.deleted.is(true) || a.suspended.is(true) {
			if p.Status != http.StatusNotFound && !isContested(name) {
				r.fail([]string{name}, "account %v was deleted or suspended, but /@%s has status %d", a.names, name,
					p.Status)
			}
			continue
		}
		current := strings.TrimPrefix(p.URL.Path, "/@")
		display := ""
		if p.Find(".profile p.handle").Length() > 0 {
			display = harness.Text(p.Find(".profile h1"))
		}
		switch {
		case p.Status == http.StatusNotFound && (a.deleted.may(true) || a.suspended.may(true)):
		case p.Status != http.StatusOK || !a.name.may(current):
			r.fail(append(a.names, current), "/@%s leads to %s with status %d; the username is one of %v",
				name, p.URL.Path, p.Status, a.name.possible)
		case !a.display.may(display):
			r.fail(a.names, "/@%s shows the display name %q, not one of %q", name, display, a.display.possible)
		case i == 0:
			a.name.acknowledge(current)
			a.display.acknowledge(display)
		}
	}
}

// checkAuthor checks that a link to an account shows its present names.
func (r *reader) checkAuthor(what string, link *goquery.Selection, a *account) {
	name, display := linkedName(link), shownName(link)
	if !a.name.may(name) || !a.display.may(display) {
		r.fail(append([]string{what}, a.names...),
			"%s is by %q with the display name %q; the username is one of %q, the display name one of %q",
			what, name, display, a.name.possible, a.display.possible)
	}
}

// checkTags checks that each tag's page lists exactly the posts with the tag.
func (r *reader) checkTags() {
	for _, list := range tagLists {
		for tag := range strings.SplitSeq(list.shown, ",") {
			if tag != "" && !strings.Contains(list.typed, tag+",") { // each tag is the last one of exactly one list
				r.checkTag(tag)
			}
		}
	}
}

func (r *reader) checkTag(tag string) {
	listed := make(map[string]int) // number of entries by the token, which is the first word of the title
	for next := "/tags/" + url.PathEscape(domain.TagKey(tag)); next != ""; {
		p := r.Get(next)
		p.Find("main article h2 a, .folded li a").Each(func(_ int, link *goquery.Selection) {
			token, _, _ := strings.Cut(harness.Text(link), " ")
			listed[token]++
		})
		next = p.Find(`nav.pager a[rel="next"]`).AttrOr("href", "")
	}
	for _, a := range r.accounts {
		for _, p := range a.posts {
			has := func(t text) bool { return slices.Contains(strings.Split(t.tags, ","), tag) }
			may := slices.ContainsFunc(p.text.possible, has)
			must := may && !slices.ContainsFunc(p.text.possible, func(t text) bool { return !has(t) })
			about := []string{p.path(), p.token}
			switch n := listed[p.token]; {
			case n > 1:
				r.fail(about, "the tag %s lists post %s %d times", tag, p.token, n)
			case n == 1 && (!may || p.unseen()):
				r.fail(about, "the tag %s lists post %s: %+v, hidden: %v", tag, p.token, p.text.possible, p.unseen())
			case n == 0 && must && p.id != "" && !p.mayBeUnseen():
				r.fail(about, "the tag %s does not list post %s", tag, p.token)
			}
		}
	}
}

// formTags returns the tags in the form of a post, as the site shows them elsewhere. The form of a draft has them as
// they were typed.
func formTags(page *goquery.Document) string {
	value := page.Find(`#editor input[name="tags"]`).AttrOr("value", "")
	for _, list := range tagLists {
		if value == list.typed {
			return list.shown
		}
	}
	return strings.ReplaceAll(value, ", ", ",")
}
