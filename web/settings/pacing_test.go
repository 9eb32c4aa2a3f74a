package settings_test

import (
	"io"
	"net/http"
	"testing"
	"time"

	"inkfeed/cosmos/client"
	"inkfeed/domain/throttle"
	"inkfeed/web/webtest"
)

func TestWorkThatWaitsForTheBudgetOfItsAccount(t *testing.T) {
	data, pace := webtest.NewDatabase(t), throttle.NewPace(throttle.New(false), client.Measure)
	c := webtest.Config(data, io.Discard, webtest.KeyOne)
	c.Pace = pace
	s := &webtest.Site{T: t, Data: data}
	s.Restart(c)
	ada, ben := s.SignUp("ada"), s.SignUp("ben")
	ada.CreatePost("A title", "text")
	t.Run("pages do not mention it for a user with little to do", func(t *testing.T) {
		ada.Get("/settings").HasNo("main:contains('shown everywhere')")
		ada.Get("/settings/delete").HasNo("main:contains('From then on')")
	})
	t.Run("an export is charged", func(t *testing.T) {
		ada.Get("/settings/export").Want(http.StatusOK)
		if pace.Delay(ada.User.ID, throttle.Budget) == 0 {
			t.Error("the budget is full")
		}
	})
	data.StopProjection()
	ada.Post("/settings/username", "username", "adele").Want(http.StatusSeeOther)
	pace.Charge(ada.User.ID, throttle.Budget+2.5*throttle.BudgetPerHour)
	t.Run("settings say how long a new name takes", func(t *testing.T) {
		for _, path := range []string{"/settings", "/settings/profile"} {
			ada.Get(path).Has("main", "is not shown everywhere yet. You have written a lot, so this takes up to "+
				"3 hours more.")
		}
	})
	t.Run("the form that deletes an account says how long that takes, also after an error", func(t *testing.T) {
		ada.Get("/settings/delete").Has("main", "From then on nobody can open your posts.").
			Has("main", "up to 3 hours more")
		ada.Post("/settings/delete", "password", "wrong").Want(http.StatusUnprocessableEntity).
			Has("main", "up to 3 hours more")
	})
	t.Run("an export is refused until the budget allows it, with the time", func(t *testing.T) {
		ada.Get("/settings/export").Want(http.StatusTooManyRequests).WantRetryAfter(3*time.Hour).
			Has("main", "Your account has caused too much work for this site in a short time.")
		ben.Get("/settings/export").Want(http.StatusOK)
	})
}
