package domain

import (
	"cmp"

	"golang.org/x/text/language"

	"inkfeed/domain/plaintext"
)

// Details are the properties of a post that only pages show: no query asks for them and no count changes
// them. Items store them as one nested object, which one patch operation sets, so a property that is
// added here needs no change of the storage. It must be comparable and have a JSON name.
type Details struct {
	// Language is the language that the author says the post is written in, as a BCP 47 tag. If it is
	// empty, pages detect the language from the text.
	Language string `json:"language,omitempty"`
}

// maxLanguage is the length of the longest language tag, in characters. The longest in use have about 35.
const maxLanguage = 50

// DetailsOf reads details from a form, as typed.
func DetailsOf(form interface{ Get(field string) string }) Details {
	return Details{Language: plaintext.Truncate(plaintext.CleanLine(form.Get("language")), maxLanguage)}
}

// Clean validates and normalises details for publishing. The error names each invalid field.
func (d Details) Clean() (Details, error) {
	if d.Language == "" {
		return d, nil
	}
	if len(d.Language) <= maxLanguage {
		if tag, err := language.Parse(d.Language); err == nil {
			return Details{Language: tag.String()}, nil
		}
	}
	return Details{}, FieldError("language", "Enter a language code, such as en, de or pt-BR.")
}

// Language returns the language of a post as a BCP 47 tag: the one that its author set, otherwise the one
// that its text is in. It is empty if neither is known.
func (s Summary) Language() string { return cmp.Or(s.Details.Language, plaintext.LanguageOf(s.Text)) }
