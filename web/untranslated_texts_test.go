package web_test

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"mime"
	"regexp"
	"strings"

	"golang.org/x/net/html"

	"inkfeed/web/webtest"
)

// The pseudo-locale en-XA has no Latin letters without accents, and the scene's users write in Greek letters. So each
// Latin word on a page is a text that is not translated, except where a page shows names and code of machines.

var (
	// latinWord matches a word that no pseudo-locale has changed.
	latinWord = regexp.MustCompile(`[A-Za-z]{2,}`)
	// machineName matches addresses, file names, ids, slots for scripts, keys, and names that are the same in all
	// languages: of a time zone, a currency, formats of feeds and the software.
	machineName = regexp.MustCompile(`\S+://\S+|\S+@\S+|(^|\s)/\S*|\w+(\.\w+)+|\b[0-9A-Z]{26}\b|\{\w+\}|` +
		`\b(Ctrl|Shift)\+\S+|\b(UTC|USD|Atom|RSS|JSON Feed|Inkfeed)\b`)
)

// isUntranslated reports whether a text has a Latin word.
func isUntranslated(text string) bool {
	return latinWord.MatchString(machineName.ReplaceAllString(text, " "))
}

// untranslated is a text of a response that is not translated.
type untranslated struct {
	place string // such as "main > p" or "img[alt]"
	text  string
}

// untranslatedIn returns the texts of a response that are not translated.
func untranslatedIn(a *webtest.Response) []untranslated {
	kind, _, _ := mime.ParseMediaType(a.Header.Get("Content-Type"))
	switch {
	case kind == "text/html":
		return untranslatedInHTML(a.Body)
	case strings.HasSuffix(kind, "json"):
		return untranslatedInJSON(a.Body, false)
	case strings.HasSuffix(kind, "xml"):
		return untranslatedInXML(a.Body)
	}
	return nil
}

// codeElements have texts of machines, or values that users have typed.
var codeElements = map[string]bool{"script": true, "style": true, "code": true, "kbd": true, "samp": true, "pre": true,
	"var": true, "textarea": true}

// textAttributes have texts that people read or hear.
var textAttributes = map[string]bool{"title": true, "alt": true, "placeholder": true, "label": true,
	"aria-label": true, "aria-description": true, "aria-roledescription": true, "aria-valuetext": true,
	"data-hx-confirm": true, "data-hx-prompt": true}

// untranslatedInHTML returns the texts of a page or a fragment that are not translated.
func untranslatedInHTML(page string) (found []untranslated) {
	document, err := html.ParseWithOptions(strings.NewReader(page), html.ParseOptionEnableScripting(false))
	if err != nil {
		return []untranslated{{"page", err.Error()}}
	}
	language := "en-XA"
	var visit func(n *html.Node, path []string)
	visit = func(n *html.Node, path []string) {
		switch n.Type {
		case html.TextNode:
			if isUntranslated(n.Data) {
				path = path[max(0, len(path)-3):]
				found = append(found, untranslated{strings.Join(path, " > "), webtest.CollapseSpace(n.Data)})
			}
			return
		case html.ElementNode:
			attributes := attributesOf(n)
			if own := attributes["lang"]; own != "" && own != language || attributes["translate"] == "no" {
				return
			}
			for name, value := range attributes {
				if isTextAttribute(n.Data, name, value, attributes) && isUntranslated(value) {
					found = append(found, untranslated{n.Data + "[" + name + "]", webtest.CollapseSpace(value)})
				}
			}
			if codeElements[n.Data] {
				return
			}
			if n.Data == "template" && strings.HasPrefix(textOf(n), `["`) {
				for _, u := range untranslatedInJSON(textOf(n), true) {
					found = append(found, untranslated{"template " + u.place, u.text})
				}
				return
			}
			path = append(path, n.Data)
		}
		for child := n.FirstChild; child != nil; child = child.NextSibling {
			visit(child, path)
		}
	}
	visit(document, nil)
	return found
}

// textOf returns the text directly in an element.
func textOf(n *html.Node) (text string) {
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		if child.Type == html.TextNode {
			text += child.Data
		}
	}
	return text
}

func attributesOf(n *html.Node) map[string]string {
	attributes := make(map[string]string)
	for _, a := range n.Attr {
		attributes[a.Key] = a.Val
	}
	return attributes
}

// metaTexts matches the names of meta elements with texts.
var metaTexts = regexp.MustCompile(`(^|[:-])(title|description|site_name|alt|author)$`)

// isTextAttribute reports whether an attribute has a text for people. Those of the form data-… may have texts for
// scripts, which have spaces or begin with an upper-case letter.
func isTextAttribute(element, name, value string, all map[string]string) bool {
	switch {
	case textAttributes[name]:
		return true
	case element == "input" && name == "value":
		return all["type"] == "submit" || all["type"] == "button" || all["type"] == "reset"
	case element == "meta" && name == "content":
		return metaTexts.MatchString(all["name"] + all["property"])
	case strings.HasPrefix(name, "data-hx-"):
		return false
	case strings.HasPrefix(name, "data-"):
		return strings.Contains(value, " ") || regexp.MustCompile(`^[A-Z][a-z]`).MatchString(value)
	}
	return false
}

// jsonTexts are the properties of JSON with texts: in feeds, manifests and answers to scripts.
var jsonTexts = map[string]bool{"error": true, "fields": true, "title": true, "description": true, "name": true,
	"short_name": true, "author_name": true, "provider_name": true, "summary": true, "content_text": true}

// untranslatedInJSON returns the texts of JSON that are not translated: those of jsonTexts, or all.
func untranslatedInJSON(text string, all bool) (found []untranslated) {
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		return []untranslated{{"JSON", err.Error()}}
	}
	var visit func(value any, name string, isText bool)
	visit = func(value any, name string, isText bool) {
		switch value := value.(type) {
		case string:
			if isText && isUntranslated(value) {
				found = append(found, untranslated{name, value})
			}
		case []any:
			for _, element := range value {
				visit(element, name, isText)
			}
		case map[string]any:
			for property, element := range value {
				visit(element, name+"."+property, all || jsonTexts[property] || name == ".fields")
			}
		}
	}
	visit(value, "", all)
	return found
}

// xmlTexts are the elements of feeds with texts.
var xmlTexts = map[string]bool{"title": true, "subtitle": true, "description": true, "summary": true, "content": true,
	"name": true}

// untranslatedInXML returns the texts of a feed that are not translated.
func untranslatedInXML(text string) (found []untranslated) {
	decoder := xml.NewDecoder(strings.NewReader(text))
	element := ""
	for {
		token, err := decoder.Token()
		switch {
		case errors.Is(err, io.EOF):
			return found
		case err != nil:
			return append(found, untranslated{"XML", err.Error()})
		}
		switch token := token.(type) {
		case xml.StartElement:
			element = token.Name.Local
		case xml.CharData:
			if !xmlTexts[element] {
				continue
			}
			for _, u := range untranslatedInHTML(string(token)) {
				found = append(found, untranslated{fmt.Sprintf("<%s> %s", element, u.place), u.text})
			}
		}
	}
}
