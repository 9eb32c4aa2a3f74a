package web_test

import (
	"testing"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

// A long name is cut at its end, which is on the left for Arabic.
func TestLongNamesAreCutAtTheirEnd(t *testing.T) {
	ctx := webtest.Browser(t)
	w := webtest.NewWorld(t)
	profiles, posts := w.Data.Store.Profiles, w.Data.Store.Posts
	like := func(v *webtest.Visitor, displayName string) {
		u, err := profiles.SetDisplayName(t.Context(), v.User.ID, displayName)
		if err == nil {
			_, err = posts.Like(t.Context(), domain.NewLike(u, w.Quiet.ID, w.Quiet.Created))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	long := w.SignUp("محمدعبدالرحمنالقحطانيالطويل")
	like(w.SignUp("muhammad"), "محمد عبد الرحمن بن سعيد القحطاني")
	like(w.SignUp("bob"), "Bartholomew Featherstonehaugh the Third")

	b := webtest.NewTab(t, ctx, webtest.Listen(t, w.Handler))
	b.SignInAs(long)
	b.Resize(390, 800)
	b.Open(w.Quiet.Path())
	b.Eval(`document.querySelector('#Page-liked-by').scrollIntoView()`)
	b.WaitUntil(`document.querySelector('#Page-liked-by a[href="/@bob"]') !== null`)
	b.Click("header.site .menu summary")
	for selector, want := range map[string]string{
		`#Page-liked-by a[href="/@bob"]`:      "ltr,true",
		`#Page-liked-by a[href="/@muhammad"]`: "rtl,true",
		"header .me":                          "rtl,false", // the menu has room for the whole name
	} {
		element := `document.querySelector('` + selector + `')`
		got := b.Eval(`(e => [getComputedStyle(e).direction, e.scrollWidth > e.clientWidth].join())(` + element + `)`)
		if got != want {
			t.Errorf("%s: direction and overflow are %s, want %s", selector, got, want)
		}
	}
	b.WantQuietConsole()
}
