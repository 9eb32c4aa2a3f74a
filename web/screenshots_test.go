package web_test

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"

	"inkfeed/domain"
)

// TestScreenshots takes a picture of every page for a person to look at, when
// INKFEED_SCREENSHOTS names a folder for them.
func TestScreenshots(t *testing.T) {
	dir := os.Getenv("INKFEED_SCREENSHOTS")
	if dir == "" {
		t.Skip("INKFEED_SCREENSHOTS is not set")
	}
	ctx := browser(t)
	w := newWorld(t)
	base, empty := serve(t, w.handler), serve(t, newSite(t).handler)
	writer := w.member("newcomer")
	unhurried := patient(t)
	later, leaver, regretful := serve(t, unhurried.handler), unhurried.member("leaver"), unhurried.member("regretful")
	leaver.verified("leaver@example.org")
	leaver.post("/settings/delete", "password", password).want(http.StatusSeeOther)
	unhurried.data.changeUser(regretful.user.ID, func(item map[string]any) {
		item["leavingProblem"] = "This site has no other administrator. Make someone else an administrator first."
	})
	edit := "/posts/" + w.long.ID
	own := w.ben.comments(w.quiet, "A comment of **mine**.\n\n- one\n- two")[0]
	for i, file := range [][]byte{aPhoto(t, 1200, 800), aDrawing(t, 300, 900), aPhoto(t, 60, 40)} {
		w.ben.upload("/images", file, "alt", []string{"", "A drawing of a tall and rather thin house", "مرحبا"}[i]).want(http.StatusSeeOther)
	}
	shown, _ := domain.ParseImagePath(w.ben.script().upload("/images", aPhoto(t, 500, 500)).json().URL)
	w.ben.upload("/settings/avatar", aPhoto(t, 500, 400)).want(http.StatusSeeOther)
	w.ben.post("/settings/profile", "bio", "I write about **cats**, and sometimes about [dogs](/).\n\n- one\n- two").want(http.StatusSeeOther)
	begun := w.ada.aDraft("A post that is begun", "Some **words**, and\n\n- one\n- two", "ink, paper")
	w.ada.post("/posts", sent(w.ada.get("/posts/"+begun.PostID+"/edit"), "do", "share")...).want(http.StatusSeeOther)
	private, _ := url.Parse(w.ada.get("/posts/"+begun.PostID+"/edit").page().Find("#preview-link").AttrOr("value", ""))
	w.ada.aDraft("", "", "")
	revised := w.ada.aPost("A post that changed", "One, two, three.\n\nThe end.")
	changed := "/posts/" + revised.ID
	w.ada.post(changed, "title", "A post that has changed", "content", "One, 二, three.\n\nAnd more.", "tags", "ink", "revision", "1").want(http.StatusSeeOther)
	hushed := w.ada.aPost("An unlisted post", "For those who have its address.")
	w.change(hushed.ID, func(p *domain.Post) { p.Status = domain.Unlisted })
	w.ada.post("/posts/" + w.quiet.ID + "/bookmark").want(http.StatusSeeOther)
	taken := w.ada.aPost("A post that is taken back", "text")
	w.ada.post("/posts/" + taken.ID + "/unpublish").want(http.StatusSeeOther)
	shots := []struct {
		name, base, path string
		as               *visitor
		form             []string // sent from the page when there is one
	}{
		{"empty", empty, "/", nil, nil},
		{"home", base, "/", w.ada, nil},
		{"home-2-stranger", base, "/?page=2", nil, nil},
		{"post", base, w.long.Path(), w.ada, nil},
		{"post-stranger-arabic", base, w.arabic.Path(), nil, nil},
		{"post-quiet", base, w.quiet.Path(), w.ada, nil},
		{"comments", base, edit + "/comments?page=3", w.ben, nil},
		{"likes", base, edit + "/likes", w.ben, nil},
		{"user", base, "/@ada", w.ben, nil},
		{"user-none-own", base, "/@newcomer", writer, nil},
		{"signup", base, "/signup", nil, nil},
		{"signup-errors", base, "/signup", nil, []string{"username", "a b", "password", "x"}},
		{"login", base, "/login", nil, nil},
		{"login-wrong", base, "/login", nil, []string{"username", "ada", "password", "wrong password"}},
		{"new", base, "/new", w.ada, nil},
		{"new-errors", base, "/new", w.ada, []string{"title", " ", "content", " "}},
		{"edit-conflict", base, edit + "/edit", w.ada, []string{"revision", "0", "title", "My own title", "content", "My own text,\n\nof two paragraphs."}},
		{"edit", base, edit + "/edit", w.ada, nil},
		{"edit-draft", base, "/posts/" + begun.PostID + "/edit?done=save", w.ada, nil},
		{"edit-conflict-draft", base, "/posts/" + begun.PostID + "/edit", w.ada, []string{"version", "7", "title", "Another title", "content", "Other words"}},
		{"private-link", base, private.Path, nil, nil},
		{"drafts", base, "/drafts", w.ada, nil},
		{"drafts-none", base, "/drafts", writer, nil},
		{"draft-delete", base, "/drafts/" + begun.PostID + "/delete", w.ada, nil},
		{"unlisted", base, "/drafts/unlisted", w.ada, nil},
		{"post-unlisted", base, hushed.Path(), w.ada, nil},
		{"unpublish", base, changed + "/unpublish", w.ada, nil},
		{"versions", base, changed + "/versions", w.ada, nil},
		{"version", base, changed + "/versions/1", w.ada, nil},
		{"tag", base, "/tags/ink", w.ada, nil},
		{"archive", base, "/@ada/archive", nil, nil},
		{"bookmarks", base, "/bookmarks", w.ada, nil},
		{"comment-edit", base, "/posts/" + w.quiet.ID + "/comments/" + own.ID + "/edit", w.ben, nil},
		{"comment-reply", base, "/posts/" + w.quiet.ID + "/comments/" + own.ID + "/reply", w.ada, nil},
		{"settings", base, "/settings?renamed=yes", w.ada, nil},
		{"settings-taken", base, "/settings", w.ada, []string{"username", "ben"}},
		{"post-own-comment", base, w.quiet.Path() + "?deleted=yes#Page-comments", w.ben, nil},
		{"comment-delete", base, "/posts/" + w.quiet.ID + "/comments/" + own.ID + "/delete", w.ben, nil},
		{"comments-own", base, edit + "/comments?page=3&deleted=yes", w.ben, nil},
		{"post-delete", base, edit + "/delete", w.ada, nil},
		{"post-delete-arabic", base, "/posts/" + w.arabic.ID + "/delete", w.ada, nil},
		{"user-post-deleted", base, "/@ada?deleted=yes", w.ada, nil},
		{"settings-delete", base, "/settings/delete", w.ada, nil},
		{"settings-delete-wrong", base, "/settings/delete", w.ada, []string{"password", "wrong password"}},
		{"settings-delete-later", later, "/settings/delete", regretful, nil},
		{"leaving", later, "/settings/delete?asked=yes", leaver, nil},
		{"leaving-home", later, "/", leaver, nil},
		{"leaving-settings", later, "/settings", leaver, nil},
		{"leaving-problem", later, "/", regretful, nil},
		{"images-none", base, "/images", writer, nil},
		{"images", base, "/images?added=" + shown.String(), w.ben, nil},
		{"image-delete", base, "/images/" + shown.String() + "/delete", w.ben, nil},
		{"profile", base, "/settings/profile", w.ben, nil},
		{"user-profile", base, "/@ben", w.ben, nil},
		{"search", base, "/search", nil, nil},
		{"search-found", base, "/search?q=" + url.QueryEscape("ال"), w.ada, nil},
		{"search-many", base, "/search?q=e", nil, nil},
		{"search-nothing", base, "/search?q=nothing", nil, nil},
		{"goodbye", base, "/goodbye", nil, nil},
		{"post-gone", base, "/posts/" + domain.NewID(), nil, nil},
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
		b := newTab(t, ctx, "")
		call(b, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
			Width: mode.width, Height: mode.height, DeviceScaleFactor: 1, Mobile: mode.phone})
		call(b, emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: mode.phone})
		call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: mode.scheme}}})
		for _, shot := range shots {
			b.base = shot.base
			b.as(shot.as)
			b.Open(shot.path)
			if shot.form != nil {
				b.eval(fill(shot.form))
				b.sees(`[role="alert"]`)
			}
			b.eventually("document.readyState === 'complete'")
			if !b.fits() {
				t.Errorf("%s is wider than a %s", shot.name, mode.name)
			}
			b.picture(filepath.Join(dir, mode.name+"-"+shot.name+".png"), mode.width, mode.height)
		}
		// What was typed outlives its post.
		b.base = base
		b.as(w.ada)
		for name, form := range map[string][3]string{
			"comment-lost": {w.quiet.Path(), "#Page-comment-form", "Post not found"}, "edit-gone": {edit + "/edit", "main form", "Post deleted"}} {
			b.Open(form[0])
			b.write("#content", "Some words.\n\nAnd some more of them.")
			b.eval(`(() => {
				const form = document.querySelector('` + form[1] + `');
				form.action = form.getAttribute('action').replace(/[a-z0-9]{26}/, '` + domain.NewID() + `');
				form.submit();
			})()`)
			b.eventually(`document.querySelector('h1').textContent === '` + form[2] + `'`)
			b.picture(filepath.Join(dir, mode.name+"-"+name+".png"), mode.width, mode.height)
		}
		// What only a script brings about.
		_, _ = w.data.store.Posts.Unlike(t.Context(), w.quiet.ID, w.ada.user.ID)
		b.Open(w.quiet.Path())
		b.click("#Page-like-button")
		b.eventually(`document.querySelector('[aria-pressed="true"]')`)
		b.write("#Page-comment", "A comment of mine.\n\n- one\n- two")
		b.click("#Page-comment-send")
		b.eventually(`document.querySelector('#Page-own-comments li')`)
		w.data.fail("Posts.Unlike")
		b.eventually(`getComputedStyle(document.querySelector('#Page-like-button')).pointerEvents === 'auto'`)
		b.click("#Page-like-button")
		b.sees("#Page-notice dialog")
		b.picture(filepath.Join(dir, mode.name+"-scripted.png"), mode.width, 0)
		w.data.recover("Posts.Unlike")
	}
}

// picture saves what the tab shows: the viewport, or with a height twice as much
// of the page as that and a bit.
func (b *tab) picture(path string, width, height int64) {
	b.t.Helper()
	params := page.CaptureScreenshotParams{}
	if height > 0 {
		params.CaptureBeyondViewport = new(true)
		params.Clip = &page.Viewport{Width: float64(width), Height: float64(height) * 2.2, Scale: 1}
	}
	if err := os.WriteFile(path, call(b, page.CaptureScreenshot, params).Data, 0o644); err != nil {
		b.t.Fatal(err)
	}
}
