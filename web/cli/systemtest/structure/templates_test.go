package structure

import (
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// words matches two letters in a row. Texts in templates that have them are not translated.
var words = regexp.MustCompile(`[A-Za-z]{2,}`)

// notTranslated are the elements whose texts belong to machines.
var notTranslated = map[string]bool{"script": true, "style": true, "code": true, "kbd": true, "samp": true,
	"pre": true}

// translatedAttributes have texts that people read or hear.
var translatedAttributes = map[string]bool{"title": true, "alt": true, "placeholder": true, "label": true,
	"aria-label": true, "aria-description": true, "data-hx-confirm": true}

// TestTemplatesHaveNoEnglishTexts finds texts in templates that are not arguments of locale.T or locale.M. Elements
// with translate="no" may have texts.
func TestTemplatesHaveNoEnglishTexts(t *testing.T) {
	files, err := filepath.Glob("views/*_templ.go")
	if err != nil {
		t.Fatal(err)
	}
	others, err := filepath.Glob("views/*/*_templ.go")
	if err != nil {
		t.Fatal(err)
	}
	if files = append(files, others...); len(files) < 50 {
		t.Fatalf("found %d templates", len(files))
	}
	for _, file := range files {
		for _, text := range englishTexts(templateText(t, file)) {
			t.Errorf("%s: %q is not translated", strings.Replace(file, "_templ.go", ".templ", 1), text)
		}
	}
}

// expression stands for a Go expression in the text of a template.
const expression = "…"

// templateText returns what a generated file writes literally, with a mark for each expression.
func templateText(t *testing.T, path string) string {
	t.Helper()
	source, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	file, err := parser.ParseFile(token.NewFileSet(), path, source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || calledName(call.Fun) != "templruntime.WriteString" {
			return true
		}
		if text, ok := call.Args[2].(*ast.BasicLit); ok {
			b.WriteString(constant.StringVal(constant.MakeFromLiteral(text.Value, text.Kind, 0)) + expression)
		}
		return true
	})
	return b.String()
}

// englishTexts returns the texts of elements and attributes in which there are words.
func englishTexts(page string) (texts []string) {
	tokens := html.NewTokenizer(strings.NewReader(page))
	var open []string // the elements around the current place; those without translation have a mark
	for {
		kind := tokens.Next()
		switch kind {
		case html.ErrorToken:
			return texts
		case html.TextToken:
			text := strings.TrimSpace(string(tokens.Text()))
			isText := !strings.HasPrefix(text, "<meta ") // the tokenizer takes what is in noscript for a text
			if isText && words.MatchString(text) && !slices.Contains(open, "no") {
				texts = append(texts, text)
			}
		case html.EndTagToken:
			name, _ := tokens.TagName()
			if at := lastIndex(open, string(name)); at >= 0 {
				open = open[:at]
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			element := tokens.Token()
			no := notTranslated[element.Data]
			for _, a := range element.Attr {
				no = no || a.Key == "translate" && a.Val == "no" || a.Key == "lang" && a.Val == "en"
				isPath := strings.HasPrefix(a.Val, "/")
				if translatedAttributes[a.Key] && words.MatchString(a.Val) && !isPath {
					texts = append(texts, a.Val)
				}
			}
			if kind == html.StartTagToken && !voidElements[element.Data] {
				if open = append(open, element.Data); no {
					open = append(open, "no")
				}
			}
		}
	}
}

// lastIndex returns the index of the last element with a value, and -1 if there is none.
func lastIndex(list []string, value string) int {
	for i, v := range slices.Backward(list) {
		if v == value {
			return i
		}
	}
	return -1
}

var voidElements = map[string]bool{"area": true, "base": true, "br": true, "col": true, "embed": true, "hr": true,
	"img": true, "input": true, "link": true, "meta": true, "source": true, "track": true, "wbr": true}
