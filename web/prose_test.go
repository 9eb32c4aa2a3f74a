package web_test

import (
	"strings"
	"testing"
)

func TestProse(t *testing.T) {
	s := newSite(t)
	ada := s.member("ada")
	t.Run("a long text has a table of contents that leads to its headings", func(t *testing.T) {
		p := ada.aPost("Long", "# One\n\n"+strings.Repeat("word ", 1000)+"\n\n## Two\n\n# Three & more\n")
		a := s.stranger().get(p.Path()).want(200).has("details.toc > summary", "Contents")
		a.has(`.toc nav[aria-label="Contents"] > ol > li > a[href="#h-one"]`, "One")
		a.has(`.toc li li a[href="#h-two"]`, "Two").has(`.toc a[href="#h-three-more"]`, "Three & more")
		for _, id := range []string{"h-one", "h-two", "h-three-more"} {
			a.has(`.prose #`+id, "").has(`.prose #`+id+` + a.anchor[href="#`+id+`"][aria-label]`, "#")
		}
	})
	t.Run("a short one has none", func(t *testing.T) {
		s.stranger().get(ada.aPost("Short", "# One\n\n# Two\n\n# Three\n").Path()).want(200).hasNo(".toc")
	})
	t.Run("what is not in English says so", func(t *testing.T) {
		p := ada.aPost("Der Fuchs", "Der schnelle braune Fuchs springt über den faulen Hund und läuft in den Wald.")
		s.stranger().get(p.Path()).want(200).has(`.prose[lang="de"]`, "Fuchs").has(`h1[lang="de"]`, "Fuchs")
		s.stranger().get(ada.aPost("The fox", "The fox jumps over the dog.").Path()).want(200).hasNo("main [lang]")
	})
	t.Run("what may be wider than the page is reached by the keyboard", func(t *testing.T) {
		p := ada.aPost("Wide", "|a|\n|-|\n|b|\n\n```\ncode\n```\n")
		s.stranger().get(p.Path()).want(200).has(`.scroll[tabindex="0"][role="group"][aria-label="Table"] table`, "b").has(`pre[tabindex="0"] code`, "code")
	})
	t.Run("no id that a user writes is one of the page's", func(t *testing.T) {
		p := ada.aPost("Ids", "# main\n\n# comments\n\n# notice\n\n# comment-list\n\nText.[^1]\n\n[^1]: note\n")
		ada.comments(p, "# main\n\nText.[^1]\n\n[^1]: note\n", "# main\n\nText.[^1]\n\n[^1]: note\n")
		seen := map[string]bool{}
		page := ada.get(p.Path()).want(200).page()
		for _, n := range page.Find("[id]").Nodes {
			for _, a := range n.Attr {
				if a.Key == "id" && seen[a.Val] {
					t.Errorf("two of %s", a.Val)
				} else if a.Key == "id" {
					seen[a.Val] = true
				}
			}
		}
		if !seen["h-main"] || !seen["fn-1"] || !seen["main"] {
			t.Errorf("%v", seen)
		}
	})
}
