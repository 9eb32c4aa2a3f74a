package projection

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/cosmos/feeds"
	"inkfeed/domain"
	"inkfeed/domain/throttle"
)

// authorOf is a storage with the posts of one author. A step spends patchCharge on each post, and the projector of
// posts spends projecting.
type authorOf struct {
	*journal
	posts      int // that are not changed yet
	projecting float64
	spent      float64 // by the steps
	hours      []float64
	start      time.Time
	continued  time.Time // when the work continues
	touched    bool
}

const patchCharge = 22

func (a *authorOf) step(limit int) (domain.Step, error) {
	n := min(limit, a.posts)
	a.posts -= n
	a.spent += float64(n * patchCharge)
	for len(a.hours) <= int(time.Since(a.start)/time.Hour) {
		a.hours = append(a.hours, 0)
	}
	a.hours[len(a.hours)-1] += float64(n) * (patchCharge + a.projecting)
	return domain.Step{Items: n, Posts: n, More: a.posts > 0}, nil
}

func (a *authorOf) PropagateName(_ context.Context, _ string, _ domain.Author, limit int) (domain.Step, error) {
	return a.step(limit)
}

func (a *authorOf) EraseAuthored(_ context.Context, _ string, limit int) (domain.Step, error) {
	return a.step(limit)
}

func (a *authorOf) Touch(context.Context, string) error {
	a.touched = true
	return nil
}

func (a *authorOf) Put(_ context.Context, item domain.ScheduledItem) error {
	a.continued = item.At
	return nil
}

func (a *authorOf) measure(ctx context.Context) (context.Context, func() float64) {
	before := a.spent
	return ctx, func() float64 { return a.spent - before }
}

// project projects a user until nothing is left to do. It returns how long that took.
func (a *authorOf) project(t *testing.T, pace *throttle.Pace, user domain.User) time.Duration {
	t.Helper()
	a.journal, a.start = &journal{own: true}, time.Now()
	p := usersProjector(a.journal)
	p.Users, p.Posts, p.Continuations, p.Pace, p.Logger = a, a, a, pace, slog.New(slog.DiscardHandler)
	for {
		a.touched, a.continued = false, time.Time{}
		if err := p.Project(t.Context(), []feeds.UserChange{{User: &user}}); err != nil {
			t.Fatal(err)
		}
		switch {
		case !a.continued.IsZero():
			time.Sleep(time.Until(a.continued))
		case !a.touched:
			return time.Since(a.start)
		}
	}
}

func TestNamesAndDeletionsArePaced(t *testing.T) {
	renamed := domain.User{ID: "u", Username: "bab", NameVersion: 2, PropagatedVersion: 1}
	for name, change := range map[string]struct {
		user       domain.User
		projecting float64
		longest    time.Duration
	}{
		"a new name": {renamed, throttle.ProjectingPost, 5 * time.Hour},
		"a deletion": {domain.User{ID: "u", Username: "bab", Deleted: time.Now()}, 2 * throttle.ProjectingPost,
			9 * time.Hour},
	} {
		t.Run(name+" of an author of 1,000 posts costs less than 30,000 RU in each hour", func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := &authorOf{posts: 1000, projecting: change.projecting}
				took := a.project(t, throttle.NewPace(throttle.New(false), a.measure), change.user)
				for hour, cost := range a.hours {
					if cost > 30_000 {
						t.Errorf("%.0f RU in hour %d", cost, hour+1)
					}
				}
				if a.posts > 0 || took > change.longest {
					t.Errorf("%d posts are left after %s", a.posts, took)
				}
			})
		})
	}
	t.Run("the second of two changes waits for the budget that the first has spent", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			a := &authorOf{posts: 75, projecting: throttle.ProjectingPost}
			pace := throttle.NewPace(throttle.New(false), a.measure)
			if took := a.project(t, pace, renamed); took > 0 {
				t.Errorf("the first took %s", took)
			}
			a.posts = 75
			if took := a.project(t, pace, renamed); took == 0 {
				t.Error("the second did not wait")
			}
		})
	})
	for name, unpaced := range map[string]struct {
		embedded bool
		role     domain.Role
	}{
		"administrators do not wait":                             {false, domain.RoleAdministrator},
		"nobody waits for embedded storage while it is not busy": {true, domain.RoleAuthor},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a, user := &authorOf{posts: 1000, projecting: throttle.ProjectingPost}, renamed
				user.Role = unpaced.role
				pace := throttle.NewPace(throttle.New(unpaced.embedded), a.measure)
				if took := a.project(t, pace, user); took > 0 || a.posts > 0 {
					t.Errorf("%d posts are left after %s", a.posts, took)
				}
			})
		})
	}
	t.Run("a suspension does not wait for the budget", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			a := &authorOf{posts: 10}
			pace := throttle.NewPace(throttle.New(false), a.measure)
			pace.Charge("u", 2*throttle.Budget)
			suspended := renamed
			suspended.Suspended = time.Now()
			a.project(t, pace, suspended)
			if a.lines[1] != "suspension of u is true" {
				t.Errorf("the projector did %q", a.lines)
			}
		})
	})
}
