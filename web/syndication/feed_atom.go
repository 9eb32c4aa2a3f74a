package syndication

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/names"
	"inkfeed/domain/siteinfo"
	"inkfeed/web/site"
)

// atomFeed is a feed in Atom 1.0 (RFC 4287).
type atomFeed struct {
	XMLName   xml.Name    `xml:"http://www.w3.org/2005/Atom feed"`
	Lang      string      `xml:"xml:lang,attr,omitempty"`
	ID        string      `xml:"id"`
	Title     string      `xml:"title"`
	Subtitle  string      `xml:"subtitle,omitempty"`
	Updated   string      `xml:"updated"`
	Author    *atomPerson `xml:"author"`
	Links     []atomLink  `xml:"link"`
	Icon      string      `xml:"icon"`
	Logo      string      `xml:"logo,omitempty"`
	Generator string      `xml:"generator"`
	Entries   []atomEntry `xml:"entry"`
}

type atomPerson struct {
	Name string `xml:"name"`
	URI  string `xml:"uri"`
}

type atomLink struct {
	Rel  string `xml:"rel,attr"`
	Type string `xml:"type,attr"`
	Href string `xml:"href,attr"`
}

type atomEntry struct {
	Lang       string         `xml:"xml:lang,attr,omitempty"`
	ID         string         `xml:"id"`
	Title      string         `xml:"title"`
	Published  string         `xml:"published"`
	Updated    string         `xml:"updated"`
	Author     atomPerson     `xml:"author"`
	Link       atomLink       `xml:"link"`
	Categories []atomCategory `xml:"category"`
	Summary    string         `xml:"summary,omitempty"`
	Content    atomText       `xml:"content"`
}

type atomCategory struct {
	Term  string `xml:"term,attr"`
	Label string `xml:"label,attr"`
}

type atomText struct {
	Type string `xml:"type,attr"`
	Text string `xml:",chardata"`
}

func writeAtom(f feed, texts []feedText) ([]byte, error) {
	out := atomFeed{ID: f.base + f.id, Title: f.title, Subtitle: f.description, Updated: atomTime(f.updated()),
		Lang: sameLanguage(texts), Icon: f.icon(siteinfo.MediumIcon), Generator: siteinfo.Product,
		Links: []atomLink{{"self", "application/atom+xml", site.AbsoluteURL(f.base, f.path)},
			{"alternate", "text/html", site.AbsoluteURL(f.base, f.page)}}}
	if logo := f.site.Logo; logo.Exists() {
		out.Logo = f.base + logo.LogoPath()
	}
	if f.author != "" {
		out.Author = &atomPerson{f.called, f.authorURL(f.author)}
	}
	for i, p := range f.posts {
		entry := atomEntry{Lang: texts[i].language, ID: f.postID(p), Title: p.Title, Published: atomTime(p.Created),
			Updated: atomTime(modified(p)), Author: atomPerson{names.Called(p.AuthorName, p.AuthorDisplayName),
				f.authorURL(p.AuthorName)},
			Link: atomLink{"alternate", "text/html", f.postURL(p)}, Summary: texts[i].summary,
			Content: atomText{"html", texts[i].html}}
		for _, tag := range p.Tags.List() {
			if key := domain.TagKey(tag); key != "" {
				entry.Categories = append(entry.Categories, atomCategory{key, tag})
			}
		}
		out.Entries = append(out.Entries, entry)
	}
	return encodeXML(out)
}

func atomTime(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// encodeXML returns an XML document. Characters that XML does not allow become U+FFFD.
func encodeXML(document any) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(xml.Header)
	if err := xml.NewEncoder(&b).Encode(document); err != nil {
		return nil, fmt.Errorf("encode %T as XML: %w", document, err)
	}
	return b.Bytes(), nil
}
