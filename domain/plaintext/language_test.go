package plaintext_test

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"inkfeed/domain/plaintext"
)

var update = flag.Bool("update", false, "write the tables of confusions to docs/architecture.md")

// judgedLanguages have a file of short sentences each in testdata/language, which were written before the code.
var judgedLanguages = []string{"en", "cs", "fr", "tr", "de", "es", "sk", "pl"}

// siteLanguages is the number of judgedLanguages that sites are offered in.
const siteLanguages = 4

// confusions counts, for each judged language, the labels of its sentences. The label "" is that of an unclear text.
type confusions map[string]map[string]int

// judge labels the sentences of one half: the lines with odd numbers, on which the rules were tuned, or those with even
// numbers, which were held back until the end.
func judge(t *testing.T, heldBack bool) (counts confusions, mislabelled, sentences int) {
	t.Helper()
	counts = confusions{}
	for i, language := range judgedLanguages {
		counts[language] = map[string]int{}
		for number, sentence := range judgedLines(t, language+".txt") {
			if number%2 == 1 != heldBack {
				continue
			}
			label := plaintext.LanguageOf(sentence, "")
			counts[language][label]++
			if i < siteLanguages {
				sentences++
			}
			if label != "" && label != language {
				t.Logf("%s sentence labelled %s: %s", language, label, sentence)
				if i < siteLanguages {
					mislabelled++
				}
			}
		}
	}
	return counts, mislabelled, sentences
}

func judgedLines(t *testing.T, name string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "language", name))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

// String returns the counts as a table of Markdown.
func (c confusions) String() string {
	labels := slices.Clone(judgedLanguages)
	for _, counts := range c {
		for label := range counts {
			if label != "" && !slices.Contains(labels, label) {
				labels = append(labels, label)
			}
		}
	}
	slices.Sort(labels[len(judgedLanguages):])
	labels = append(labels, "")

	var b strings.Builder
	b.WriteString("| sentences in |")
	for _, label := range labels {
		fmt.Fprintf(&b, " %s |", cmp.Or(label, "unclear"))
	}
	b.WriteString("\n|" + strings.Repeat(" --- |", 1+len(labels)) + "\n")
	for _, language := range judgedLanguages {
		fmt.Fprintf(&b, "| %s |", language)
		for _, label := range labels {
			fmt.Fprintf(&b, " %s |", strings.TrimPrefix(fmt.Sprint(c[language][label]), "0"))
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestShortFirstPersonPostsInEnglishAreNotCzech(t *testing.T) {
	for _, text := range []string{
		"I baked a sourdough loaf today.",
		"I bought a used bike last week.",
		"I found a great café near Lisbon.",
		"I started a new job yesterday.",
		"I finally ran a half marathon.",
	} {
		if got := plaintext.LanguageOf(text, ""); got != "en" && got != "" {
			t.Errorf("%q is labelled %q", text, got)
		}
	}
}

// maxMislabelled is the share of sentences in the languages of sites that may be given another language, in percent.
const maxMislabelled = 2

func TestShortSentencesAreRarelyGivenAnotherLanguage(t *testing.T) {
	_, tuned, ofTuned := judge(t, false)
	_, heldBack, ofHeldBack := judge(t, true)
	t.Logf("another language: %d of %d sentences, and %d of %d held back", tuned, ofTuned, heldBack, ofHeldBack)
	if (tuned+heldBack)*100 > (ofTuned+ofHeldBack)*maxMislabelled {
		t.Errorf("more than %d %%", maxMislabelled)
	}
}

func TestTheDocumentHasTheTablesOfConfusions(t *testing.T) {
	const document = "../../docs/architecture.md"
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	for heading, heldBack := range map[string]bool{"Half that the rules were tuned on:\n\n": false,
		"Half that was held back until the rules were final:\n\n": true} {
		counts, _, _ := judge(t, heldBack)
		before, rest, found := strings.Cut(string(text), heading)
		table, after, ended := strings.Cut(rest, "\n\n")
		if !found || !ended {
			t.Fatalf("%s has no table after %q", document, heading)
		}
		want := strings.TrimSpace(counts.String())
		if table != want && !*update {
			t.Errorf("%s has another table after %q: run this test with -update", document, heading)
		}
		text = []byte(before + heading + want + "\n\n" + after)
	}
	if *update {
		if err := os.WriteFile(document, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// Words and titles of no language, or of several, must not get one; others may be unclear.
func TestSingleWordsAreNotGivenAnotherLanguage(t *testing.T) {
	for _, line := range judgedLines(t, "words.txt") {
		want, text, _ := strings.Cut(line, "\t")
		if got := plaintext.LanguageOf(text, ""); got != "" && got != want {
			t.Errorf("%q is labelled %q, want %q or none", text, got, want)
		}
	}
}

func TestAnUnclearTextGetsTheOtherLanguageOnlyInItsLetters(t *testing.T) {
	for text, want := range map[string]string{"Docker": "cs", "12 + 34 = 46": "cs", "": "cs", "سلام دنیا": "",
		"Жаба": "", "The fox and the hound are here.": "en", "吾輩は猫である。": "ja"} {
		if got := plaintext.LanguageOf(text, "cs"); got != want {
			t.Errorf("%q is labelled %q, want %q", text, got, want)
		}
	}
}

// A text is recognised by its beginning, so its length does not matter.
func TestOnlyTheBeginningOfALongTextIsRead(t *testing.T) {
	text := strings.Repeat("the fox and the hound ", 200)
	if got := plaintext.LanguageOf(text+strings.Repeat("der Fuchs und der Hund ", 10_000), ""); got != "en" {
		t.Errorf("got %q", got)
	}
	allocated := func(text string) float64 {
		return testing.AllocsPerRun(5, func() { plaintext.LanguageOf(text, "") })
	}
	if short, long := allocated(text), allocated(strings.Repeat(text, 1000)); long > 2*short {
		t.Errorf("%v allocations for %d bytes, %v for a thousand times as many", short, len(text), long)
	}
}
