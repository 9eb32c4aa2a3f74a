package names

import (
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

func TestNamesAreFoldedInAnyScript(t *testing.T) {
	texts := []string{"", "Go", "Straße", "ΣΊΣΥΦΟΣ", "ﬁne", "K", "C++", "Ångström"}
	for c := range 128 {
		texts = append(texts, "a"+string(rune(c))+"Z")
	}
	for _, text := range texts {
		if got, want := Fold(text), cases.Fold().String(norm.NFKC.String(text)); got != want {
			t.Errorf("%q is folded to %q, want %q", text, got, want)
		}
	}
}

func TestSpellingsOfOneTextHaveOneFold(t *testing.T) {
	for _, same := range [][]string{
		{"istanbul", "İstanbul", "İSTANBUL", "ISTANBUL", "ıstanbul", "i\u0307stanbul", "I\u0307stanbul"},
		{"iğdir", "IĞDIR", "ığdır", "Iğdır", "iğdır", "İĞDİR"},
		{"❤", "❤\ufe0f", "❤\ufe0e"},
		{"ᏣᎳᎩ", "ꮳꮃꭹ", "Ꮳꮃꭹ", "ꮳᎳꭹ"},
		{"ᏸ", "Ᏸ"},
		{"go", "go\u3164", "go\u034f"},
		{"がく", "か\u3099く"},
	} {
		for _, text := range same {
			if got, want := Fold(text), Fold(same[0]); got != want {
				t.Errorf("%q (%+q) is folded to %+q, but %q to %+q", text, text, got, same[0], want)
			}
		}
	}
	if Fold("ј") == Fold("j") || Fold("î") == Fold("i") || Fold("й") == Fold("и") {
		t.Error("accents or scripts are folded")
	}
}

// Addresses of earlier releases lead to the new ones because a new key can be made of the former one.
func TestAFormerKeyHasTheNewKey(t *testing.T) {
	for _, name := range []string{"İpek", "IŞIK", "ışık", "Ꮿꮿ", "ꮳᎳꭹ", "Straße", "ΣΊΣΥΦΟΣ", "ﾗｰﾒﾝ", "İi"} {
		if got, want := NameKey(FormerNameKey(name)), NameKey(name); got != want {
			t.Errorf("%s: the former key %q has the key %q, want %q", name, FormerNameKey(name), got, want)
		}
	}
	symbols := func(r rune, _ bool) bool { return r == '.' || unicode.Is(unicode.So, r) }
	for _, tag := range []string{"İstanbul", "ığdır ili", "❤\ufe0f", "ᏣᎳᎩ ꮳꮃꭹ", "to be continued ...", "go\u3164",
		"1\ufe0f\u20e3"} {
		for _, former := range []string{FormerKey(tag, symbols), strings.TrimRight(FormerKey(tag, symbols), ".-")} {
			if got, want := Key(former, symbols), Key(tag, symbols); got != want {
				t.Errorf("%s: the former key %q has the key %q, want %q", tag, former, got, want)
			}
		}
	}
}

func TestFoldingTakesAFewRounds(t *testing.T) {
	text, rounds := "i"+strings.Repeat("\u0307\u034f", 1000), 0
	settled(text, func(s string) string { rounds++; return plain(s) })
	if rounds > 3 || Fold(text) != "i" {
		t.Errorf("%d rounds make %q", rounds, Fold(text))
	}
}
