package importing

import (
	"context"
	"slices"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/domain/portable"
)

// Requests stores the addresses that imports ask administrators for.
type Requests interface {
	// Requests returns those of a user, which may be none.
	Requests(ctx context.Context, userID string) (domain.AddressRequests, error)
	// SetRequests stores those of a user. It fails with Conflict if they were changed since they were read.
	SetRequests(ctx context.Context, r domain.AddressRequests) error
}

// joinPaths returns the paths of both lists, without duplicates.
func joinPaths(a, b []string) []string {
	joined := append([]string(nil), a...)
	for _, path := range b {
		if newPaths(joined, []string{path}) {
			joined = append(joined, path)
		}
	}
	return joined
}

// countRedirect counts a former address, unless an earlier import has redirected it.
func (r *run) countRedirect(n int, path string) {
	if newPaths(r.redirected[n], []string{path}) {
		r.count(&r.report.Redirects)
	}
}

// redirectAll redirects the former addresses of a post. A dry run only counts them.
func (r *run) redirectAll(ctx context.Context, n int) error {
	for _, path := range r.blog.Posts[n].Paths {
		to := domain.Redirect{Path: path, OwnerID: r.owner(n).ID, PostID: r.ids[n]}
		if err := r.redirect(ctx, n, to); err != nil {
			return err
		}
	}
	return nil
}

// askAgain asks for the former addresses of a post that is unchanged here and whose addresses were not approved.
func (r *run) askAgain(ctx context.Context, n int) error {
	if r.ClaimsAll {
		return nil
	}
	for _, path := range r.blog.Posts[n].Paths {
		to := domain.Redirect{Path: path, OwnerID: r.owner(n).ID, PostID: r.ids[n]}
		if domain.ClaimOf(path) != domain.ClaimAsked {
			continue
		}
		if err := r.redirect(ctx, n, to); err != nil {
			return err
		}
	}
	return nil
}

// claim claims an address, unless another redirect has it, and returns where it leads then. If the address is reserved
// or has to be asked for, claim says so instead, and notes the request. A dry run claims nothing.
func (r *run) claim(ctx context.Context, to domain.Redirect) (there domain.Redirect, claim domain.Claim, err error) {
	switch claim = domain.ClaimOf(to.Path); {
	case claim == domain.ClaimNever:
		return to, claim, nil
	case claim == domain.ClaimFree || r.ClaimsAll:
		there = to
		if !r.DryRun {
			err = r.Try(ctx, func() (err error) { there, err = r.Redirects.Put(ctx, to); return err })
		}
		return there, domain.ClaimFree, err
	}
	err = r.Try(ctx, func() (err error) { there, err = r.Redirects.Find(ctx, to.Path); return err })
	if !domain.Is(err, domain.NotFound) {
		return there, domain.ClaimFree, err
	}
	r.count(&r.report.Requested)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked = append(r.asked, to)
	return to, claim, nil
}

// request stores the addresses to ask administrators for. Every import makes its user known to administrators, who see
// the addresses that it claimed.
func (r *run) request(ctx context.Context) error {
	if r.DryRun || !r.report.Written && len(r.asked) == 0 {
		return nil
	}
	users := map[string]bool{r.User.ID: true}
	for _, owner := range r.Owners {
		users[owner.ID] = true
	}
	delete(users, domain.SiteUserID) // it imports static pages, which have no former addresses
	for userID := range users {
		var left int
		err := changeRequests(ctx, r.Try, r.Redirects, userID, func(all *domain.AddressRequests) (changed bool) {
			before := slices.Clone(all.Addresses)
			if userID == r.User.ID {
				left = all.Add(r.asked)
			}
			return all.ETag == "" || !slices.Equal(before, all.Addresses)
		})
		if err != nil {
			return err
		}
		if left > 0 {
			r.report.Problems = append(r.report.Problems, portable.MessageProblem(
				locale.M("{n} addresses were left out, because too many wait for an administrator's approval", "n",
					left)))
		}
	}
	return nil
}

// changeRequests changes the addresses that a user's imports ask for, even if administrators decide about some at the
// same time.
func changeRequests(ctx context.Context, try func(context.Context, func() error) error, store Requests, userID string,
	change func(*domain.AddressRequests) (changed bool)) error {
	for attempt := 1; ; attempt++ {
		err := try(ctx, func() error {
			all, err := store.Requests(ctx, userID)
			if err != nil || !change(&all) {
				return err
			}
			return store.SetRequests(ctx, all)
		})
		if !domain.Is(err, domain.Conflict) || attempt == 5 {
			return err
		}
	}
}

// redirect adds a redirect from a former address to a post. It may replace a redirect to a list, or to a deleted post
// of the same user.
func (r *run) redirect(ctx context.Context, n int, to domain.Redirect) error {
	there, claim, err := r.claim(ctx, to)
	switch {
	case err != nil:
		return err
	case claim == domain.ClaimNever:
		r.addProblem(n, "its former address %s belongs to this site and does not redirect", to.Path)
		return nil
	case claim == domain.ClaimAsked:
		r.addProblem(n, "its former address %s waits for an administrator's approval", to.Path)
		return nil
	case there.PostID == to.PostID:
		r.countRedirect(n, to.Path)
		return nil
	}
	own := there.OwnerID == to.OwnerID
	if own && there.PostID != "" {
		post, err := r.latest(ctx, there.PostID)
		if err != nil && !domain.Is(err, domain.NotFound) {
			return err
		}
		if own = err == nil && !post.Deleted.IsZero(); own {
			r.countRedirect(n, to.Path)
		}
	}
	if own && !r.DryRun {
		return r.Try(ctx, func() error { return r.Redirects.Move(ctx, to) })
	}
	if !own {
		r.addProblem(n, "its former address %s leads to another post here", to.Path)
	}
	return nil
}

// newPaths reports whether any wanted path is not known yet.
func newPaths(known, wanted []string) bool {
	for _, path := range wanted {
		found := false
		for _, k := range known {
			found = found || k == path
		}
		if !found {
			return true
		}
	}
	return false
}
