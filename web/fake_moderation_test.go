package web_test

import (
	"context"
	"slices"
	"time"

	"inkfeed/domain"
)

// fakeReports keeps what was reported, by the rules of the domain.
type fakeReports struct{ *fake }

func (f fakeReports) Of(_ context.Context, target domain.Target) (domain.Reported, error) {
	leave, err := f.enter("Reports.Of")
	defer leave()
	return f.reportedOf(target), err
}

func (f *fake) reportedOf(target domain.Target) domain.Reported {
	r := f.reported[target]
	r.Target = target
	return r
}

func (f fakeReports) Report(_ context.Context, target domain.Target, r domain.Report, edited time.Time) (domain.Reported, error) {
	leave, err := f.enter("Report")
	defer leave()
	if err != nil {
		return domain.Reported{}, err
	}
	return f.setReported(f.reportedOf(target).With(r, edited)), nil
}

func (f *fake) setReported(r domain.Reported) domain.Reported {
	if f.reported == nil {
		f.reported = make(map[domain.Target]domain.Reported)
	}
	f.reported[r.Target] = r
	return r
}

func (f fakeReports) Open(_ context.Context, order domain.Queue, page int) (domain.Page[domain.Reported], error) {
	leave, err := f.enter("Reports.Open")
	defer leave()
	var open []domain.Reported
	for _, r := range f.reported {
		if r.Open() {
			open = append(open, r)
		}
	}
	slices.SortFunc(open, func(a, b domain.Reported) int {
		if order == domain.MostReports && a.Count != b.Count {
			return b.Count - a.Count
		}
		return b.Last.Compare(a.Last)
	})
	return cut(open, page, domain.ReportsPerPage), err
}

func (f fakeReports) Decide(_ context.Context, target domain.Target, version int, d domain.Decision, by, why string, now time.Time) (domain.Reported, error) {
	leave, err := f.enter("Decide")
	defer leave()
	r := f.reportedOf(target)
	if err == nil && r.Version != version {
		err = domain.Errorf(domain.Conflict, "This has changed since you opened it.")
	}
	if err != nil {
		return r, err
	}
	return f.setReported(r.Decided(d, by, why, now)), nil
}

// fakeReviews is what waits for a moderator.
type fakeReviews struct{ *fake }

func (f fakeReviews) List(_ context.Context, page int) (domain.Page[domain.Review], error) {
	leave, err := f.enter("Reviews.List")
	defer leave()
	return cut(f.reviews, page, domain.ReportsPerPage), err
}

func (f fakeReviews) Count(_ context.Context, most int) (int, error) {
	leave, err := f.enter("Reviews.Count")
	defer leave()
	return min(len(f.reviews), most), err
}

func (f fakeReviews) Done(_ context.Context, target domain.Target) error {
	leave, err := f.enter("Reviews.Done")
	defer leave()
	f.reviews = slices.DeleteFunc(slices.Clone(f.reviews), func(r domain.Review) bool { return r.Target == target })
	return err
}

// fakeAudit is the audit log.
type fakeAudit struct{ *fake }

func (f fakeAudit) Record(_ context.Context, e domain.AuditEntry) error {
	leave, err := f.enter("Record")
	defer leave()
	if err == nil {
		f.log = append(f.log, e)
	}
	return err
}

func (f fakeUsers) Authors(_ context.Context, ids []string) (map[string]domain.Author, error) {
	leave, err := f.enter("Authors")
	defer leave()
	found := map[string]domain.Author{}
	for _, id := range ids {
		if u, ok := f.users[id]; ok {
			found[id] = domain.Author{Name: u.Username}
		}
	}
	return found, err
}

func (f fakeUsers) Account(_ context.Context, id string) (domain.User, error) {
	leave, err := f.enter("Account")
	defer leave()
	u, ok := f.users[id]
	if err == nil && !ok {
		err = errMissing
	}
	return u, err
}

func (f fakeUsers) Trust(_ context.Context, id string) error {
	leave, err := f.enter("Trust")
	defer leave()
	if u, ok := f.users[id]; ok && err == nil {
		u.Trusted = true
		f.users[id] = u
	}
	return err
}

func (f fakePosts) Hold(_ context.Context, id string, hold domain.Hold) (domain.Post, error) {
	leave, err := f.enter("Hold")
	defer leave()
	p, ok := f.posts[id]
	if err == nil && !ok {
		err = errMissing
	}
	if err == nil && p.Held.Yields(hold) {
		p.Held = hold
		f.posts[id] = p
	}
	return p, err
}

func (f fakePosts) Release(_ context.Context, id string, revision int) (domain.Post, error) {
	leave, err := f.enter("Release")
	defer leave()
	p, ok := f.posts[id]
	if err == nil && !ok {
		err = errMissing
	}
	if err == nil && p.Held != domain.NotHeld && p.Revision != revision {
		err = domain.ErrEdited()
	}
	if err == nil {
		p.Held = domain.NotHeld
		f.posts[id] = p
	}
	return p, err
}

func (f fakePosts) ReleaseComment(ctx context.Context, postID, id string, edited time.Time) (domain.Post, error) {
	if c, err := f.Comment(ctx, postID, id); err == nil && c.Held != domain.NotHeld && !c.Edited.Equal(edited) {
		return domain.Post{}, domain.ErrEdited()
	}
	return f.changeHold("ReleaseComment", postID, id, func(domain.Hold) domain.Hold { return domain.NotHeld })
}

// give gives a user a role behind the site's back.
func (s *site) give(v *visitor, role domain.Role) {
	s.data.mu.Lock()
	defer s.data.mu.Unlock()
	u := s.data.users[v.user.ID]
	u.Role = role
	s.data.users[u.ID] = u
}
