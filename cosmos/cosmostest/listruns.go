package cosmostest

import "testing"

type listSuite struct{ *Suite }

// RunLists runs the tests of the lists of posts: of an author, of a tag and the feed.
func RunLists(t *testing.T, shared *Suite) {
	s := &listSuite{shared}
	t.Run("Q3 a user's posts", s.userPosts)
	t.Run("unlisted posts and statuses", s.hidden)
	t.Run("Q6 the feed", s.feed)
	t.Run("the page of a tag", s.tagPage)
	t.Run("removing posts from lists and tags", s.leaving)
	t.Run("an author's archive", s.archive)
	t.Run("previous and next post", s.neighbours)
	t.Run("related posts", s.related)
	t.Run("propagating a name", s.spread)
}
