package pages_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/siteinfo"
	"inkfeed/web/webtest"
)

// publish adds a static page and publishes its text. It returns the id of the text.
func publish(admin *webtest.Visitor, path, title, text string, settings ...string) string {
	admin.T.Helper()
	id := add(admin, path, settings...)
	admin.Post("/posts", "post", id, "title", title, "content", text, "do", "publish").
		WantRedirect(http.StatusSeeOther, path)
	return id
}

// add adds a static page without a text.
func add(admin *webtest.Visitor, path string, settings ...string) string {
	admin.T.Helper()
	edit := admin.Post("/admin/pages", append([]string{"path", path}, settings...)...).Want(http.StatusSeeOther).
		Header.Get("Location")
	return strings.TrimSuffix(strings.TrimPrefix(edit, "/posts/"), "/edit")
}

func TestAStaticPage(t *testing.T) {
	t.Run("is at its own address, without comments, likes and an author", func(t *testing.T) {
		s := webtest.NewSite(t)
		publish(s.SignUpAs("ada", domain.RoleAdministrator), "/club/history", "Our history", "It began in *1890*.")
		s.Anonymous().Get("/club/history").Want(200).Has("h1", "Our history").Has(".prose em", "1890").
			Has(`link[rel="canonical"][href$="/club/history"]`, "").
			HasNo(".author-card").HasNo(".reactions").HasNo(".comments")
	})
	t.Run("is found in other spellings of its address", func(t *testing.T) {
		s := webtest.NewSite(t)
		ada := s.SignUpAs("ada", domain.RoleAdministrator)
		ada.Post("/posts", "post", add(ada, "Über//Uns/"), "title", "About", "content", "Text.", "do", "publish").
			WantRedirect(http.StatusSeeOther, "/%C3%BCber/uns")
		for _, other := range []string{"/%C3%9Cber/Uns", "/%C3%BCber/uns/", "/u%CC%88ber/uns"} {
			s.Anonymous().Get(other).WantRedirect(http.StatusMovedPermanently, "/%C3%BCber/uns")
		}
		s.Anonymous().Get("/%C3%BCber/uns").Want(200)
	})
	t.Run("is linked where the administrator wants it, in the chosen order", func(t *testing.T) {
		s := webtest.NewSite(t)
		ada := s.SignUpAs("ada", domain.RoleAdministrator)
		publish(ada, "/about", "About us", "Text.", "navigation", "yes")
		rules := publish(ada, "/rules", "Rules of the house", "Text.", "label", "Rules", "navigation", "yes", "footer",
			"yes")
		publish(ada, "/hidden", "Not linked", "Text.")
		page := s.Anonymous().Get("/").Has(".page-links li:first-child a[href='/about']", "About us").
			Has(".page-links li:last-child a[href='/rules']", "Rules").Has(".footer-links a[href='/rules']", "Rules")
		page.HasNo(".footer-links a[href='/about']").HasNo("a[href='/hidden']")
		ada.Post("/admin/pages/move", "page", rules, "to", "up").Want(303)
		s.Anonymous().Get("/about").Has(".page-links li:first-child a", "Rules").
			Has(".page-links a[aria-current='page']", "About us")
	})
	t.Run("is not linked and not found before it is published, and after it is unpublished", func(t *testing.T) {
		s := webtest.NewSite(t)
		ada := s.SignUpAs("ada", domain.RoleAdministrator)
		draft := add(ada, "/draft", "navigation", "yes")
		ada.Post("/drafts/"+draft, "title", "A draft", "content", "Text.").Want(200)
		s.Anonymous().Get("/draft").Want(404)
		s.Anonymous().Get("/").HasNo(".page-links")
		ada.Get("/admin/pages").Has(".page-list strong", "A draft").Has(".page-list .muted", "Draft")
		id := publish(ada, "/about", "About", "Text.", "navigation", "yes")
		ada.Post("/posts/" + id + "/unpublish").Want(303)
		s.Anonymous().Get("/about").Want(404)
		s.Anonymous().Get("/").HasNo(".page-links")
	})
	t.Run("has a new address, and the former one leads there until another page takes it", func(t *testing.T) {
		s := webtest.NewSite(t)
		ada := s.SignUpAs("ada", domain.RoleAdministrator)
		id := publish(ada, "/about", "About", "Text.")
		ada.Post("/admin/pages/"+id, "path", "/club", "label", "The club").Want(303)
		s.Anonymous().Get("/club").Want(200)
		s.Anonymous().Get("/about").WantRedirect(http.StatusMovedPermanently, "/club")
		publish(ada, "/about", "Another", "Text.")
		s.Anonymous().Get("/about").Want(200).Has("h1", "Another")
	})
	t.Run("is no post for any other page", func(t *testing.T) {
		s := webtest.NewSite(t)
		ada := s.SignUpAs("ada", domain.RoleAdministrator)
		id := publish(ada, "/about", "About", "Text.")
		for _, path := range []string{"/comments", "/likes", "/report", "/moderate"} {
			ada.Get("/posts/" + id + path).Want(404)
		}
		for _, path := range []string{"/comments", "/like", "/bookmark", "/report", "/moderate", "/comments/close"} {
			ada.Post("/posts/"+id+path, "content", "Nice.", "reason", "spam").Want(404)
		}
		s.Anonymous().Get("/posts/"+id).WantRedirect(303, "/about")
		ada.Get("/drafts").HasNo("article")
		s.Anonymous().Get("/").HasNo("article")
	})
	t.Run("is deleted with its draft", func(t *testing.T) {
		s := webtest.NewSite(t)
		ada := s.SignUpAs("ada", domain.RoleAdministrator)
		id := publish(ada, "/about", "About", "Text.", "footer", "yes")
		ada.Get("/admin/pages/"+id+"/delete").Want(200).Has("main", "/about")
		ada.Post("/admin/pages/"+id+"/delete").WantRedirect(303, "/admin/pages?done=deleted")
		s.Anonymous().Get("/about").Want(404).HasNo(".footer-links")
		ada.Get("/admin/pages").HasNo(".page-list")
	})
}

func TestTheSettingsOfAStaticPageComeBackWhenTheSessionHasExpired(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUpAs("ada", domain.RoleAdministrator)
	about := add(ada, "/about")
	for name, path := range map[string]string{"of a new page": "/admin/pages", "of a page": "/admin/pages/" + about} {
		t.Run(name, func(t *testing.T) {
			ada.WithoutSession().Post(path, "path", "/typed", "label", "Typed", "navigation", "yes").Want(401).
				Has(`main form[action="`+path+`"] [role="alert"]`, "session has expired").
				Has(`#path[value="/typed"]`, "").Has(`#label[value="Typed"]`, "").
				Has(`[name="navigation"][checked]`, "").HasNo(`[name="footer"][checked]`)
		})
	}
}

func TestTheAddressOfAStaticPage(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUpAs("ada", domain.RoleAdministrator)
	publish(ada, "/about", "About", "Text.")
	for name, path := range map[string]string{
		"the front page": "/", "a route": "/search", "another case": "/Search", "the newest posts": "/posts",
		"a route that only takes forms": "/logout", "a tag": "/tags/anything", "a post": "/posts/anything",
		"a user": "/@someone", "a file": "/static/inkfeed.css", "a feed": "/feed.atom", "a sitemap": "/sitemap-1.xml",
		"another page": "/about/", "dots": "/a/../b", "a query": "/a?b", "no text": " ",
	} {
		t.Run("is refused for "+name, func(t *testing.T) {
			ada.Post("/admin/pages", "path", path, "label", "Kept").Want(422).Has("#path-error", "").
				Has(`input[name="path"][aria-invalid]`, "").Has(`input[name="label"][value="Kept"]`, "")
		})
	}
}

func TestTextsOfStaticPages(t *testing.T) {
	t.Run("have a form with all fields that the script of the editor reads", func(t *testing.T) {
		s := webtest.NewSite(t)
		ada := s.SignUpAs("ada", domain.RoleAdministrator)
		fields := func(path string) map[string]bool {
			names := map[string]bool{}
			for _, field := range ada.Get(path).Want(200).Page().Find("#editor [name]").EachIter() {
				names[field.AttrOr("name", "")] = true
			}
			return names
		}
		page := fields("/posts/" + add(ada, "/about") + "/edit")
		for name := range fields("/new") {
			if !page[name] {
				t.Errorf("the form of a page has no field %q", name)
			}
		}
	})
	t.Run("are for administrators only", func(t *testing.T) {
		s := webtest.NewSite(t)
		id := publish(s.SignUpAs("ada", domain.RoleAdministrator), "/about", "About", "Text.")
		bob := s.SignUpAs("bob", domain.RoleModerator)
		for _, path := range []string{"/edit", "/versions", "/delete", "/unpublish"} {
			bob.Get("/posts/" + id + path).Want(403)
		}
		bob.Post("/posts/"+id, "title", "Mine", "content", "Mine.", "revision", "1").Want(403)
		bob.Post("/posts", "post", domain.NewPageID(), "title", "Mine", "content", "Mine.").Want(403)
		bob.Post("/drafts/"+id, "title", "Mine", "content", "Mine.").Want(403)
	})
	t.Run("can be edited by any administrator, and have versions", func(t *testing.T) {
		s := webtest.NewSite(t)
		id := publish(s.SignUpAs("ada", domain.RoleAdministrator), "/about", "About", "Text.", "footer", "yes")
		eve := s.SignUpAs("eve", domain.RoleAdministrator)
		eve.Get("/posts/"+id+"/edit").Want(200).Has("#content", "Text.").
			HasNo("#tags:not([type='hidden'])").HasNo(`[name="status"][type="radio"]`)
		eve.Post("/posts/"+id, "title", "About us", "content", "Better.", "revision", "1", "do", "publish").
			WantRedirect(303, "/about")
		s.Anonymous().Get("/about").Has("h1", "About us").Has(".footer-links a", "About us")
		eve.Get("/posts/"+id+"/versions/1").Want(200).Has("main", "Text.")
		eve.Post("/posts/"+id, "title", "O nás", "content", "Text.", "language", "cs", "revision", "2", "do",
			"publish").Want(303)
		s.Anonymous().Get("/").Has(".footer-links a[lang='cs']", "O nás")
	})
	t.Run("conflict when two administrators edit at once", func(t *testing.T) {
		s := webtest.NewSite(t)
		ada, eve := s.SignUpAs("ada", domain.RoleAdministrator), s.SignUpAs("eve", domain.RoleAdministrator)
		id := publish(ada, "/about", "About", "Text.")
		ada.Post("/posts/"+id, "title", "About", "content", "One.", "revision", "1", "do", "publish").Want(303)
		eve.Post("/posts/"+id, "title", "About", "content", "Two.", "revision", "1", "do", "publish").Want(409).
			Has("main", "One.").Has("main", "Two.")
	})
	t.Run("stay when the page is deleted while they are edited, and can become a new page", func(t *testing.T) {
		s := webtest.NewSite(t)
		ada, eve := s.SignUpAs("ada", domain.RoleAdministrator), s.SignUpAs("eve", domain.RoleAdministrator)
		id := publish(ada, "/about", "About", "Text.")
		ada.Post("/admin/pages/" + id + "/delete").Want(303)
		eve.Post("/drafts/"+id, "title", "About", "content", "Mine.", "revision", "1").Want(404)
		form := eve.Post("/posts/"+id, "title", "About", "content", "Mine.", "revision", "1", "do", "publish").
			Want(404).Has("#content", "Mine.")
		again := form.Page().Find(`[name="post"]`).AttrOr("value", "")
		eve.Post("/posts", "post", again, "title", "About", "content", "Mine.", "do", "publish").
			WantRedirect(303, "/about")
		s.Anonymous().Get("/about").Want(200).Has(".prose", "Mine.")
	})
}

func TestUnpublishedStaticPagesStayDeleted(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUpAs("ada", domain.RoleAdministrator)
	deleted := func(t *testing.T, saved bool) (path string, state []string) {
		t.Helper()
		id := add(ada, "/about", "label", "About")
		if saved {
			ada.Post("/drafts/"+id, "title", "About", "content", "First.", "listed", "yes").Want(200)
		}
		form := ada.Get("/posts/" + id + "/edit").Want(200)
		ada.Post("/admin/pages/" + id + "/delete").Want(303)
		state = []string{"post", id, "revision", form.Value("revision"), "version", form.Value("version"), "listed",
			form.Value("listed"), "title", "About", "content", "Mine."}
		path, _ = form.Page().Find("#editor").Attr("action")
		return path, state
	}
	for name, saved := range map[string]bool{"with a draft": true, "without a text": false} {
		t.Run(name+", when another tab saves them automatically", func(t *testing.T) {
			_, state := deleted(t, saved)
			if a := ada.Post("/drafts/"+state[1], state...).Want(404); !strings.Contains(a.JSON().Error,
				"was deleted in another tab") {
				t.Errorf("the answer is %s", a.Body)
			}
			ada.Get("/admin/pages").HasNo("main article, .page-list, .drafts")
		})
		for _, do := range []string{"save", "share", "publish"} {
			t.Run(name+", when another tab sends "+do+", and the text can become a new page", func(t *testing.T) {
				path, state := deleted(t, saved)
				form := ada.Post(path, append(state, "do", do)...).Want(404).Has("h1", "Page deleted").
					Has(`[role="alert"]`, "was deleted while you were editing it").Has("#content", "Mine.").
					Has(`#publish-now`, "Publish as a new page").HasNo(`[name="listed"]`)
				ada.Get("/admin/pages").HasNo(".page-list")
				id := form.Value("post")
				ada.Post("/posts", "post", id, "title", "About", "content", "Mine.", "do", "publish").
					WantRedirect(303, "/about")
				s.Anonymous().Get("/about").Want(200).Has(".prose", "Mine.")
				ada.Post("/admin/pages/" + id + "/delete").Want(303)
			})
		}
	}
	t.Run("and the script is told when a published page was deleted", func(t *testing.T) {
		id := publish(ada, "/gone", "Gone", "Text.")
		ada.Post("/admin/pages/" + id + "/delete").Want(303)
		a := ada.Post("/drafts/"+id, "title", "Gone", "content", "Mine.", "revision", "1").Want(404)
		if !strings.Contains(a.JSON().Error, "The page was deleted") {
			t.Errorf("the answer is %s", a.Body)
		}
	})
	t.Run("but a discarded draft comes back while its page exists", func(t *testing.T) {
		id := add(ada, "/rules")
		ada.Post("/drafts/"+id, "title", "Rules", "content", "First.", "listed", "yes").Want(200)
		ada.Post("/drafts/"+id+"/delete", "version", "1").Want(303)
		ada.Post("/drafts/"+id, "title", "Rules", "content", "Mine.", "version", "1").Want(200)
	})
}

func TestTheAuditLogRecordsTextsOfStaticPages(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUpAs("ada", domain.RoleAdministrator)
	newest := func(want string) {
		t.Helper()
		ada.Get("/admin/log").Has(".log li:first-child", want)
	}
	id := publish(ada, "/about", "About", "Text.")
	newest("@ada published a page: /about")
	ada.Post("/posts/"+id, "title", "About", "content", "Other.", "revision", "1", "do", "publish").Want(303)
	ada.Post("/posts/"+id+"/versions/1/restore", "revision", "2").Want(303)
	ada.Get("/admin/log").Has(".log li:nth-child(3)", "@ada published a page: /about")
	ada.Post("/posts/" + id + "/unpublish").Want(303)
	newest("@ada unpublished a page: /about")
	ada.Post("/posts/" + id + "/delete").Want(303)
	newest("@ada deleted a page: /about")
	ada.Post("/posts", "post", add(ada, "/hours"), "title", "Hours", "content", "Text.", "do", "schedule",
		"publishDate", time.Now().AddDate(0, 0, 1).UTC().Format("2006-01-02T15:04"), "zone", "UTC").Want(303)
	newest("@ada scheduled a page: /hours")
	ada.CreatePost("A post", "Text.")
	newest("@ada scheduled a page: /hours")
	ada.Post("/admin/pages/"+add(ada, "/people"), "path", "/members").Want(303)
	newest("@ada moved a page: /people → /members")
}

func TestOutlines(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUpAs("ada", domain.RoleAdministrator)
	ada.Get("/admin/settings").Has(`main form a[href="/admin/pages"]`, "static pages")
	ada.Get("/admin/pages").Has(`form input[value="about"]`, "").Has(`form input[value="privacy"]`, "")
	ada.Post("/admin/pages/outline", "kind", "about").Want(303)
	ada.Get("/admin/pages").Has(".page-list li:first-child", "Navigation").
		HasNo(".page-list li:first-child:contains('Footer')")
	edit := ada.Post("/admin/pages/outline", "kind", "privacy").Want(303).Header.Get("Location")
	ada.Get(edit).Want(200).Has("#title", "Privacy policy").Has("#content", "session cookie")
	s.Anonymous().Get("/privacy").Want(404)
	ada.Get("/admin/pages").Has(".page-list li:last-child", "Privacy policy").Has(".page-list li:last-child", "Footer").
		HasNo(`form input[value="privacy"]`)
}

func TestNotesOfAnOutline(t *testing.T) {
	const kept = `#editor input[name="notes"]`
	inLanguage := func(t *testing.T, language string) (ada *webtest.Visitor, form []string) {
		ada = webtest.NewSite(t).SignUpAs("ada", domain.RoleAdministrator)
		version := ada.Get("/admin/settings").Page().Find(`[name="version"]`).AttrOr("value", "")
		ada.Post("/admin/settings", "version", version, "registration", "open", "role", "author", "days", "3",
			"language", language).Want(303)
		edit := ada.Post("/admin/pages/outline", "kind", "privacy").Want(303).Header.Get("Location")
		page := ada.Get(edit).Want(200).HasNo(kept).Page()
		return ada, []string{"post", strings.Split(edit, "/")[2], "title", "Privacy", "version", "1", "content",
			page.Find("#content").Text()}
	}
	for language, note := range map[string]string{"en": "Complete the sentences", "cs": "Doplňte věty",
		"fr": "Complétez les phrases", "tr": "İtalik cümleleri"} {
		t.Run("come back when they are published in "+language, func(t *testing.T) {
			ada, form := inLanguage(t, language)
			ada.Post("/posts", append(form, "do", "publish")...).Want(422).Has("#content-error", note).
				Has("#content[aria-invalid]", note).Has(kept, "").HasNo(kept + "[checked]")
		})
	}
	t.Run("come back when they are scheduled, together with other errors", func(t *testing.T) {
		ada, form := inLanguage(t, "en")
		ada.Post("/posts", append(form, "do", "schedule")...).Want(422).Has("#content-error", "Complete the sentences").
			Has("#publishDate-error", "")
	})
	t.Run("are published if the author confirms it", func(t *testing.T) {
		ada, form := inLanguage(t, "en")
		ada.Post("/posts", append(form, "do", "publish", "notes", "yes", "title", "")...).Want(422).
			HasNo("#content-error").Has(kept+"[checked]", "")
		ada.Post("/posts", append(form, "do", "publish", "notes", "yes")...).WantRedirect(303, "/privacy")
	})
	t.Run("can be saved as a draft", func(t *testing.T) {
		ada, form := inLanguage(t, "en")
		ada.Post("/posts", append(form, "do", "save")...).Want(303)
	})
	t.Run("are found without their markup and in other lines, and are only those of outlines", func(t *testing.T) {
		s := webtest.NewSite(t)
		ada := s.SignUpAs("ada", domain.RoleAdministrator)
		id := add(ada, "/about")
		ada.Post("/posts", "post", id, "title", "About", "content", "Introduce the people\nbehind the site.", "do",
			"publish").Want(422).Has("#content-error", "“Introduce the people behind the site”")
		ada.Post("/posts", "post", id, "title", "About", "content", "*Introduce* yourselves.", "do", "publish").
			WantRedirect(303, "/about")
		ada.Post("/posts", "title", "Quoted", "content", "*Introduce the people behind the site.*", "do", "publish").
			Want(303)
	})
}

func TestAStaticPageAsFrontPage(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUpAs("ada", domain.RoleAdministrator)
	id := publish(ada, "/hello", "Welcome", "Hello.", "navigation", "yes")
	ada.CreatePost("A post", "Text.")
	settings := func(fields ...string) *webtest.Response {
		version := ada.Get("/admin/settings").Page().Find(`[name="version"]`).AttrOr("value", "")
		return ada.Post("/admin/settings", append([]string{"version", version, "registration", "open", "role", "author",
			"days", "3"}, fields...)...)
	}
	t.Run("is not combined with an author", func(t *testing.T) {
		settings("front", "ada", "frontPage", id).Want(422).Has("#frontPage-error", "either an author or a page")
	})
	settings("frontPage", id).Want(303)
	ada.Get("/admin/settings").Has(`#frontPage option[selected]`, "Welcome")
	t.Run("has the address of the front page", func(t *testing.T) {
		for _, path := range []string{"/", "/hello"} {
			s.Anonymous().Get(path).Want(200).Has("h1", "Welcome").Has(`link[rel="canonical"][href$=".com/"]`, "").
				Has(`.page-links a[href="/"][aria-current="page"]`, "Welcome").HasNo(`.page-links a[href="/hello"]`)
		}
	})
	t.Run("leaves the newest posts at an address of their own", func(t *testing.T) {
		s.Anonymous().Get("/posts").Want(200).Has("h2", "A post").Has(`link[rel="canonical"][href$="/posts"]`, "")
	})
	t.Run("warns before it is unpublished or deleted, as other pages do not", func(t *testing.T) {
		other := publish(ada, "/other", "Other", "Text.")
		for _, path := range []string{"/posts/%/unpublish", "/admin/pages/%/delete"} {
			ada.Get(strings.ReplaceAll(path, "%", id)).Want(200).
				Has("main .hold-notice", "This page is your front page. Without it, the front page shows the newest")
			ada.Get(strings.ReplaceAll(path, "%", other)).Want(200).HasNo("main .hold-notice")
		}
	})
	t.Run("leaves the newest posts there after it is unpublished", func(t *testing.T) {
		ada.Post("/posts/" + id + "/unpublish").Want(303)
		s.Anonymous().Get("/").Want(200).Has("h2", "A post").HasNo(`a[href="/posts"]`)
		s.Anonymous().Get("/posts").Want(200).Has("h2", "A post").Has(`link[rel="canonical"][href$=".com/"]`, "")
		ada.Get("/posts/"+id+"/delete").WantRedirect(303, "/admin/pages/"+id+"/delete")
		ada.Get("/admin/pages/" + id + "/delete").Want(200).HasNo("main .hold-notice")
	})
	t.Run("returns when it is published again, until it is deleted", func(t *testing.T) {
		ada.Post("/posts/"+id, "title", "Welcome", "content", "Again.", "revision", "1", "version", "1", "do",
			"publish").WantRedirect(303, "/")
		s.Anonymous().Get("/").Want(200).Has("h1", "Welcome").Has(`a[href="/posts"]`, "Newest posts")
		ada.Post("/admin/pages/" + id + "/delete").Want(303)
		s.Anonymous().Get("/").Want(200).Has("h2", "A post").HasNo(`a[href="/posts"]`)
		ada.Get("/admin/settings").Has(`#frontPage option:last-child`, "Other").HasNo(`#frontPage option[selected]`)
	})
}

func TestAContactPageReplacesTheContactLink(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUpAs("ada", domain.RoleAdministrator)
	ada.Post("/admin/settings", "version", ada.Get("/admin/settings").Value("version"), "registration", "open", "role",
		"author", "days", "3", "contact", "ada@example.org").Want(303)
	publish(ada, "/imprint", "Imprint", "Text.", "footer", "yes")
	s.Anonymous().Get("/").Has(`.footer-links a[href="mailto:ada@example.org"]`, "Contact")
	publish(ada, "/contact", "contact", "Text.", "footer", "yes")
	s.Anonymous().Get("/").Has(`.footer-links a[href="/contact"]`, "contact").HasNo(`.footer-links a[href^="mailto:"]`)
}

func TestStaticPagesAreFound(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUpAs("ada", domain.RoleAdministrator)
	publish(ada, "/club", "Our club", "We sail on the lake.")
	add(ada, "/draft")
	t.Run("in the sitemap, unless they are drafts", func(t *testing.T) {
		body := s.Anonymous().Get("/sitemap.xml").Want(200).Body
		if !strings.Contains(body, "/club</loc>") || strings.Contains(body, "/draft") || strings.Contains(body, "/p.") {
			t.Errorf("the sitemap is %s", body)
		}
	})
	t.Run("by a search", func(t *testing.T) {
		s.Anonymous().Get("/search?q=sail").Want(200).Has(`h2 a[href="/club"]`, "Our club").Has("mark", "sail").
			Has(".result-count", "1 result")
	})
	t.Run("but not in feeds", func(t *testing.T) {
		if body := s.Anonymous().Get("/feed.atom").Want(200).Body; strings.Contains(body, "Our club") {
			t.Errorf("the feed is %s", body)
		}
	})
}

func TestTheProjectorCompletesInterruptedRequests(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUpAs("ada", domain.RoleAdministrator)
	id := add(ada, "/about", "footer", "yes")
	list := func() siteinfo.StaticPage {
		t.Helper()
		s.Data.CatchUp()
		pages, err := s.Data.Store.Pages.Get(t.Context())
		s.Data.Must(err)
		page, _ := pages.ByID(id)
		return page
	}
	t.Run("that published a text", func(t *testing.T) {
		_, err := s.Data.Store.Drafts.Publish(t.Context(), domain.SiteUser(), domain.Draft{PostID: id, Title: "About",
			Content: "Text."}, time.Now())
		s.Data.Must(err)
		if page := list(); page.Title != "About" || !page.Published {
			t.Errorf("the list has %+v", page)
		}
	})
	t.Run("that unpublished a text", func(t *testing.T) {
		_, err := s.Data.Store.Drafts.Unpublish(t.Context(), domain.SiteUserID, id)
		s.Data.Must(err)
		if list().Published {
			t.Error("the list says that the page is published")
		}
		if text := s.Data.Post(id); text.Withdrawn {
			t.Error("the text is still marked as withdrawn")
		}
	})
	t.Run("that deleted a text, and deletes its draft", func(t *testing.T) {
		s.Data.Must(s.Data.Store.Posts.Delete(t.Context(), id, domain.SiteUserID))
		if page := list(); page.PostID != "" {
			t.Errorf("the list has %+v", page)
		}
		if _, err := s.Data.Store.Drafts.Get(t.Context(), domain.SiteUserID, id); !domain.Is(err, domain.NotFound) {
			t.Errorf("the draft: %v", err)
		}
	})
}

func TestStaticPagesSurviveTheirAuthors(t *testing.T) {
	s := webtest.NewSite(t)
	ada, eve := s.SignUpAs("ada", domain.RoleAdministrator), s.SignUpAs("eve", domain.RoleAdministrator)
	id := publish(ada, "/about", "About", "Text.", "footer", "yes")
	ada.Post("/drafts/"+id, "title", "About", "content", "Unpublished.", "revision", "1").Want(200)
	ada.Post("/settings/delete", "password", webtest.Password).Want(303)
	s.Anonymous().Get("/about").Want(200).Has(".prose", "Text.").Has(".footer-links a", "About")
	eve.Get("/posts/"+id+"/edit").Want(200).Has("#content", "Unpublished.")
}

func TestPicturesOfStaticPagesBelongToTheSite(t *testing.T) {
	s := webtest.NewSite(t)
	ada, eve := s.SignUpAs("ada", domain.RoleAdministrator), s.SignUpAs("eve", domain.RoleAdministrator)
	id := add(ada, "/about")
	upload := ada.Get("/posts/"+id+"/edit").Want(200).Has("#editor[data-pictures='/images?of=site']", "").
		Page().Find("#editor").AttrOr("data-pictures", "")
	to := ada.Upload(upload, webtest.GreyPNG(t, 4)).Want(303).Header.Get("Location")
	picture := ada.Get(to).Want(200).Has("h1", "Pictures of pages").Page().Find("#added-markdown").AttrOr("value", "")
	path := picture[strings.Index(picture, "(")+1 : len(picture)-1]
	ada.Post("/posts", "post", id, "title", "About", "content", picture, "do", "publish").Want(303)
	t.Run("and are not among those of the administrator", func(t *testing.T) {
		ada.Get("/images").HasNo(".pictures")
		ada.Get("/images?of=site").Has(".pictures a[href='"+path+"']", "")
	})
	t.Run("and only administrators see and add them", func(t *testing.T) {
		bob := s.SignUpAs("bob", domain.RoleModerator)
		bob.Get("/images?of=site").Want(403)
		bob.Upload("/images?of=site", webtest.GreyPNG(t, 5)).Want(403)
		bob.Get(strings.Replace(path, "/media/", "/images/", 1) + "/delete?of=site").Want(403)
		s.Anonymous().Get("/images?of=site").Want(303)
	})
	t.Run("and stay when the account is deleted that uploaded them", func(t *testing.T) {
		ada.Post("/settings/delete", "password", webtest.Password).Want(303)
		s.Data.CatchUp()
		s.Anonymous().Get("/about").Has("main img[src^='/media/']", "")
		s.Anonymous().Get(path).Want(200)
	})
	t.Run("and another administrator describes and deletes them", func(t *testing.T) {
		record := strings.Replace(path, "/media/", "/images/", 1)
		hash, _, _ := strings.Cut(strings.TrimPrefix(path, "/media/"), "-")
		eve.Get("/images?of=site").Has(".pictures form[action='"+record+"?of=site']", "")
		eve.Post(record+"?of=site", "alt", "Our house").WantRedirect(303, "/images?of=site&described=yes#"+hash)
		eve.Get(record+"/delete?of=site").Want(200).Has("form[action='"+record+"/delete?of=site']", "").
			Has("a[href='/images?of=site']", "Keep picture")
		eve.Post(record+"/delete?of=site").WantRedirect(303, "/images?of=site&deleted=yes")
		eve.Get("/images?of=site").HasNo(".pictures")
		s.Anonymous().Get(path).Want(404)
	})
}

func TestAScheduledStaticPage(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUpAs("ada", domain.RoleAdministrator)
	for _, id := range []string{add(ada, "/about"), domain.NewPageID()} { // the second one has no address yet
		at := time.Now().AddDate(0, 0, 1).UTC().Truncate(time.Minute)
		ada.Post("/posts", "post", id, "title", "Opening hours", "content", "Text.", "do", "schedule",
			"publishDate", at.Format("2006-01-02T15:04"), "zone", "UTC").Want(303)
		_, err := s.Data.Store.Drafts.PublishScheduled(t.Context(),
			domain.ScheduledItem{UserID: domain.SiteUserID, PostID: id, At: at})
		s.Data.Must(err)
		s.Data.CatchUp()
		pages, err := s.Data.Store.Pages.Get(t.Context())
		s.Data.Must(err)
		if page, listed := pages.ByID(id); !listed || !page.Published || page.Title != "Opening hours" {
			t.Errorf("the list has %+v", pages)
		} else {
			s.Anonymous().Get(page.Path).Want(200).Has("h1", "Opening hours")
		}
	}
}

func TestAStaticPageIsPublishedWhileTheListOfPagesFails(t *testing.T) {
	publishing := func(ada *webtest.Visitor, id string) *webtest.Response {
		return ada.Post("/posts", "post", id, "title", "About", "content", "Text.", "do", "publish")
	}
	t.Run("and is in the list as soon as the projector catches up", func(t *testing.T) {
		s := webtest.NewSite(t)
		ada := s.SignUpAs("ada", domain.RoleAdministrator)
		id := add(ada, "/about", "footer", "yes")
		s.Data.Fail("Pages.Change")
		publishing(ada, id).WantRedirect(http.StatusSeeOther, "/about")
		s.Anonymous().Get("/about").Want(200).Has(".prose", "Text.")
		s.Data.Recover("Pages.Change")
		s.Data.CatchUp()
		pages, err := s.Data.Store.Pages.Get(t.Context())
		s.Data.Must(err)
		if page, _ := pages.ByID(id); !page.Published || page.Title != "About" {
			t.Errorf("the list has %+v", pages)
		}
	})
	t.Run("and gets its first address when the form is sent again", func(t *testing.T) {
		s := webtest.NewSite(t)
		ada := s.SignUpAs("ada", domain.RoleAdministrator)
		id := domain.NewPageID()
		s.Data.Fail("Pages.Change")
		publishing(ada, id).Want(503).Has("textarea[name='content']", "Text.")
		s.Data.Recover("Pages.Change")
		publishing(ada, id).WantRedirect(http.StatusSeeOther, "/about")
		s.Anonymous().Get("/about").Want(200).Has(".prose", "Text.")
	})
}
