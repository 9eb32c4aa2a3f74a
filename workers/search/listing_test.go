package search_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"inkfeed/domain"
)

func TestPostsAreListedInTheOrderOfCreation(t *testing.T) {
	w := newWorld(t)
	var all []domain.Post
	for i := range 25 {
		p := post(fmt.Sprint("post ", i), "x")
		if i == 3 {
			p.Edited = p.Created.Add(time.Hour)
		}
		all = append(all, p)
	}
	w.write(slices.Concat(all[10:], all[:10])...)
	var titles []string
	for page := 1; page <= 4; page++ {
		list, err := w.Posts(t.Context(), page, 10)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range list {
			titles = append(titles, l.Post.Title)
			if i := len(titles) - 1; l.Post.PostID != all[i].ID || (i == 3) != l.Changed.After(l.Post.Created) {
				t.Errorf("listing %d: %+v", i, l)
			}
		}
	}
	if len(titles) != 25 || titles[0] != "post 0" || titles[24] != "post 24" {
		t.Errorf("listed %q", titles)
	}
	if n, err := w.CountPosts(t.Context()); n != 25 || err != nil {
		t.Errorf("count %d, %v", n, err)
	}
}
