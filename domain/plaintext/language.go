package plaintext

import (
	"math/bits"
	"slices"
	"strings"
	"sync"
	"unicode"

	stopwordsiso "github.com/toadharvard/stopwords-iso"
)

// languageSample is the number of bytes of a text from which its language is recognised.
const languageSample = 4000

// A language is clear if it has this many points more than each other one, and this many for each hundred words. The
// points of languages without a list, which borrow words from several, are closer to each other.
const (
	minLead        = 2
	minLeadPercent = 10
)

// LanguageOf returns the language of a text as a BCP 47 tag. If it is not clear, which is common in short texts, it
// returns otherwise, a language with Latin letters, unless the text has others. It is a simple, pure function: it
// recognises scripts that only one language uses by their letters, and other languages by their common words and their
// alphabets.
func LanguageOf(text, otherwise string) string {
	if len(text) > languageSample {
		text = strings.ToValidUTF8(text[:languageSample], "")
	}
	if language, decided := languageOfScript(text); decided {
		return language
	}
	points, words := make([]int, len(alphabets)), 0
	for word := range strings.FieldsFuncSeq(strings.ToLower(text),
		func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }) {
		words++
		common().words[word].score(points, len(word) > len("abcd"))
		common().spelling(word).score(points, true)
	}
	best := slices.Index(points, slices.Max(points))
	lead := points[best] - slices.Max(slices.Concat(points[:best], points[best+1:]))
	switch {
	case lead >= minLead && lead*100 >= words*minLeadPercent:
		return alphabets[best].language
	case strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Cyrillic, r) }):
		return ""
	}
	return otherwise
}

// languageOfScript recognises the language by the script. It decides nothing if most letters are Latin or Cyrillic,
// which many languages share.
func languageOfScript(text string) (language string, decided bool) {
	letters, count := 0, map[string]int{}
	for _, r := range text {
		if unicode.IsLetter(r) {
			letters++
			count[languageOfLetter(r)]++
		}
	}
	most := letters / 2
	switch {
	case count[""] > most || letters == 0:
		return "", false
	case count["ja"] > 0 && count["ja"]+count["zh"] > most && count["ja"]*20 > count["zh"]:
		return "ja", true
	case count["ar"] > most && count[undetermined]*100 >= letters: // Persian, Urdu and others
		return "", true
	}
	for language, n := range count {
		if n > most && language != undetermined {
			return language, true
		}
	}
	return "", true
}

// undetermined is the language of letters that no language has alone.
const undetermined = "und"

var scripts = []struct {
	script   *unicode.RangeTable
	language string // empty: many
}{
	{unicode.Latin, ""}, {unicode.Cyrillic, ""}, {unicode.Han, "zh"}, {unicode.Hiragana, "ja"},
	{unicode.Katakana, "ja"}, {unicode.Hangul, "ko"}, {unicode.Greek, "el"}, {unicode.Thai, "th"},
	{unicode.Hebrew, "he"}, {unicode.Arabic, "ar"},
}

func languageOfLetter(r rune) string {
	for _, s := range scripts {
		if unicode.Is(s.script, r) && !strings.ContainsRune("پچژگکیےڑٹ", r) {
			return s.language
		}
	}
	return undetermined
}

// alphabets holds the languages with Latin and Cyrillic letters that LanguageOf recognises, with their letters beyond
// those of English.
var alphabets = []struct{ language, letters string }{
	{"en", ""}, {"de", "äöüß"}, {"fr", "àâæçéèêëîïôœùûüÿ"}, {"es", "áéíñóúü"}, {"it", "àèéìòù"}, {"nl", "éëïóöü"},
	{"pt", "áâãàçéêíóôõú"}, {"ca", "àçèéíïòóúü"}, {"ro", "ăâîșțşţ"}, {"sv", "åäöé"}, {"da", "æøåé"}, {"nb", "æøåéòô"},
	{"fi", "äöå"}, {"tr", "çğıöşüâîû"}, {"hu", "áéíóöőúüű"}, {"pl", "ąćęłńóśźż"}, {"cs", "áčďéěíňóřšťúůýž"},
	{"sk", "áäčďéíĺľňóôŕšťúýž"}, {"hr", "čćđšž"}, {"sl", "čšž"}, {"ru", "абвгдеёжзийклмнопрстуфхцчшщъыьэюя"},
	{"uk", "абвгґдеєжзиіїйклмнопрстуфхцчшщьюя"}, {"bg", "абвгдежзийклмнопрстуфхцчшщъьюя"},
}

// languageSet has a bit for each of alphabets.
type languageSet uint32

// score gives each language of the set a point. A language that is alone gets another one if the evidence is strong:
// very short words are also abbreviations and parts of names.
func (s languageSet) score(points []int, strong bool) {
	point := 1
	if strong && bits.OnesCount32(uint32(s)) == 1 {
		point = 2
	}
	for ; s != 0; s &= s - 1 {
		points[bits.TrailingZeros32(uint32(s))] += point
	}
}

// clues maps common words, and letters beyond those of English, to their languages.
type clues struct {
	words   map[string]languageSet
	letters map[rune]languageSet
}

// common returns the clues to the languages of alphabets, which takes some milliseconds to read and half a megabyte.
var common = sync.OnceValue(func() clues {
	v := clues{map[string]languageSet{}, map[rune]languageSet{}}
	lists, _ := stopwordsiso.NewStopwordsMapping() // cannot fail: the lists are a part of the program
	lists["nb"] = lists["no"]
	for i, a := range alphabets {
		for _, word := range lists[a.language] {
			v.words[word] |= 1 << i
		}
		for _, letter := range a.letters {
			v.letters[letter] |= 1 << i
		}
	}
	return v
})

// spelling returns the languages that a word's letters beyond those of English belong to. The set is empty if it has
// none, or letters of several languages.
func (v clues) spelling(word string) languageSet {
	set, found := ^languageSet(0), false
	for _, r := range word {
		if r > unicode.MaxASCII {
			set, found = set&v.letters[r], true
		}
	}
	if !found {
		return 0
	}
	return set
}
