package cosmostest

import (
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"inkfeed/cosmos/cosmostest/fixture"
	"inkfeed/domain"
	"inkfeed/domain/embed"
)

// cardsOf returns the cards of a revision.
func cardsOf(revision int, title string) embed.Cards {
	return embed.NewCards(revision, []embed.Card{{Address: "https://vimeo.com/1", Title: title}})
}

// setEmbeds stores cards and checks whether they were stored.
func (s *suite) setEmbeds(t *testing.T, postID string, revision int, cards embed.Cards, want bool) {
	t.Helper()
	stored := fixture.Must[bool](t)(s.Posts.SetEmbeds(t.Context(), postID, revision, cards))
	if stored != want {
		t.Errorf("whether cards of revision %d are stored: %t", revision, stored)
	}
}

// edit changes the text of a post and returns the post.
func (s *suite) edit(t *testing.T, post domain.Post) domain.Post {
	t.Helper()
	edit := fixture.Must[domain.Edit](t)(domain.NewEdit(post.ID, post.Revision, post.Title, "Another text.",
		fixture.At(9)))
	return fixture.Must[domain.Post](t)(s.Posts.Edit(t.Context(), edit, post.AuthorID))
}

func (s *suite) embeds(t *testing.T) {
	author := s.MustUser(t)
	fixture.Run(t, "cards are stored with the revision for which they were fetched", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		for n := range 2 { // an attempt that is repeated
			s.setEmbeds(t, post.ID, 1, cardsOf(1, "A film"), true)
			got := fixture.Must[domain.Post](t)(s.Posts.Get(t.Context(), post.ID))
			want := post
			want.Embeds, want.Version = cardsOf(1, "A film"), post.Version+n+1
			if got != want {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
		}
	})
	fixture.Run(t, "cards for an edited post are not stored, and the post keeps its former ones", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		s.setEmbeds(t, post.ID, 1, cardsOf(1, "First"), true)
		edited := s.edit(t, fixture.Must[domain.Post](t)(s.Posts.Get(t.Context(), post.ID)))
		s.setEmbeds(t, post.ID, 1, cardsOf(1, "Late"), false)
		s.setEmbeds(t, post.ID, 3, cardsOf(3, "Early"), false)
		if got := fixture.Must[domain.Post](t)(s.Posts.Get(t.Context(), post.ID)); got != edited ||
			got.Embeds != cardsOf(1, "First") {
			t.Errorf("the post is %+v, after the edit %+v", got, edited)
		}
		s.setEmbeds(t, post.ID, 2, cardsOf(2, "Second"), true)
	})
	fixture.Run(t, "an edit at the same time succeeds, whether or not the cards come first", func(t *testing.T) {
		for range 20 {
			post := s.MustPost(t, author, 1)
			var group sync.WaitGroup
			var stored bool
			group.Go(func() {
				var err error
				if stored, err = s.Posts.SetEmbeds(t.Context(), post.ID, 1, cardsOf(1, "A film")); err != nil {
					t.Error(err)
				}
			})
			s.edit(t, post)
			group.Wait()
			got := fixture.Must[domain.Post](t)(s.Posts.Get(t.Context(), post.ID))
			if got.Revision != 2 || got.Content != "Another text." || stored != (got.Embeds != "") {
				t.Errorf("stored %t, the post is %+v", stored, got)
			}
		}
	})
	fixture.Run(t, "a hidden post stays hidden and has the cards when it is released", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		held := s.hold(t, post, domain.HeldByModerator)
		s.setEmbeds(t, post.ID, 1, cardsOf(1, "A film"), true)
		own := fixture.Must[domain.Post](t)(s.Posts.Own(t.Context(), post.ID, author.ID))
		if own.Held != held.Held || own.Version != held.Version+1 {
			t.Errorf("the post is %+v", own)
		}
		_, err := s.Posts.Get(t.Context(), post.ID)
		fixture.WantKind(t, err, domain.NotFound)
		released := fixture.Must[domain.Post](t)(s.Posts.Release(t.Context(), post.ID, post.Revision))
		if released.Embeds != cardsOf(1, "A film") {
			t.Errorf("the cards are %s", released.Embeds)
		}
	})
	fixture.Run(t, "a deleted post takes no cards and loses its own", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		s.setEmbeds(t, post.ID, 1, cardsOf(1, "A film"), true)
		fixture.Check(t, s.Posts.Delete(t.Context(), post.ID, author.ID))
		s.setEmbeds(t, post.ID, 1, cardsOf(1, "Late"), false)
		fixture.Check(t, s.Posts.FinishErasure(t.Context(), post.ID))
		if got := fixture.Must[domain.Post](t)(s.Posts.Latest(t.Context(), post.ID)); got.Embeds != "" {
			t.Errorf("the cards are %s", got.Embeds)
		}
		s.setEmbeds(t, domain.NewID(), 1, cardsOf(1, "Nowhere"), false)
	})
}

func (s *suite) thumbnails(t *testing.T) {
	owner, post, other := s.MustUser(t), domain.NewID(), domain.NewID()
	begin := func(t *testing.T, postID string) domain.Image {
		t.Helper()
		image := fixture.AnImage(owner, 1)
		image.PostID = postID
		fixture.Must[domain.Image](t)(s.Images.Begin(t.Context(), image))
		return image
	}
	// wantKept checks which pictures are stored, with their files.
	wantKept := func(t *testing.T, kept bool, images ...domain.Image) {
		t.Helper()
		for _, i := range images {
			got, err := s.Images.Get(t.Context(), owner.ID, i.Name)
			if kept != (err == nil) || kept == s.Files.Gone(i.Name) || kept && got.PostID != i.PostID {
				t.Errorf("%s of post %q: %+v, %v", i.Name, i.PostID, got, err)
			}
		}
	}
	fixture.Run(t, "thumbnails use up the quota but are not listed", func(t *testing.T) {
		thumbnail := begin(t, post)
		if list := fixture.Must[domain.ListPage[domain.Image]](t)(s.Images.Of(t.Context(), owner.ID, 1)); len(
			list.Items) > 0 || len(fixture.Must[[]domain.Image](t)(s.Images.All(t.Context(), owner.ID))) > 0 {
			t.Errorf("listed: %+v", list.Items)
		}
		s.wantImages(t, owner, 1, 1000)
		fixture.Check(t, s.Images.Delete(t.Context(), owner.ID, thumbnail.Name))
		s.wantImages(t, owner, 0, 0)
	})
	fixture.Run(t, "only the unused thumbnails of one post are deleted", func(t *testing.T) {
		used, unused, ofOther, upload := begin(t, post), begin(t, post), begin(t, other), s.MustImage(t, owner, 1)
		s.Files.Fail(domain.NewError(domain.Unavailable, "full"))
		fixture.WantKind(t, s.Images.KeepThumbnails(t.Context(), owner.ID, post, used.Name.String()),
			domain.Unavailable)
		s.Files.Fail(nil)
		s.wantImages(t, owner, 4, 4000) // the record stays while there may be files
		for range 2 {                   // idempotent
			fixture.Check(t, s.Images.KeepThumbnails(t.Context(), owner.ID, post, used.Name.String()))
		}
		wantKept(t, true, used, ofOther, upload)
		wantKept(t, false, unused)
		fixture.Check(t, s.Images.KeepThumbnails(t.Context(), owner.ID, post))
		wantKept(t, true, ofOther, upload)
		wantKept(t, false, used)
		s.wantImages(t, owner, 2, 2000)
	})
	fixture.Run(t, "several instances delete and count each thumbnail once", func(t *testing.T) {
		before := fixture.Must[domain.User](t)(s.Users.ByID(t.Context(), owner.ID)).ImageCount
		first, second := begin(t, post), begin(t, post)
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() {
				if err := s.Images.KeepThumbnails(t.Context(), owner.ID, post); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		wantKept(t, false, first, second)
		s.wantImages(t, owner, before, 1000*int64(before))
	})
	fixture.Run(t, "thumbnails are deleted with their account", func(t *testing.T) {
		thumbnail := begin(t, post)
		fixture.Check(t, s.AccountDeletions.Delete(t.Context(), owner.ID))
		for fixture.Must[bool](t)(s.Images.EraseImages(t.Context(), owner.ID)) {
		}
		wantKept(t, false, thumbnail)
	})
}

func (s *suite) scheduledEmbeds(t *testing.T) {
	author := s.MustUser(t)
	ctx := t.Context()
	put := func(t *testing.T, revision int) domain.ScheduledItem {
		t.Helper()
		item := domain.ScheduledItem{UserID: author.ID, PostID: domain.NewID(), Revision: revision, At: fixture.At(1)}
		fixture.Check(t, s.Embeds.PutNew(ctx, item))
		return item
	}
	stored := func(t *testing.T, item domain.ScheduledItem) (found []domain.ScheduledItem) {
		t.Helper()
		for i, err := range s.Embeds.Upcoming(ctx, fixture.FarFuture()) {
			if fixture.Check(t, err); i.PostID == item.PostID {
				found = append(found, i)
			}
		}
		return found
	}
	fixture.Run(t, "a revision that is listed again keeps its attempts and its time", func(t *testing.T) {
		item := put(t, 1)
		later := fixture.At(60)
		claimed, ok, err := s.Embeds.Postpone(ctx, stored(t, item)[0], later, 1)
		if fixture.Check(t, err); !ok || claimed.Attempts != 1 || !claimed.At.Equal(later) {
			t.Errorf("claimed %t: %+v", ok, claimed)
		}
		fixture.Check(t, s.Embeds.PutNew(ctx, item))
		got := stored(t, item)
		if len(got) != 1 || got[0].ETag == claimed.ETag { // so that it survives the end of the attempt
			t.Fatalf("stored are %+v, want %+v with another etag", got, claimed)
		}
		got[0].ETag = claimed.ETag
		if got[0] != claimed {
			t.Errorf("stored is %+v, want %+v", got[0], claimed)
		}
		item.Revision = 2
		fixture.Check(t, s.Embeds.PutNew(ctx, item))
		if got := stored(t, item); len(got) != 2 {
			t.Errorf("stored are %+v", got)
		}
	})
	fixture.Run(t, "one of several instances claims an attempt", func(t *testing.T) {
		item := stored(t, put(t, 1))[0]
		var group sync.WaitGroup
		var claims atomic.Int32
		for range 8 {
			group.Go(func() {
				if _, ok, err := s.Embeds.Postpone(ctx, item, time.Now(), 1); err != nil {
					t.Error(err)
				} else if ok {
					claims.Add(1)
				}
			})
		}
		group.Wait()
		if got := stored(t, item); claims.Load() != 1 || len(got) != 1 || got[0].Attempts != 1 {
			t.Errorf("%d claims, stored are %+v", claims.Load(), got)
		}
	})
	fixture.Run(t, "an item that was claimed since it was read is neither postponed nor removed", func(t *testing.T) {
		read := stored(t, put(t, 1))[0]
		claimed, _, err := s.Embeds.Postpone(ctx, read, fixture.At(5), 1)
		fixture.Check(t, err)
		if _, ok, err := s.Embeds.Postpone(ctx, read, fixture.At(9), 0); ok || err != nil {
			t.Errorf("postponed %t, %v", ok, err)
		}
		fixture.Check(t, s.Embeds.Done(ctx, read))
		if got := stored(t, read); !slices.Equal(got, []domain.ScheduledItem{claimed}) {
			t.Errorf("stored are %+v", got)
		}
		postponed, ok, err := s.Embeds.Postpone(ctx, claimed, fixture.At(9), 0)
		if fixture.Check(t, err); !ok || postponed.Attempts != 0 || !postponed.At.Equal(fixture.At(9)) {
			t.Errorf("postponed %t: %+v", ok, postponed)
		}
		for range 2 { // idempotent
			fixture.Check(t, s.Embeds.Done(ctx, postponed))
		}
		if _, ok, err := s.Embeds.Postpone(ctx, postponed, fixture.At(10), 1); ok || err != nil ||
			len(stored(t, read)) > 0 {
			t.Errorf("claimed %t, %v", ok, err)
		}
	})
}
