package markdown_test

import (
	"os"
	"strings"
	"testing"

	"inkfeed/domain/markdown"
)

// mixedTexts have code, addresses and quotations in other languages.
const mixedTexts = "../plaintext/testdata/language/mixed.txt"

func TestCodeAddressesAndQuotationsRarelyChangeTheLanguageOfAText(t *testing.T) {
	text, err := os.ReadFile(mixedTexts)
	if err != nil {
		t.Fatal(err)
	}
	var wrong []string
	for line := range strings.Lines(string(text)) {
		want, text, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if got := markdown.New().Post(strings.ReplaceAll(text, `\n`, "\n")).Language; got != "" && got != want {
			wrong = append(wrong, got+": "+text)
		}
	}
	if len(wrong) > 1 { // a quotation that is longer than the rest
		t.Errorf("%d texts are labelled wrongly:\n%s", len(wrong), strings.Join(wrong, "\n"))
	}
}
