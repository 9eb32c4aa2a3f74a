package portable

import (
	"bytes"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
)

// ReadText reads a file of at most the given number of bytes, as text in UTF-8 with "\n" at the end of each line: see
// Decode. It records what it had to repair: see ReportRepairs.
func (f *Files) ReadText(name string, most int64) ([]byte, error) {
	body, err := f.Read(name, most)
	if err != nil {
		return nil, err
	}
	text, legacy, replaced := Decode(body, f.Language)
	switch {
	case int64(len(text)) > most:
		return nil, fmt.Errorf("%s: %w", name, ErrTooLarge)
	case legacy != nil:
		f.repairs[name] = NewProblem(name, "its encoding is not UTF-8: it was read as %s", legacy)
	case replaced:
		f.repairs[name] = NewProblem(name, "characters that are not valid UTF-8 were replaced")
	}
	return text, nil
}

// ReportRepairs reports the texts that were not in UTF-8 or had invalid characters. If a file has several posts, it
// names those with replaced characters.
func (b *Blog) ReportRepairs() {
	if b.Files == nil || len(b.Files.repairs) == 0 {
		return
	}
	var replaced []string // posts
	posts := make(map[string]string)
	for _, p := range b.Posts {
		if posts[p.File] = p.Where; p.File == "" && strings.Contains(p.Title+p.Content, "\uFFFD") {
			replaced = append(replaced, p.Where)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(b.Files.repairs)) {
		repair := b.Files.repairs[name]
		if where, ok := posts[name]; ok {
			repair.Where = where
		} else if ending := path.Ext(name); ending == ".json" || ending == ".csv" {
			for _, where := range replaced {
				repair.Where = where
				b.Problems = append(b.Problems, repair)
			}
			if replaced != nil {
				replaced = replaced[:0] // named once
				continue
			}
		}
		b.Problems = append(b.Problems, repair)
	}
}

// Decode returns a text in UTF-8 with "\n" at the end of each line. The body is in the encoding of its byte order mark.
// Without a mark it is in UTF-8 if most of its characters outside of ASCII are, and otherwise in the legacy encoding of
// the language, which Decode returns. Replaced reports that bytes which are not UTF-8 became U+FFFD. Decode takes
// linear time and at most three times the memory of the body, and may write to the body.
func Decode(body []byte, language string) (text []byte, legacy *charmap.Charmap, replaced bool) {
	switch from := markedEncoding(body); {
	case from != nil:
		body, _ = from.NewDecoder().Bytes(body) // these decoders replace what is invalid
	case !utf8.Valid(body) && mostlyLegacy(body):
		legacy = legacyEncoding(language)
		body, _ = legacy.NewDecoder().Bytes(body)
	case !utf8.Valid(body):
		body, replaced = bytes.ToValidUTF8(body, []byte("\uFFFD")), true
	}
	return withNewlines(bytes.TrimLeft(body, "\uFEFF\x00")), legacy, replaced
}

// markedEncoding returns the encoding of a text that begins with a byte order mark, or that shows by its first two
// characters, which are of ASCII, that it is in UTF-16. It returns nil for UTF-8.
func markedEncoding(body []byte) encoding.Encoding {
	begins := func(mark string) bool { return bytes.HasPrefix(body, []byte(mark)) }
	var zeros string // which of the first bytes are zeros
	for _, c := range body[:min(len(body), 4)] {
		zeros += strconv.FormatBool(c == 0)[:1]
	}
	switch {
	case begins("\xff\xfe\x00\x00"): // begins like UTF-16
		return utf32.UTF32(utf32.LittleEndian, utf32.UseBOM)
	case begins("\x00\x00\xfe\xff"):
		return utf32.UTF32(utf32.BigEndian, utf32.UseBOM)
	case begins("\xff\xfe"), zeros == "ftft":
		return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	case begins("\xfe\xff"), zeros == "tftf":
		return unicode.UTF16(unicode.BigEndian, unicode.UseBOM)
	}
	return nil
}

// mostlyLegacy reports whether a text has more bytes that are not UTF-8 than characters of several bytes that are.
func mostlyLegacy(body []byte) bool {
	balance := 0
	for len(body) > 0 {
		r, size := utf8.DecodeRune(body)
		switch {
		case r == utf8.RuneError && size == 1:
			balance++
		case size > 1:
			balance--
		}
		body = body[size:]
	}
	return balance > 0
}

// legacyEncoding returns the encoding in which Windows wrote texts of a language.
func legacyEncoding(language string) *charmap.Charmap {
	switch base, _, _ := strings.Cut(strings.ToLower(strings.ReplaceAll(language, "_", "-")), "-"); base {
	case "cs":
		return charmap.Windows1250
	case "tr":
		return charmap.Windows1254
	}
	return charmap.Windows1252
}

// withNewlines ends lines with "\n" instead of "\r\n" or "\r". It writes to the text.
func withNewlines(text []byte) []byte {
	if bytes.IndexByte(text, '\r') < 0 {
		return text
	}
	kept, afterCR := text[:0], false
	for _, c := range text {
		switch {
		case c == '\r':
			kept = append(kept, '\n')
		case c != '\n' || !afterCR:
			kept = append(kept, c)
		}
		afterCR = c == '\r'
	}
	return kept
}
