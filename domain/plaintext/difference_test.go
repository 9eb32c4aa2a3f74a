package plaintext_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/plaintext"
)

const (
	removed = plaintext.Removed
	kept    = plaintext.Kept
	added   = plaintext.Added
)

func TestDifferencesAreWholeWords(t *testing.T) {
	type d = plaintext.Difference
	for name, tt := range map[string]struct {
		before, after string
		want          []d
	}{
		"empty texts": {"", "", nil},
		"nothing":     {"same", "same", []d{{In: kept, Text: "same"}}},
		"a word": {"a good day", "a bad day", []d{{In: kept, Text: "a "}, {In: removed, Text: "good"},
			{In: added, Text: "bad"}, {In: kept, Text: " day"}}},
		"never a part of a word": {"reading", "reader", []d{{In: removed, Text: "reading"},
			{In: added, Text: "reader"}}},
		"an added word":  {"one", "one two", []d{{In: kept, Text: "one"}, {In: added, Text: " two"}}},
		"a removed text": {"gone", "", []d{{In: removed, Text: "gone"}}},
		"a new text":     {"", "new", []d{{In: added, Text: "new"}}},
		"a paragraph": {"One.\n\nTwo.\n\nThree.", "One.\n\nThree.",
			[]d{{In: kept, Text: "One.\n\n"}, {In: removed, Text: "Two.\n\n"}, {In: kept, Text: "Three."}}},
		"Chinese characters": {"吾輩は猫である", "吾輩は犬である", []d{{In: kept, Text: "吾輩は"}, {In: removed, Text: "猫"},
			{In: added, Text: "犬"}, {In: kept, Text: "である"}}},
		"an Arabic word": {"مرحبا بالعالم", "مرحبا بالجميع",
			[]d{{In: kept, Text: "مرحبا "}, {In: removed, Text: "بالعالم"}, {In: added, Text: "بالجميع"}}},
		"an emoji of several code points": {"a 👩‍👩‍👧 b", "a 👨‍👩‍👧 b",
			[]d{{In: kept, Text: "a "}, {In: removed, Text: "👩‍👩‍👧"},
				{In: added, Text: "👨‍👩‍👧"}, {In: kept, Text: " b"}}},
	} {
		if got := plaintext.Differences(tt.before, tt.after); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}

// parts rebuilds both versions from their differences.
func parts(differences []plaintext.Difference) (before, after string) {
	var b, a strings.Builder
	for _, d := range differences {
		if d.In != added {
			b.WriteString(d.Text)
		}
		if d.In != removed {
			a.WriteString(d.Text)
		}
	}
	return b.String(), a.String()
}

func TestLongTextsAreComparedQuickly(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	text := func() string { // more distinct words than there are runes of two bytes
		var b strings.Builder
		for b.Len() < domain.MaxContent {
			b.WriteString(string(rune('a'+random.IntN(26))) + string(rune(0x4E00+random.IntN(20000))) + " " +
				string(rune('a'+random.IntN(26))) + string(rune('a'+random.IntN(26))) +
				string(rune('a'+random.IntN(26))) + string(rune('a'+random.IntN(26))))
		}
		return b.String()
	}
	before, after := text(), text()
	gotBefore, gotAfter := parts(plaintext.Differences(before, after))
	if gotBefore != before || gotAfter != after {
		t.Error("the differences do not rebuild the versions")
	}
}

// Without a limit, comparing such texts takes minutes, because each word occurs everywhere in the other text.
func TestRepetitiveTextsAreComparedQuickly(t *testing.T) {
	for _, unit := range []string{"a ", "a b\n", "a\n", "()))) ", "漢"} {
		text := strings.Repeat(unit, domain.MaxContent/len(unit)/2)
		for _, tt := range [][2]string{{text, "x" + text + "y" + text}, {text + "x" + text, text + text + "y"},
			{text + "z" + text[:len(unit)*100], text + text}} {
			if before, after := parts(plaintext.Differences(tt[0], tt[1])); before != tt[0] || after != tt[1] {
				t.Errorf("%q: the differences do not rebuild the versions", unit)
			}
		}
	}
}

func TestDifferencesOfALongTextAreWholeWords(t *testing.T) {
	synctest.Test(t, differencesOfALongTextAreWholeWords) // the clock stands still, so the time limit is never reached
}

func differencesOfALongTextAreWholeWords(t *testing.T) {
	var text strings.Builder
	for i := 0; text.Len() < domain.MaxContent/2; i++ {
		fmt.Fprintf(&text, "This is line %d of a long text.\n", i)
	}
	before := text.String()
	after := strings.Replace(strings.Replace(before, "line 7 of", "row 7 of", 1), "line 9000 of a", "line 9000 of the",
		1)
	var changed []string
	for _, d := range plaintext.Differences(before, after) {
		if d.In != kept {
			changed = append(changed, d.Text)
		}
	}
	if want := []string{"line", "row", "a", "the"}; !slices.Equal(changed, want) {
		t.Errorf("changed words are %q, want %q", changed, want)
	}
}

func FuzzDifferencesMakeUpBothVersions(f *testing.F) {
	f.Add("a b c", "a c d")
	f.Add("\xff", "\xed\xa0\x80 x")
	f.Add("e\u0301 猫", "e 猫")
	f.Fuzz(func(t *testing.T, before, after string) {
		if b, a := parts(plaintext.Differences(before, after)); b != before || a != after {
			t.Errorf("%q and %q are rebuilt as %q and %q", before, after, b, a)
		}
	})
}

func TestLengthCountsWordsInAnyScript(t *testing.T) {
	for text, want := range map[string]plaintext.Length{
		"":                          {},
		" — … !":                    {},
		"It's 3.5 well-known words": {Words: 5},
		"吾輩は猫である。":                  {Ideographs: 7},
		"Go を書く":                    {Words: 1, Ideographs: 3},
		"サーバー":                      {Ideographs: 4},
		"مرحبا بالعالم":             {Words: 2},
		"안녕 세상":                     {Words: 2},
		"สวัสดีชาวโลก":              {Words: 2},
	} {
		if got := plaintext.LengthOf(text); got != want {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
}

func TestReadingTimeIsAtLeastOneMinute(t *testing.T) {
	for l, want := range map[plaintext.Length]int{
		{}:                              1,
		{Words: 300}:                    1,
		{Words: 2380}:                   10,
		{Ideographs: 4000}:              10,
		{Words: 1190, Ideographs: 2000}: 10,
	} {
		if got := l.Minutes(); got != want {
			t.Errorf("%+v: %d minutes, want %d", l, got, want)
		}
	}
}
