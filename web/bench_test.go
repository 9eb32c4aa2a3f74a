package web_test

import (
	"context"
	"fmt"
	"io"
	"testing"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

// fixedFeed returns a fixed front page at once, so that a benchmark measures the page only.
type fixedFeed domain.ListPage[domain.Summary]

func (f fixedFeed) FrontPage(context.Context, int) (domain.ListPage[domain.Summary], error) {
	return domain.ListPage[domain.Summary](f), nil
}

func BenchmarkHome(b *testing.B) {
	s := webtest.NewSite(b)
	ada := s.SignUp("ada")
	for i := range domain.PostsPerPage + 1 {
		ada.CreatePost(fmt.Sprintf("Post %d", i), "Some text, *not* much of it.")
	}
	s.Data.CatchUp()
	posts, err := s.Data.Store.Feed.FrontPage(b.Context(), 1)
	if err != nil {
		b.Fatal(err)
	}
	c := webtest.Config(s.Data, io.Discard, webtest.KeyOne)
	c.Feed = fixedFeed(posts)
	s.Restart(c)
	for name, v := range map[string]*webtest.Visitor{"stranger": s.Anonymous(), "member": ada} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				v.Get("/").Want(200)
			}
		})
	}
}

func BenchmarkPost(b *testing.B) {
	s := webtest.NewSite(b)
	ada := s.SignUp("ada")
	p := ada.CreatePost("A title", "# Heading\n\nSome *text*, [a link](https://example.org) and `code`.\n")
	ada.CreateComments(p, webtest.CommentTexts(domain.CommentsPerPage)...)
	b.ReportAllocs()
	for b.Loop() {
		ada.Get(p.Path()).Want(200)
	}
}
