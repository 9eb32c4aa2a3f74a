package syndication_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

// privateFeed makes an address for a member's private feed, and returns it.
func privateFeed(v *webtest.Visitor) string {
	v.T.Helper()
	v.Post("/settings/following/feed", "do", "make").Want(http.StatusSeeOther)
	address := v.Get("/settings/following").Page().Find("#Page-feed-address").AttrOr("value", "")
	path, ok := strings.CutPrefix(address, "http://example.com")
	if !ok || !strings.HasPrefix(path, "/following/feed/u.") {
		v.T.Fatalf("the address is %q", address)
	}
	return path
}

func TestAPrivateFeed(t *testing.T) {
	s := webtest.NewCachedSite(t, "off")
	ada, ben := s.SignUp("ada"), s.SignUp("ben")
	ben.Post("/@ada/follow").Want(303)
	ada.Post("/posts", "title", "Engines", "content", "The *whole* text", "do", "publish").Want(303)
	path := privateFeed(ben)
	reader := s.Anonymous()
	first := reader.Get(path).Want(200)
	t.Run("has the whole posts of the personal feed", func(t *testing.T) {
		for _, text := range []string{"<title>Engines</title>", "&lt;em&gt;whole&lt;/em&gt;", "What @ben follows"} {
			if !strings.Contains(first.Body, text) {
				t.Errorf("the feed lacks %s: %s", text, first.Body)
			}
		}
		if got := first.Header.Get("Content-Type"); got != "application/atom+xml; charset=utf-8" {
			t.Error(got)
		}
	})
	t.Run("is for its reader only", func(t *testing.T) {
		for name, want := range map[string]string{"Referrer-Policy": "no-referrer", "Access-Control-Allow-Origin": "",
			"X-Robots-Tag": "noindex, nofollow, noarchive"} {
			if got := first.Header.Get(name); got != want {
				t.Errorf("%s is %q, want %q", name, got, want)
			}
		}
		if got := first.Header.Get("Cache-Control"); !strings.Contains(got, "private") {
			t.Error(got)
		}
		if strings.Contains(s.Log.String(), s.Data.User(ben.User.ID).FeedSecret) {
			t.Error("the secret is in the log")
		}
	})
	t.Run("is not sent again until it changes", func(t *testing.T) {
		again := *reader
		again.Header = http.Header{"If-None-Match": {first.Header.Get("ETag")}}
		again.Get(path).Want(304)
		var id string
		for _, item := range s.Data.Items("posts", "post") {
			id = item["id"].(string)
		}
		ada.Post("/posts/" + id + "/like").Want(303)
		again.Get(path).Want(304)
		ada.UpdatePost(s.Data.Post(id), func(p *domain.Post) {
			p.Title, p.Revision, p.Edited = "Better engines", 2, domain.Timestamp(time.Now())
		})
		if r := again.Get(path).Want(200); !strings.Contains(r.Body, "Better engines") {
			t.Error(r.Body)
		}
	})
	t.Run("has a secret address", func(t *testing.T) {
		for _, wrong := range []string{"/following/feed/x.atom", "/following/feed/" + ben.User.ID + ".atom",
			"/following/feed/" + ben.User.ID + "." + domain.NewID() + ".atom", strings.TrimSuffix(path, ".atom"),
			"/following/feed/" + ada.User.ID + "..atom"} {
			reader.Get(wrong).Want(404)
		}
	})
	t.Run("ends when its address is renewed or removed", func(t *testing.T) {
		other := privateFeed(ben)
		reader.Get(path).Want(404)
		reader.Get(other).Want(200)
		ben.Post("/settings/following/feed", "do", "remove").Want(303)
		reader.Get(other).Want(404)
		ben.Get("/settings/following").HasNo("#Page-feed-address")
	})
	t.Run("ends with a suspension and with the account", func(t *testing.T) {
		path := privateFeed(ben)
		_, err := s.Data.Store.Accounts.Suspend(t.Context(), ben.User.ID, "Spam", time.Now())
		s.Data.Must(err)
		reader.Get(path).Want(404)
		_, err = s.Data.Store.Accounts.Restore(t.Context(), ben.User.ID)
		s.Data.Must(err)
		reader.Get(path).Want(200)
		s.Data.Must(s.Data.Store.AccountDeletions.Delete(t.Context(), ben.User.ID))
		reader.Get(path).Want(404)
		for _, item := range s.Data.Items("users", "user") {
			if item["id"] == ben.User.ID && item["feedSecret"] != "" {
				t.Error("the secret is still stored")
			}
		}
	})
}
