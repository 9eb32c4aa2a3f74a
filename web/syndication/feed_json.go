package syndication

import (
	"bytes"
	"encoding/json"
	"fmt"

	"inkfeed/domain/names"
	"inkfeed/domain/siteinfo"
	"inkfeed/web/site"
)

// jsonFeed is a feed in JSON Feed 1.1.
type jsonFeed struct {
	Version     string       `json:"version"`
	Title       string       `json:"title"`
	HomePage    string       `json:"home_page_url"`
	URL         string       `json:"feed_url"`
	Description string       `json:"description,omitempty"`
	Icon        string       `json:"icon"`
	Favicon     string       `json:"favicon"`
	Language    string       `json:"language,omitempty"`
	Authors     []jsonAuthor `json:"authors,omitempty"`
	Items       []jsonItem   `json:"items"`
}

type jsonAuthor struct {
	Name string `json:"name"`
	URL  string `json:"url"`
}

type jsonItem struct {
	ID        string       `json:"id"`
	URL       string       `json:"url"`
	Title     string       `json:"title"`
	HTML      string       `json:"content_html"`
	Summary   string       `json:"summary,omitempty"`
	Image     string       `json:"image,omitempty"`
	Published string       `json:"date_published"`
	Modified  string       `json:"date_modified"`
	Authors   []jsonAuthor `json:"authors"`
	Tags      []string     `json:"tags,omitempty"`
	Language  string       `json:"language,omitempty"`
}

func writeJSONFeed(f feed, texts []feedText) ([]byte, error) {
	out := jsonFeed{Version: "https://jsonfeed.org/version/1.1", Title: f.title,
		HomePage: site.AbsoluteURL(f.base, f.page),
		URL:      site.AbsoluteURL(f.base, f.path), Description: f.description,
		Icon:    f.icon(siteinfo.LargeIcon),
		Favicon: f.icon(siteinfo.MediumIcon), Language: sameLanguage(texts), Items: []jsonItem{}}
	if f.author != "" {
		out.Authors = []jsonAuthor{{f.called, f.authorURL(f.author)}}
	}
	for i, p := range f.posts {
		out.Items = append(out.Items, jsonItem{ID: f.postID(p), URL: f.postURL(p), Title: p.Title, HTML: texts[i].html,
			Summary: texts[i].summary, Image: texts[i].image, Published: atomTime(p.Created),
			Modified: atomTime(modified(p)),
			Authors: []jsonAuthor{{names.Called(p.AuthorName, p.AuthorDisplayName),
				f.authorURL(p.AuthorName)}}, Tags: p.Tags.List(), Language: texts[i].language})
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false) // the document is not embedded in HTML
	if err := encoder.Encode(out); err != nil {
		return nil, fmt.Errorf("encode a JSON feed: %w", err)
	}
	return b.Bytes(), nil
}
