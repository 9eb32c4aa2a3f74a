package pages_test

import (
	"testing"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

func TestAStaticPageIsPublishedWithTheEditor(t *testing.T) {
	w, b := webtest.OpenWorld(t)
	w.SetRole(w.Ada, domain.RoleAdministrator)
	id := add(w.Ada, "/rules")
	b.SignInAs(w.Ada)
	b.Resize(1280, 800)
	b.Open("/posts/" + id + "/edit")
	b.Type("#title", "Our rules")
	b.Type("#content", "Be kind.")
	b.Click("#open-publish")
	b.WaitUntil(`document.activeElement.id === 'publish-title'`)
	b.Click("#publish-now")
	b.WaitUntil(`location.pathname === '/rules' && document.querySelector('h1')?.textContent === 'Our rules'`)
}

func TestTheEditorOffersToKeepTheTextOfADeletedPage(t *testing.T) {
	w, b := webtest.OpenWorld(t)
	w.SetRole(w.Ada, domain.RoleAdministrator)
	id := add(w.Ada, "/rules")
	b.SignInAs(w.Ada)
	b.Open("/posts/" + id + "/edit")
	w.Ada.Post("/admin/pages/" + id + "/delete").Want(303)
	b.Type("#title", "Our rules")
	b.Type("#content", "Be kind.")
	b.WaitForText("#saved", "The page was deleted in another tab")
	b.Click("#saved button")
	b.WaitForText(`[role="alert"]`, "was deleted while you were editing it")
	b.WaitUntil(`/^Saved /.test(document.querySelector('#saved').textContent.trim())`)
	w.Ada.Get("/admin/pages").Has("main", "Our rules").HasNo("main a[href='/rules']")
	b.WantQuietConsole("404", "Autofocus")
}
