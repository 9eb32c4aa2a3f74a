package cosmostest

import (
	"fmt"
	"sync"
	"testing"

	"inkfeed/cosmos/cosmostest/fixture"
	"inkfeed/domain"
)

func (s *suite) deleteThread(t *testing.T) {
	author, reader := s.MustUser(t), s.MustUser(t)
	remove := func(t *testing.T, c domain.Comment) domain.CommentRemoval {
		t.Helper()
		r := fixture.Must[domain.CommentRemoval](t)(s.Posts.DeleteComment(t.Context(), c.PostID, c.ID, c.AuthorID))
		s.wantReplyCounts(t, c.PostID)
		return r
	}
	fixture.Run(t, "a comment with replies becomes a placeholder until its last reply is deleted", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		parent, _ := s.MustComment(t, reader, post.ID, 1)
		one, two := s.MustReply(t, author, parent, 2), s.MustReply(t, reader, parent, 3)
		if r := remove(t, parent); !r.Placeholder || r.Parent != "" || r.Post.CommentCount != 2 {
			t.Errorf("the removal is %+v", r)
		}
		s.wantOutline(t, post.ID, "x, - Reply 2, - Reply 3")
		if r := remove(t, parent); !r.Placeholder || r.Post.CommentCount != 2 { // again
			t.Errorf("the removal is %+v", r)
		}
		if r := remove(t, one); r.Placeholder || r.Parent != "" || r.Post.CommentCount != 1 {
			t.Errorf("the removal is %+v", r)
		}
		three := s.MustReply(t, author, two, 4) // the thread continues
		remove(t, two)
		s.wantOutline(t, post.ID, "x, - Reply 4")
		if r := remove(t, three); r.Placeholder || r.Parent != parent.ID || r.Post.CommentCount != 0 {
			t.Errorf("the removal is %+v", r)
		}
		s.wantOutline(t, post.ID, "")
		_, err := s.Posts.AddComment(t.Context(), fixture.Must[domain.Comment](t)(domain.NewReply(author, parent,
			"Late",
			fixture.At(5))))
		fixture.WantKind(t, err, domain.Conflict)
	})
	fixture.Run(t, "deleting a reply keeps its parent", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		parent, _ := s.MustComment(t, reader, post.ID, 1)
		reply := s.MustReply(t, author, parent, 2)
		remove(t, reply)
		remove(t, reply) // again
		s.wantOutline(t, post.ID, "Comment 1")
		remove(t, parent)
		s.wantOutline(t, post.ID, "")
	})
	fixture.Run(t, "replies added during the deletion of the parent keep counts and parent correct",
		func(t *testing.T) {
			for round := range 5 {
				post := s.MustPost(t, author, 1)
				parent, _ := s.MustComment(t, reader, post.ID, 1)
				var group sync.WaitGroup
				group.Go(func() {
					if _, err := s.Posts.DeleteComment(t.Context(), post.ID, parent.ID, reader.ID); err != nil {
						t.Error(err)
					}
				})
				for i := range 4 {
					group.Go(func() {
						reply, err := domain.NewReply(author, parent, fmt.Sprint(i), fixture.At(i+2))
						if err == nil {
							_, err = s.Posts.AddComment(t.Context(), reply)
						}
						if err == nil && i%2 == round%2 {
							_, err = s.Posts.DeleteComment(t.Context(), post.ID, reply.ID, author.ID)
						}
						if err != nil && !domain.Is(err, domain.Conflict) { // the parent was deleted
							t.Error(err)
						}
					})
				}
				group.Wait()
				s.wantReplyCounts(t, post.ID)
				for _, c := range s.allComments(t, post.ID) { // delete all comments
					if c.Deleted.IsZero() {
						remove(t, c)
					}
				}
				s.wantOutline(t, post.ID, "")
			}
		})
	fixture.Run(t, "deleting an account deletes its comments and leaves placeholders above replies",
		func(t *testing.T) {
			leaver := s.MustUser(t)
			post := s.MustPost(t, author, 1)
			answered, _ := s.MustComment(t, leaver, post.ID, 1)
			s.MustReply(t, reader, answered, 2)
			s.MustReply(t, leaver, answered, 3)
			alone, _ := s.MustComment(t, leaver, post.ID, 4)
			s.MustReply(t, leaver, alone, 5)
			kept, _ := s.MustComment(t, reader, post.ID, 6)
			s.MustReply(t, leaver, kept, 7)
			held, _ := s.MustComment(t, reader, post.ID, 8)
			s.MustReply(t, leaver, held, 9)
			remove(t, held)
			fixture.Check(t, s.AccountDeletions.Delete(t.Context(), leaver.ID))
			for fixture.Must[domain.Step](t)(s.Posts.EraseAuthored(t.Context(), leaver.ID, 1000)).More {
			}
			s.wantOutline(t, post.ID, "x, - Reply 2, Comment 6")
			s.wantReplyCounts(t, post.ID)
			if fixture.Must[domain.Step](t)(s.Posts.EraseAuthored(t.Context(), leaver.ID, 1000)).More {
				t.Error("deleting all comments does not end")
			}
		})
	fixture.Run(t, "deleting the post deletes the whole thread", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		parent, _ := s.MustComment(t, reader, post.ID, 1)
		for i := range 120 { // more than fit in one transaction
			s.MustReply(t, author, parent, i+2)
		}
		remove(t, parent)
		fixture.Check(t, s.Posts.Delete(t.Context(), post.ID, author.ID))
		_, err := s.Posts.DeleteComment(t.Context(), post.ID, s.allComments(t, post.ID)[1].ID, author.ID)
		fixture.WantKind(t, err, domain.NotFound)
		s.eraseAll(t, post.ID)
		s.wantCountsOf(t, fixture.Must[domain.Post](t)(s.Posts.Latest(t.Context(), post.ID)), 0, 0)
	})
	fixture.Run(t, "concurrent deletions of account and post delete everything", func(t *testing.T) {
		leaver := s.MustUser(t)
		post := s.MustPost(t, author, 1)
		for i := range 60 {
			c, _ := s.MustComment(t, reader, post.ID, i)
			s.MustReply(t, leaver, c, i)
		}
		fixture.Check(t, s.Posts.Delete(t.Context(), post.ID, author.ID))
		fixture.Check(t, s.AccountDeletions.Delete(t.Context(), leaver.ID))
		var group sync.WaitGroup
		group.Go(func() {
			if _, err := s.Posts.EraseAuthored(t.Context(), leaver.ID, 1000); err != nil {
				t.Error(err)
			}
		})
		s.eraseAll(t, post.ID)
		group.Wait()
		s.wantCountsOf(t, fixture.Must[domain.Post](t)(s.Posts.Latest(t.Context(), post.ID)), 0, 0)
	})
}

// mentioning returns a text that mentions users by their names, and their mentions.
func mentioning(users ...domain.User) (text string, mentions domain.Mentions) {
	var list []domain.Mention
	for _, u := range users {
		text += "@" + u.Username + " "
		list = append(list, domain.Mention{Name: u.Username, UserID: u.ID})
	}
	return text + "and text", domain.MentionsOf(list)
}

func (s *suite) mentions(t *testing.T) {
	author, ada, ben := s.MustUser(t), s.MustUser(t), s.MustUser(t)
	fixture.Run(t, "a draft has none, and its publication resolves them", func(t *testing.T) {
		d := s.MustDraft(t, author, "A title")
		d.Content, _ = mentioning(ada)
		d = fixture.Must[domain.Draft](t)(s.Drafts.Save(t.Context(), d))
		d.Content += ", not @" + fixture.FreshName()
		published := fixture.Must[domain.Post](t)(s.Drafts.Publish(t.Context(), author, d, fixture.At(2)))
		if _, want := mentioning(ada); published.Mentions != want {
			t.Errorf("published with %s", published.Mentions)
		}
		fixture.Run(t, "an edit of the text replaces them", func(t *testing.T) {
			d := domain.DraftOf(published, fixture.At(3))
			var want domain.Mentions
			d.Content, want = mentioning(ben, ada)
			edited := fixture.Must[domain.Post](t)(s.Drafts.Publish(t.Context(), author, d, fixture.At(4)))
			read := fixture.Must[domain.Post](t)(s.Posts.Get(t.Context(), published.ID))
			if edited.Mentions != want || read != edited || edited.Revision != 2 {
				t.Errorf("returned %+v\nread     %+v", edited, read)
			}
			fixture.Run(t, "an edit of the title alone keeps them", func(t *testing.T) {
				e := fixture.Must[domain.Edit](t)(domain.NewEdit(edited.ID, 2, "Other", edited.Content, fixture.At(5)))
				got := fixture.Must[domain.Post](t)(s.Posts.Edit(t.Context(), e, author.ID))
				if got.Mentions != want || got.Title != "Other" {
					t.Errorf("got %+v", got)
				}
			})
			fixture.Run(t, "an edit that holds the post replaces them, too", func(t *testing.T) {
				e := fixture.Must[domain.Edit](t)(domain.NewEdit(edited.ID, 3, "Other", "Text", fixture.At(6)))
				e.Held = domain.HeldForReview
				got := fixture.Must[domain.Post](t)(s.Posts.Edit(t.Context(), e, author.ID))
				if got.Mentions != "" || got.Held != domain.HeldForReview {
					t.Errorf("got %+v", got)
				}
				if v := fixture.Must[domain.PostVersion](t)(s.Posts.Version(t.Context(), edited.ID,
					3)); v.Content != edited.Content {
					t.Errorf("the past version is %+v", v)
				}
				_, err := s.Posts.Edit(t.Context(), domain.Edit{PostID: edited.ID, Revision: 3, Title: "Late",
					Content: "Late", Mentions: want, At: fixture.At(7)}, author.ID)
				fixture.WantKind(t, err, domain.Conflict)
			})
		})
	})
	fixture.Run(t, "a scheduled publication resolves them at its time", func(t *testing.T) {
		d := s.MustDraft(t, author, "Later")
		later := fixture.FreshName()
		d.Content = "Hello @" + later
		d = fixture.Must[domain.Draft](t)(s.Drafts.Save(t.Context(), d))
		_, e := s.MustSchedule(t, d, fixture.Soon())
		user := fixture.Must[domain.User](t)(domain.NewUser(later, fixture.At(1)))
		fixture.Check(t, s.Accounts.Create(t.Context(), user, "hash"))
		post := fixture.Must[domain.Post](t)(s.Drafts.PublishScheduled(t.Context(), e))
		if list := post.Mentions.List(); len(list) != 1 || list[0] != (domain.Mention{Name: later, UserID: user.ID}) {
			t.Errorf("published with %s", post.Mentions)
		}
	})
	fixture.Run(t, "the marker of a deleted post has none", func(t *testing.T) {
		post := fixture.Must[domain.Post](t)(domain.NewPost(author, "A title", "@"+ada.Username, fixture.At(1)))
		_, post.Mentions = mentioning(ada)
		fixture.Check(t, s.Posts.Create(t.Context(), post))
		fixture.Check(t, s.Posts.Delete(t.Context(), post.ID, author.ID))
		if got := fixture.Must[domain.Post](t)(s.Posts.Latest(t.Context(), post.ID)); got.Mentions != "" {
			t.Errorf("got %+v", got)
		}
	})
	for name, held := range map[string]domain.Hold{"a comment": domain.NotHeld,
		"a held comment": domain.HeldForReview} {
		fixture.Run(t, name+" has them until its text is replaced or deleted", func(t *testing.T) {
			post := s.MustPost(t, author, 1)
			c := fixture.Must[domain.Comment](t)(domain.NewComment(ben, post.ID, "@"+ada.Username, fixture.At(2)))
			_, c.Mentions = mentioning(ada)
			fixture.Must[domain.Post](t)(s.Posts.AddComment(t.Context(), c))
			s.MustReply(t, ada, c, 3)
			if got := fixture.Must[domain.Comment](t)(s.Posts.Comment(t.Context(), post.ID,
				c.ID)); got.Mentions != c.Mentions {
				t.Errorf("written with %s", got.Mentions)
			}
			for i, users := range [][]domain.User{{author, ada}, nil, {ben}} {
				current := fixture.Must[domain.Comment](t)(s.Posts.Comment(t.Context(), post.ID, c.ID))
				text, mentions := mentioning(users...)
				e := fixture.Must[domain.CommentEdit](t)(domain.NewCommentEdit(current, text, fixture.At(4+i)))
				e.Mentions, e.Held = mentions, held
				edited := fixture.Must[domain.Comment](t)(s.Posts.EditComment(t.Context(), e, ben.ID))
				read := fixture.Must[domain.Comment](t)(s.Posts.Comment(t.Context(), post.ID, c.ID))
				if edited.Mentions != mentions || read != edited {
					t.Errorf("edited with %s\nread        %s", edited.Mentions, read.Mentions)
				}
			}
			fixture.Must[domain.CommentRemoval](t)(s.Posts.DeleteComment(t.Context(), post.ID, c.ID, ben.ID))
			if got := fixture.Must[domain.Comment](t)(s.Posts.Comment(t.Context(), post.ID, c.ID)); got.Mentions != "" {
				t.Errorf("the placeholder is %+v", got)
			}
		})
	}
}
