package plaintext

import (
	"strings"
	"unicode"
)

// languageSample is the number of bytes of a text from which its language is recognised.
const languageSample = 20_000

// minSharePercent is the minimum share of a language's commonest words among all words of a text in it. In prose the
// share is 20 % and more.
const minSharePercent = 8

// LanguageOf returns the language of a text as a BCP 47 tag, or "" if it is not clear. It is a simple, pure function:
// it recognises scripts that only one language uses by their letters, and other languages by their commonest words.
func LanguageOf(text string) string {
	if len(text) > languageSample {
		text = strings.ToValidUTF8(text[:languageSample], "")
	}
	if language, decided := languageOfScript(text); decided {
		return language
	}
	hits, words := map[string]int{}, 0
	for word := range strings.FieldsFuncSeq(strings.ToLower(text),
		func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }) {
		words++
		for _, language := range languagesOf[word] {
			hits[language]++
		}
	}
	best, most, second := "", 0, 0
	// the order does not matter: if two languages have the same number, neither is chosen
	for language, n := range hits {
		if n > most {
			best, most, second = language, n, most
		} else {
			second = max(second, n)
		}
	}
	if most < 2 || most == second || most*100 < words*minSharePercent {
		return ""
	}
	return best
}

// languageOfScript recognises the language by the script. It decides nothing if most letters are Latin or Cyrillic,
// which many languages share.
func languageOfScript(text string) (language string, decided bool) {
	var shared, han, kana, hangul, greek, thai, hebrew, arabic, other int
	for _, r := range text {
		switch {
		case r < 'A' || !unicode.IsLetter(r):
		case r <= unicode.MaxASCII, unicode.In(r, unicode.Latin, unicode.Cyrillic):
			shared++
		case unicode.Is(unicode.Han, r):
			han++
		case unicode.In(r, unicode.Hiragana, unicode.Katakana):
			kana++
		case unicode.Is(unicode.Hangul, r):
			hangul++
		case unicode.Is(unicode.Greek, r):
			greek++
		case unicode.Is(unicode.Thai, r):
			thai++
		case unicode.Is(unicode.Hebrew, r):
			hebrew++
		case strings.ContainsRune("پچژگکیےڑٹ", r): // Persian, Urdu and others
			other++
		case unicode.Is(unicode.Arabic, r):
			arabic++
		default:
			other++
		}
	}
	letters := shared + han + kana + hangul + greek + thai + hebrew + arabic + other
	switch most := letters / 2; {
	case shared > most || letters == 0:
		return "", false
	case kana > 0 && (han+kana) > most && kana*20 > han:
		return "ja", true
	case han > most:
		return "zh", true
	case hangul > most:
		return "ko", true
	case greek > most:
		return "el", true
	case thai > most:
		return "th", true
	case hebrew > most:
		return "he", true
	case arabic > most && other*100 < letters:
		return "ar", true
	}
	return "", true
}

// commonWords holds the commonest words of each language, without words that names or quotations bring into texts of
// other languages.
var commonWords = map[string]string{
	"en": "the and of to is that it was with for you this are not have but he his they at from be we as an or by " +
		"what in",
	"de": "der die das und ist nicht ein eine zu den mit auf sich für von dem es ich auch er sie wie im in aber " +
		"einen hat",
	"fr": "le la les et est des une un du dans que qui pas pour sur ce au plus avec il elle je nous vous sont en de a",
	"es": "el la los las y es que en de un una por con no para se del su más pero como lo al fue",
	"it": "il la di che e è un una per non sono del con gli della nel anche più ma si le in lo ho",
	"pt": "o a os as de que e é um uma para com não do da em no na por mais se foi ao",
	"nl": "de het een en van is niet dat op te zijn met voor er aan ook maar ik je was in hij die",
	"sv": "och att det som en är på för av med inte den till ett har om jag så i de",
	"da": "og at det er en af på til med for ikke den der et har jeg som i de var",
	"nb": "og at det er en av på til med for ikke den som et har jeg i de var fra",
	"pl": "i w nie na się że do to jest z jak co po ale o tak za od ja",
	"cs": "a je se v na že to s z do jsem ale jako jsou by pro byl tak i",
	"fi": "ja on ei se että oli hän en mutta kun niin ovat myös kuin mitä ole",
	"tr": "ve bir bu için ile de da çok ne ama gibi daha o var mi",
	"hu": "a az és hogy nem is egy ez van de meg volt csak már mint ha",
	"ru": "и в не на что я с он как это по но а к из у так же был",
	"uk": "і в не на що я з він як це та але у до за й від був",
}

// languagesOf maps each common word to its languages.
var languagesOf = func() map[string][]string {
	languages := map[string][]string{}
	for language, words := range commonWords {
		for word := range strings.FieldsSeq(words) {
			languages[word] = append(languages[word], language)
		}
	}
	return languages
}()
