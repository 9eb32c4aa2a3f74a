package cosmostest

import (
	"testing"

	"inkfeed/cosmos/cosmostest/fixture"
	"inkfeed/cosmos/feeds"
	"inkfeed/domain"
)

// leases checks the operations on leases that change feed processors use.
func (s *suite) leases(t *testing.T) {
	name := fixture.FreshName()
	want := feeds.Lease{Processor: name, Range: feeds.Range{MinInclusive: "", MaxExclusive: "FF"},
		Container: "rid", Renewed: fixture.At(0)}
	for range 2 { // creating again is harmless
		fixture.Check(t, s.Leases.Create(t.Context(), want))
	}
	list := fixture.Must[[]feeds.Lease](t)(s.Leases.List(t.Context(), name))
	if len(list) != 1 || list[0].ETag == "" {
		t.Fatalf("leases %+v", list)
	}
	mine := list[0]
	mine.Owner, mine.Epoch, mine.Continuation, mine.Renewed = "me", 3, `{"a":"\"1\""}`, fixture.At(1)
	stored := fixture.Must[feeds.Lease](t)(s.Leases.Replace(t.Context(), mine))
	if stored.ETag == mine.ETag || stored.ETag == "" {
		t.Errorf("etag %q after %q", stored.ETag, mine.ETag)
	}
	if got := fixture.Must[[]feeds.Lease](t)(s.Leases.List(t.Context(), name)); len(got) != 1 || got[0] != stored {
		t.Errorf("stored %+v, want %+v", got, stored)
	}
	if got := fixture.Must[feeds.Lease](t)(s.Leases.Read(t.Context(), name, want.Range)); got != stored {
		t.Errorf("read %+v, want %+v", got, stored)
	}
	_, err := s.Leases.Read(t.Context(), name, feeds.Range{MinInclusive: "1F", MaxExclusive: "FF"})
	fixture.WantKind(t, err, domain.NotFound)
	mine.Owner = "thief" // with an outdated etag
	_, err = s.Leases.Replace(t.Context(), mine)
	fixture.WantKind(t, err, domain.Conflict)
	fixture.WantKind(t, s.Leases.Delete(t.Context(), mine), domain.Conflict)
	if got := fixture.Must[feeds.Lease](t)(s.Leases.Read(t.Context(), name, want.Range)); got != stored {
		t.Errorf("read %+v, want %+v", got, stored)
	}
	for range 2 { // deleting again is harmless
		fixture.Check(t, s.Leases.Delete(t.Context(), stored))
	}
	if got := fixture.Must[[]feeds.Lease](t)(s.Leases.List(t.Context(), name)); len(got) != 0 {
		t.Errorf("leases %+v", got)
	}
	_, err = s.Leases.Replace(t.Context(), stored)
	fixture.WantKind(t, err, domain.NotFound)
}

func (s *suite) deadLetters(t *testing.T) {
	name := fixture.FreshName()
	list := func() (letters []feeds.DeadLetter) {
		t.Helper()
		fixture.Check(t, s.DeadLetters.List(t.Context(), func(l feeds.DeadLetter) error {
			if l.Processor == name {
				letters = append(letters, l)
			}
			return nil
		}))
		return letters
	}
	letter := feeds.DeadLetter{Processor: name, Range: feeds.Range{MinInclusive: "", MaxExclusive: "FF"},
		Item:  feeds.ItemRef{PartitionKey: "a/b?", ID: "it's #1"},
		Error: "too odd", Attempts: 10, First: fixture.At(1), Last: fixture.At(1)}
	same := func(t *testing.T, got []feeds.DeadLetter, want feeds.DeadLetter) {
		t.Helper()
		if len(got) != 1 {
			t.Fatalf("letters %+v, want %+v", got, want)
		}
		if got[0].Item != want.Item || got[0].Range != want.Range || got[0].Error != want.Error ||
			got[0].Attempts != want.Attempts ||
			!got[0].First.Equal(want.First) || !got[0].Last.Equal(want.Last) {
			t.Errorf("letter %+v, want %+v", got[0], want)
		}
	}
	fixture.Run(t, "a dead letter is read as written", func(t *testing.T) {
		fixture.Check(t, s.DeadLetters.Put(t.Context(), letter))
		same(t, list(), letter)
	})
	again := letter
	fixture.Run(t, "a dead letter written again counts all attempts since the first", func(t *testing.T) {
		again.Error, again.Attempts = "still odd", 5
		again.First, again.Last = fixture.At(7), fixture.At(7)
		fixture.Check(t, s.DeadLetters.Put(t.Context(), again))
		again.Attempts, again.First = 15, fixture.At(1)
		same(t, list(), again)
	})
	fixture.Run(t, "a dead letter written again since it was read is not deleted", func(t *testing.T) {
		fixture.WantKind(t, s.DeadLetters.Delete(t.Context(), letter), domain.Conflict)
		same(t, list(), again)
	})
	fixture.Run(t, "deleting a dead letter is idempotent", func(t *testing.T) {
		for range 2 {
			fixture.Check(t, s.DeadLetters.Delete(t.Context(), again))
		}
		if got := list(); len(got) != 0 {
			t.Errorf("letters %+v", got)
		}
	})
	fixture.Run(t, "dead letters of different items differ, even if their concatenated names are equal",
		func(t *testing.T) {
			for _, item := range []feeds.ItemRef{{PartitionKey: "ab", ID: "c"}, {PartitionKey: "a", ID: "bc"}} {
				letter.Item = item
				fixture.Check(t, s.DeadLetters.Put(t.Context(), letter))
			}
			if got := list(); len(got) != 2 {
				t.Errorf("letters %+v", got)
			}
			all := 0 // including leases of other processors
			fixture.Check(t, s.DeadLetters.List(t.Context(), func(feeds.DeadLetter) error { all++; return nil }))
			for atMost, want := range map[int]int{all - 1: all - 1, all: all, all + 1: all} {
				if n := fixture.Must[int](t)(s.DeadLetters.Count(t.Context(), atMost)); n != want {
					t.Errorf("%d of %d dead letters are counted up to %d", n, all, atMost)
				}
			}
		})
}

// items checks that the item of a change can be read in its current state.
func (s *suite) items(t *testing.T) {
	feed := s.Posts.Changes()
	author := s.MustUser(t)
	post := s.MustPost(t, author, 1)
	comment, _ := s.MustComment(t, author, post.ID, 2)
	change := fixture.Must[feeds.Change[feeds.PostChange]](t)(feed.Item(t.Context(),
		feeds.ItemRef{PartitionKey: post.ID,
			ID: post.ID}))
	if change.Err != nil || change.Value.Post == nil || change.Value.Post.CommentCount != 1 {
		t.Errorf("the post is %+v", change)
	}
	change = fixture.Must[feeds.Change[feeds.PostChange]](t)(feed.Item(t.Context(),
		feeds.ItemRef{PartitionKey: post.ID,
			ID: comment.ID}))
	if change.Err != nil || change.Value.Comment == nil || change.Value.Comment.Content != comment.Content {
		t.Errorf("the comment is %+v", change)
	}
	_, err := feed.Item(t.Context(), feeds.ItemRef{PartitionKey: post.ID, ID: "none"})
	fixture.WantKind(t, err, domain.NotFound)
	user := fixture.Must[feeds.Change[feeds.UserChange]](t)(s.Users.Changes().Item(t.Context(),
		feeds.ItemRef{PartitionKey: author.ID, ID: author.ID}))
	if user.Value.User == nil || *user.Value.User != author {
		t.Errorf("the user is %+v", user)
	}
	_, err = s.Users.Changes().Item(t.Context(), feeds.ItemRef{PartitionKey: author.ID, ID: "credentials"})
	fixture.WantKind(t, err, domain.NotFound)
}

// continuations checks the form of the SDK's continuations, from which others are derived.
func (s *suite) continuations(t *testing.T) {
	feed := s.Posts.Changes()
	if rid := fixture.Must[string](t)(feed.Container(t.Context())); rid == "" {
		t.Error("the container has no resource id")
	}
	author := s.MustUser(t)
	for _, r := range fixture.Must[[]feeds.Range](t)(feed.FeedRanges(t.Context())) {
		_, end := s.drain(t, r, "", 500)
		middle := r.MinInclusive + "01" // in the order of texts, like the SDK
		for _, part := range []feeds.Range{r, {MinInclusive: r.MinInclusive, MaxExclusive: middle},
			{MinInclusive: middle, MaxExclusive: r.MaxExclusive}} {
			narrowed := fixture.Must[string](t)(feed.Narrow(end, part))
			if page := fixture.Must[feeds.Batch[feeds.PostChange]](t)(feed.Read(t.Context(), part, narrowed,
				1)); !page.Drained {
				t.Errorf("%d changes in the part %v of a feed range that was read to its end", len(page.Changes), part)
			}
		}
	}
	// The LSNs of a page and of its changes are comparable: their difference is the lag of a
	// reader.
	s.MustPost(t, author, 1)
	found := false
	for _, r := range fixture.Must[[]feeds.Range](t)(feed.FeedRanges(t.Context())) {
		page := fixture.Must[feeds.Batch[feeds.PostChange]](t)(feed.Read(t.Context(), r, "",
			500)) // the first LSN may belong to another write
		if page.Drained || len(page.Changes) == 0 {
			continue
		}
		found = true
		if first := page.Changes[0]; first.LSN <= 0 || page.LSN < first.LSN || first.Modified.IsZero() {
			t.Errorf("the first change of %v is of LSN %d and %v, the range at %d", r, first.LSN, first.Modified,
				page.LSN)
		}
	}
	if !found {
		t.Error("no feed range has a change")
	}
}
