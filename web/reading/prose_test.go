package reading_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"inkfeed/domain"
	"inkfeed/domain/markdown"
	"inkfeed/web/webtest"
)

func TestTextsOfPosts(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	t.Run("have a table of contents if they are long", func(t *testing.T) {
		p := ada.CreatePost("Long", "# One\n\n"+strings.Repeat("word ", 1000)+"\n\n## Two\n\n# Three & more\n")
		a := s.Anonymous().Get(p.Path()).Want(200).Has("details.toc > summary", "Contents")
		a.Has(`.toc nav[aria-label="Contents"] > ol > li > a[href="#one"]`, "One")
		a.Has(`.toc li li a[href="#two"]`, "Two").Has(`.toc a[href="#three--more"]`, "Three & more")
		for former, id := range map[string]string{"h-one": "one", "h-two": "two", "h-three-more": "three--more"} {
			a.Has(`.prose #`+former, "").Has(`.prose #`+id+` > #`+former+` + a.anchor[href="#`+id+`"][aria-label]`, "#")
		}
	})
	t.Run("have no table of contents if they are short", func(t *testing.T) {
		s.Anonymous().Get(ada.CreatePost("Short", "# One\n\n# Two\n\n# Three\n").Path()).Want(200).HasNo(".toc")
	})
	t.Run("declare their language if it is not English", func(t *testing.T) {
		p := ada.CreatePost("Der Fuchs",
			"Der schnelle braune Fuchs springt über den faulen Hund und läuft in den Wald.")
		s.Anonymous().Get(p.Path()).Want(200).Has(`.prose[lang="de"]`, "Fuchs").Has(`h1[lang="de"]`, "Fuchs")
		s.Anonymous().Get(ada.CreatePost("The fox", "The fox jumps over the dog.").Path()).Want(200).
			HasNo("main [lang]")
	})
	t.Run("let the keyboard reach content that may be wider than the page", func(t *testing.T) {
		p := ada.CreatePost("Wide", "|a|\n|-|\n|b|\n\n```\ncode\n```\n")
		s.Anonymous().Get(p.Path()).Want(200).Has(`.scroll[tabindex="0"][role="group"][aria-label="Table"] table`, "b").
			Has(`pre[tabindex="0"] code`, "code")
	})
	t.Run("have no ids of form fields in previews", func(t *testing.T) {
		a := ada.Post("/preview", "title", "A title", "content", "# Title\n\n[up](#title)").Want(200)
		a.Has(".prose #h-title", "Title").Has(`.prose p a[href="#h-title"]`, "up").HasNo(".prose #title")
	})
	t.Run("keep old links to the comments working, unless a heading has that id", func(t *testing.T) {
		s.Anonymous().Get(ada.CreatePost("A", "text").Path()).Want(200).Has("#Page-comments > #comments", "")
		s.Anonymous().Get(ada.CreatePost("B", "# Comments").Path()).Want(200).Has(".prose #comments", "Comments").
			HasNo("#Page-comments > #comments")
	})
	t.Run("never repeat an id of the page", func(t *testing.T) {
		p := ada.CreatePost("Ids", "# main\n\n# comments\n\n# notice\n\n# Page-comments\n\nText.[^1]\n\n[^1]: note\n")
		ada.CreateComments(p, "# main\n\nText.[^1]\n\n[^1]: note\n", "# main\n\nText.[^1]\n\n[^1]: note\n")
		seen := map[string]bool{}
		page := ada.Get(p.Path()).Want(200).Page()
		for _, n := range page.Find("[id]").Nodes {
			for _, a := range n.Attr {
				if a.Key == "id" && seen[a.Val] {
					t.Errorf("the id %s occurs twice", a.Val)
				} else if a.Key == "id" {
					seen[a.Val] = true
				}
			}
		}
		if !seen["main"] || !seen["h-main"] || !seen["comments"] || !seen["fn-1"] || !seen["Page-main"] {
			t.Errorf("the ids are %v", seen)
		}
	})
}

// No heading has an id with the page's prefix or the id of a comment, see markdown.IsAnchor.
func TestIDsOfThePageOfAPostAreReserved(t *testing.T) {
	literal := regexp.MustCompile(`\sid=(?:"([^"]*)"|\{ ?"([^"]*)")`)
	for _, name := range []string{
		"author", "comment", "comment_form", "comment_list", "error", "layout", "navigation", "notices", "follow",
		"posts", "text", "comments/comment_edit", "comments/comments", "reading/bookmark", "reading/like",
		"reading/likes", "reading/post", "reading/related",
	} {
		source, err := os.ReadFile("../../views/" + name + ".templ")
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range literal.FindAllStringSubmatch(string(source), -1) {
			id := m[1] + m[2]
			if id != "comments" && markdown.IsAnchor(id) { // old links use it where no heading has it
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
