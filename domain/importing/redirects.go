package importing

import (
	"context"

	"inkfeed/domain"
)

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

// countRedirects counts the former addresses of a post that get a new redirect.
func (r *run) countRedirects(n int) {
	for _, path := range r.blog.Posts[n].Paths {
		r.countRedirect(n, path)
	}
}

// countRedirect counts a former address, unless an earlier import has redirected it.
func (r *run) countRedirect(n int, path string) {
	if newPaths(r.redirected[n], []string{path}) {
		r.count(&r.report.Redirects)
	}
}

// redirect adds a redirect from a former address to a post. It may replace a redirect to a list, or to a deleted post
// of the same user.
func (r *run) redirect(ctx context.Context, n int, to domain.Redirect) error {
	var there domain.Redirect
	err := r.Try(ctx, func() (err error) { there, err = r.Redirects.Put(ctx, to); return err })
	if err == nil && there.PostID == to.PostID {
		r.countRedirect(n, to.Path)
	}
	if err != nil || there.PostID == to.PostID {
		return err
	}
	if there.OwnerID == to.OwnerID && there.PostID == "" {
		return r.Try(ctx, func() error { return r.Redirects.Move(ctx, to) })
	}
	if there.OwnerID == to.OwnerID {
		post, err := r.latest(ctx, there.PostID)
		if err == nil && !post.Deleted.IsZero() {
			r.countRedirect(n, to.Path)
			return r.Try(ctx, func() error { return r.Redirects.Move(ctx, to) })
		}
		if err != nil && !domain.Is(err, domain.NotFound) {
			return err
		}
	}
	r.addProblem(n, "its former address %s leads to another post here", to.Path)
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
