package cosmostest

import (
	"slices"
	"testing"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/cosmostest/fixture"
	"inkfeed/cosmos/feeds"
	"inkfeed/cosmos/schema"
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

// wantMarker checks that an expiring marker without text and author has taken the place of a comment, and that the
// change feed delivers it as a deleted comment.
func (s *suite) wantMarker(t *testing.T, c domain.Comment) {
	t.Helper()
	item := fixture.Must[map[string]any](t)(client.Read[map[string]any](t.Context(),
		s.Container(schema.PostsContainer), c.PostID, c.ID))
	for name := range item {
		if name[0] != '_' && !slices.Contains([]string{"id", "type", "postId", "deletionDate", "ttl"}, name) {
			t.Errorf("the marker has the property %s", name)
		}
	}
	if item["type"] != schema.TypeDeletedComment || item["ttl"] != domain.MarkerTime.Seconds() {
		t.Errorf("the marker is %v", item)
	}
	change := fixture.Must[feeds.Change[feeds.PostChange]](t)(s.Posts.Changes().Item(t.Context(),
		feeds.ItemRef{PartitionKey: c.PostID, ID: c.ID}))
	if got := change.Value.Comment; change.Err != nil || got == nil || got.ID != c.ID || got.PostID != c.PostID ||
		got.Deleted.IsZero() {
		t.Errorf("the change is %+v", change)
	}
}

func (s *suite) deletedCommentMarkers(t *testing.T) {
	ctx, author := t.Context(), s.MustUser(t)
	remove := func(t *testing.T, c domain.Comment) {
		t.Helper()
		fixture.Must[domain.CommentRemoval](t)(s.Posts.DeleteComment(ctx, c.PostID, c.ID, c.AuthorID))
	}
	fixture.Run(t, "of a comment, and of a placeholder with its last reply", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		parent, _ := s.MustComment(t, author, post.ID, 1)
		reply := s.MustReply(t, author, parent, 2)
		remove(t, parent)
		s.wantOutline(t, post.ID, "x, - Reply 2")
		remove(t, reply)
		s.wantMarker(t, parent)
		s.wantMarker(t, reply)
		s.wantOutline(t, post.ID, "")
	})
	fixture.Run(t, "of a comment on a deleted post", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		parent, _ := s.MustComment(t, author, post.ID, 1)
		reply := s.MustReply(t, author, parent, 2)
		fixture.Check(t, s.Posts.Delete(ctx, post.ID, author.ID))
		s.eraseAll(t, post.ID)
		s.wantMarker(t, parent)
		s.wantMarker(t, reply)
	})
	fixture.Run(t, "of a comment by a deleted user", func(t *testing.T) {
		leaver, post := s.MustUser(t), s.MustPost(t, author, 1)
		alone, _ := s.MustComment(t, leaver, post.ID, 1)
		answered, _ := s.MustComment(t, leaver, post.ID, 2)
		s.MustReply(t, author, answered, 3)
		reply := s.MustReply(t, leaver, answered, 4)
		for fixture.Must[domain.Step](t)(s.Posts.EraseAuthored(ctx, leaver.ID, 1000)).More {
		}
		s.wantMarker(t, alone)
		s.wantMarker(t, reply)
		s.wantOutline(t, post.ID, "x, - Reply 3")
		if step := fixture.Must[domain.Step](t)(s.Posts.EraseAuthored(ctx, leaver.ID, 1000)); step.Items > 0 {
			t.Errorf("a repeated erasure finds %+v", step)
		}
	})
	fixture.Run(t, "is no comment", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		c, _ := s.MustComment(t, author, post.ID, 1)
		s.MustComment(t, author, post.ID, 2)
		remove(t, c)
		remove(t, c)
		if n := fixture.Must[int](t)(s.Posts.CommentsBefore(ctx, post.ID, domain.PastAllComments)); n != 1 {
			t.Errorf("%d comments are counted before the end", n)
		}
		for exported, err := range s.Export.Comments(ctx, author.ID) {
			if err != nil || exported.ID == c.ID {
				t.Errorf("exported %+v, %v", exported, err)
			}
		}
		reply := fixture.Must[domain.Comment](t)(domain.NewReply(author, c, "Late", fixture.At(3)))
		_, err := s.Posts.AddComment(ctx, reply)
		fixture.WantKind(t, err, domain.Conflict)
		_, err = s.Posts.HoldComment(ctx, post.ID, c.ID, domain.HeldByModerator)
		fixture.WantKind(t, err, domain.NotFound)
		fixture.Check(t, s.Posts.SetAuthorName(ctx, post.ID, c.ID, domain.Author{Name: "other"}))
		fixture.Check(t, s.Posts.SetAuthorSuspended(ctx, post.ID, c.ID, true))
		s.wantMarker(t, c)
	})
	fixture.Run(t, "keeps a repeated form from adding the comment again", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		c, _ := s.MustComment(t, author, post.ID, 1)
		answered, _ := s.MustComment(t, author, post.ID, 2)
		s.MustReply(t, author, answered, 3)
		for _, c := range []domain.Comment{c, answered} { // a marker and a placeholder
			remove(t, c)
			if _, err := s.Posts.AddComment(ctx, c); err != domain.ErrCommentDeleted {
				t.Errorf("the error is %v", err)
			}
		}
		s.wantOutline(t, post.ID, "x, - Reply 3")
	})
}
