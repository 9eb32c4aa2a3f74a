package cosmostest

import (
	"testing"

	"inkfeed/cosmos/cosmostest/fixture"
	"inkfeed/cosmos/feeds"
	"inkfeed/domain"
)

// drain reads a feed range to its end and returns the changes and the last continuation.
func (s *suite) drain(
	t *testing.T,
	r feeds.Range,
	from string,
	limit int,
) (changes []feeds.PostChange, continuation string) {
	t.Helper()
	feed := s.Posts.Changes()
	for continuation = from; ; {
		page := fixture.Must[feeds.Batch[feeds.PostChange]](t)(feed.Read(t.Context(), r, continuation, limit))
		for _, c := range page.Changes {
			changes = append(changes, c.Value)
		}
		continuation = page.Continuation
		if page.Drained {
			return changes, continuation
		}
	}
}

func (s *suite) changes(t *testing.T) {
	ranges := fixture.Must[[]feeds.Range](t)(s.Posts.Changes().FeedRanges(t.Context()))
	if len(ranges) == 0 || ranges[0].MinInclusive != "" || ranges[len(ranges)-1].MaxExclusive != "FF" {
		t.Fatalf("ranges %v", ranges)
	}
	ends := make(map[feeds.Range]string)
	for _, r := range ranges {
		_, ends[r] = s.drain(t, r, "", 500)
	}
	author := s.MustUser(t)
	fixture.Run(t, "the feed shows each item once, in its latest state and the order of its partition",
		func(t *testing.T) {
			var posts []domain.Post
			for i := range 6 {
				posts = append(posts, s.MustPost(t, author, i))
			}
			for _, p := range posts {
				for i := range 3 {
					s.MustComment(t, author, p.ID, i)
				}
			}
			seen := make(map[string]int)
			for _, r := range ranges {
				changes, end := s.drain(t, r, ends[r], 2)
				comments := make(map[string]int)
				for _, c := range changes {
					switch {
					case c.Post != nil:
						seen[c.Post.ID]++
						if c.Post.CommentCount != 3 || c.Post.Version != 4 {
							t.Errorf("the change has an earlier state: %+v", c.Post)
						}
					case c.Comment != nil:
						if want := []string{"Comment 0", "Comment 1",
							"Comment 2"}[comments[c.Comment.PostID]]; c.Comment.Content != want {
							t.Errorf("the comment %q is out of order in post %s", c.Comment.Content, c.Comment.PostID)
						}
						comments[c.Comment.PostID]++
					}
				}
				for id, n := range comments {
					if n != 3 {
						t.Errorf("the feed has %d comments of post %s", n, id)
					}
				}
				ends[r] = end
			}
			for _, p := range posts {
				if seen[p.ID] != 1 {
					t.Errorf("post %s came %d times", p.ID, seen[p.ID])
				}
			}
		})
	fixture.Run(t, "the feed resumes at a continuation", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		found := 0
		for _, r := range ranges {
			changes, _ := s.drain(t, r, ends[r], 100)
			for _, c := range changes {
				if c.Post == nil || c.Post.ID != post.ID {
					t.Errorf("an item was returned twice: %+v", c)
				}
				found++
			}
		}
		if found != 1 {
			t.Errorf("the feed has %d new changes", found)
		}
	})
	fixture.Run(t, "the feed of users has users, the feed of drafts has new and scheduled drafts", func(t *testing.T) {
		user := s.MustUser(t)
		begun, saved, scheduled := s.MustDraft(t, user, "Begun"), s.MustDraft(t, user, "Saved"),
			s.MustDraft(t, user, "Scheduled")
		saved.Content = "More"
		fixture.Must[domain.Draft](t)(s.Drafts.Save(t.Context(), saved))
		scheduled.Content = "More"
		scheduled, _ = s.MustSchedule(t, fixture.Must[domain.Draft](t)(s.Drafts.Save(t.Context(), scheduled)),
			fixture.Soon())
		user = fixture.Must[domain.User](t)(s.Users.ByID(t.Context(), user.ID)) // with the counts of drafts
		users, drafts := 0, make(map[domain.Draft]int)
		feed := s.Users.Changes()
		for _, r := range fixture.Must[[]feeds.Range](t)(feed.FeedRanges(t.Context())) {
			for continuation := ""; ; {
				page := fixture.Must[feeds.Batch[feeds.UserChange]](t)(feed.Read(t.Context(), r, continuation,
					500))
				for _, c := range page.Changes {
					switch u, d := c.Value.User, c.Value.Draft; {
					case c.Value != (feeds.UserChange{User: u, Draft: d}): // other tests have the other changes
					case (u == nil) == (d == nil):
						t.Errorf("one change has both %+v and %+v", u, d)
					case d != nil && d.AuthorID == user.ID:
						drafts[*d]++
					case u != nil && u.Username == "" && !u.Erased:
						t.Errorf("a user without a name: %+v", u)
					case u != nil && *u == user:
						users++
					}
				}
				if continuation = page.Continuation; page.Drained {
					break
				}
			}
		}
		if users != 1 {
			t.Errorf("the user came %d times", users)
		}
		if len(drafts) != 2 || drafts[begun] != 1 || drafts[scheduled] != 1 {
			t.Errorf("of the drafts came %v", drafts)
		}
	})
}
