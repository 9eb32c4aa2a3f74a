package search_test

import (
	"fmt"
	"testing"
	"time"

	"inkfeed/domain"
)

func TestSearchToleratesTypingErrors(t *testing.T) {
	w := newWorld(t)
	w.write(post("Sourdough", "Bread and butter from Paris."),
		post("Chats", "Les élèves mangent une crêpe à Besançon."),
		post("Kočka", "Žluťoučký kůň úpěl ďábelské ódy."), post("İstanbul", "Kırmızı çiçekler gökyüzünde."),
		by("lovelace", "Ada Lovelace", "Engines"), post("北京大学", "学生"))
	for range 20 {
		w.write(post("Mail", "They receive letters; a gull receives none."))
	}
	for query, want := range map[string]string{
		"sourdogh":         "Sourdough", // a missing letter
		"sourdoughh":       "Sourdough", // an added one
		"suordough":        "Sourdough", // two that are swapped
		"sourdoggh":        "Sourdough", // a wrong one
		"sordogh":          "",          // two errors in a word of seven letters
		"soudogh bread":    "",
		"sourdogh buter":   "Sourdough butter", // in two words
		`"bread" sourdogh`: `"bread" Sourdough`,
		"sourdogh -bread":  "", // the right word would find nothing
		"eleves besancn":   "eleves Besançon",
		"crêppe":           "crêpe",
		"kočkka":           "Kočka",
		"zlutoucky kůň":    "", // accents are no errors
		"žluťučký":         "Žluťoučký",
		"kirmzı":           "Kırmızı",
		"ISTANBL":          "İstanbul",
		"cicekleer":        "çiçekler",
		"lovelcae":         "lovelace", // an author
		"brd":              "",         // too short
		"b2ead":            "",         // a number is no word
		"大京":               "",
		"@lovelcae":        "@lovelace",
		"author:lovelcae":  "author:lovelace",
	} {
		t.Run(query+" finds "+want, func(t *testing.T) {
			found := w.search(query)
			if found.Suggestion != want || found.Corrected != (want != "") || found.Corrected != (found.Total > 0) &&
				want != "" {
				t.Errorf("%d results, corrected %v, for %q", found.Total, found.Corrected, found.Suggestion)
			}
		})
	}
	t.Run("a word that posts have is only questioned", func(t *testing.T) {
		w.write(post("A slip", "I recieve letters."), post("Birds", "Many gulls"))
		found := w.search("recieve letters")
		if found.Suggestion != "receive letters" || found.Corrected || found.Total != 1 {
			t.Errorf("%d results, corrected %v, suggestion %q", found.Total, found.Corrected, found.Suggestion)
		}
		if found := w.search("gulls"); found.Suggestion != "" {
			t.Errorf("a plural is taken for an error: %q", found.Suggestion)
		}
	})
	t.Run("words of deleted posts are never suggested", func(t *testing.T) {
		secret := post("Secret", "Clandestine")
		w.write(secret)
		secret.Deleted, secret.Version = time.Now(), 2
		w.write(secret)
		if found := w.search("clandestin"); found.Suggestion != "" {
			t.Errorf("suggested %q", found.Suggestion)
		}
	})
	t.Run("of equally near words, the one in the most posts", func(t *testing.T) {
		for i := range 3 {
			w.write(post(fmt.Sprint("House ", i), "mouse"), post("Once", "moose"), domain.Post(post("Twice", "mouse")))
		}
		if found := w.search("moise"); found.Suggestion != "mouse" {
			t.Errorf("suggested %q", found.Suggestion)
		}
	})
}
