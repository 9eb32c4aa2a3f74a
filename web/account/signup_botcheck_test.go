package account_test

import (
	"fmt"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

func TestSignUpsPassTheBotCheck(t *testing.T) {
	const least = 2 * time.Second
	type scene struct {
		*webtest.Visitor
		stamp string
	}
	// in runs a subtest with a clock of its own.
	in := func(t *testing.T, name string, do func(t *testing.T, v scene)) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				v := webtest.NewBotCheckSite(t, least).Anonymous()
				form := v.Get("/signup").Want(http.StatusOK)
				do(t, scene{v, form.Page().Find(`[name="stamp"]`).AttrOr("value", "")})
			})
		})
	}
	fields := func(v scene) []string {
		return []string{"username", "ada", "password", webtest.Password, "next", "/new", "stamp", v.stamp}
	}
	refused := func(t *testing.T, a *webtest.Response, message string) {
		t.Helper()
		a.Want(http.StatusUnprocessableEntity).Has(`[role="alert"]`, message)
		if a.Value("username") != "ada" || a.Value("next") != "/new" {
			t.Errorf("the form has the username %q and the next page %q", a.Value("username"), a.Value("next"))
		}
	}
	in(t, "accepts a form after two seconds", func(t *testing.T, v scene) {
		time.Sleep(least)
		v.Post("/signup", fields(v)...).WantRedirect(http.StatusSeeOther, "/new")
	})
	in(t, "accepts a faster form, and holds all texts until a moderator approves one", func(t *testing.T, v scene) {
		time.Sleep(least - time.Millisecond)
		v.Post("/signup", fields(v)...).WantRedirect(http.StatusSeeOther, "/new")
		v.Get("/welcome").Has("main", "your first texts are checked")
		ada, err := v.Data.Store.Users.ByName(t.Context(), "ada")
		if err != nil {
			t.Fatal(err)
		}
		v.User = ada
		publish := func(action string, form *webtest.Response) domain.Hold {
			time.Sleep(time.Minute) // the text itself is not in haste
			v.Post(action, webtest.FormFields(form, "do", "publish", "title", "A title", "content", "No links.")...).
				Want(http.StatusSeeOther)
			return v.Data.Post(form.Value("post")).Held
		}
		form := v.Get("/new")
		if got := publish("/posts", form); got != domain.HeldForReview {
			t.Fatalf("the first post is held as %q", got)
		}
		path := "/posts/" + form.Value("post")
		if got := publish(path, v.Get(path+"/edit")); got != domain.HeldForReview {
			t.Errorf("after an edit, the first post is held as %q", got)
		}
		v.Trust(v.Visitor)
		if got := publish("/posts", v.Get("/new")); got != domain.NotHeld {
			t.Errorf("a post after an approval is held as %q", got)
		}
	})
	in(t, "rejects a form that was sent in haste before", func(t *testing.T, v scene) {
		v.Post("/signup", fields(v)...).Want(http.StatusSeeOther)
		v.WithoutSession().Post("/signup", "username", "bob", "password", webtest.Password, "stamp", v.stamp).
			Want(http.StatusUnprocessableEntity).Has(`[role="alert"]`, "already sent")
	})
	in(t, "rejects a filled honeypot", func(t *testing.T, v scene) {
		v.Get("/signup").Has(`[aria-hidden="true"] input[name="homepage"][tabindex="-1"][autocomplete="off"]`, "")
		time.Sleep(time.Minute)
		a := v.Post("/signup", append(fields(v), "homepage", "https://spam.example")...)
		refused(t, a, "hidden field")
		if a.Value("homepage") != "" {
			t.Error("the honeypot is still filled")
		}
		v.Post("/signup", fields(v)...).Want(http.StatusSeeOther)
	})
	in(t, "accepts a form once, and shows it again with another token", func(t *testing.T, v scene) {
		time.Sleep(least)
		weak := []string{"username", "ada", "password", "short", "next", "/new", "stamp", v.stamp}
		a := v.Post("/signup", weak...)
		refused(t, a, "at least")
		if a.Value("stamp") == v.stamp {
			t.Error("the token was not replaced")
		}
		refused(t, v.Post("/signup", weak...), "at least") // a double click has the same answer
		refused(t, v.Post("/signup", fields(v)...), "already sent")
		v.stamp = a.Value("stamp")
		v.Post("/signup", fields(v)...).WantRedirect(http.StatusSeeOther, "/new")
		again := v.WithoutSession()
		refused(t, again.Post("/signup", fields(v)...), "taken") // a double click, as before
		replayed := again.Post("/signup", "username", "bob", "password", webtest.Password, "stamp", v.stamp)
		replayed.Want(http.StatusUnprocessableEntity).Has(`[role="alert"]`, "already sent")
		time.Sleep(least)
		again.Post("/signup", "username", "bob", "password", webtest.Password, "stamp", replayed.Value("stamp")).
			Want(http.StatusSeeOther)
	})
	t.Run("accepts a form once on all instances", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			data, counters := webtest.NewDatabase(t), webtest.NewCounters()
			sites := [2]*webtest.Site{}
			for i := range sites {
				c := webtest.Config(data, io.Discard, webtest.KeyOne)
				c.SignupTime, c.Counters = least, counters
				sites[i] = &webtest.Site{T: t, Data: data}
				sites[i].Restart(c)
			}
			stamp := sites[0].Anonymous().Get("/signup").Value("stamp")
			time.Sleep(least)
			for i, status := range []int{http.StatusSeeOther, http.StatusUnprocessableEntity} {
				sites[i].Anonymous().Post("/signup", "username", fmt.Sprint("user", i), "password", webtest.Password,
					"stamp", stamp).Want(status)
			}
		})
	})
	in(t, "rejects an expired or forged token", func(t *testing.T, v scene) {
		time.Sleep(25 * time.Hour)
		a := v.Post("/signup", fields(v)...)
		refused(t, a, "has expired")
		for _, forged := range []string{"", "x", ".", v.stamp + "x", "zzzzzzzz" + v.stamp} {
			v.stamp = forged
			refused(t, v.Post("/signup", fields(v)...), "Please try again.")
		}
		v.stamp = a.Value("stamp")
		time.Sleep(least)
		v.Post("/signup", fields(v)...).Want(http.StatusSeeOther)
	})
}

func TestFirstSignUpMayBeQuick(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := webtest.NewBotCheckSiteOn(t, webtest.NewEmptyDatabase(t), time.Hour)
		quick := func(name string) *webtest.Response {
			v := s.Anonymous()
			stamp := v.Get("/signup").Want(http.StatusOK).Value("stamp")
			return v.Post("/signup", "username", name, "password", webtest.Password, "stamp", stamp)
		}
		quick("ada").WantRedirect(http.StatusSeeOther, "/admin/setup")
		quick("ben").Want(http.StatusSeeOther)
		if !s.User("ben").Hasty {
			t.Error("the second user's haste was not noticed")
		}
	})
}
