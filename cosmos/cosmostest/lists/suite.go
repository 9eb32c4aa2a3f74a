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
	fixture.Run(t, "Q3 a user's posts", s.userPosts)
	fixture.Run(t, "unlisted posts and statuses", s.hidden)
	fixture.Run(t, "Q6 the feed", s.feed)
	fixture.Run(t, "the page of a tag", s.tagPage)
	fixture.Run(t, "removing posts from lists and tags", s.removal)
	fixture.Run(t, "an author's archive", s.archive)
	fixture.Run(t, "previous and next post", s.neighbours)
	fixture.Run(t, "related posts", s.related)
	fixture.Run(t, "propagating a name", s.propagation)
	fixture.Run(t, "the rows of comments", s.commentRows)
}
