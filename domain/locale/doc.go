// Package locale translates the texts of the interface. The English text is the key of a message: [T] translates it
// into the language of the context, and [M] makes a [Message] that is translated later, such as an error.
//
//	locale.T(ctx, "Log in")
//	locale.T(ctx, "{n} comments", "n", 3)
//
// A text may have slots in braces, whose values follow it in pairs. The slot {n} is a number that chooses the plural
// form. Integers are formatted as the language does. Text after a bar tells equal English texts apart and is not
// shown: "Preview|button". Tags such as <link> mark the parts of a text that a page renders as elements: see
// [Message.Parts].
//
// The catalogues are JSON files in the format of go-i18n: one object, whose keys are the English texts. Its values are
// the translations, or objects with a translation for each plural category of the language.
package locale
