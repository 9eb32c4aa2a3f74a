package web_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"inkfeed/domain"
	"inkfeed/domain/markdown"
)

func TestProse(t *testing.T) {
	s := newSite(t)
	ada := s.member("ada")
	t.Run("a long text has a table of contents that leads to its headings", func(t *testing.T) {
		p := ada.aPost("Long", "# One\n\n"+strings.Repeat("word ", 1000)+"\n\n## Two\n\n# Three & more\n")
		a := s.stranger().get(p.Path()).want(200).has("details.toc > summary", "Contents")
		a.has(`.toc nav[aria-label="Contents"] > ol > li > a[href="#one"]`, "One")
		a.has(`.toc li li a[href="#two"]`, "Two").has(`.toc a[href="#three--more"]`, "Three & more")
		for former, id := range map[string]string{"h-one": "one", "h-two": "two", "h-three-more": "three--more"} {
			a.has(`.prose #`+former, "").has(`.prose #`+id+` > #`+former+` + a.anchor[href="#`+id+`"][aria-label]`, "#")
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
	t.Run("previews have no id of a field", func(t *testing.T) {
		a := ada.post("/preview", "title", "A title", "content", "# Title\n\n[up](#title)").want(200)
		a.has(".prose #h-title", "Title").has(`.prose p a[href="#h-title"]`, "up").hasNo(".prose #title")
	})
	t.Run("an old link to the comments reaches them, unless the text has a place of that name", func(t *testing.T) {
		s.stranger().get(ada.aPost("A", "text").Path()).want(200).has("#Page-comments > #comments", "")
		s.stranger().get(ada.aPost("B", "# Comments").Path()).want(200).has(".prose #comments", "Comments").hasNo("#Page-comments > #comments")
	})
	t.Run("no id that a user writes is one of the page's", func(t *testing.T) {
		p := ada.aPost("Ids", "# main\n\n# comments\n\n# notice\n\n# Page-comments\n\nText.[^1]\n\n[^1]: note\n")
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
		if !seen["main"] || !seen["h-main"] || !seen["comments"] || !seen["fn-1"] || !seen["Page-main"] {
			t.Errorf("%v", seen)
		}
	})
}

// A text has no id that begins so, nor one of a comment: see markdown.IsAnchor.
func TestTheIDsOfAPostsPageAreReserved(t *testing.T) {
	literal := regexp.MustCompile(`\sid=(?:"([^"]*)"|\{ ?"([^"]*)")`)
	for _, name := range []string{"author", "comment", "comment_form", "comment_list", "error", "layout", "navigation", "notices",
		"pager", "posts", "text", "comments/comment_edit", "comments/comments", "reading/bookmark", "reading/like", "reading/likes",
		"reading/post", "reading/related"} {
		source, err := os.ReadFile("../views/" + name + ".templ")
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range literal.FindAllStringSubmatch(string(source), -1) {
			id := m[1] + m[2]
			if id != "comments" && markdown.IsAnchor(id) { // that of old links, where it is free
				t.Errorf("%s.templ: a heading can have the id %q", name, id)
			}
		}
	}
	for _, id := range []string{"comment-", "replies-", "answer-", "reply-", "edit-", "why-"} {
		if id += domain.NewID(); markdown.IsAnchor(id) || markdown.IsAnchor(id+"-hint") {
			t.Errorf("a heading can have the id %q", id)
		}
	}
}
