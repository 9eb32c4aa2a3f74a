package lists

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"inkfeed/cosmos/cosmostest/fixture"
	"inkfeed/domain"
)

// freshTag returns an unused tag. It is a partition key, so it begins with a character outside the
// Basic Multilingual Plane.
func freshTag() string { return "😀 ṯag " + domain.NewID()[:12] }

func (s *suite) tagged(t *testing.T, name string) []domain.Summary {
	t.Helper()
	return fixture.All(t, func(page int) (domain.ListPage[domain.Summary], error) {
		return s.Tags.PostsOf(t.Context(), domain.TagKey(name), page)
	})
}

func (s *suite) tagPage(t *testing.T) {
	author := s.MustUser(t)
	with := func(minute, version int, names ...string) domain.Summary {
		sum := fixture.Summary(author, minute, version)
		sum.Tags = domain.TagsOf(names)
		return sum
	}
	apply := func(t *testing.T, name string, sum domain.Summary) {
		t.Helper()
		fixture.Check(t, s.Tags.ApplySummary(t.Context(), domain.TagKey(name), sum))
	}
	is := func(t *testing.T, name string, want ...domain.Summary) {
		t.Helper()
		if got := s.tagged(t, name); !slices.Equal(got, want) {
			t.Errorf("got  %v\nwant %v", got, want)
		}
	}
	fixture.Run(t, "an unused tag has no posts", func(t *testing.T) { is(t, freshTag()) })
	fixture.Run(t, "the list is paged, newest first", func(t *testing.T) {
		tag := freshTag()
		var want []domain.Summary
		for i := range domain.PostsPerPage + 3 {
			sum := with(i%5, 1+i%2, "Other", tag) // some have equal dates
			apply(t, tag, sum)
			want = append(want, sum)
		}
		slices.SortFunc(want, domain.NewestFirst)
		is(t, tag, want...)
	})
	fixture.Run(t, "a copy accepts newer versions only", func(t *testing.T) {
		tag := freshTag()
		sum := with(1, 5, tag)
		newer, older := sum, sum
		newer.Version, newer.LikeCount, newer.Title = 9, 4, "Quotes \" and \\"
		older.Version = 6
		for _, v := range []domain.Summary{sum, newer, older, newer} {
			apply(t, tag, v)
		}
		is(t, tag, newer)
	})
	for name, leave := range map[string]func(*domain.Summary){
		"lost the tag":    func(sum *domain.Summary) { sum.Tags = "Other" },
		"became unlisted": func(sum *domain.Summary) { sum.Status = domain.Unlisted },
		"was unpublished": func(sum *domain.Summary) { sum.Status = domain.Unpublished },
	} {
		fixture.Run(t, "a post that "+name+" is removed and returns only in a later version", func(t *testing.T) {
			tag := freshTag()
			was := with(1, 5, tag)
			left, back := was, was
			left.Version, back.Version = 6, 7
			back.Title = "Back"
			leave(&left)
			for range 2 {
				apply(t, tag, was)
				apply(t, tag, left)
				is(t, tag)
			}
			apply(t, tag, back)
			is(t, tag, back)
			apply(t, tag, left)
			is(t, tag, back)
		})
		fixture.Run(t, "a late worker does not restore a post that "+name, func(t *testing.T) {
			tag := freshTag()
			was := with(1, 1, tag)
			left := was
			left.Version = 2
			leave(&left)
			apply(t, tag, left)
			apply(t, tag, was)
			is(t, tag)
		})
	}
	fixture.Run(t, "a deleted post is removed permanently", func(t *testing.T) {
		tag := freshTag()
		was := with(1, 5, tag)
		gone := domain.Summary{PostID: was.PostID, AuthorID: was.AuthorID, Tags: was.Tags, Created: was.Created,
			Version: 6, Deleted: fixture.At(1)}
		for _, v := range []domain.Summary{was, gone, was} {
			apply(t, tag, v)
		}
		is(t, tag)
	})
	fixture.Run(t, "concurrent writers leave the newest version", func(t *testing.T) {
		tag := freshTag()
		sum := with(1, 0, tag)
		var group sync.WaitGroup
		for _, v := range rand.New(rand.NewPCG(1, 2)).Perm(20) {
			group.Go(func() {
				mine := sum
				mine.Version = v + 1
				if mine.Version%3 == 0 {
					mine.Status = domain.Unlisted
				}
				if err := s.Tags.ApplySummary(t.Context(), domain.TagKey(tag), mine); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		if got := s.tagged(t, tag); len(got) != 1 || got[0].Version != 20 {
			t.Errorf("got %+v", got)
		}
	})
}

// leaving finds the copies of a post that no longer belong in their lists.
func (s *suite) removal(t *testing.T) {
	author := s.MustUser(t)
	post := fixture.Must[domain.Post](t)(domain.NewPost(author, "Title", "Text", fixture.At(1)))
	post.Tags = "Go,Über uns,😀"
	fixture.Check(t, s.Posts.Create(t.Context(), post))
	latest := func() domain.Post { return fixture.Must[domain.Post](t)(s.Posts.Latest(t.Context(), post.ID)) }

	edit := domain.Edit{PostID: post.ID, Revision: 1, Title: "Title", Content: "Text", Tags: "über UNS,𠮷野家",
		At: fixture.At(2)}
	edited := fixture.Must[domain.Post](t)(s.Posts.Edit(t.Context(), edit, author.ID))
	if edited.FormerTags != "Go,😀" || edited.Withdrawn {
		t.Errorf("after tags changed: %+v", edited)
	}
	withdrawn := fixture.Must[domain.Post](t)(s.Posts.SetStatus(t.Context(), post.ID, author.ID, domain.Unlisted))
	if !withdrawn.Withdrawn {
		t.Errorf("the unlisted post is %+v", withdrawn)
	}
	fixture.Check(t, s.Posts.ClearStaleListings(t.Context(), post.ID, edited.Version))
	if now := latest(); !now.Withdrawn || now.FormerTags == "" {
		t.Errorf("clearing listings of an earlier version changed the post: %+v", now)
	}
	for range 2 {
		fixture.Check(t, s.Posts.ClearStaleListings(t.Context(), post.ID, withdrawn.Version))
		if now := latest(); now.Withdrawn || now.FormerTags != "" || now.Version != withdrawn.Version {
			t.Errorf("after its listings were cleared the post is %+v", now)
		}
	}
	fixture.Check(t, s.Posts.Delete(t.Context(), post.ID, author.ID))
	if now := latest(); now.Tags != edit.Tags {
		t.Errorf("the deleted post, whose copies remain, has the tags %q", now.Tags)
	}
	fixture.Check(t, s.Posts.FinishErasure(t.Context(), post.ID))
	if now := latest(); now.Tags != "" || now.FormerTags != "" {
		t.Errorf("the erased post has the tags %q and former tags %q", now.Tags, now.FormerTags)
	}
	fixture.Check(t, s.Posts.ClearStaleListings(t.Context(), domain.NewID(), 1)) // of a deleted post
}
