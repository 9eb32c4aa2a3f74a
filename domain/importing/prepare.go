package importing

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"sync"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/markdown"
	"inkfeed/domain/names"
	"inkfeed/domain/plaintext"
	"inkfeed/domain/portable"
	"inkfeed/domain/portable/markup"
)

// wanted is the state that a post or draft is to have here.
type wanted struct {
	id      string
	title   string
	content string
	tags    domain.Tags
	typed   string // tags of a draft
	details domain.Details
	slug    string
	status  domain.Status // for a draft, the status of the future post
	created time.Time
	edited  time.Time
}

// prepare converts a post of the export to the form that it gets here: it imports pictures and replaces addresses.
func (r *run) prepare(ctx context.Context, n int) (wanted, error) {
	p := r.blog.Posts[n]
	content, err := r.rewritten(ctx, n, p.Content)
	if err != nil {
		return wanted{}, err
	}
	w := wanted{id: r.ids[n], title: p.Title, content: content, created: domain.Timestamp(day(p.Created)),
		edited: domain.Timestamp(day(p.Edited))}
	if p.Created.IsZero() {
		if w.created = w.edited; w.edited.IsZero() {
			w.created = domain.Timestamp(r.Now)
		}
	}
	if w.created.After(r.Now) {
		if p.Status != portable.Scheduled {
			r.addProblem(n, "its date, %s, is in the future: it is dated today now", w.created.Format(time.DateOnly))
		}
		w.created = domain.Timestamp(r.Now)
	}
	if !w.edited.After(w.created) || w.edited.After(r.Now) {
		w.edited = time.Time{}
	}
	if p.Edited.IsZero() {
		w.edited = time.Time{}
	}
	if slug := p.Slug; slug != "" && names.Slug(slug) != names.Slug(p.Title) {
		w.slug = names.Slug(slug)
	}
	if p.Status == portable.Unlisted || p.Hidden {
		w.status = domain.Unlisted
	}
	w.tags = r.tags(n, p.Tags)
	w.typed = strings.Join(w.tags.List(), ", ")
	w.details, err = r.details(ctx, n, p.Details)
	return w, err
}

// day returns a date without a time as midnight in UTC of the same date, which pages show without a time. Such
// a date is midnight in the old blog's zone. Other times stay as they are.
func day(t time.Time) time.Time {
	if hour, minute, second := t.Clock(); t.IsZero() || hour+minute+second+t.Nanosecond() > 0 {
		return t
	}
	year, month, date := t.Date()
	return time.Date(year, month, date, 0, 0, 0, 0, time.UTC)
}

// tags returns the tags of a post that are valid here.
func (r *run) tags(n int, names []string) domain.Tags {
	var kept domain.Tags
	left := 0
	for _, name := range names {
		// A comma separates tags, so no tag can contain one.
		parts := strings.FieldsFunc(name, func(c rune) bool { return strings.ContainsRune(",،、，", c) })
		tags, err := domain.CleanTags(strings.Join(parts, " "))
		switch {
		case err != nil:
			r.addProblem(n, "the tag %q was left out: %s", plaintext.Truncate(name, 60),
				domain.Reason(err))
		case tags == "" || tags.Without(kept) == "":
		case len(kept.List()) == domain.MaxTags:
			left++
		default:
			kept = domain.JoinTags(kept, tags)
		}
	}
	if left > 0 {
		r.addProblem(n, "it has more tags than the %d that a post can have: %d were left out", domain.MaxTags, left)
	}
	return kept
}

// details returns the details of a post. It reports and leaves out invalid ones, and imports the cover.
func (r *run) details(ctx context.Context, n int, stated domain.Details) (domain.Details, error) {
	if r.directory.Inside(n, stated.CanonicalURL) {
		if to, _, ok := r.directory.Post(n, stated.CanonicalURL); !ok || to != n {
			r.addProblem(n, "the canonical address %q was left out: it belongs to this blog",
				plaintext.Truncate(stated.CanonicalURL, 200))
		}
		stated.CanonicalURL = ""
	}
	d, err := stated.Clean()
	if invalid, ok := errors.AsType[*domain.Error](err); ok {
		for f := range domain.DetailFields() {
			if reason, ok := invalid.Fields[f.Name]; ok {
				r.addProblem(n, "the %s %q was left out: %s", f.Noun, plaintext.Truncate(f.Of(stated), 60), reason)
			}
		}
	}
	if d.Cover == "" || d.Cover == domain.NoCover {
		return d, nil
	}
	// Our own export has its pictures in this folder.
	text, err := r.rewritten(ctx, n, "![](../images/"+d.Cover+")")
	if cover, ok := markdown.FirstImage(text); ok {
		d.Cover = cover.String()
	} else {
		d.Cover = ""
	}
	return d, err
}

// rewritten replaces the addresses of the export in a text by those of this site.
func (r *run) rewritten(ctx context.Context, n int, content string) (_ string, err error) {
	elsewhere := 0
	var missing, drafts, failed distinct
	content = markup.Rewrite(content, func(l markup.Link) (string, bool) {
		if err != nil {
			return "", false
		}
		if to, fragment, ok := r.directory.Post(n, l.Destination); ok && !l.Image {
			path, moved := r.address(to, fragment)
			if moved && !r.canImport(to) {
				failed.add(l.Destination)
				return "", false
			}
			if moved && r.blog.Posts[to].Status == portable.Draft {
				drafts.add(l.Destination)
			}
			return path, moved
		}
		name, ok := r.directory.File(n, l.Destination)
		switch {
		case ok && portable.IsImage(name):
			var path string
			if path, err = r.pictures.add(ctx, n, name, l.Alt); path != "" {
				return path + domain.PictureWidth(l.Destination), true
			}
			if l.Image {
				return missingAddress(l.Destination)
			}
		case ok:
			r.addProblem(n, "the file %s is not a picture and was left out", name)
		case l.Image && r.directory.Foreign(l.Destination) && r.blog.Posts[n].ID == "":
			elsewhere++
		case l.Image && r.directory.Foreign(l.Destination): // it stays unchanged
		case l.Image:
			r.addProblem(n, "the picture %s is not in the export", plaintext.Truncate(l.Destination, 200))
			return missingAddress(l.Destination)
		case r.blog.Posts[n].ID == "" && r.directory.Inside(n, l.Destination):
			missing.add(l.Destination)
		}
		return "", false
	})
	if elsewhere > 0 {
		r.addProblem(n, "pictures on other sites are links now: %d", elsewhere)
	}
	for _, links := range []struct {
		to        distinct
		one, many wording
	}{
		{missing, wording{format: "a link leads to %s, which the export does not have"},
			wording{format: "links lead to %d addresses that the export does not have, the first to %s"}},
		{failed, wording{format: "a link stays as it was: it leads to %s, which is not imported"},
			wording{format: "links to %d posts that are not imported stay as they were, the first to %s"}},
		{drafts, wording{format: "a link leads to %s, which is a draft: readers can follow it once the draft is " +
			"published"}, wording{format: "links lead to %d drafts, the first to %s: readers can follow them once " +
			"the drafts are published"}},
	} {
		switch count := links.to.count(); count {
		case 0:
		case 1:
			r.addProblem(n, links.one.format, links.to.first())
		default:
			r.addProblem(n, links.many.format, count, links.to.first())
		}
	}
	return content, err
}

// wording is the text of a problem with some links, as a format: see portable.NewProblem.
type wording struct{ format string }

// distinct is a set of addresses.
type distinct struct {
	all      map[string]bool
	earliest string
}

func (d *distinct) add(address string) {
	if d.all == nil {
		d.all, d.earliest = make(map[string]bool), address
	}
	d.all[address] = true
}

func (d distinct) count() int { return len(d.all) }

// first returns the earliest address for a report.
func (d distinct) first() string { return plaintext.Truncate(d.earliest, 200) }

// address returns the address of an imported post. A post that keeps its id keeps its address.
func (r *run) address(n int, fragment string) (string, bool) {
	p := r.blog.Posts[n]
	if r.ids[n] == "" || r.ids[n] == p.ID {
		return "", false
	}
	to := domain.PostPath(r.ids[n], p.Details.Slug(p.Slug, p.Title))
	if fragment == "" {
		return to, true
	}
	if id, found := r.fragments.id(n, p.Content, fragment); found {
		fragment = id
	}
	return to + "#" + (&url.URL{Fragment: fragment}).EscapedFragment(), true
}

// fragments finds the ids in posts of the export to which fragments of addresses refer. It is safe for concurrent use.
type fragments struct {
	markdown *markdown.Renderer
	mu       sync.Mutex
	find     map[int]func(fragment string) (string, bool) // by the posts' index
}

func (f *fragments) id(n int, content, fragment string) (string, bool) {
	f.mu.Lock()
	find := f.find[n]
	f.mu.Unlock()
	if find == nil {
		find = f.markdown.Fragments(content)
		f.mu.Lock()
		f.find[n] = find
		f.mu.Unlock()
	}
	return find(fragment)
}

// fit adapts a post to the rules of posts where little is lost, or returns why it cannot. A text that breaks
// the rules only because of this site's addresses keeps its old addresses, because links to the post are
// decided before: see canImport.
func (r *run) fit(n int, w *wanted) error {
	title, content, cut, err := adapted(w.title, w.content)
	if p := r.blog.Posts[n]; err != nil && w.content != p.Content {
		if title, content, cut, err = adapted(w.title, p.Content); err == nil {
			r.addProblem(n, "its links and pictures keep their old addresses: "+
				"with addresses of this site the text would be too long")
		}
	}
	if cut {
		r.addProblem(n, "its title was cut: it is longer than the limit of %d characters", domain.MaxTitle)
	}
	w.title, w.content = title, content
	return err
}
