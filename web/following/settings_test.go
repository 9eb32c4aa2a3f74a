package following_test

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"
	"time"

	"inkfeed/web/site/ratelimit"
	"inkfeed/web/webtest"
)

const settingsPath = "/settings/following"

func TestTheSettingsListWhatOneFollows(t *testing.T) {
	s := webtest.NewSite(t)
	ada, ben := s.SignUp("ada"), s.SignUp("ben")
	s.SignUp("cleo")
	_, err := s.Data.Store.Profiles.SetDisplayName(t.Context(), ada.User.ID, "Countess Lovelace")
	s.Data.Must(err)
	ben.Get(settingsPath).Want(200).Has("main", "You don't follow anyone yet.")
	for _, path := range []string{"/@ada/follow", "/@cleo/follow", "/tags/going/follow"} {
		ben.Post(path).Want(303)
	}
	t.Run("the latest first", func(t *testing.T) {
		if got := strings.Join(names(ben.Get(settingsPath)), ", "); got != "going, @cleo, Countess Lovelace @ada" {
			t.Error(got)
		}
	})
	t.Run("by a part of the name", func(t *testing.T) {
		for query, want := range map[string]string{
			"LOVE": "Countess Lovelace @ada", "%40cl": "@cleo", "oin": "going", "x": "",
		} {
			if got := strings.Join(names(ben.Get(settingsPath+"?q="+query)), ", "); got != want {
				t.Errorf("%s: %s", query, got)
			}
		}
		ben.Get(settingsPath+"?q=x").Has("main", "You follow no author or tag with this name.")
	})
	t.Run("with a button that ends it, also for a suspended author", func(t *testing.T) {
		_, err := s.Data.Store.Accounts.Suspend(t.Context(), ada.User.ID, "Spam", time.Now())
		s.Data.Must(err)
		ben.Get(settingsPath).Has(".follows .muted", "Deleted or suspended account")
		ben.Post(settingsPath+"/remove", "author", ada.User.ID).WantRedirect(303, settingsPath+"?done=unfollowed")
		ben.Post(settingsPath+"/remove", "tag", "going", "q", "o").
			WantRedirect(303, settingsPath+"?done=unfollowed&q=o")
		left := ben.Get(settingsPath+"?done=unfollowed").Has(".done", "Unfollowed.")
		if got := strings.Join(names(left), ", "); got != "@cleo" {
			t.Error(got)
		}
	})
}

// importOPML uploads a list of feeds.
func importOPML(v *webtest.Visitor, content string) *webtest.Response {
	v.T.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	part, _ := w.CreateFormFile("file", "feeds.opml")
	_, _ = part.Write([]byte(content))
	_ = w.Close()
	as := *v
	as.Header = http.Header{"Content-Type": {w.FormDataContentType()}}
	return as.Send(http.MethodPost, settingsPath+"/import", &b)
}

func TestFollowsMoveAsOPML(t *testing.T) {
	s := webtest.NewSite(t)
	ada, ben, cleo := s.SignUp("ada"), s.SignUp("ben"), s.SignUp("cleo")
	_ = ada
	for _, path := range []string{"/@ada/follow", "/@cleo/follow", "/tags/c%23/follow"} {
		ben.Post(path).Want(303)
	}
	exported := ben.Get(settingsPath + "/opml").Want(200)
	if disposition := exported.Header.Get("Content-Disposition"); disposition != "attachment; filename=following.opml" {
		t.Error(disposition)
	}
	for _, feed := range []string{"http://example.com/@ada/feed.atom", "http://example.com/tags/c%23/feed.atom"} {
		if !strings.Contains(exported.Body, `xmlUrl="`+feed+`"`) {
			t.Errorf("the list lacks %s: %s", feed, exported.Body)
		}
		s.Anonymous().Get(strings.TrimPrefix(feed, "http://example.com")).Want(200)
	}
	t.Run("into another account", func(t *testing.T) {
		importOPML(cleo, exported.Body).Want(200).Has(".done", "2 new follows").
			Has(".done", "You can't follow these: 1")
		importOPML(cleo, exported.Body).Want(200).Has(".done", "0 new follows").
			Has(".done", "You follow these already: 2")
		if n := s.Data.User(cleo.User.ID).Following; n != 2 {
			t.Errorf("%d follows", n)
		}
	})
	t.Run("with feeds of other sites and unknown authors, which are counted", func(t *testing.T) {
		importOPML(cleo, `<opml version="1.0"><body><outline text="x">
			<outline xmlUrl="https://elsewhere.org/@ada/feed.atom"/>
			<outline xmlUrl="http://example.com/@nobody/feed.rss"/>
			<outline htmlUrl="http://EXAMPLE.com/@ben"/></outline></body></opml>`).Want(200).
			Has(".done", "1 new follow").Has(".done", "2 are not authors or tags of this site")
	})
	t.Run("from a file that has mostly other sites", func(t *testing.T) {
		others := strings.Repeat(`<outline xmlUrl="https://elsewhere.org/@ada/feed.atom"/>`, 300)
		importOPML(cleo, "<opml><body>"+others+`<outline htmlUrl="http://example.com/tags/last"/></body></opml>`).
			Want(200).Has(".done", "1 new follow").Has(".done", "300 are not authors or tags of this site")
	})
	t.Run("in another encoding and other letter cases", func(t *testing.T) {
		importOPML(cleo, `<?xml version="1.0" encoding="ISO-8859-1"?><OPML><BODY>`+
			"<OUTLINE TEXT='d\xfcne' XMLURL='http://example.com/tags/latin/feed.atom'/></BODY></OPML>").
			Want(200).Has(".done", "1 new follow")
	})
	t.Run("but not from a file that is too large", func(t *testing.T) {
		importOPML(cleo, strings.Repeat(" ", 3<<20)).Want(422).Has("#file-error", "This file is too large.")
	})
	t.Run("within the limit of a day", func(t *testing.T) {
		c := webtest.Config(s.Data, s.Log, webtest.KeyOne)
		var err error
		c.RateLimits, err = ratelimit.Parse("follows=2/24h")
		s.Data.Must(err)
		s.Restart(c)
		list := ""
		for i := range 5 {
			list += fmt.Sprintf(`<outline xmlUrl="http://example.com/tags/t%d/feed.atom"/>`, i)
		}
		importOPML(cleo, "<opml><body>"+list+"</body></opml>").Want(200).Has(".done", "2 new follows").
			Has(".done", "3 are left").Has(".done", "You followed many authors and tags today.")
	})
	t.Run("but not as anything else", func(t *testing.T) {
		for _, content := range []string{
			"", "text", "<html></html>", "<opml>", "<opml></opml></opml>", "<opml>" + strings.Repeat("<a>", 100),
			`<!DOCTYPE opml [<!ENTITY a "b">]><opml><body><outline xmlUrl="&a;"/></body></opml>`,
			"<opml>" + strings.Repeat(" ", 1<<20) + "</opml>",
			"<opml>" + strings.Repeat(`<outline xmlUrl="/@a"/>`, 5001) + "</opml>",
		} {
			importOPML(cleo, content).Want(422).Has("#file-error", "").Has(`[aria-invalid="true"][name=file]`, "")
		}
		cleo.Post(settingsPath+"/import").Want(422).Has("#file-error", "Choose a file.")
	})
}
