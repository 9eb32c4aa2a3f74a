package cosmostest

import (
	"fmt"
	"testing"
	"time"

	"inkfeed/domain"
)

func summary(author domain.User, minute, version int) domain.Summary {
	return domain.Summary{PostID: domain.NewID(), AuthorID: author.ID, AuthorName: author.Username,
		Title: fmt.Sprint("Post ", minute), Text: "Some text.", Created: at(minute), Version: version}
}

// typed returns an unsaved draft.
func typed(author domain.User, title string) domain.Draft {
	return domain.Draft{PostID: domain.NewID(), AuthorID: author.ID, Title: title, Content: "Some *text*, not done ",
		Tags: "Go, , go"}
}

func (s *Suite) mustDraft(t *testing.T, author domain.User, title string) domain.Draft {
	t.Helper()
	return must[domain.Draft](t)(s.Drafts.Save(t.Context(), typed(author, title)))
}

// mustHave compares the stored draft with want.
func (s *Suite) mustHave(t *testing.T, want domain.Draft) {
	t.Helper()
	if got := must[domain.Draft](t)(s.Drafts.Get(t.Context(), want.AuthorID, want.PostID)); got != want {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// soon returns a time in the future that no test reaches.
func soon() time.Time { return domain.Timestamp(time.Now().Add(time.Hour)) }

// ever returns a time after all scheduled publications.
func ever() time.Time { return time.Now().AddDate(20, 0, 0) }

// entryOf returns the entry of a scheduled draft.
func (s *Suite) entryOf(t *testing.T, d domain.Draft) (domain.ScheduledItem, bool) {
	t.Helper()
	for e, err := range s.ScheduledPosts.Upcoming(t.Context(), ever()) {
		if check(t, err); e.PostID == d.PostID && e.At.Equal(d.Publish) {
			return e, true
		}
	}
	return domain.ScheduledItem{}, false
}

// mustSchedule schedules a draft and returns it with its entry.
func (s *Suite) mustSchedule(t *testing.T, d domain.Draft, at time.Time) (domain.Draft, domain.ScheduledItem) {
	t.Helper()
	scheduled := must[domain.Draft](t)(s.Drafts.Schedule(t.Context(), d.AuthorID, d.PostID, d.Version, at))
	want := d
	want.Publish, want.Problem = at, ""
	if scheduled != want {
		t.Errorf("scheduled as %+v, want %+v", scheduled, want)
	}
	s.mustHave(t, scheduled)
	e, ok := s.entryOf(t, scheduled)
	if !ok || e.UserID != d.AuthorID {
		t.Errorf("the entry is %+v", e)
	}
	return scheduled, e
}

func anImage(owner domain.User, minute int) domain.Image {
	return domain.Image{UserID: owner.ID, Alt: "A cat", Bytes: 1000, Created: at(minute),
		Name: domain.ImageName{Hash: domain.NewID(), Width: 2000, Height: 1000, Ext: domain.ExtJPEG}}
}

func (s *Suite) mustImage(t *testing.T, owner domain.User, minute int) domain.Image {
	t.Helper()
	image := must[domain.Image](t)(s.Images.Begin(t.Context(), anImage(owner, minute)))
	check(t, s.Images.Complete(t.Context(), owner.ID, image.Name))
	return must[domain.Image](t)(s.Images.Get(t.Context(), owner.ID, image.Name))
}
