package writing_test

import (
	"testing"

	"inkfeed/domain/locale"
	"inkfeed/web"
	"inkfeed/web/webtest"
)

func TestTheEditorSpeaksTheLanguageOfItsPage(t *testing.T) {
	ctx := webtest.Browser(t)
	s := webtest.NewCachedSite(t, "", func(c *web.Config) {
		c.Languages = locale.NewSet(append([]*locale.Language{locale.English()}, locale.Pseudo()...)...)
	})
	ada := s.SignUp("ada")
	ada.Post("/settings/language", "language", "en-XA").Want(303)
	l, base := webtest.NewUnreliableServer(t, s.Handler)
	b := webtest.NewTab(t, ctx, base)
	b.SignInAs(ada)
	b.Open("/new")
	b.WaitUntil(`document.querySelector('#tags').role === 'combobox'`)
	t.Run("when it counts words, in the plural form of the number", func(t *testing.T) {
		b.WaitForText("#count", "[0 ŵöŕðš]")
		b.Type("#content", "one")
		b.WaitForText("#count", "[[1 ŵöŕð], 1 ɱîñ ŕéåð]")
	})
	t.Run("when it saves", func(t *testing.T) {
		b.WaitForText("#saved", "[Šåṽéð [")
	})
	t.Run("when it publishes", func(t *testing.T) {
		b.Click("#open-publish")
		b.WaitForText("#publish-summary", "[Þûƀļîšĥéš ñöŵ [ƒöŕ éṽéŕýöñé], [ŵîţĥöûţ ţåĝš].]")
		b.Type("#tags", "sea, wind")
		b.WaitForText("#publish-summary", "[Þûƀļîšĥéš ñöŵ [ƒöŕ éṽéŕýöñé], [ŵîţĥ 2 ţåĝš].]")
		b.Click("#close-publish")
	})
	t.Run("when it cannot reach the server", func(t *testing.T) {
		b.WaitForText("#saved", "[Šåṽéð [")
		l.CutOff("/drafts/")
		b.Type("#content", " more")
		b.WaitForText("#saved", "[Ñöţ šåṽéð: çåñ'ţ ŕéåçĥ ţĥé šéŕṽéŕ.] [Ŵé ķéþţ å çöþý îñ ţĥîš ƀŕöŵšéŕ.]")
	})
}
