package structure

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
)

// reviewFile lists the translations that a person has to review, by language: those that were carried over from
// another English text. The program does not read it.
const reviewFile = "domain/locale/review.json"

// catalogue is a catalogue as a file: a text, or an object of plural forms, for each English text.
type catalogue map[string]any

// catalogues is the catalogues of all languages.
type catalogues struct {
	byCode map[string]catalogue // by the code of the language
	review map[string][]string  // English texts whose translation has to be reviewed, by the code of the language
}

// update brings the catalogues up to the texts of the code. A translation of a text that is gone is carried over to the
// new text that replaces it, if there is one, and is to be reviewed. It returns a line for each such translation, and
// for each text without a translation.
func (c catalogues) update(texts map[string]string) (report []string) {
	for _, code := range slices.Sorted(maps.Keys(c.byCode)) {
		translations := c.byCode[code]
		gone, added := without(translations, texts), without(texts, translations)
		replaced := replacements(gone, added)
		for _, text := range added {
			if code == "en" && strings.Contains(text, "{n}") {
				translations[text] = map[string]any{"one": text, "other": text}
			} else if code == "en" {
				translations[text] = text
			} else if former, ok := replaced[text]; ok {
				translations[text] = translations[former]
				c.review[code] = append(c.review[code], text)
				report = append(report, fmt.Sprintf("%s: %q has the translation of %q: review it", code, text, former))
			} else {
				report = append(report, fmt.Sprintf("%s: %q has no translation", code, text))
			}
		}
		for _, text := range gone {
			delete(translations, text)
		}
		slices.Sort(c.review[code])
		c.review[code] = slices.DeleteFunc(c.review[code], func(text string) bool { return translations[text] == nil })
		if len(c.review[code]) == 0 {
			delete(c.review, code)
		}
	}
	return report
}

// without returns the texts of one map that another one lacks, in order.
func without[V, W any](texts map[string]V, other map[string]W) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(texts)), func(text string) bool {
		_, found := other[text]
		return found
	})
}

// replacements returns for new texts the text that each replaces: one with the same slots and tags, at least half of
// whose words are the same. The most similar texts are paired first.
func replacements(gone, added []string) map[string]string {
	type pair struct {
		former, text string
		similarity   float64
	}
	var pairs []pair
	for _, former := range gone {
		for _, text := range added {
			p := pair{former, text, similarity(wordsOf(former), wordsOf(text))}
			if p.similarity >= 0.5 && slices.Equal(placeholders(former), placeholders(text)) {
				pairs = append(pairs, p)
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return cmp.Compare(b.similarity, a.similarity) })
	replaced, used := make(map[string]string), make(map[string]bool)
	for _, p := range pairs {
		if _, found := replaced[p.text]; !found && !used[p.former] {
			replaced[p.text], used[p.former] = p.former, true
		}
	}
	return replaced
}

// similarity returns the Sørensen–Dice coefficient of two lists of words, from 0 to 1.
func similarity(a, b []string) float64 {
	rest := slices.Clone(b)
	for _, word := range a {
		if i := slices.Index(rest, word); i >= 0 {
			rest = slices.Delete(rest, i, i+1)
		}
	}
	return 2 * float64(len(b)-len(rest)) / float64(len(a)+len(b))
}

func wordsOf(text string) []string {
	return strings.FieldsFunc(strings.ToLower(placeholder.ReplaceAllString(text, " ")), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r)
	})
}

// placeholder is a slot, such as {n}, or a tag, such as <link>.
var placeholder, tag = regexp.MustCompile(`\{[^{}]*\}|</?[a-z]+>`), regexp.MustCompile(`</?[a-z]+>`)

func placeholders(text string) []string {
	return slices.Sorted(slices.Values(placeholder.FindAllString(text, -1)))
}

// contextOf matches a text that ends with a bar and a context, which is not shown.
var contextOf = regexp.MustCompile(`^[^|]*[^|\s]\|[^|\s][^|\n]*$`)

const barIsCut = "has a bar that begins no context, and what follows it is not shown: use a slot"

// problemsOf returns what is wrong with the translation of a text.
func problemsOf(code, text string, translation any) (problems []string) {
	forms, plural := translation.(map[string]any)
	switch {
	case strings.Contains(text, "|") && !contextOf.MatchString(text):
		return []string{barIsCut}
	case strings.Contains(text, "{n}") != plural:
		return []string{"has the wrong form: texts with {n}, and only these, have plural forms"}
	case !plural:
		forms = map[string]any{"other": translation}
	default:
		for _, category := range categories(code) {
			if forms[category] == nil {
				problems = append(problems, fmt.Sprintf("lacks the plural form %q", category))
			} else if words := variable(code, forms["other"]); category == "one" && words != "" &&
				forms["one"] == forms["other"] {
				problems = append(problems, fmt.Sprintf(`says "1 %s": change its plural form "one"`, words))
			}
		}
	}
	if code == "en" && !plural {
		return nil
	}
	for category, form := range forms {
		text, form := text, form.(string)
		if category == "one" || category == "zero" || category == "two" { // may be in words
			text, form = strings.ReplaceAll(text, "{n}", ""), strings.ReplaceAll(form, "{n}", "")
		}
		if got, want := placeholders(form), placeholders(text); !slices.Equal(got, want) {
			problems = append(problems, fmt.Sprintf("has %v, but its translation %q has %v", want, form, got))
		}
		if strings.TrimSpace(form) == "" {
			problems = append(problems, "has an empty translation")
		} else if strings.Contains(form, "|") {
			problems = append(problems, fmt.Sprintf("has a context in its translation %q", form))
		}
	}
	return problems
}

// categories returns the plural categories of the whole numbers in a language.
func categories(code string) (found []string) {
	names := []string{plural.Zero: "zero", plural.One: "one", plural.Two: "two", plural.Few: "few", plural.Many: "many",
		plural.Other: "other"}
	numbers := []int{1_000_000}
	for n := range 200 {
		numbers = append(numbers, n)
	}
	for _, n := range numbers {
		name := names[plural.Cardinal.MatchPlural(language.Make(code), n, 0, 0, 0, 0)]
		if !slices.Contains(found, name) {
			found = append(found, name)
		}
	}
	return found
}

// invariable matches the words that are the same after 1 as after other numbers: those between {n} and the next mark.
// In Turkish, all nouns are.
var invariable = map[string]*regexp.Regexp{
	"en": regexp.MustCompile(`^(following|min|min read|more|new|of|series|that a post can have)$`),
	"cs": regexp.MustCompile(`^(hlášení|min|min čtení|seriálu|smazání|z jeho dřívějších adres sem nepřesměrovává)$`),
	"fr": regexp.MustCompile(`^(au maximum|de|de plus|en cours d’importation|flux|fois|min|min de lecture)$`),
	"tr": regexp.MustCompile(``),
}

// afterNumber matches the words between {n} and the next mark.
var afterNumber = regexp.MustCompile(`\{n\}([\pL\pN\pZ’'-]*)`)

// variable returns the words of a plural form that need another form after 1, and "" if there are none.
func variable(code string, form any) string {
	text, _ := form.(string)
	for _, match := range afterNumber.FindAllStringSubmatch(tag.ReplaceAllString(text, ""), -1) {
		words := strings.TrimSpace(match[1])
		if words != "" && (invariable[code] == nil || !invariable[code].MatchString(words)) {
			return words
		}
	}
	return ""
}

const cataloguesFolder = "domain/locale/catalogues"

func readCatalogues(t *testing.T) catalogues {
	t.Helper()
	paths, err := filepath.Glob(cataloguesFolder + "/*.json")
	if err != nil {
		t.Fatal(err)
	}
	all := catalogues{byCode: make(map[string]catalogue)}
	for _, path := range paths {
		var c catalogue
		readJSON(t, path, &c)
		all.byCode[strings.TrimSuffix(filepath.Base(path), ".json")] = c
	}
	readJSON(t, reviewFile, &all.review)
	return all
}

func readJSON(t *testing.T, path string, into any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

func (c catalogues) write(t *testing.T) {
	t.Helper()
	for code, translations := range c.byCode {
		writeJSON(t, filepath.Join(cataloguesFolder, code+".json"), translations)
	}
	writeJSON(t, reviewFile, c.review)
}

func writeJSON(t *testing.T, path string, value any) {
	t.Helper()
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(value); err != nil { // sorts the keys
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}
