package importing

import (
	"math"

	"inkfeed/domain/locale"
	"inkfeed/domain/portable"
)

// Limits of the redirects of an account: a number for the account, and a further number for each post that it has
// imported. A post has at most a hundred former addresses, but most have one to three.
const (
	redirectsOfAccount = 1000
	redirectsOfPost    = 5
)

// MaxRedirects returns how many redirects an account may have that has imported a number of posts.
func MaxRedirects(posts int) int { return redirectsOfAccount + redirectsOfPost*posts }

// addressBudget counts how many more former addresses an account may redirect, and those that it may not.
type addressBudget struct{ free, left int }

// within returns the wanted paths that are known already or within the budget, in order.
func (b *addressBudget) within(known, wanted []string) (allowed []string) {
	is := make(map[string]bool, len(known))
	for _, path := range known {
		is[path] = true
	}
	for _, path := range wanted {
		switch {
		case is[path]:
		case b.free > 0:
			b.free--
		default:
			b.left++
			continue
		}
		allowed = append(allowed, path)
	}
	return allowed
}

// capRedirects leaves out former addresses beyond the limit of the account. It counts the addresses in the records of
// imports, which name all redirects of an account. So repeating an import does not avoid the limit. The first addresses
// of all posts have priority over the further ones of any post.
func (r *run) capRedirects() {
	r.addresses.free = math.MaxInt
	if !r.Capped {
		return
	}
	posts, used := make(map[string]bool), 0
	for id, record := range r.records {
		posts[id] = true
		used += len(record.Paths)
	}
	for _, id := range r.ids {
		posts[id] = true
	}
	delete(posts, "")
	delete(posts, r.listsID())
	r.addresses.free = max(0, MaxRedirects(len(posts))-used)
	first := make([][]string, len(r.ids))
	for n, id := range r.ids {
		paths := r.blog.Posts[n].Paths
		first[n] = r.addresses.within(r.records[id].Paths, paths[:min(redirectsOfPost, len(paths))])
	}
	r.addresses.left = 0
	for n, id := range r.ids {
		p := &r.blog.Posts[n]
		all := p.Paths
		p.Paths = r.addresses.within(joinPaths(first[n], r.records[id].Paths), all)
		if left := len(all) - len(p.Paths); left > 0 {
			r.addProblem(n, "%d of its former addresses do not redirect here", left)
		}
	}
}

// reportLeftAddresses reports the total of the addresses that were left out.
func (r *run) reportLeftAddresses() {
	if n := r.addresses.left; n > 0 {
		r.report.Problems = append(r.report.Problems, portable.MessageProblem(locale.M("{n} old addresses were left "+
			"out: an account can have {base} redirects, and {more} more for each imported post. Ask this site's "+
			"administrator to import the blog.", "n", n, "base", redirectsOfAccount, "more", redirectsOfPost)))
	}
}
