// Package lists is the part of the storage contract about lists of posts: of an author, of a tag and
// of the front page, with the copies that they are read from.
package lists

import (
	"testing"

	"inkfeed/cosmos/cosmostest/fixture"
)

// suite holds the tests of this package as methods.
type suite struct{ *fixture.Suite }

// Run runs the tests of this part. They share the storage, but no data.
func Run(t *testing.T, shared *fixture.Suite) {
	s := &suite{shared}
	t.Run("Q3 a user's posts", s.userPosts)
	t.Run("unlisted posts and statuses", s.hidden)
	t.Run("Q6 the feed", s.feed)
	t.Run("the page of a tag", s.tagPage)
	t.Run("removing posts from lists and tags", s.removal)
	t.Run("an author's archive", s.archive)
	t.Run("previous and next post", s.neighbours)
	t.Run("related posts", s.related)
	t.Run("propagating a name", s.propagation)
}
