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
	b.WaitUntil(`document.activeElement.id === 'publish-now'`)
	b.Click("#publish-now")
	b.WaitUntil(`location.pathname === '/rules' && document.querySelector('h1')?.textContent === 'Our rules'`)
}
