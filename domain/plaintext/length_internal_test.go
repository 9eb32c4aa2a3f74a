package plaintext

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// wholeLengthOf is LengthOf without its shortcuts.
func wholeLengthOf(text string) Length {
	var l Length
	unspaced := l.add(text)
	l.Words += (unspaced + lettersPerWord - 1) / lettersPerWord
	return l
}

func TestLengthOfCountsWhatUnicodeDividesIntoWords(t *testing.T) {
	pieces := strings.Split("a|b|Z|0|9|_|.|:|'|,|;|-|\"|/|\t|\r| | |\n|é|e\u0301|\u0301|\u200d|\u00a0|·|’|ℹ|①|"+
		"漢|か|カ|ส|א|״|ب|🇨|🇿|👩|x1|3.14", "|")
	random := rand.New(rand.NewPCG(1, 2))
	for range 200_000 {
		var b strings.Builder
		for range 1 + random.IntN(9) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		text := b.String()
		if got, want := LengthOf(text), wholeLengthOf(text); got != want {
			t.Fatalf("the length of %q is %+v, want %+v", text, got, want)
		}
	}
}

func BenchmarkLengthOf(b *testing.B) {
	text := strings.Repeat("It isn't the first text that says 3.14 – or “a little more” – about it.\n", 100)
	b.ReportAllocs()
	for b.Loop() {
		LengthOf(text)
	}
}

func BenchmarkWholeLengthOf(b *testing.B) {
	text := strings.Repeat("It isn't the first text that says 3.14 – or “a little more” – about it.\n", 100)
	for b.Loop() {
		wholeLengthOf(text)
	}
}
