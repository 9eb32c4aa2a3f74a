package syndication_test

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/mail"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/html"
)

// element is any XML element with the namespaces of its names.
type element struct {
	XMLName  xml.Name
	Attr     []xml.Attr `xml:",any,attr"`
	Text     string     `xml:",chardata"`
	Children []element  `xml:",any"`
}

func (e element) all(name string) (found []element) {
	for _, c := range e.Children {
		if c.XMLName.Space+" "+c.XMLName.Local == name || c.XMLName.Space == "" && c.XMLName.Local == name {
			found = append(found, c)
		}
	}
	return found
}

func (e element) attr(name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// complaints collects violations of a specification.
type complaints struct{ list []error }

func (c *complaints) add(format string, args ...any) {
	c.list = append(c.list, fmt.Errorf(format, args...))
}

// one returns the text of the only child with that name. It complains if there is not exactly one.
func (c *complaints) one(e element, name string) string {
	found := e.all(name)
	if len(found) != 1 {
		c.add("<%s> has %d of <%s>, not 1", e.XMLName.Local, len(found), name)
		return ""
	}
	return found[0].Text
}

func (c *complaints) iri(where, text string) {
	u, err := url.Parse(text)
	if err != nil || !u.IsAbs() || u.Host == "" || strings.ContainsAny(text, " <>\"{}|\\^`") {
		c.add("%s: %q is not an absolute address", where, text)
	}
}

func (c *complaints) rfc3339(where, text string) time.Time {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		c.add("%s: %q is not a date of RFC 3339", where, text)
	}
	return t
}

// html checks that a fragment has balanced elements, absolute addresses and no active content.
func (c *complaints) html(where, text string) {
	var open []string
	for z := html.NewTokenizer(strings.NewReader(text)); ; {
		kind := z.Next()
		token := z.Token()
		switch kind {
		case html.ErrorToken:
			if len(open) > 0 {
				c.add("%s: %v are not closed", where, open)
			}
			return
		case html.StartTagToken:
			for _, a := range token.Attr {
				if a.Key == "href" && strings.HasPrefix(a.Val, "mailto:") {
					continue
				}
				if a.Key == "href" || a.Key == "src" {
					c.iri(where, a.Val)
				}
				if a.Key == "id" || a.Key == "style" || a.Key == "srcset" || strings.HasPrefix(a.Key, "on") {
					c.add("%s: <%s %s>", where, token.Data, a.Key)
				}
			}
			if token.Data == "script" || token.Data == "style" || token.Data == "iframe" {
				c.add("%s: <%s>", where, token.Data)
			}
			if !slices.Contains([]string{"br", "hr", "img"}, token.Data) {
				open = append(open, token.Data)
			}
		case html.EndTagToken:
			if n := len(open); n == 0 || open[n-1] != token.Data {
				c.add("%s: </%s> within %v", where, token.Data, open)
				return
			}
			open = open[:len(open)-1]
		}
	}
}

// parseXML parses a complete document strictly.
func parseXML(body string) (element, error) {
	var root element
	d := xml.NewDecoder(strings.NewReader(body))
	d.Strict = true
	if err := d.Decode(&root); err != nil {
		return root, err
	}
	if _, err := d.Token(); err != io.EOF {
		return root, errors.New("text follows the document")
	}
	if !strings.HasPrefix(body, `<?xml version="1.0" encoding="UTF-8"?>`) {
		return root, errors.New("no XML declaration")
	}
	return root, nil
}

// checkAtom checks a document against RFC 4287.
func checkAtom(body, self string) error {
	const ns = "http://www.w3.org/2005/Atom "
	root, err := parseXML(body)
	if err != nil {
		return err
	}
	c := &complaints{}
	if root.XMLName.Space+" "+root.XMLName.Local != ns+"feed" {
		c.add("the root is %v", root.XMLName)
	}
	c.iri("feed id", c.one(root, ns+"id"))
	if strings.TrimSpace(c.one(root, ns+"title")) == "" {
		c.add("the feed has no title")
	}
	updated := c.rfc3339("feed updated", c.one(root, ns+"updated"))
	links := map[string]int{}
	checkLinks := func(where string, e element) {
		seen := map[string]bool{}
		for _, l := range e.all(ns + "link") {
			c.iri(where+" link", l.attr("href"))
			rel := l.attr("rel")
			links[where+rel]++
			if key := rel + l.attr("type") + l.attr("hreflang"); rel == "alternate" && seen[key] { // 4.1.1
				c.add("%s: two alternates of %s", where, key)
			} else {
				seen[key] = true
			}
			if where == "feed" && rel == "self" && l.attr("href") != self {
				c.add("the self link of the feed is %s", l.attr("href"))
			}
		}
	}
	checkLinks("feed", root)
	if links["feedself"] != 1 {
		c.add("the feed has no self link")
	}
	ids := map[string]bool{}
	for _, e := range root.all(ns + "entry") {
		id := c.one(e, ns+"id")
		c.iri("entry id", id)
		if ids[id] {
			c.add("two entries have the id %s", id)
		}
		ids[id] = true
		c.one(e, ns+"title")
		at := c.rfc3339("entry updated", c.one(e, ns+"updated"))
		published := c.rfc3339("entry published", c.one(e, ns+"published"))
		if at.Before(published) || updated.Before(at) {
			c.add("entry %s: published %s, updated %s, feed updated %s", id, published, at, updated)
		}
		if len(e.all(ns+"author")) == 0 && len(root.all(ns+"author")) == 0 { // 4.1.2
			c.add("entry %s has no author", id)
		}
		checkLinks("entry", e)
		for _, person := range e.all(ns + "author") {
			if strings.TrimSpace(c.one(person, ns+"name")) == "" {
				c.add("entry %s has an author without a name", id)
			}
			c.iri("author uri", c.one(person, ns+"uri"))
		}
		for _, category := range e.all(ns + "category") { // 4.2.2.1
			if category.attr("term") == "" {
				c.add("entry %s has a category without a term", id)
			}
		}
		content := e.all(ns + "content")
		if len(content) != 1 || content[0].attr("type") != "html" || len(content[0].Children) != 0 { // 4.1.3.3
			c.add("the content of entry %s is not HTML", id)
		} else {
			c.html("entry "+id, content[0].Text)
		}
		if n := len(e.all(ns + "summary")); n > 1 {
			c.add("entry %s has %d summaries", id, n)
		}
	}
	return errors.Join(c.list...)
}

// checkRSS checks a document against RSS 2.0.11 and the best practices of the RSS Advisory Board.
func checkRSS(body, self string) error {
	root, err := parseXML(body)
	if err != nil {
		return err
	}
	c := &complaints{}
	channels := root.all("channel")
	if root.XMLName.Local != "rss" || root.attr("version") != "2.0" || len(channels) != 1 {
		return fmt.Errorf("the root is %v %q with %d channels", root.XMLName, root.attr("version"), len(channels))
	}
	channel := channels[0]
	for _, name := range []string{"title", "link", "description"} {
		if strings.TrimSpace(c.one(channel, name)) == "" {
			c.add("the channel's %s is empty", name)
		}
	}
	c.iri("channel link", c.one(channel, "link"))
	rfc822 := func(where, text string) time.Time {
		t, err := mail.ParseDate(text)
		if err != nil {
			c.add("%s: %q is not a date of RFC 822", where, text)
		}
		return t
	}
	rfc822("lastBuildDate", c.one(channel, "lastBuildDate"))
	links := channel.all("http://www.w3.org/2005/Atom link")
	if len(links) != 1 || links[0].attr("rel") != "self" || links[0].attr("href") != self ||
		links[0].attr("type") != "application/rss+xml" {
		c.add("the self link of the channel is %v", links)
	}
	for _, image := range channel.all("image") {
		c.iri("image", c.one(image, "url"))
		if c.one(image, "title") != c.one(channel, "title") || c.one(image, "link") != c.one(channel, "link") {
			c.add("the title or link of the image differs from the channel's")
		}
	}
	guids := map[string]bool{}
	for _, item := range channel.all("item") {
		guid := item.all("guid")
		if len(guid) != 1 || guid[0].attr("isPermaLink") != "true" || guids[guid[0].Text] {
			c.add("the guid of an item is %v", guid)
			continue
		}
		guids[guid[0].Text] = true
		c.iri("guid", guid[0].Text)
		c.iri("item link", c.one(item, "link"))
		c.iri("item comments", c.one(item, "comments"))
		rfc822("pubDate", c.one(item, "pubDate"))
		if strings.TrimSpace(c.one(item, "title"))+strings.TrimSpace(c.one(item, "description")) == "" {
			c.add("an item has neither title nor description")
		}
		if strings.TrimSpace(c.one(item, "http://purl.org/dc/elements/1.1/ creator")) == "" {
			c.add("an item has no creator")
		}
		c.html("item "+guid[0].Text, c.one(item, "http://purl.org/rss/1.0/modules/content/ encoded"))
	}
	return errors.Join(c.list...)
}

// checkJSONFeed checks a document against JSON Feed 1.1.
func checkJSONFeed(body, self string) error {
	var feed struct {
		Version, Title string
		Home           string `json:"home_page_url"`
		URL            string `json:"feed_url"`
		Icon, Favicon  string
		Language       *string
		Authors        []struct{ Name, URL string }
		Items          *[]struct {
			ID, URL, Title string
			HTML           *string `json:"content_html"`
			Summary        string
			Image          *string
			Published      string `json:"date_published"`
			Modified       string `json:"date_modified"`
			Authors        []struct{ Name, URL string }
			Tags           []string
			Language       *string
		}
	}
	d := json.NewDecoder(strings.NewReader(body))
	d.DisallowUnknownFields() // also finds wrong types
	if err := d.Decode(&feed); err != nil && !strings.Contains(err.Error(), `"description"`) {
		return err
	}
	if err := json.Unmarshal([]byte(body), &feed); err != nil {
		return err
	}
	c := &complaints{}
	if feed.Version != "https://jsonfeed.org/version/1.1" || feed.Title == "" || feed.Items == nil || feed.URL != self {
		return fmt.Errorf("version %q, title %q, address %q, has items: %t",
			feed.Version, feed.Title, feed.URL, feed.Items != nil)
	}
	for _, address := range []string{feed.Home, feed.URL, feed.Icon, feed.Favicon} {
		c.iri("feed", address)
	}
	ids := map[string]bool{}
	for _, item := range *feed.Items {
		if item.ID == "" || ids[item.ID] || item.HTML == nil {
			c.add("item %q has a repeated id or no content", item.ID)
			continue
		}
		ids[item.ID] = true
		c.iri("item url", item.URL)
		if item.Image != nil {
			c.iri("image", *item.Image)
		}
		c.html("item "+item.ID, *item.HTML)
		if c.rfc3339("modified", item.Modified).Before(c.rfc3339("published", item.Published)) {
			c.add("item %s was modified before it was published", item.ID)
		}
		for _, a := range append(item.Authors, feed.Authors...) {
			if a.Name == "" && a.URL == "" {
				c.add("item %s has an author without name and address", item.ID)
			}
		}
		if len(item.Authors)+len(feed.Authors) == 0 || item.Language != nil && *item.Language == "" {
			c.add("item %s has no author or an empty language", item.ID)
		}
	}
	return errors.Join(c.list...)
}
