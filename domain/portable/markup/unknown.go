package markup

import (
	"encoding/json"
	"html"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/PuerkitoBio/goquery"

	"inkfeed/domain/locale"
	"inkfeed/domain/portable"
)

// RecordUnknown records that a text has a block, card or embed of a kind that is not known.
func (t *Translator) RecordUnknown(kind string, kept bool) {
	if !kept {
		t.RecordLoss(locale.M("the block {name} was left out", "name", kind))
		return
	}
	t.RecordLoss(locale.M("the block {name} is not known: its text is kept", "name", kind))
}

// Hold makes the post a draft: see DraftUntranslated.
func (t *Translator) Hold(why locale.Message) {
	t.RecordLoss(why)
	t.holds = true
}

// textProperty matches the names of properties whose values are texts. Those of other properties are if they have
// several words.
var textProperty = regexp.MustCompile(
	`(?i)(?:title|text|content|heading|caption|quote|author|description|answer|question)$`)

// TextsOf returns the texts, links and pictures in a property of a block, in decoded JSON, as HTML.
func TextsOf(name string, value any) string {
	var b strings.Builder
	switch value := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			if !strings.HasPrefix(name, "_") { // as Advanced Custom Fields names its own properties
				b.WriteString(TextsOf(name, value[name]))
			}
		}
	case []any:
		for _, element := range value {
			b.WriteString(TextsOf(name, element))
		}
	case string:
		n := len(strings.Fields(value))
		if u, link := WebAddress(value); link && portable.IsImage(u.Path) {
			return `<p><img src="` + html.EscapeString(value) + `"></p>` + "\n"
		} else if link {
			return LinkParagraph(value, value)
		}
		if name != "className" && (n > 1 || n == 1 && textProperty.MatchString(name)) {
			return "<p>" + value + "</p>\n"
		}
	}
	return b.String()
}

// card matches the class of a card of Ghost.
var card = regexp.MustCompile(`(?:^|\s)kg-([a-z0-9-]+)-card(?:\s|$)`)

// knownCards are the cards of Ghost whose whole content is in their HTML.
var knownCards = []string{"audio", "blockquote", "bookmark", "button", "callout", "code", "cta", "embed", "file",
	"gallery", "header", "html", "image", "markdown", "product", "signup", "toggle", "transistor", "video"}

// nameCard records a card of Ghost whose kind is not known.
func (t *Translator) nameCard(class string) {
	if !strings.Contains(class, "kg-") {
		return
	}
	if m := card.FindStringSubmatch(class); m != nil && !slices.Contains(knownCards, m[1]) {
		t.RecordUnknown(m[1], true)
	}
}

// KeepWords keeps the texts of the elements that match a selector and whose kind is not known: see keepWords. Kind
// returns "" for the others.
func (p *Page) KeepWords(selector, attribute string, kind func(s *goquery.Selection, data map[string]any) string) {
	p.Find(selector).Each(func(_ int, s *goquery.Selection) {
		var data map[string]any
		_ = json.Unmarshal([]byte(s.AttrOr(attribute, "")), &data) // then it has no words
		if name := kind(s, data); name != "" {
			p.keepWords(s, name, data)
		}
	})
}

// keepWords records the kind of an element as not known. If a script makes the content of the element from data, it
// replaces the element by the texts and the address among them.
func (p *Page) keepWords(s *goquery.Selection, kind string, data map[string]any) {
	kept := hasText(s.Get(0)) || s.Find("img, iframe, video, audio").Length() > 0
	if !kept {
		words := TextsOf("", data)
		kept = words != ""
		s.ReplaceWithHtml(words)
	}
	p.Translator.RecordUnknown(kind, kept)
}
