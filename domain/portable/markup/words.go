package markup

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"golang.org/x/net/html"

	"inkfeed/domain/markdown"
)

// Control characters in a text while the converter works on it. They are removed from the words of a text first.
const (
	wordMark  = "\x07" // before a character of a word that Markdown may read as a mark; also that of the converter
	opens     = "\x01" // before a mark of emphasis that opens
	closes    = "\x02" // before a mark of emphasis that closes
	glued     = "\x03" // at the end of a text that an element follows directly
	less      = "\x0e" // "<" in a formula or around an address, where it needs no escape
	greater   = "\x0f" // ">" likewise
	wordMarks = wordMark + opens + closes + glued + less + greater
)

var (
	withoutWordMarks = strings.NewReplacer(wordMark, "", opens, "", closes, "", glued, "", less, "", greater, "")
	asConverted      = strings.NewReplacer("<", "&lt;", ">", "&gt;", wordMark+"]", `\]`)
	inFormula        = strings.NewReplacer("<", less, ">", greater, "|", wordMark+"|")
)

// readAsMarks are the characters that Markdown may read as marks. A semicolon ends a character reference.
const readAsMarks = "\\`*_~^[]!<>&#$-+=:.)|;"

// addressForm matches an address up to a space, or to punctuation that is not ASCII.
const addressForm = `(?i:https?://|www\.)[^\s\p{Z}<>。、，．：；！？（）「」『』【】《》…“”„‘’«»` + wordMarks + `]+`

// special matches the beginning of a formula, or an address.
var special = regexp.MustCompile(`\$|` + addressForm)

// Words returns words as Markdown that shows them as they are, in one line.
func Words(text string) string {
	marked := markWords(strings.Join(strings.Fields(withoutWordMarks.Replace(text)), " "), true)
	return written(asConverted.Replace(marked))
}

// markWords marks the characters of a text that Markdown may read as marks, but not those in formulas and addresses,
// because Markdown has no escapes there. Addresses within the text of a link are no links.
func markWords(text string, linked bool) string {
	if !strings.ContainsAny(text, readAsMarks+glued) {
		return text
	}
	var b strings.Builder
	end := 0
	for end < len(text) {
		m := special.FindStringIndex(text[end:])
		if m == nil {
			break
		}
		start := end + m[0]
		writeMarked(&b, text[end:start])
		end += m[1]
		next := text[end:]
		if text[start] == '$' {
			// The converter escapes brackets in descriptions, also those of formulas.
			if kept, to := formula(text, start); to > 0 && !(linked && strings.ContainsAny(kept, "[]")) {
				b.WriteString(inFormula.Replace(kept))
				end = to
				continue
			}
		} else if end = start + address(text[start:end]); !linked {
			before, _ := utf8.DecodeLastRuneInString(text[:start])
			// A bracket, which is a character reference in Markdown, would count as part of the address.
			ends := strings.HasPrefix(text[end:], glued) || next != "" && (next[0] == '<' || next[0] == '>')
			if kept := bracketed(text[start:end], ends); !isWord(before) && kept != "" {
				b.WriteString(kept)
				continue
			}
		}
		writeMarked(&b, text[start:end])
	}
	writeMarked(&b, text[end:])
	return b.String()
}

func writeMarked(b *strings.Builder, text string) {
	for i := range len(text) {
		if strings.IndexByte(readAsMarks, text[i]) >= 0 && !strings.HasSuffix(text[:i+1], "[^") {
			b.WriteString(wordMark)
		}
		if text[i] != glued[0] {
			b.WriteByte(text[i])
		}
	}
}

// jetpackFormula matches what Jetpack has between dollar signs: a formula and its looks.
var jetpackFormula = regexp.MustCompile(`^latex[= ]\s*([^$]*?)\s*(?:&[a-z]+=[^&$]*)*$`)

// formula returns the formula that begins with the dollar sign at a position of a text, and its end; 0 if there is
// none. Words between dollar signs that are no formula, such as names of variables, stay words.
func formula(text string, at int) (kept string, end int) {
	rest := text[at:min(len(text), at+markdown.MaxFormula)]
	if i := strings.IndexByte(rest[1:], '$'); i > 0 {
		if m := jetpackFormula.FindStringSubmatch(rest[1 : i+1]); m != nil {
			before, _ := utf8.DecodeLastRuneInString(text[:at])
			after, _ := utf8.DecodeRuneInString(text[at+i+2:])
			kept = "$" + m[1] + "$"
			if markdown.FormulaEnd(string(before)+kept+string(after), len(string(before))) > 0 {
				return kept, at + i + 2
			}
		}
	}
	if end = markdown.FormulaEnd(text, at); end == 0 {
		return "", 0
	}
	kept = text[at:end]
	if inner := strings.Trim(kept, "$"); len(kept)-len(inner) < 4 && !strings.ContainsAny(inner, `\^_{=<>+`) &&
		(len(inner) > 4 || strings.Contains(inner, " ")) {
		return "", 0
	}
	return kept, end
}

// address returns the length of an address at the beginning of a text, without the punctuation that follows it.
func address(text string) int {
	end, open := len(text), strings.Count(text, "(")-strings.Count(text, ")")
	for ; end > 0; end-- {
		switch text[end-1] {
		case '.', ',', ';', ':', '!', '?', '\'', '"', '*', '_', '~', ']', '}', '$':
		case ')':
			if open >= 0 {
				return end
			}
			open++
		default:
			return end
		}
	}
	return end
}

// bracketed returns a link to an address in which Markdown would read some characters as marks, or which would go on
// with the marks after it, and otherwise "".
func bracketed(address string, ends bool) string {
	var b strings.Builder
	writeMarked(&b, address)
	switch marked := b.String(); {
	case !ends && written(marked) == address, strings.ContainsAny(address, `|\`):
		return ""
	case address[0]|0x20 == 'h':
		return less + address + greater
	default:
		return "[" + strings.ReplaceAll(marked, wordMark+"]", `\]`) + "](" + less + "http://" + address + greater + ")"
	}
}

// emphasis renders the content of an element between marks of emphasis, on each line.
func emphasis(mark string) converter.HandleRenderFunc {
	return func(ctx converter.Context, w converter.Writer, n *html.Node) converter.RenderStatus {
		var content strings.Builder
		ctx.RenderChildNodes(ctx, &content, n)
		for i, line := range strings.Split(content.String(), "\n") {
			if i > 0 {
				_ = w.WriteByte('\n')
			}
			words := strings.TrimSpace(line)
			before, after, _ := strings.Cut(line, words)
			if words != "" {
				words = opens + mark + words + closes + mark
			}
			_, _ = w.WriteString(before + words + after)
		}
		return converter.RenderSuccess
	}
}
