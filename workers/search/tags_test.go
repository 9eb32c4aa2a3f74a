package search_test

import (
	"fmt"
	"strings"
	"testing"
)

func TestTagSuggestions(t *testing.T) {
	w := newWorld(t)
	w.write(post("a", "x", "Go", "golang"), post("b", "x", "go"), post("c", "x", "Go", "Gardening", "日本語"),
		post("d", "x", "日本", "Größe"))
	list := func(prefix string) string {
		t.Helper()
		uses, err := w.Tags(t.Context(), prefix, 3)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, u := range uses {
			names = append(names, fmt.Sprint(u.Name, " ", u.Posts))
		}
		return strings.Join(names, ", ")
	}
	for prefix, want := range map[string]string{
		"go": "Go 3, golang 1", "G": "Go 3, Gardening 1, golang 1", "#gol": "golang 1",
		"日本": "日本 1, 日本語 1", "zz": "", "%": "Go 3, Gardening 1, golang 1", "größ": "Größe 1",
	} {
		if got := list(prefix); got != want {
			t.Errorf("%q suggests %s, want %s", prefix, got, want)
		}
	}
}
