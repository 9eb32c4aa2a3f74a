package picture_test

import (
	"bytes"
	"image/png"
	"os"
	"strings"
	"testing"

	"inkfeed/domain"
	"inkfeed/domain/picture"
	"inkfeed/domain/siteinfo"
)

func cardOf(title string) picture.Card {
	return picture.NewCard(domain.Post{Title: title, AuthorName: "ada", AuthorDisplayName: "Ada Lovelace",
		Status: domain.Published}, siteinfo.Info{Name: "The Harbour"})
}

func TestCardOfAPost(t *testing.T) {
	t.Run("has the title, the author and the site", func(t *testing.T) {
		if c := cardOf("Žluťoučký kůň, ğüş, ελληνικά и море"); c.Title != "Žluťoučký kůň, ğüş, ελληνικά и море" ||
			c.Author != "Ada Lovelace" || c.Site != "The Harbour" || c.Accent != "#1b4b86" {
			t.Errorf("it is %+v", c)
		}
	})
	t.Run("leaves out emoji", func(t *testing.T) {
		if c := cardOf("By the sea 🌊 👩🏽‍🚀️ again"); c.Title != "By the sea again" {
			t.Errorf("it is %+v", c)
		}
	})
	t.Run("is the site's if the typeface lacks its characters", func(t *testing.T) {
		for _, title := range []string{"مدونة", "海辺で", "שלום", "สวัสดี", "The 海"} {
			if c := cardOf(title); c.Title+c.Author != "" || c.Site != "The Harbour" {
				t.Errorf("%s: it is %+v", title, c)
			}
		}
	})
	t.Run("is none if the site's name cannot be written either, and for posts in no list", func(t *testing.T) {
		for _, p := range []domain.Post{{Title: "海", Status: domain.Published}, {Title: "A", Status: domain.Unlisted},
			{Title: "A", Status: domain.Unpublished},
			{Title: "A", Status: domain.Published, Held: domain.HeldForReview},
			{Title: "A", Status: domain.Published, AuthorSuspended: true}} {
			if c := picture.NewCard(p, siteinfo.Info{Name: "港"}); c != (picture.Card{}) {
				t.Errorf("%+v has the card %+v", p, c)
			}
		}
	})
	t.Run("has the accent of the site, and another hash for each content", func(t *testing.T) {
		c := picture.NewCard(domain.Post{Title: "A", AuthorName: "ada", Status: domain.Published},
			siteinfo.Info{Accent: "#ffcc00"})
		if c.Accent == "#1b4b86" || c.Accent == "#ffcc00" || c.Author != "@ada" { // made darker, to be read on paper
			t.Errorf("it is %+v", c)
		}
		other := c
		if other.Accent = "#1b4b86"; other.Hash() == c.Hash() || c.Hash() == "" {
			t.Errorf("the hash is %s", c.Hash())
		}
	})
}

func TestDrawnCards(t *testing.T) {
	word := strings.Repeat("w", 140)
	for name, c := range map[string]picture.Card{
		"a usual title":        cardOf("A walk along the coast in autumn"),
		"a long word":          cardOf(word),
		"the longest title":    cardOf(strings.Repeat("Wanderings ", domain.MaxTitle/11)),
		"one letter":           cardOf("A"),
		"the site's name only": cardOf("海辺で"),
		"long names":           {Title: "A", Author: word, Site: word, Accent: "#1b4b86"},
		"no name of the site":  {Title: "A", Author: "Ada", Accent: "#1b4b86"},
	} {
		t.Run(name, func(t *testing.T) {
			drawn, err := picture.DrawCard(c)
			if err != nil {
				t.Fatal(err)
			}
			img, err := png.Decode(bytes.NewReader(drawn))
			if err != nil || img.Bounds().Dx() != domain.CardWidth || img.Bounds().Dy() != domain.CardHeight ||
				len(drawn) > 150<<10 {
				t.Fatalf("%d bytes, %v", len(drawn), err)
			}
			background := img.At(5, 300)
			for y := 300; y < domain.CardHeight; y++ { // nothing is cut off at the edges
				for _, x := range []int{40, domain.CardWidth - 40} {
					if img.At(x, y) != background {
						t.Fatalf("something is drawn at %d, %d", x, y)
					}
				}
			}
			if to := os.Getenv("CARDS"); to != "" {
				_ = os.WriteFile(to+"/"+strings.ReplaceAll(name, " ", "-")+".png", drawn, 0o600)
			}
		})
	}
	if _, err := picture.DrawCard(picture.Card{}); err == nil {
		t.Error("a card without texts is drawn")
	}
}

func BenchmarkDrawCard(b *testing.B) {
	c := cardOf(strings.Repeat("Wanderings ", domain.MaxTitle/11))
	for b.Loop() {
		if _, err := picture.DrawCard(c); err != nil {
			b.Fatal(err)
		}
	}
}
