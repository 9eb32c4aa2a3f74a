package web_test

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/chromedp/cdproto/page"

	"inkfeed/domain"
	"inkfeed/domain/markdown"
	"inkfeed/domain/plaintext"
	"inkfeed/web/webtest"
)

// witness records every call of the functions that attacks run. It is installed before the first script of a page.
const witness = `window.seen = [];
for (const name of ['ran', 'alert', 'confirm', 'prompt', 'print'])
	window[name] = () => { window.seen.push(name + '() at ' + location.href); };`

// unguarded disables the Content Security Policy in the tab, so that the test shows whether the pages are safe without
// it.
func unguarded(b *webtest.Tab) {
	b.T.Helper()
	webtest.Call(b, page.SetBypassCSP, page.SetBypassCSPParams{Enabled: true})
	webtest.Call(b, page.AddScriptToEvaluateOnNewDocument,
		page.AddScriptToEvaluateOnNewDocumentParams{Source: witness})
}

// suspects is a script that lists the elements and attributes which a user's text must never become: those that run
// code, load files or link elsewhere, other than the pages' own.
const suspects = `(() => {
	const found = [];
	for (const e of document.querySelectorAll('*')) {
		const own = e.matches('script[src^="/static/"], script[type="application/ld+json"], link[href^="/"], ' +
			'link[href^="' + location.origin + '/"], template[id], meta[name], meta[property], meta[charset]');
		if (!own && e.matches('script, iframe, frame, object, embed, applet, base, meta, link, style, template, ' +
			'math, video, audio, marquee, svg script, xss, isindex, keygen'))
			found.push(e.outerHTML);
		for (const a of e.attributes) {
			const value = a.value.replace(/[\s\u0000-\u0020]/g, '').toLowerCase();
			if (a.name.startsWith('on') || a.name === 'style' || a.name === 'srcdoc'
				|| /^(data-)?hx-(on|vals|vars|headers)/.test(a.name)
				|| new RegExp('^(href|src|action|formaction|xlink:href|data|poster|background|ping|srcset|' +
					'(data-)?hx-(get|post))$').test(a.name) && /^(javascript|vbscript|data):/.test(value))
				found.push(e.cloneNode(false).outerHTML);
		}
	}
	return JSON.stringify(found);
})()`

// wantUnharmed checks that no attack has run on the open page, not even after hovering, focusing and clicking its
// elements, and that no attack became markup.
func wantUnharmed(b *webtest.Tab, what string) {
	b.T.Helper()
	b.WaitUntil("document.readyState === 'complete'")
	b.Eval(`(() => {
		for (const e of document.querySelectorAll('main *')) {
			for (const type of ['mouseover', 'pointerenter', 'focus', 'animationstart', 'error', 'toggle'])
				e.dispatchEvent(new Event(type));
			if (e.matches('a[href]') && !/^(https?|mailto):$/.test(e.protocol)) e.click(); // and stay on the page
		}
	})()`)
	if found := b.Eval(suspects); found != "[]" {
		b.T.Errorf("%s has %s", what, found)
	}
	if seen := b.Eval("JSON.stringify(window.seen)"); seen != "[]" {
		b.T.Errorf("%s: these functions ran: %s", what, seen)
	}
}

// wantAllUnharmed checks the source of similar pages, as a visitor gets them. It opens the first few of them in the
// browser, or all of them if the tests are exhaustive.
func wantAllUnharmed(b *webtest.Tab, v *webtest.Visitor, few int, paths ...string) {
	b.T.Helper()
	for i, path := range paths {
		if a := v.Get(path); strings.HasPrefix(a.Header.Get("Content-Type"), "text/html") {
			if bad := suspicious(a.Page()); len(bad) > 0 {
				b.T.Errorf("%s has %q", path, bad)
			}
		}
		if exhaustive || i < few {
			b.Open(path)
			wantUnharmed(b, path)
		}
	}
}

// This test puts each attack into each field that users can fill, and opens each page that shows it.
func TestTextsOfUsersNeverRunAsCode(t *testing.T) {
	if !exhaustive {
		t.Skip("make exhaustive opens every page with attacks in a browser")
	}
	ctx := webtest.Browser(t)
	s := webtest.NewSite(t)
	s.Data.Markdown = markdown.New()
	ada, ben := s.SignUp("ada"), s.SignUp("ben")
	harmful := func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/harmful" {
			s.Handler.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Security-Policy", "default-src 'none'")
		_, _ = io.WriteString(w, `<!doctype html><title>x</title><main><img src=x onerror="ran()"></main>`)
	}
	b := webtest.NewTab(t, ctx, webtest.Listen(t, http.HandlerFunc(harmful)))
	unguarded(b)
	b.Open("/harmful")
	b.WaitUntil("window.seen.length === 1") // the witness works

	// Each attack is a title, a tag and the only text of a post. Further posts have several attacks.
	var posts []domain.Post
	for _, attack := range attacks {
		p := ada.CreatePost(attack, attack)
		if tags, err := domain.CleanTags(strings.ReplaceAll(attack, ",", " ")); err == nil {
			s.ChangePost(p.ID, func(p *domain.Post) { p.Tags = tags })
		}
		posts = append(posts, p)
	}
	var many []domain.Post
	for some := range slices.Chunk(attacks, 30) {
		many = append(many, ada.CreatePost("Many", strings.Join(some, "\n\n")),
			ada.CreatePost("Many", strings.Join(some, "\n")))
	}
	talked := posts[0]
	ben.CreateComments(talked, attacks...)
	ben.Post("/posts/" + talked.ID + "/bookmark").Want(http.StatusSeeOther)
	ada.Post("/settings/profile", "bio", longest(domain.MaxBio)).Want(http.StatusSeeOther)
	for i := range 5 {
		ada.Upload("/images", webtest.Photo(t, 20+i, 20), "alt", attacks[i*20])
	}
	ada.CreateDraft(attacks[0], strings.Join(attacks, "\n\n"), attacks[1])

	t.Run("in posts and comments", func(t *testing.T) {
		for i, p := range posts {
			if bad := suspicious(ada.Get(p.Path()).Want(http.StatusOK).Page()); len(bad) > 0 {
				t.Errorf("the post %q has %q", attacks[i], bad)
			}
		}
		b.SignInAs(ada)
		var posts, comments []string
		for _, p := range many {
			posts = append(posts, p.Path())
		}
		for n := 1; n <= (len(attacks)-1)/domain.CommentsPerPage+1; n++ {
			comments = append(comments, fmt.Sprintf("/posts/%s/comments?page=%d", talked.ID, n))
		}
		wantAllUnharmed(b, ada, 2, posts...)
		wantAllUnharmed(b, ada, 1, comments...)
	})
	t.Run("in lists", func(t *testing.T) {
		var pages []string
		for n := 1; n <= (len(posts)+len(many)-1)/domain.PostsPerPage+1; n++ {
			pages = append(pages, fmt.Sprintf("/?page=%d", n))
		}
		wantAllUnharmed(b, ada, 1, pages...)
		b.Open("/@ada")
		wantUnharmed(b, "the author's page")
		b.Open(fmt.Sprintf("/@ada/archive/%d", posts[0].Created.Year()))
		wantUnharmed(b, "the archive")
		b.Open("/drafts")
		wantUnharmed(b, "the drafts")
		b.Open("/images")
		wantUnharmed(b, "the pictures")
		b.Open("/settings/profile")
		wantUnharmed(b, "the profile")
		b.SignInAs(ben)
		b.Open("/bookmarks")
		wantUnharmed(b, "the bookmarks")
		b.Open("/search?q=ran")
		wantUnharmed(b, "the search results")
	})
	t.Run("in addresses", func(t *testing.T) {
		b.SignInAs(nil)
		var together []string
		for _, path := range []string{"/search?q=", "/login?next=", "/signup?next=", "/tags/", "/@", "/posts/",
			"/posts/" + talked.ID + "/", "/nothing/", "/?page=", "/suggest/tags?q=", "/search?q=x&page="} {
			addressed := func(text string) string {
				if strings.Contains(path, "?") {
					return path + url.QueryEscape(text)
				}
				return path + url.PathEscape(text)
			}
			for _, attack := range attacks {
				a := s.Anonymous().Get(addressed(attack))
				if strings.HasPrefix(a.Header.Get("Content-Type"), "text/html") {
					if bad := suspicious(a.Page()); len(bad) > 0 {
						t.Errorf("%s has %q", a.Request, bad)
					}
				}
			}
			together = append(together, addressed(strings.Join(attacks[:30], " ")))
		}
		wantAllUnharmed(b, s.Anonymous(), 3, together...)
	})
	t.Run("in accounts and moderation", func(t *testing.T) { accountsAreUnharmed(t, s, b, talked) })
	t.Run("in rejected forms", func(t *testing.T) {
		b.SignInAs(ada)
		all := strings.Join(attacks, " ")
		for _, form := range []struct {
			page   string
			as     *webtest.Visitor
			fields []string
		}{
			{"/login", nil, []string{"username", all, "password", "x"}},
			{"/signup", nil, []string{"username", all, "password", "x"}},
			{"/new", ada, []string{"title", all, "content", all, "tags", all}},
			{"/posts/" + talked.ID + "/edit", ada, []string{"title", all, "content", all, "tags", all}},
			{"/settings", ada, []string{"username", all}},
		} {
			b.SignInAs(form.as)
			b.Open(form.page)
			b.Eval(webtest.SubmitFormScript(form.fields))
			b.WaitUntil(`document.readyState === 'complete' && document.querySelector('main [role="alert"]')`)
			wantUnharmed(b, "the form of "+form.page)
		}
	})
}

// longest joins attacks to one text of at most limit characters.
func longest(limit int) string {
	var text string
	for _, attack := range attacks {
		if longer := text + attack + "\n\n"; plaintext.Characters(longer) <= limit {
			text = longer
		}
	}
	return text
}

// suspicious lists the elements and attributes of a page's source that attacks would become. It is suspects for pages
// that no browser has opened.
func suspicious(doc *goquery.Document) (found []string) {
	doc.Find("body *").Each(func(_ int, s *goquery.Selection) {
		name := goquery.NodeName(s)
		if slices.Contains([]string{
			"script", "iframe", "object", "embed", "base", "meta", "link", "style", "template", "svg", "math", "video",
			"audio",
		}, name) &&
			!strings.HasPrefix(s.AttrOr("src", ""), "/static/") && !s.Is("template[id], svg[aria-hidden]") {
			html, _ := goquery.OuterHtml(s)
			found = append(found, html)
		}
		for _, a := range s.Nodes[0].Attr {
			value := strings.ToLower(strings.Join(strings.FieldsFunc(a.Val, func(r rune) bool { return r <= ' ' }), ""))
			runs := strings.HasPrefix(value, "javascript:") || strings.HasPrefix(value, "data:") ||
				strings.HasPrefix(value, "vbscript:")
			if strings.HasPrefix(a.Key, "on") || a.Key == "style" || strings.Contains(a.Key, "hx-on") ||
				runs && (a.Key == "href" || a.Key == "src" || a.Key == "action") {
				found = append(found, name+" "+a.Key+"="+a.Val)
			}
		}
	})
	return found
}
