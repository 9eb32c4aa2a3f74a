package pagecache_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

// singular matches what differs between two views of one page: the attempt of a form and the token of its bot check.
var singular = regexp.MustCompile(`name="(attempt|stamp)" value="[^"]*"`)

func common(body string) string { return singular.ReplaceAllString(body, "$1") }

func TestMembersGetTheSamePageWithAndWithoutTheCache(t *testing.T) {
	s := webtest.NewCachedSite(t, "off")
	uncached := webtest.NewSiteOn(t, s.Data, webtest.KeyOne)
	author, commenter, liker := s.SignUp("author"), s.SignUp("commenter"), s.SignUp("liker")
	reader, blocked := s.SignUpAs("reader", domain.RoleReader), s.SignUp("blocked")
	moderator := s.SignUpAs("mona", domain.RoleModerator)
	administrator := s.SignUpAs("arthur", domain.RoleAdministrator)
	p := author.CreateTaggedPost("A post", "sea")
	author.CreateComments(p, "By its author.")
	comment := commenter.CreateComments(p, "By another.")[0]
	author.Reply(comment, "A reply.")
	liker.Post("/posts/" + p.ID + "/like").Want(http.StatusSeeOther)
	liker.Post("/posts/" + p.ID + "/bookmark").Want(http.StatusSeeOther)
	author.Post("/settings/blocks", "user", blocked.User.ID).Want(http.StatusSeeOther)
	reader.Post("/settings/blocks", "user", author.User.ID).Want(http.StatusSeeOther)
	held := author.CreatePost("Held", "Text.")
	s.Hold(held.ID, "", domain.HeldByModerator)

	numbered := p.Path() + "?page=2" // which the page of a post ignores
	// these do not fit a shell
	whole := map[string]bool{"blocked " + p.Path(): true, "blocked " + numbered: true, "blocked /@author": true,
		"reader /@author": true}
	for name, v := range map[string]*webtest.Visitor{"author": author, "commenter": commenter, "liker": liker,
		"reader": reader, "blocked": blocked, "mona": moderator, "arthur": administrator} {
		twin := &webtest.Visitor{Site: uncached, Cookies: v.Cookies, Header: v.Header, User: v.User}
		for _, path := range []string{"/", p.Path(), numbered, held.Path(), "/@author", "/@commenter", "/@" + name,
			"/tags/sea"} {
			t.Run(name+" "+path, func(t *testing.T) {
				want := twin.Get(path)
				for _, status := range []string{"miss", "hit"} {
					got := v.Get(path)
					if got.StatusCode != want.StatusCode || common(got.Body) != common(want.Body) {
						t.Fatalf("%s: status %d, want %d, with another text:\n%s\nwant\n%s", status, got.StatusCode,
							want.StatusCode, got.Body, want.Body)
					}
					fits := got.StatusCode == http.StatusOK && !whole[name+" "+path] && path != held.Path()
					if cached := strings.HasSuffix(got.Header.Get("Cache-Status"), "detail=shell"); cached != fits {
						t.Errorf("%s: served from a shell is %v", status, cached)
					}
				}
			})
		}
	}
}

func TestMembersSeeEachChangeAtOnce(t *testing.T) {
	s := webtest.NewCachedSite(t, "off")
	author, member, other := s.SignUp("author"), s.SignUp("member"), s.SignUp("other")
	p := author.CreatePost("A post", "Text.")
	for range 2 { // from the router, then from memory
		member.Get(p.Path()).Has("#Page-like-button[aria-pressed=false]", "")
	}
	for _, step := range []struct {
		name    string
		by      *webtest.Visitor
		path    string
		fields  []string
		shown   string // what the member's page has then
		missing string
	}{
		{"the member's like", member, "/posts/" + p.ID + "/like", nil, "#Page-like-button[aria-pressed=true]", ""},
		{"the bookmark", member, "/posts/" + p.ID + "/bookmark", nil, "#Page-bookmark-button[aria-pressed=true]", ""},
		{"another like", other, "/posts/" + p.ID + "/like", nil, "#Page-like-button .count:contains('2')", ""},
		{"the like taken back", member, "/posts/" + p.ID + "/unlike", nil, "#Page-like-button[aria-pressed=false]", ""},
		{
			"a comment of another", other, "/posts/" + p.ID + "/comments",
			[]string{"content", "Theirs", "attempt", domain.NewID()}, ".comment:contains('Theirs')",
			".comment:contains('Edit')",
		},
		{
			"the member's comment", member, "/posts/" + p.ID + "/comments",
			[]string{"content", "Mine", "attempt", domain.NewID()}, ".comment:contains('Mine'):contains('Edit')", "",
		},
		{"closed comments", author, "/posts/" + p.ID + "/comments/close", nil, ".comment-prompt", "#Page-comment-form"},
		{"reopened comments", author, "/posts/" + p.ID + "/comments/open", nil, "#Page-comment-form", ""},
		{
			"a block", author, "/settings/blocks", []string{"user", member.User.ID}, ".comment-prompt",
			"#Page-comment-form",
		},
		{
			"the end of the block", author, "/settings/blocks/remove", []string{"user", member.User.ID},
			"#Page-comment-form", ".comment-prompt",
		},
	} {
		t.Run(step.name, func(t *testing.T) {
			step.by.Post(step.path, step.fields...).Want(http.StatusSeeOther)
			for range 2 {
				page := member.Get(p.Path()).Has(step.shown, "")
				if step.missing != "" {
					page.HasNo(step.missing)
				}
			}
		})
	}
	s.SetRole(member, domain.RoleModerator)
	member.Get(p.Path()).Has("nav a[href='/moderation']", "").Has(".reactions details.menu", "")
	s.Suspend(member)
	member.Get(p.Path()).HasNo("#Page-comment-form")
}

func TestAReadPastTheCacheByAMemberIsCountedOnce(t *testing.T) {
	s := webtest.NewCachedSite(t, "fresh=2/1h")
	ada := s.SignUp("ada")
	ada.CreatePost("A post", "Text.")
	ada.Get("/").Want(http.StatusOK)
	wrote := ada.Cookies["inkfeed-wrote"]
	ada.Cookies["inkfeed-wrote"] = wrote[:strings.LastIndexByte(wrote, '.')] + ".another"
	for n, cached := range []bool{false, false, true} {
		status := ada.Get("/").Want(http.StatusOK).Header.Get("Cache-Status")
		if got := strings.HasSuffix(status, "detail=shell"); got != cached {
			t.Errorf("read %d: Cache-Status is %q", n+1, status)
		}
	}
}

func TestThePageOfPicturesCountsAnUploadAtOnce(t *testing.T) {
	s := webtest.NewCachedSite(t, "off")
	ada := s.SignUp("ada")
	ada.Get("/images").Want(http.StatusOK)
	ada.UploadPicture()
	ada.Get("/images").Want(http.StatusOK).Has("main", "1 picture,")
}

func TestSeenNotificationsAreSeenByOtherInstances(t *testing.T) {
	s := webtest.NewCachedSite(t, "off")
	ada := s.SignUp("ada")
	p := ada.CreatePost("A post", "Text.")
	delete(ada.Cookies, "inkfeed-wrote")
	ada.Get("/notifications").Want(http.StatusOK)
	if ada.Cookies["inkfeed-wrote"] != "" {
		t.Error("a list without new notifications makes other instances bypass their caches")
	}
	if err := s.Data.Store.Notifications.Notify(t.Context(), domain.Notification{UserID: ada.User.ID, PostID: p.ID,
		Kind: domain.NotifyHidden, Event: 1, Created: domain.Timestamp(time.Now())}); err != nil {
		t.Fatal(err)
	}
	ada.Get("/notifications").Want(http.StatusOK)
	if ada.Cookies["inkfeed-wrote"] == "" {
		t.Error("other instances show the old count from their caches")
	}
}

func TestAUserWhomAnotherServerRestoredIsLoggedInAtOnce(t *testing.T) {
	s := webtest.NewCachedSite(t, "off")
	ada := s.SignUp("ada")
	s.Suspend(ada)
	ada.Get("/").HasNo("header .me")
	// by another server, without a notice to this one
	s.Data.ChangeItem("users", ada.User.ID, ada.User.ID, func(user map[string]any) { delete(user, "suspensionDate") })
	ada.LogIn("ada", webtest.Password).WantRedirect(http.StatusSeeOther, "/settings")
	ada.Get("/").Has("header .me", "")
}
