package web_test

import (
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// careful is a site on which people take so long to sign up at least.
func careful(t *testing.T, least time.Duration) *site {
	t.Helper()
	data := newDatabase(t)
	c := config(data, io.Discard, keyOne)
	c.SignupTime = least
	s := &site{t: t, data: data}
	s.restart(c)
	return s
}

func TestSigningUpIsForPeople(t *testing.T) {
	const least = 2 * time.Second
	type scene struct {
		*visitor
		stamp string
	}
	in := func(t *testing.T, name string, do func(t *testing.T, v scene)) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				v := careful(t, least).stranger()
				form := v.get("/signup").want(http.StatusOK)
				do(t, scene{v, form.page().Find(`[name="stamp"]`).AttrOr("value", "")})
			})
		})
	}
	fields := func(v scene) []string {
		return []string{"username", "ada", "password", password, "next", "/new", "stamp", v.stamp}
	}
	refused := func(t *testing.T, a *answer, says string) {
		t.Helper()
		a.want(http.StatusUnprocessableEntity).has(`[role="alert"]`, says)
		if a.Value("username") != "ada" || a.Value("next") != "/new" {
			t.Errorf("back come %q and %q", a.Value("username"), a.Value("next"))
		}
	}
	in(t, "who takes two seconds is let in", func(t *testing.T, v scene) {
		time.Sleep(least)
		v.post("/signup", fields(v)...).wantRedirect(http.StatusSeeOther, "/new")
	})
	in(t, "who is faster is asked to try again, and does not wait twice", func(t *testing.T, v scene) {
		time.Sleep(least - time.Millisecond)
		a := v.post("/signup", fields(v)...)
		refused(t, a, "try again.")
		if a.Value("stamp") != v.stamp {
			t.Error("the time begins anew")
		}
		time.Sleep(time.Millisecond)
		v.post("/signup", fields(v)...).want(http.StatusSeeOther)
	})
	in(t, "who fills in what is not seen is told", func(t *testing.T, v scene) {
		v.get("/signup").has(`[aria-hidden="true"] input[name="homepage"][tabindex="-1"][autocomplete="off"]`, "")
		time.Sleep(time.Minute)
		a := v.post("/signup", append(fields(v), "homepage", "https://spam.example")...)
		refused(t, a, "hidden field")
		if a.Value("homepage") != "" {
			t.Error("it comes back filled in")
		}
		v.post("/signup", fields(v)...).want(http.StatusSeeOther)
	})
	in(t, "a form that is too old, or made elsewhere, is shown again", func(t *testing.T, v scene) {
		time.Sleep(25 * time.Hour)
		a := v.post("/signup", fields(v)...)
		refused(t, a, "too old")
		for _, forged := range []string{"", "x", ".", v.stamp + "x", "zzzzzzzz" + v.stamp} {
			v.stamp = forged
			refused(t, v.post("/signup", fields(v)...), "Please try again.")
		}
		v.stamp = a.Value("stamp")
		time.Sleep(least)
		v.post("/signup", fields(v)...).want(http.StatusSeeOther)
	})
}
