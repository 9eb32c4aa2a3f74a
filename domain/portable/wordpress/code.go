package wordpress

import (
	"html"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"inkfeed/domain/portable/markup"
)

// heldCode holds the programs of a text in HTML. They are removed before shortcodes, blocks and paragraphs are
// translated, so that each character of them stays.
type heldCode []string

// codeMark surrounds the number of a program at its place in the text.
const codeMark = "\x01"

// hold stores HTML and returns its placeholder.
func (h *heldCode) hold(element string) string {
	*h = append(*h, element)
	return "\n\n" + codeMark + strconv.Itoa(len(*h)-1) + codeMark + "\n\n"
}

var heldMark = regexp.MustCompile(codeMark + `(\d+)` + codeMark)

// restore replaces the placeholders by the programs.
func (h heldCode) restore(source string) string {
	return heldMark.ReplaceAllStringFunc(source, func(mark string) string {
		if n, err := strconv.Atoi(strings.Trim(mark, codeMark)); err == nil && n < len(h) {
			return h[n]
		}
		return mark
	})
}

// codeNames are the shortcodes that contain a program: those of WordPress.com and SyntaxHighlighter, which are also
// names of languages, and those of Crayon, CodeColorer and other plugins.
const codeNames = `code|sourcecode|source|crayon|cc|cc_\w+|codesyntax|geshi|highlight|prism|enlighter|` +
	`as3|actionscript3|bash|shell|sh|coldfusion|cf|clojure|clj|cpp|c|c-sharp|csharp|css|delphi|pascal|diff|patch|` +
	`erlang|erl|fsharp|f#|go|golang|groovy|haskell|html|java|javafx|jfx|javascript|jscript|js|json|latex|tex|lua|` +
	`matlab|objc|obj-c|perl|pl|php|plain|text|powershell|ps|python|py|r|rails|ror|ruby|rb|rust|sass|scala|scss|sql|` +
	`swift|typescript|ts|vbnet|vb|xhtml|xml|xslt|yaml|yml`

// languageAttributes are the attributes that name the language of a program.
const languageAttributes = `lang|language|data-language|data-enlighter-language`

var (
	codeOpening  = regexp.MustCompile(`(?i)<pre\b[^>]*>|\[(` + codeNames + `)((?:[\s=][^\]\n]*)?)\]`)
	codeLanguage = regexp.MustCompile(`(?i)(?:\b(?:` + languageAttributes + `)\s*=\s*["']?|\blanguage-|` +
		`\blang:\s*|\bbrush:\s*|^=\s*["']?)([\w+#-]+)`)
	codeLabel = regexp.MustCompile(`(?i)\b(?:` + languageAttributes + `)\s*=|\blang:|\bbrush:|` +
		`syntaxhighlighter|enlighter|crayon|prettyprint`)
	wholeCode     = regexp.MustCompile(`(?is)^\s*<code\b([^>]*)>(.*)</code>\s*$`)
	codeTag       = regexp.MustCompile(`</?([a-zA-Z][\w:.-]*)|<[?!]`)
	codeBreak     = regexp.MustCompile(`(?i)<br\s*/?>\n?|</?p>`)
	humanLanguage = regexp.MustCompile(`(?i)\blang\s*=\s*["']?` +
		`(?:en|de|fr|es|it|pt|nl|sv|da|fi|no|pl|cs|ja|zh|ko|ru|uk|tr|ar|he)(?:-\w+)?["'\s>]`)
)

// holdCode replaces the programs of a text by placeholders.
func holdCode(source string) (string, heldCode) {
	var held heldCode
	source = strings.ReplaceAll(source, codeMark, "")
	lower := markup.AsciiLower(source)
	var b strings.Builder
	endless := make(map[string]bool) // closing tags that do not occur in the rest of the text
	end := 0
	for at := 0; ; {
		m := codeOpening.FindStringSubmatchIndex(source[at:])
		if m == nil {
			break
		}
		start, inner := at+m[0], at+m[1]
		closing, name, attributes := "</pre>", "", source[start:inner]
		if m[2] >= 0 {
			name, attributes = lower[at+m[2]:at+m[3]], source[at+m[4]:at+m[5]]
			closing = "[/" + name + "]"
		}
		at = inner
		escaped := name != "" && start > 0 && source[start-1] == '[' || strings.HasSuffix(attributes, "/")
		if escaped || endless[closing] {
			continue
		}
		length := strings.Index(lower[inner:], closing)
		if length < 0 {
			endless[closing] = true
			continue
		}
		element := ""
		if content := source[inner : inner+length]; name == "" {
			element = preformattedCode(attributes, content)
		} else {
			element = codeElement(languageOf(name, attributes), typedCode(content))
		}
		at = inner + length + len(closing)
		b.WriteString(source[end:start])
		b.WriteString(held.hold(element))
		end = at
	}
	if held == nil {
		return source, nil
	}
	return b.String() + source[end:], held
}

// preformattedCode returns a <pre> element with its whole content. The element of a program may contain raw HTML, which
// the highlighting plugin escapes.
func preformattedCode(attributes, content string) string {
	if strings.Contains(attributes, "wp-block-verse") {
		return verse(content)
	}
	m := codeOpening.FindStringSubmatchIndex(content)
	if m != nil && m[2] >= 0 && strings.TrimSpace(content[:m[0]]) == "" {
		name := markup.AsciiLower(content[m[2]:m[3]])
		inner := strings.TrimSpace(content[m[1]:])
		if closing := "[/" + name + "]"; strings.HasSuffix(markup.AsciiLower(inner), closing) {
			return codeElement(languageOf(name, content[m[4]:m[5]]), typedCode(inner[:len(inner)-len(closing)]))
		}
	}
	labels := attributes
	if m := wholeCode.FindStringSubmatch(content); m != nil {
		labels, content = labels+m[1], m[2]
	}
	language := ""
	human := humanLanguage.MatchString(attributes)
	if m := codeLanguage.FindStringSubmatch(labels); m != nil && !human {
		language = plainLanguage(m[1])
	}
	if !formatted(content, codeLabel.MatchString(labels) && !human) {
		return codeElement(language, typedCode(content))
	}
	return `<pre><code class="language-` + language + `">` + content + "</code></pre>"
}

// formatted reports whether the tags in a <pre> element are markup. In a highlighted program, only colour tags of an
// earlier highlighting are.
func formatted(content string, highlighted bool) bool {
	known := []string{"span", "br", "font"}
	if !highlighted {
		known = append(known, "a", "b", "strong", "i", "em", "u", "s", "del", "ins", "mark", "kbd", "code", "var",
			"sub", "sup", "small", "tt")
	}
	for _, m := range codeTag.FindAllStringSubmatch(content, -1) {
		if !slices.Contains(known, markup.AsciiLower(m[1])) {
			return false
		}
	}
	return true
}

// languageOf returns the language of the program in a shortcode.
func languageOf(name, attributes string) string {
	if m := codeLanguage.FindStringSubmatch(attributes); m != nil {
		return plainLanguage(m[1])
	}
	if language, ok := strings.CutPrefix(name, "cc_"); ok {
		return plainLanguage(language)
	}
	return plainLanguage(name)
}

// plainLanguage returns a language by the name that highlighters use, or "" if the name is not that of a language.
func plainLanguage(name string) string {
	switch name = markup.AsciiLower(name); name {
	case "code", "sourcecode", "source", "crayon", "cc", "codesyntax", "geshi", "highlight", "prism", "enlighter",
		"plain", "text", "default", "generic", "none", "raw":
		return ""
	case "jscript":
		return "javascript"
	case "c-sharp":
		return "csharp"
	case "f#":
		return "fsharp"
	case "obj-c":
		return "objc"
	}
	return name
}

// typedCode returns a program as its author typed it. Some editors store all angle brackets as entities. A program that
// contains an angle bracket was stored unchanged.
func typedCode(code string) string {
	broken := codeBreak.ReplaceAllString(code, "\n")
	if strings.Contains(code, "&lt;") && !strings.Contains(broken, "<") {
		code = broken
	}
	if !strings.Contains(code, "<") {
		code = html.UnescapeString(code)
	}
	return strings.Trim(code, "\n")
}

// codeElement returns a program as HTML.
func codeElement(language, code string) string {
	return `<pre><code class="language-` + html.EscapeString(language) + `">` + html.EscapeString(code) +
		"</code></pre>"
}
