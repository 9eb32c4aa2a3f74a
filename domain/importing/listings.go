package importing

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/domain/portable"
)

// listed collects the tags and years of the posts that are in lists here after the import.
type listed struct {
	mu    sync.Mutex
	tags  map[string]bool // by their keys
	years map[int]bool
}

// note adds a post. It ignores posts that are not published, because no list shows them.
func (l *listed) note(p domain.Post) {
	if !p.Status.Listed() {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.tags == nil {
		l.tags, l.years = make(map[string]bool), make(map[int]bool)
	}
	for _, key := range p.Tags.Keys() {
		l.tags[key] = true
	}
	l.years[p.Created.UTC().Year()] = true
}

// listing returns the redirect from the address of a list of the old blog. If no imported post has the list's
// tag or year, it leads to the list of all posts.
func (r *run) listing(l portable.Listing) domain.Redirect {
	to := domain.OwnerPage
	switch key := domain.TagKey(l.Tag); {
	case key != "" && r.listed.tags[key]:
		to = "/tags/" + url.PathEscape(key)
	case l.Archive && r.listed.years[l.Year]:
		to += fmt.Sprintf("/archive/%d", l.Year)
	case l.Archive:
		to += "/archive"
	}
	if l.Feed != "" {
		to += "/feed" + l.Feed
	}
	return domain.Redirect{Path: l.Path, OwnerID: r.User.ID, To: to}
}

// listsID is the id of the record of the old blog's lists and feeds.
func (r *run) listsID() string { return domain.ImportedID(r.User.ID, "lists of "+r.blog.Format) }

// listings redirects the old blog's lists and feeds to those of this site. Each format has one record for them,
// as each post has one.
func (r *run) listings(ctx context.Context) error {
	all := r.blog.Listings()
	if len(all) == 0 || len(r.listed.years) == 0 || r.DryRun && r.ClaimsAll {
		return nil
	}
	var parts, paths []string
	redirects := make([]domain.Redirect, len(all))
	for i, l := range all {
		redirects[i] = r.listing(l)
		parts, paths = append(parts, l.Path, redirects[i].To), append(paths, l.Path)
	}
	record := r.record(r.User.ID, r.listsID())
	current := digest(parts...)
	allowed := r.addresses.within(record.Paths, paths)
	if r.DryRun || record.Done && record.Digest == current {
		return r.redirectLists(ctx, slices.DeleteFunc(redirects, func(to domain.Redirect) bool {
			return r.ClaimsAll || domain.ClaimOf(to.Path) != domain.ClaimAsked
		}))
	}
	if record.Digest == "" {
		record.Job = r.Job
	}
	record.Digest, record.Done = current, false
	record.Paths = union(record.Paths, allowed)
	if err := r.put(ctx, record); err != nil {
		return err
	}
	named := make(map[string]bool, len(record.Paths))
	for _, path := range record.Paths {
		named[path] = true
	}
	// An account's redirects are found by their records.
	err := r.redirectLists(ctx, slices.DeleteFunc(redirects, func(to domain.Redirect) bool { return !named[to.Path] }))
	if err != nil {
		return err
	}
	record.Done = true
	return r.put(ctx, record)
}

// redirectLists adds the redirects of lists, and reports those that cannot be added.
func (r *run) redirectLists(ctx context.Context, redirects []domain.Redirect) error {
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(cmp.Or(r.Writers, defaultWriters))
	var others atomic.Int64
	for _, to := range redirects {
		group.Go(func() (err error) {
			defer Recovered(&err)
			there, err := r.redirectList(groupCtx, to)
			if there.OwnerID != to.OwnerID {
				others.Add(1)
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	if n := int(others.Load()); n > 0 {
		r.report.Problems = append(r.report.Problems, portable.MessageProblem(
			locale.M("{n} addresses of lists and feeds lead to another author's here", "n", n)))
	}
	return nil
}

// redirectList adds the redirect of a list, or changes the target that an earlier import gave it. It changes
// neither a post's redirect nor another user's.
func (r *run) redirectList(ctx context.Context, to domain.Redirect) (there domain.Redirect, err error) {
	there, claim, err := r.claim(ctx, to)
	switch {
	case claim == domain.ClaimAsked:
		r.mu.Lock()
		defer r.mu.Unlock()
		r.addBlogProblem("the address %s of a list or feed waits for an administrator's approval", to.Path)
		return there, err
	case err != nil || there == to || there.OwnerID != to.OwnerID || there.PostID != "" || r.DryRun:
		return there, err
	}
	return to, r.Try(ctx, func() error { return r.Redirects.Move(ctx, to) })
}

// maxRecordBytes bounds the paths of a record, whose item has at most 2 MB.
const maxRecordBytes = 3 << 19

// union is joinPaths for long lists.
func union(a, b []string) []string {
	seen, bytes := make(map[string]bool, len(a)+len(b)), 0
	var joined []string
	for _, list := range [][]string{a, b} {
		for _, path := range list {
			if bytes += len(path) + 3; !seen[path] && bytes <= maxRecordBytes {
				seen[path] = true
				joined = append(joined, path)
			}
		}
	}
	return joined
}
