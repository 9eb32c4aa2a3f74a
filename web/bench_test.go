package web_test

import (
	"context"
	"fmt"
	"io"
	"testing"

	"inkfeed/domain"
)

// fixedFeed answers at once, so that a benchmark sees the page only.
type fixedFeed domain.Page[domain.Summary]

func (f fixedFeed) FrontPage(context.Context, int) (domain.Page[domain.Summary], error) {
	return domain.Page[domain.Summary](f), nil
}

func BenchmarkHome(b *testing.B) {
	s := newSite(b)
	ada := s.member("ada")
	for i := range domain.PostsPerPage + 1 {
		ada.aPost(fmt.Sprintf("Post %d", i), "Some text, *not* much of it.")
	}
	s.data.catchUp()
	posts, err := s.data.store.Feed.FrontPage(b.Context(), 1)
	if err != nil {
		b.Fatal(err)
	}
	c := config(s.data, io.Discard, keyOne)
	c.Feed = fixedFeed(posts)
	s.restart(c)
	for name, v := range map[string]*visitor{"stranger": s.stranger(), "member": ada} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				v.get("/").want(200)
			}
		})
	}
}

func BenchmarkPost(b *testing.B) {
	s := newSite(b)
	ada := s.member("ada")
	p := ada.aPost("A title", "# Heading\n\nSome *text*, [a link](https://example.org) and `code`.\n")
	ada.comments(p, many(domain.CommentsPerPage)...)
	b.ReportAllocs()
	for b.Loop() {
		ada.get(p.Path()).want(200)
	}
}
