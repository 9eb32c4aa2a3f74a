package web_test

import (
	"testing"

	"inkfeed/domain"
)

// What is too long is cut where the name ends, which is on its left when it is in Arabic.
func TestALongNameIsCutAtItsEnd(t *testing.T) {
	ctx := browser(t)
	w := newWorld(t)
	users, posts := w.data.store.Users, w.data.store.Posts
	like := func(v *visitor, displayName string) {
		u, err := users.SetDisplayName(t.Context(), v.user.ID, displayName)
		if err == nil {
			_, err = posts.Like(t.Context(), domain.NewLike(u, w.quiet.ID, w.quiet.Created))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	long := w.member("محمدعبدالرحمنالقحطانيالطويل")
	like(w.member("muhammad"), "محمد عبد الرحمن بن سعيد القحطاني")
	like(w.member("bob"), "Bartholomew Featherstonehaugh the Third")

	b := newTab(t, ctx, serve(t, w.handler))
	b.as(long)
	b.size(390, 800)
	b.Open(w.quiet.Path())
	b.eval(`document.querySelector('#Page-liked-by').scrollIntoView()`)
	b.eventually(`document.querySelector('#Page-liked-by a[href="/@bob"]') !== null`)
	for selector, want := range map[string]string{`#Page-liked-by a[href="/@bob"]`: "ltr,true", `#Page-liked-by a[href="/@muhammad"]`: "rtl,true", "header .me": "rtl,true"} {
		if got := b.eval(`(e => [getComputedStyle(e).direction, e.scrollWidth > e.clientWidth].join())(document.querySelector('` + selector + `'))`); got != want {
			t.Errorf("%s runs, and is cut: %s, want %s", selector, got, want)
		}
	}
	b.quiet()
}
