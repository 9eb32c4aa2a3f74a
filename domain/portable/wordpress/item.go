package wordpress

import (
	"encoding/xml"
	"fmt"
	"html"
	"strings"

	"inkfeed/domain/portable/markup"
)

// wxrItem is an item of WordPress's eXtended RSS. The version in its namespace is ignored.
type wxrItem struct {
	Title      wxrTitle      `xml:"title"`
	Link       string        `xml:"link"`
	GUID       string        `xml:"guid"`
	PubDate    string        `xml:"pubDate"`
	Creator    string        `xml:"creator"`
	Encoded    []wxrText     `xml:"encoded"` // the content and the excerpt
	ID         int           `xml:"post_id"`
	Date       string        `xml:"post_date"`
	DateGMT    string        `xml:"post_date_gmt"`
	Edited     string        `xml:"post_modified"`
	EditedGMT  string        `xml:"post_modified_gmt"`
	Name       string        `xml:"post_name"`
	Status     string        `xml:"status"`
	Type       string        `xml:"post_type"`
	Password   string        `xml:"post_password"`
	Parent     int           `xml:"post_parent"`
	Order      int           `xml:"menu_order"`
	Sticky     string        `xml:"is_sticky"`
	Attachment string        `xml:"attachment_url"`
	Categories []wxrCategory `xml:"category"`
	Meta       []wxrMeta     `xml:"postmeta"`
	Comments   []struct {
		Approved string `xml:"comment_approved"`
		Type     string `xml:"comment_type"`
	} `xml:"comment"`
}

// wxrTitle is a title. Since WordPress 5.7 it is HTML in CDATA; before, it was text without tags.
type wxrTitle struct {
	Text string `xml:",chardata"`
	Raw  string `xml:",innerxml"`
}

func (t wxrTitle) String() string {
	if strings.Contains(t.Raw, "<![CDATA[") {
		return markup.PlainText(t.Text)
	}
	return strings.Join(strings.Fields(html.UnescapeString(t.Text)), " ")
}

type wxrText struct {
	XMLName xml.Name
	Text    string `xml:",chardata"`
}

type wxrCategory struct {
	Domain string `xml:"domain,attr"`
	Name   string `xml:",chardata"`
	Slug   string `xml:"nicename,attr"`
}

type wxrMeta struct {
	Key   string `xml:"meta_key"`
	Value string `xml:"meta_value"`
}

// trim removes the white space that some exports have around the values.
func (i *wxrItem) trim() {
	for _, s := range []*string{&i.Link, &i.GUID, &i.PubDate, &i.Creator, &i.Date, &i.DateGMT, &i.Edited, &i.EditedGMT,
		&i.Name, &i.Status,
		&i.Type, &i.Password, &i.Sticky, &i.Attachment} {
		*s = strings.TrimSpace(*s)
	}
	for n := range i.Encoded {
		i.Encoded[n].Text = strings.TrimSpace(i.Encoded[n].Text)
	}
	for n := range i.Categories {
		c := &i.Categories[n]
		c.Domain, c.Name, c.Slug = strings.TrimSpace(c.Domain), strings.TrimSpace(c.Name), strings.TrimSpace(c.Slug)
	}
	for n := range i.Meta {
		m := &i.Meta[n]
		m.Key, m.Value = strings.TrimSpace(m.Key), strings.TrimSpace(m.Value)
	}
	for n := range i.Comments {
		c := &i.Comments[n]
		c.Approved, c.Type = strings.TrimSpace(c.Approved), strings.TrimSpace(c.Type)
	}
}

// where names the item in the report.
func (i *wxrItem) where() string {
	where := fmt.Sprintf("%s %d", i.Type, i.ID)
	if title := i.Title.String(); title != "" {
		where += ", " + title
	}
	return where
}

// readers returns who could read a post, as WordPress.com and plugins for members record it. Empty means everybody.
func (i *wxrItem) readers() string {
	for _, m := range i.Meta {
		if (m.Key == "_jetpack_newsletter_access" || m.Key == "_members_access_role") &&
			m.Value != "" && m.Value != "everybody" {
			return m.Value
		}
	}
	return ""
}

// meta returns the values of a key.
func (i *wxrItem) meta(key string) (values []string) {
	for _, m := range i.Meta {
		if m.Key == key {
			values = append(values, m.Value)
		}
	}
	return values
}

// content returns the text of an item.
func (i *wxrItem) content() string {
	for _, text := range i.Encoded {
		if !strings.Contains(text.XMLName.Space, "excerpt") {
			return text.Text
		}
	}
	return ""
}

// excerpt returns the excerpt of a post, or the caption of an attachment.
func (i *wxrItem) excerpt() string {
	for _, text := range i.Encoded {
		if strings.Contains(text.XMLName.Space, "excerpt") {
			return text.Text
		}
	}
	return ""
}

// readersComments returns the number of approved comments.
func (i *wxrItem) readersComments() (n int) {
	for _, c := range i.Comments {
		if c.Approved == "1" && c.Type != "pingback" && c.Type != "trackback" {
			n++
		}
	}
	return n
}
