package writing_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"inkfeed/web/webtest"
)

func TestTheEditorGetsItsTextsInTheLanguageOfThePage(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	addresses := map[string]bool{}
	for language, want := range map[string]struct{ saving, words string }{
		"en": {"Saving…", `{"one":"{n} word","other":"{n} words"}`},
		"cs": {"Ukládá se…", `{"few":"{n} slova","many":"{n} slov","one":"{n} slovo","other":"{n} slov"}`},
	} {
		t.Run(language, func(t *testing.T) {
			ada.Header.Set("Accept-Language", language)
			src, _ := ada.Get("/new").Page().Find("script[src^='/static/texts/']").Attr("src")
			addresses[src] = true
			got := s.Anonymous().Get(src).Want(http.StatusOK)
			if cached := got.Header.Get("Cache-Control"); !strings.Contains(cached, "immutable") {
				t.Errorf("Cache-Control is %q", cached)
			}
			var texts map[string]json.RawMessage
			s.Data.Must(json.Unmarshal([]byte(strings.TrimPrefix(got.Body, "globalThis.editorTexts = ")), &texts))
			if got := string(texts["saving"]); got != `"`+want.saving+`"` {
				t.Errorf("the text of saving is %s", got)
			}
			if got := string(texts["words"]); got != want.words {
				t.Errorf("the text of words is %s", got)
			}
		})
	}
	if len(addresses) != 2 {
		t.Errorf("the addresses are %v, want one for each language", addresses)
	}
	for _, file := range []string{"en.js", "en.0123456789ab.js", "xx.0123456789ab.js", "en"} {
		s.Anonymous().Get("/static/texts/" + file).Want(http.StatusNotFound)
	}
}

func TestTheHelpShowsEachExampleInEveryLanguage(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	for language, table := range map[string]string{"en": "| tide | metres |\n| --- | ---: |\n| high | 3.2 |",
		"cs": "| příliv | metry |\n| --- | ---: |\n| vysoký | 3,2 |"} {
		t.Run(language, func(t *testing.T) {
			ada.Header.Set("Accept-Language", language)
			shown := false
			ada.Get("/new").Page().Find("#help .markup dd").Each(func(_ int, example *goquery.Selection) {
				if strings.TrimSpace(example.Text()) == "" {
					t.Errorf("there is no example of %q", example.Prev().Text())
				}
				shown = shown || example.Text() == table
			})
			if !shown {
				t.Errorf("the help does not show the table %q", table)
			}
		})
	}
}

func TestTheEditorSaysEachOfItsTexts(t *testing.T) {
	var script strings.Builder
	for _, folder := range []string{"editor", "paste"} {
		parts, err := filepath.Glob("../../static/" + folder + "/*.js")
		if err != nil || len(parts) == 0 {
			t.Fatal(parts, err)
		}
		for _, part := range parts {
			content, err := os.ReadFile(part)
			if err != nil {
				t.Fatal(err)
			}
			script.Write(content)
		}
	}
	s := webtest.NewSite(t)
	src, _ := s.SignUp("ada").Get("/new").Page().Find("script[src^='/static/texts/']").Attr("src")
	var texts map[string]any
	_, encoded, _ := strings.Cut(s.Anonymous().Get(src).Body, " = ")
	s.Data.Must(json.Unmarshal([]byte(encoded), &texts))
	for name := range texts {
		if !strings.Contains(script.String(), `"`+name+`"`) {
			t.Errorf("the script does not say %s", name)
		}
	}
	for _, call := range regexp.MustCompile(`\b(?:say|tell)\("(\w+)"`).FindAllStringSubmatch(script.String(), -1) {
		if texts[call[1]] == nil {
			t.Errorf("there is no text %s", call[1])
		}
	}
}
