package cosmostest

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"inkfeed/cosmos/cosmostest/fixture"
	"inkfeed/domain"
)

// reportOf returns a report by a user who need not exist.
func reportOf(t *testing.T, userID, text string, minute int) domain.Report {
	t.Helper()
	return fixture.Must[domain.Report](t)(domain.NewReport(domain.User{ID: userID}, string(domain.ReasonSpam), text,
		fixture.At(minute)))
}

func (s *suite) reports(t *testing.T) {
	var never time.Time
	aTarget := func() domain.Target { return domain.Target{PostID: domain.NewID()} }
	report := func(t *testing.T, target domain.Target, r domain.Report) domain.Reported {
		t.Helper()
		return fixture.Must[domain.Reported](t)(s.Reports.Report(t.Context(), target, r, never))
	}
	of := func(t *testing.T, target domain.Target) domain.Reported {
		t.Helper()
		return fixture.Must[domain.Reported](t)(s.Reports.Of(t.Context(), target))
	}
	open := func(t *testing.T, order domain.Queue) []domain.Target {
		t.Helper()
		var targets []domain.Target
		for _, r := range fixture.All(t, func(page int) (domain.ListPage[domain.Reported], error) {
			return s.Reports.Open(t.Context(), order, page)
		}) {
			targets = append(targets, r.Target)
		}
		return targets
	}
	ann, ben := domain.NewUserID(nil), domain.NewUserID(nil)

	fixture.Run(t, "an unreported target has no reports", func(t *testing.T) {
		target := aTarget()
		if r := of(t, target); r.Target != target || r.Count != 0 || r.Open() {
			t.Errorf("the reports are %+v", r)
		}
		_, err := s.Reports.Of(t.Context(), domain.Target{PostID: "settings"})
		fixture.WantKind(t, err, domain.NotFound)
	})
	fixture.Run(t, "a post and its comment are two targets", func(t *testing.T) {
		post := aTarget()
		comment := domain.Target{PostID: post.PostID, CommentID: domain.NewID()}
		report(t, post, reportOf(t, ann, "the post", 1))
		report(t, comment, reportOf(t, ann, "the comment", 1))
		if got := of(t, comment); got.Target != comment || len(got.Reports) != 1 ||
			got.Reports[0].Text != "the comment" {
			t.Errorf("the reports are %+v", got)
		}
	})
	fixture.Run(t, "a second report by the same user replaces the first", func(t *testing.T) {
		target := aTarget()
		report(t, target, reportOf(t, ann, "first", 1))
		report(t, target, reportOf(t, ben, "another's", 2))
		report(t, target, reportOf(t, ann, "second", 3))
		r := of(t, target)
		if r.Count != 2 || len(r.Reports) != 2 || r.From(ann).Text != "second" || !r.First.Equal(fixture.At(1)) ||
			!r.Last.Equal(fixture.At(3)) {
			t.Errorf("the reports are %+v", r)
		}
	})
	fixture.Run(t, "concurrent reports by many users count once each", func(t *testing.T) {
		target, people := aTarget(), domain.MaxReports+15
		var group sync.WaitGroup
		for range people {
			r := reportOf(t, domain.NewUserID(nil), "me too", 1)
			for range 2 {
				group.Go(func() {
					if _, err := s.Reports.Report(t.Context(), target, r, never); err != nil {
						t.Error(err)
					}
				})
			}
		}
		group.Wait()
		if r := of(t, target); r.Count != people || len(r.Reports) != domain.MaxReports ||
			len(r.Others) != people-domain.MaxReports {
			t.Errorf("%d reports are counted, %d stored, %d reporters known", r.Count, len(r.Reports), len(r.Others))
		}
	})
	fixture.Run(t, "reports wait in either order until they are decided", func(t *testing.T) {
		seldom, often := aTarget(), aTarget()
		report(t, often, reportOf(t, ann, "", 1_000_001))
		report(t, often, reportOf(t, ben, "", 1_000_002))
		report(t, seldom, reportOf(t, ann, "", 1_000_003))
		place := func(order domain.Queue, target domain.Target) int { return slices.Index(open(t, order), target) }
		if a, b := place(domain.NewestReports, seldom), place(domain.NewestReports, often); a < 0 || a > b {
			t.Errorf("the newest is at %d, the older at %d", a, b)
		}
		if a, b := place(domain.MostReports, often), place(domain.MostReports, seldom); a < 0 || a > b {
			t.Errorf("that with the most is at %d, the other at %d", a, b)
		}
		fixture.Must[domain.Reported](t)(s.Reports.Decide(t.Context(), often, 2, domain.DecisionHidden, ben, "why",
			fixture.At(5)))
		if place(domain.NewestReports, often) >= 0 || place(domain.MostReports, often) >= 0 {
			t.Error("the decided target still waits")
		}
		if r := of(t, often); r.Decision != domain.DecisionHidden || r.By != ben || r.Why != "why" ||
			!r.At.Equal(fixture.At(5)) || r.Count != 2 {
			t.Errorf("the reports are %+v", r)
		}
	})
	fixture.Run(t, "the second of two concurrent decisions is a conflict", func(t *testing.T) {
		target := aTarget()
		report(t, target, reportOf(t, ann, "", 1))
		fixture.Must[domain.Reported](t)(s.Reports.Decide(t.Context(), target, 1, domain.DecisionDismissed, ben, "",
			fixture.At(2)))
		found, err := s.Reports.Decide(t.Context(), target, 1, domain.DecisionHidden, ann, "", fixture.At(3))
		fixture.WantKind(t, err, domain.Conflict)
		if found.Decision != domain.DecisionDismissed || found.By != ben {
			t.Errorf("the open reports are %+v", found)
		}
	})
	fixture.Run(t, "a decision does not require a report", func(t *testing.T) {
		target := aTarget()
		fixture.Must[domain.Reported](t)(s.Reports.Decide(t.Context(), target, 0, domain.DecisionHidden, ann, "",
			fixture.At(2)))
		fixture.Must[domain.Reported](t)(s.Reports.Decide(t.Context(), target, 0, domain.DecisionHidden, ann, "",
			fixture.At(2))) // a retry of the same request
		if r := of(t, target); r.Decision != domain.DecisionHidden || r.Open() {
			t.Errorf("the reports are %+v", r)
		}
	})
	fixture.Run(t, "a dismissed target waits again after a report by a new user or on new text", func(t *testing.T) {
		target := aTarget()
		report(t, target, reportOf(t, ann, "", 1))
		fixture.Must[domain.Reported](t)(s.Reports.Decide(t.Context(), target, 1, domain.DecisionDismissed, ben, "",
			fixture.At(5)))
		if r := report(t, target, reportOf(t, ann, "but", 6)); r.Open() {
			t.Error("the target waits again after the same report by the same user")
		}
		if r := fixture.Must[domain.Reported](t)(s.Reports.Report(t.Context(), target, reportOf(t, ann, "look now", 8),
			fixture.At(7))); !r.Open() || r.Previous != domain.DecisionDismissed {
			t.Errorf("the target was edited since, but the reports are %+v", r)
		}
		fixture.Must[domain.Reported](t)(s.Reports.Decide(t.Context(), target, 4, domain.DecisionDismissed, ben, "",
			fixture.At(9)))
		if r := report(t, target, reportOf(t, ben, "", 10)); !r.Open() || r.Count != 2 {
			t.Errorf("after a report by another user: %+v", r)
		}
	})
	fixture.Run(t, "reports are deleted with the account of their author", func(t *testing.T) {
		target, user := aTarget(), s.MustUser(t)
		report(t, target, reportOf(t, user.ID, "secret", 1))
		report(t, target, reportOf(t, ann, "stays", 1))
		fixture.Check(t, s.AccountDeletions.Delete(t.Context(), user.ID))
		fixture.Check(t, s.AccountDeletions.FinishErasure(t.Context(), user.ID))
		if r := of(t, target); r.Mentions(user.ID) || len(r.Reports) != 1 || r.Reports[0].Text != "stays" ||
			r.Count != 2 {
			t.Errorf("the reports are %+v", r)
		}
	})
}

func (s *suite) reviews(t *testing.T) {
	listed := func(t *testing.T) []domain.Review {
		t.Helper()
		return fixture.All(t, func(page int) (domain.ListPage[domain.Review],
			error) {
			return s.Reviews.List(t.Context(), page)
		})
	}
	author := s.MustUser(t)
	late := domain.Review{Target: domain.Target{PostID: domain.NewID(), CommentID: domain.NewID()}, AuthorID: author.ID,
		At: fixture.At(2)}
	early := domain.Review{Target: domain.Target{PostID: domain.NewID()}, AuthorID: author.ID, At: fixture.At(1)}
	for _, r := range []domain.Review{late, early, late} {
		fixture.Check(t, s.Reviews.Put(t.Context(), r))
	}
	fixture.Run(t, "reviews are listed in order, each once", func(t *testing.T) {
		if got := listed(t); !slices.Equal(got, []domain.Review{early, late}) {
			t.Errorf("got %+v", got)
		}
	})
	fixture.Run(t, "reviews are counted up to a maximum", func(t *testing.T) {
		for most, want := range map[int]int{1: 1, 2: 2, 3: 2} {
			if got := fixture.Must[int](t)(s.Reviews.Count(t.Context(), most)); got != want {
				t.Errorf("counting at most %d returns %d", most, got)
			}
		}
	})
	fixture.Run(t, "reviews are found by the post", func(t *testing.T) {
		for _, want := range []domain.Review{early, late} {
			if got := fixture.Must[[]domain.Review](t)(s.Reviews.OfPost(t.Context(), want.PostID)); !slices.Equal(got,
				[]domain.Review{want}) {
				t.Errorf("of %s: %+v", want.PostID, got)
			}
		}
	})
	fixture.Run(t, "only posts and comments can be reviewed", func(t *testing.T) {
		fixture.WantKind(t, s.Reviews.Put(t.Context(), domain.Review{Target: domain.Target{PostID: "x"},
			AuthorID: author.ID}),
			domain.NotFound)
		fixture.WantKind(t, s.Reviews.Done(t.Context(), domain.Target{}), domain.NotFound)
	})
	fixture.Run(t, "reviews disappear when they are done or their target is deleted", func(t *testing.T) {
		for range 2 {
			fixture.Check(t, s.Reviews.Done(t.Context(), early.Target))
		}
		if got := listed(t); !slices.Equal(got, []domain.Review{late}) {
			t.Errorf("got %+v", got)
		}
	})
	fixture.Run(t, "reviews are deleted with the account of their author", func(t *testing.T) {
		fixture.Check(t, s.AccountDeletions.Delete(t.Context(), author.ID))
		fixture.Check(t, s.AccountDeletions.FinishErasure(t.Context(), author.ID))
		if got := listed(t); len(got) != 0 {
			t.Errorf("got %+v", got)
		}
		if got := fixture.Must[int](t)(s.Reviews.Count(t.Context(), 1)); got != 0 {
			t.Errorf("%d entries are counted", got)
		}
	})
	fixture.Run(t, "finding the reviews of a post costs the same in a long queue", func(t *testing.T) {
		author := domain.NewUserID(nil)
		for range 200 {
			fixture.Check(t, s.Reviews.Put(t.Context(), domain.Review{Target: domain.Target{PostID: domain.NewID()},
				AuthorID: author, At: fixture.At(3)}))
		}
		if usage := s.Cost(t, func(ctx context.Context) error {
			_, err := s.Reviews.OfPost(ctx, domain.NewID())
			return err
		}); usage.Requests() != 1 || usage.Charge() > 6 {
			t.Errorf("%d requests, %.1f RU", usage.Requests(), usage.Charge())
		}
		fixture.Check(t, s.Reviews.Forget(t.Context(), author))
	})
}
