package search_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
)

// by returns a new post of an author, whose id is made from the username.
func by(name, called, title string) domain.Post {
	p := post(title, "text")
	p.AuthorID, p.AuthorName, p.AuthorDisplayName = "u."+strings.ToLower(name), name, called
	return p
}

// authors fails unless a query lists these authors in this order.
func (w *world) authors(query string, want ...string) {
	w.t.Helper()
	var got []string
	for _, u := range w.search(query).Authors {
		got = append(got, u.Username)
	}
	if !slices.Equal(got, want) {
		w.t.Errorf("%q lists the authors %q, want %q", query, got, want)
	}
}

func TestSearchListsAuthors(t *testing.T) {
	w := newWorld(t)
	ada, adam := by("ada", "Ada King", "On adding"), by("adam", "", "Apples")
	zofie := by("zofie", "Žofie Kočková", "Kočka")
	w.write(ada, adam, by("adam", "", "Pears"), zofie, by("jose", "", "ada"))
	t.Run("by username, by display name and without accents", func(t *testing.T) {
		w.authors("@ada", "ada")
		w.authors("king", "ada")
		w.authors("king ada", "ada")
		w.authors("author:adam", "adam")
		w.authors("kockova", "zofie")
		w.authors("ŽOFIE", "zofie")
	})
	t.Run("by the beginning of a name, if none has the whole word", func(t *testing.T) {
		w.authors("ada", "ada")
		w.authors("adam", "adam")
		w.authors("zof", "zofie")
	})
	t.Run("not for tags, excluded words and words of posts", func(t *testing.T) {
		w.authors("apples")
		w.authors("ada -king")
		w.authors("tag:ada")
		w.authors("ada tag:x")
		w.authors("")
	})
	t.Run("only on the first page", func(t *testing.T) {
		found, err := w.Search(t.Context(), "ada", 2)
		if err != nil || len(found.Authors) > 0 {
			t.Errorf("%v, %v", found.Authors, err)
		}
	})
	t.Run("by their new names", func(t *testing.T) {
		ada.AuthorName, ada.AuthorDisplayName, ada.Version = "countess", "Ada Lovelace", ada.Version+1
		w.write(ada)
		w.authors("king")
		w.authors("lovelace", "countess")
		w.authors("countess", "countess")
	})
	t.Run("not after their last listed post", func(t *testing.T) {
		zofie.Status, zofie.Version = domain.Unlisted, zofie.Version+1
		w.write(zofie)
		w.authors("zofie")
		ada.Deleted, ada.Version = time.Now(), ada.Version+1
		w.write(ada)
		w.authors("lovelace")
		w.authors("adam", "adam")
	})
	t.Run("again with the next one", func(t *testing.T) {
		zofie.Status, zofie.Version = domain.Published, zofie.Version+1
		w.write(zofie)
		w.authors("zofie", "zofie")
	})
	t.Run("not for static pages", func(t *testing.T) {
		page := by("clerk", "", "About")
		page.ID = domain.NewPageID()
		w.write(page)
		page.Version++
		page.Title = "About us"
		w.write(page)
		w.authors("clerk")
		w.finds("about", "About us")
	})
	t.Run("at most five, those with the most posts first", func(t *testing.T) {
		for i := range 8 {
			for range i + 1 {
				w.write(by(fmt.Sprint("smith", i), "", "x"))
			}
		}
		w.authors("smith", "smith7", "smith6", "smith5", "smith4", "smith3")
	})
}
