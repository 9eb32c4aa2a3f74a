package web_test

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"

	"inkfeed/cosmos/costs"
	"inkfeed/domain"
	"inkfeed/web/webtest"
)

// TestScreenshots takes a screenshot of every page for a person to look at, if INKFEED_SCREENSHOTS names a folder for
// them.
func TestScreenshots(t *testing.T) {
	dir := os.Getenv("INKFEED_SCREENSHOTS")
	if dir == "" {
		t.Skip("INKFEED_SCREENSHOTS is not set")
	}
	ctx := webtest.Browser(t)
	w := webtest.NewWorld(t)
	base, empty := webtest.Listen(t, w.Handler), webtest.Listen(t, webtest.NewSite(t).Handler)
	writer := w.SignUp("newcomer")
	delaying := webtest.NewSiteWithGrace(t)
	later := webtest.Listen(t, delaying.Handler)
	leaver, regretful := delaying.SignUp("leaver"), delaying.SignUp("regretful")
	leaver.SetVerifiedEmail("leaver@example.org")
	leaver.Post("/settings/delete", "password", webtest.Password).Want(http.StatusSeeOther)
	delaying.Data.ChangeUser(regretful.User.ID, func(item map[string]any) {
		item["leavingProblem"] = "This site has no other administrator. Make someone else an administrator first."
	})
	administrator := w.SignUpAs("anna", domain.RoleAdministrator)
	w.Data.StoreCosts(w.Long.ID, w.Quiet.ID, w.Arabic.ID)
	w.Data.Lags = []costs.RangeLag{{Processor: "posts", Range: "00-FF", Owner: "web-1-17-ABCDEFGH", End: 100},
		{Processor: "users", Range: "00-FF", Owner: "web-2-9-IJKLMNOP", Transactions: 3, Age: 2 * time.Second,
			End: 100},
		{Processor: "rebuild.posts", Range: "00-FF", Owner: "console", Transactions: 40, End: 100}}
	edit := "/posts/" + w.Long.ID
	own := w.Ben.CreateComments(w.Quiet, "A comment of **mine**.\n\n- one\n- two")[0]
	for i, file := range [][]byte{webtest.Photo(t, 1200, 800), webtest.Drawing(t, 300, 900), webtest.Photo(t, 60, 40)} {
		alt := []string{"", "A drawing of a tall and rather thin house", "مرحبا"}[i]
		w.Ben.Upload("/images", file, "alt", alt).Want(http.StatusSeeOther)
	}
	shown, _ := domain.ParseImagePath(w.Ben.Scripted().Upload("/images", webtest.Photo(t, 500, 500)).JSON().URL)
	w.Ben.Upload("/settings/avatar", webtest.Photo(t, 500, 400)).Want(http.StatusSeeOther)
	w.Ben.Post("/settings/profile", "bio", "I write about **cats**, and sometimes about [dogs](/).\n\n- one\n- two").
		Want(http.StatusSeeOther)
	begun := w.Ada.CreateDraft("A post that is begun", "Some **words**, and\n\n- one\n- two", "ink, paper")
	w.Ada.Post("/posts", webtest.FormFields(w.Ada.Get("/posts/"+begun.PostID+"/edit"), "do", "share")...).
		Want(http.StatusSeeOther)
	private, _ := url.Parse(w.Ada.Get("/posts/"+begun.PostID+"/edit").Page().Find("#preview-link").AttrOr("value", ""))
	w.Ada.CreateDraft("", "", "")
	revised := w.Ada.CreatePost("A post that changed", "One, two, three.\n\nThe end.")
	changed := "/posts/" + revised.ID
	w.Ada.Post(changed, "title", "A post that has changed", "content", "One, 二, three.\n\nAnd more.", "tags", "ink",
		"revision", "1").Want(http.StatusSeeOther)
	hushed := w.Ada.CreatePost("An unlisted post", "For those who have its address.")
	w.ChangePost(hushed.ID, func(p *domain.Post) { p.Status = domain.Unlisted })
	w.Ada.Post("/posts/" + w.Quiet.ID + "/bookmark").Want(http.StatusSeeOther)
	taken := w.Ada.CreatePost("A post that is taken back", "text")
	w.Ada.Post("/posts/" + taken.ID + "/unpublish").Want(http.StatusSeeOther)
	held := w.SignUp("held")
	inReview := held.CreatePost("A post in review", "It has [a link](https://example.org/), so a moderator checks it.")
	w.Hold(inReview.ID, "", domain.HeldForReview)
	shots := []struct {
		name, base, path string
		as               *webtest.Visitor
		form             []string // if set, a form that is submitted on the page
	}{
		{"empty", empty, "/", nil, nil},
		{"home", base, "/", w.Ada, nil},
		{"home-2-stranger", base, "/?page=2", nil, nil},
		{"post", base, w.Long.Path(), w.Ada, nil},
		{"post-stranger-arabic", base, w.Arabic.Path(), nil, nil},
		{"post-quiet", base, w.Quiet.Path(), w.Ada, nil},
		{"comments", base, edit + "/comments?page=3", w.Ben, nil},
		{"likes", base, edit + "/likes", w.Ben, nil},
		{"user", base, "/@ada", w.Ben, nil},
		{"user-none-own", base, "/@newcomer", writer, nil},
		{"user-held-own", base, "/@held", held, nil},
		{"post-held-own", base, inReview.Path(), held, nil},
		{"edit-held", base, "/posts/" + inReview.ID + "/edit", held, nil},
		{"welcome", base, "/welcome", writer, nil},
		{"notifications", base, "/notifications", w.Ada, nil},
		{"signup", base, "/signup", nil, nil},
		{"signup-errors", base, "/signup", nil, []string{"username", "a b", "password", "x"}},
		{"login", base, "/login", nil, nil},
		{"login-wrong", base, "/login", nil, []string{"username", "ada", "password", "wrong password"}},
		{"new", base, "/new", w.Ada, nil},
		{"new-errors", base, "/new", w.Ada, []string{"title", " ", "content", " "}},
		{
			"edit-conflict", base, edit + "/edit", w.Ada,
			[]string{"revision", "0", "title", "My own title", "content", "My own text,\n\nof two paragraphs."},
		},
		{"edit", base, edit + "/edit", w.Ada, nil},
		{"edit-draft", base, "/posts/" + begun.PostID + "/edit?done=save", w.Ada, nil},
		{
			"edit-conflict-draft", base, "/posts/" + begun.PostID + "/edit", w.Ada,
			[]string{"version", "7", "title", "Another title", "content", "Other words"},
		},
		{"private-link", base, private.Path, nil, nil},
		{"drafts", base, "/drafts", w.Ada, nil},
		{"drafts-none", base, "/drafts", writer, nil},
		{"draft-delete", base, "/drafts/" + begun.PostID + "/delete", w.Ada, nil},
		{"unlisted", base, "/drafts/unlisted", w.Ada, nil},
		{"post-unlisted", base, hushed.Path(), w.Ada, nil},
		{"unpublish", base, changed + "/unpublish", w.Ada, nil},
		{"versions", base, changed + "/versions", w.Ada, nil},
		{"version", base, changed + "/versions/1", w.Ada, nil},
		{"version-restore", base, changed + "/versions/1/restore", w.Ada, nil},
		{"versions-restored", base, changed + "/versions?done=restored", w.Ada, nil},
		{"tag", base, "/tags/ink", w.Ada, nil},
		{"archive", base, "/@ada/archive", nil, nil},
		{"bookmarks", base, "/bookmarks", w.Ada, nil},
		{"comment-edit", base, "/posts/" + w.Quiet.ID + "/comments/" + own.ID + "/edit", w.Ben, nil},
		{"comment-reply", base, "/posts/" + w.Quiet.ID + "/comments/" + own.ID + "/reply", w.Ada, nil},
		{"settings", base, "/settings?renamed=yes", w.Ada, nil},
		{"settings-taken", base, "/settings", w.Ada, []string{"username", "ben"}},
		{"post-own-comment", base, w.Quiet.Path() + "?deleted=yes#Page-comments", w.Ben, nil},
		{"comment-delete", base, "/posts/" + w.Quiet.ID + "/comments/" + own.ID + "/delete", w.Ben, nil},
		{"comments-own", base, edit + "/comments?page=3&deleted=yes", w.Ben, nil},
		{"post-delete", base, edit + "/delete", w.Ada, nil},
		{"post-delete-arabic", base, "/posts/" + w.Arabic.ID + "/delete", w.Ada, nil},
		{"user-post-deleted", base, "/@ada?deleted=yes", w.Ada, nil},
		{"settings-delete", base, "/settings/delete", w.Ada, nil},
		{"settings-delete-wrong", base, "/settings/delete", w.Ada, []string{"password", "wrong password"}},
		{"settings-delete-later", later, "/settings/delete", regretful, nil},
		{"leaving", later, "/settings/delete?asked=yes", leaver, nil},
		{"leaving-home", later, "/", leaver, nil},
		{"leaving-settings", later, "/settings", leaver, nil},
		{"leaving-problem", later, "/", regretful, nil},
		{"images-none", base, "/images", writer, nil},
		{"images", base, "/images?added=" + shown.String(), w.Ben, nil},
		{"image-delete", base, "/images/" + shown.String() + "/delete", w.Ben, nil},
		{"profile", base, "/settings/profile", w.Ben, nil},
		{"user-profile", base, "/@ben", w.Ben, nil},
		{"search", base, "/search", nil, nil},
		{"search-found", base, "/search?q=" + url.QueryEscape("ال"), w.Ada, nil},
		{"search-many", base, "/search?q=e", nil, nil},
		{"search-nothing", base, "/search?q=nothing", nil, nil},
		{"goodbye", base, "/goodbye", nil, nil},
		{"post-gone", base, "/posts/" + domain.NewID(), nil, nil},
		{"costs", base, "/admin/costs", administrator, nil},
		{"costs-month", base, "/admin/costs?span=month", administrator, nil},
		{"not-found", base, "/nothing", nil, nil},
	}
	for _, mode := range []struct {
		name          string
		width, height int64
		phone         bool
		scheme        string
	}{
		{"phone-light", 390, 844, true, "light"},
		{"phone-dark", 390, 844, true, "dark"},
		{"desktop-light", 1280, 900, false, "light"},
		{"desktop-dark", 1280, 900, false, "dark"},
	} {
		b := webtest.NewTab(t, ctx, "")
		webtest.Call(b, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
			Width: mode.width, Height: mode.height, DeviceScaleFactor: 1, Mobile: mode.phone})
		webtest.Call(b, emulation.SetTouchEmulationEnabled,
			emulation.SetTouchEmulationEnabledParams{Enabled: mode.phone})
		webtest.Call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: mode.scheme}}})
		for _, shot := range shots {
			b.Base = shot.base
			b.SignInAs(shot.as)
			b.Open(shot.path)
			if shot.form != nil {
				b.Eval(webtest.SubmitFormScript(shot.form))
				b.WaitVisible(`[role="alert"]`)
			}
			b.WaitUntil("document.readyState === 'complete'")
			if !b.FitsWindow() {
				t.Errorf("%s is wider than a %s", shot.name, mode.name)
			}
			b.Screenshot(filepath.Join(dir, mode.name+"-"+shot.name+".png"), mode.width, mode.height)
		}
		// The text of a form whose post was deleted is shown again.
		b.Base = base
		b.SignInAs(w.Ada)
		for name, form := range map[string]struct{ path, field, heading string }{
			"comment-lost": {w.Quiet.Path(), "#Page-comment", "Post not found"},
			"edit-gone":    {edit + "/edit", "#content", "Post deleted"},
		} {
			b.Open(form.path)
			b.SetValue(form.field, "Some words.\n\nAnd some more of them.")
			b.Eval(`(() => {
				const form = document.querySelector('` + form.field + `').form;
				form.action = form.getAttribute('action').replace(/[a-z0-9]{26}/, '` + domain.NewID() + `');
				form.submit();
			})()`)
			b.WaitUntil(`document.querySelector('h1').textContent === '` + form.heading + `'`)
			b.Screenshot(filepath.Join(dir, mode.name+"-"+name+".png"), mode.width, mode.height)
		}
		// Parts of the page that only a script shows.
		b.Open("/posts/" + begun.PostID + "/edit")
		b.WaitUntil(`document.querySelector('#tags').role === 'combobox'`)
		b.Click("#open-publish")
		b.WaitUntil(`document.querySelector('dialog.publish-dialog').matches(':modal')`)
		if !b.FitsWindow() {
			t.Errorf("the dialog for publishing is wider than a %s", mode.name)
		}
		b.Screenshot(filepath.Join(dir, mode.name+"-edit-publishing.png"), mode.width, mode.height)
		_, _ = w.Data.Store.Posts.Unlike(t.Context(), w.Quiet.ID, w.Ada.User.ID)
		b.Open(w.Quiet.Path())
		b.Click("#Page-like-button")
		b.WaitUntil(`document.querySelector('[aria-pressed="true"]')`)
		b.SetValue("#Page-comment", "A comment of mine.\n\n- one\n- two")
		b.Click("#Page-comment-send")
		b.WaitUntil(`document.querySelector('#Page-own-comments li')`)
		w.Data.Fail("Posts.Unlike")
		b.WaitUntil(`getComputedStyle(document.querySelector('#Page-like-button')).pointerEvents === 'auto'`)
		b.Click("#Page-like-button")
		b.WaitVisible("#Page-notice dialog")
		b.Screenshot(filepath.Join(dir, mode.name+"-scripted.png"), mode.width, 0)
		w.Data.Recover("Posts.Unlike")
	}
}

// TestTalkScreenshots takes screenshots of comments, replies and bookmarks.
func TestTalkScreenshots(t *testing.T) {
	dir := os.Getenv("INKFEED_SCREENSHOTS")
	if dir == "" {
		t.Skip("INKFEED_SCREENSHOTS is not set")
	}
	ctx := webtest.Browser(t)
	w := webtest.NewWorld(t)
	cleo := w.SignUp("cleo")
	p := w.Ada.CreatePost("A post that people talk about", "It has little text, and that is all there is.")
	list := w.Ben.CreateComments(p, "A first comment, to which people reply.\n\nIt has two paragraphs.",
		"تعليق طويل بالعربية يكفي ليملأ أكثر من سطر واحد على شاشة الهاتف، ويتبعه رد.",
		"吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。何でも薄暗いじめじめした所で。",
		strings.Repeat("long", 60), "A comment that goes.")
	cleo.Reply(list[0], "A reply, with `code` and a [link](/).")
	mine := w.Ada.Reply(list[0], "> A quotation\n\nand an answer to it, that is somewhat longer than the one before "+
		"so that it takes two lines or three.")
	w.Ben.Reply(list[0], "@ada Thank you.")
	cleo.Reply(list[1], "رد قصير")
	w.Ada.Reply(list[4], "A reply that stays.")
	w.Ben.Post(webtest.DeletePath(list[4])).Want(303)
	edited := w.Ada.CreateComments(p, "A comment that was changed.")[0]
	w.Ada.Post(webtest.CommentPath(edited, "/edit"), "content", "A comment that was changed, once.").Want(303)
	for _, v := range []*webtest.Visitor{w.Ada, w.Ben, cleo} {
		v.Post("/posts/" + p.ID + "/like").Want(303)
	}
	for _, post := range []domain.Post{w.Quiet, w.Long, w.Arabic, p} {
		w.Ada.Post("/posts/" + post.ID + "/bookmark").Want(303)
	}
	base := webtest.Listen(t, w.Handler)
	for _, mode := range []struct {
		name          string
		width, height int64
		phone         bool
		scheme        string
	}{
		{"phone-light", 390, 844, true, "light"},
		{"phone-dark", 390, 844, true, "dark"},
		{"desktop-light", 1280, 900, false, "light"},
		{"desktop-dark", 1280, 900, false, "dark"},
	} {
		b := webtest.NewTab(t, ctx, base)
		webtest.Call(b, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
			Width: mode.width, Height: mode.height, DeviceScaleFactor: 1, Mobile: mode.phone})
		webtest.Call(b, emulation.SetTouchEmulationEnabled,
			emulation.SetTouchEmulationEnabledParams{Enabled: mode.phone})
		webtest.Call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: mode.scheme}}})
		b.SignInAs(w.Ada)
		for name, path := range map[string]string{
			"thread":            p.Path() + "#comment-" + list[1].ID,
			"reply":             webtest.CommentPath(list[0], "/reply"),
			"comment-edit":      webtest.CommentPath(mine, "/edit"),
			"bookmarks":         "/bookmarks",
			"bookmarks-removed": "/bookmarks?removed=" + w.Long.ID,
		} {
			b.OpenAndWait(path)
			if !b.FitsWindow() {
				t.Errorf("%s is wider than a %s", name, mode.name)
			}
			b.Screenshot(filepath.Join(dir, mode.name+"-"+name+".png"), mode.width, mode.height)
		}
		b.OpenAndWait(p.Path())
		b.Press("#comment-" + list[0].ID + ` > article a[href$="/reply"]`)
		b.WaitUntil(`document.activeElement.id === 'reply-` + list[0].ID + `'`)
		b.Press("#comment-" + mine.ID + ` a[href$="/edit"]`)
		b.WaitUntil(`document.activeElement.id === 'edit-` + mine.ID + `'`)
		b.Screenshot(filepath.Join(dir, mode.name+"-thread-forms.png"), mode.width, mode.height)
	}
}

// TestCostInspectorScreenshots is TestScreenshots for pages with the panel of the cost inspector.
func TestCostInspectorScreenshots(t *testing.T) {
	dir := os.Getenv("INKFEED_SCREENSHOTS")
	if dir == "" {
		t.Skip("INKFEED_SCREENSHOTS is not set")
	}
	ctx := webtest.Browser(t)
	w := webtest.NewWorld(t)
	w.SetRole(w.Ada, domain.RoleAdministrator)
	w.Ada.Post("/admin/inspector", "mode", "cached").Want(http.StatusSeeOther)
	base := webtest.Listen(t, w.Handler)
	for _, mode := range []struct {
		name          string
		width, height int64
		phone         bool
		scheme        string
	}{
		{"phone-light", 390, 844, true, "light"},
		{"desktop-dark", 1280, 900, false, "dark"},
		{"desktop-light", 1280, 900, false, "light"},
	} {
		b := webtest.NewTab(t, ctx, base)
		webtest.Call(b, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
			Width: mode.width, Height: mode.height, DeviceScaleFactor: 1, Mobile: mode.phone})
		webtest.Call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: mode.scheme}}})
		b.SignInAs(w.Ada)
		for name, path := range map[string]string{"inspector": "/admin/inspector?done=yes",
			"inspected-search": "/search",
			"inspected-post":   w.Quiet.Path(), "inspected-missing": "/posts/" + domain.NewID()} {
			b.OpenAndWait(path)
			if !b.FitsWindow() {
				t.Errorf("%s is wider than a %s", name, mode.name)
			}
			b.Screenshot(filepath.Join(dir, mode.name+"-"+name+".png"), mode.width, mode.height)
		}
		b.OpenAndWait(w.Quiet.Path())
		b.Click("#Page-like-button")
		b.WaitUntil(`document.querySelector('#Page-inspector-fragments h3')`)
		b.Screenshot(filepath.Join(dir, mode.name+"-inspected-like.png"), mode.width, mode.height)
	}
}
