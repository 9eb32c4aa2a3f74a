// Package export writes and reads Inkfeed's own export.
package export

import (
	"fmt"
	"io"
	"iter"
	"path"
	"regexp"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"inkfeed/domain"
	"inkfeed/domain/portable"
	"inkfeed/domain/portable/markup"
)

// Inkfeed's own export is a zip with
//
//	inkfeed.json        everything in one document, for programs
//	posts/, drafts/     a Markdown file each, with front matter that Hugo understands
//	images/             the pictures that they show
//
// ReadFile reads posts from the Markdown, which the owner may have edited, and from the document only the data that
// Markdown has no place for.
const (
	FileName      = "inkfeed.json"
	exportFormat  = "inkfeed"
	exportVersion = 1
	imagesFolder  = "images"
)

// Image is a picture in an export.
type Image struct {
	Path string // in the export: see ImagePath
	Open func() (io.ReadCloser, error)
	// Listed pictures are in the document, with their descriptions. Avatars and logos are not listed.
	Listed bool
	Alt    string
}

// Source is the content of an export. It is read piece by piece, so that the whole need not fit into memory.
type Source struct {
	// Site makes the export that of a site, whose posts are the texts of its pages. It has no profile, comments, likes
	// and bookmarks then.
	Site    *portable.Site
	Profile portable.Profile
	// Posts is called twice: once for the document and once for the Markdown.
	Posts     func() iter.Seq2[portable.Post, error]
	Comments  iter.Seq2[portable.Comment, error]
	Likes     iter.Seq2[portable.Reaction, error]
	Bookmarks iter.Seq2[portable.Reaction, error]
	Follows   []portable.Follow
	Images    iter.Seq2[Image, error]
}

// ownPost is the form of a post in the document.
type ownPost struct {
	ID    string   `json:"id"`
	File  string   `json:"file"`
	Title string   `json:"title"`
	Slug  string   `json:"slug,omitempty"`
	Tags  []string `json:"tags,omitempty"`
	domain.Details
	Status   portable.Status    `json:"status"`
	Created  time.Time          `json:"created"`
	Edited   time.Time          `json:"edited,omitzero"`
	Publish  time.Time          `json:"publish,omitzero"`
	Aliases  []string           `json:"aliases,omitempty"`
	Closed   bool               `json:"commentsClosed,omitempty"`
	Content  string             `json:"content"`
	Draft    *ownDraft          `json:"draft,omitempty"`
	Versions []portable.Version `json:"versions,omitempty"`
}

type ownDraft struct {
	Title string `json:"title"`
	Tags  string `json:"tags,omitempty"`
	domain.Details
	Content string          `json:"content"`
	Status  portable.Status `json:"status,omitempty"`
	Publish time.Time       `json:"publish,omitzero"`
}

// ownMatter is the front matter of a post. It uses Hugo's keys where Hugo has one.
type ownMatter struct {
	Title          string   `yaml:"title"`
	Date           string   `yaml:"date,omitempty"`
	Lastmod        string   `yaml:"lastmod,omitempty"`
	Publish        string   `yaml:"publishDate,omitempty"`
	Slug           string   `yaml:"slug,omitempty"`
	Tags           []string `yaml:"tags,omitempty"`
	domain.Details `yaml:",inline"`
	Aliases        []string `yaml:"aliases,omitempty"`
	Draft          bool     `yaml:"draft,omitempty"`
	Status         string   `yaml:"status,omitempty"`
	Closed         bool     `yaml:"commentsClosed,omitempty"`
	ID             string   `yaml:"id"`
	// Changes reports that a draft changes a published post.
	Changes bool `yaml:"changes,omitempty"`
}

func ownPostOf(p portable.Post) ownPost {
	o := ownPost{ID: p.ID, File: ownName(p), Title: p.Title, Slug: p.Slug, Tags: p.Tags, Details: p.Details,
		Status: p.Status, Created: p.Created, Edited: p.Edited, Publish: p.Publish, Aliases: p.Paths,
		Closed: p.CommentsClosed, Content: p.Content, Versions: p.Versions}
	if p.PendingEdit != nil {
		e := p.PendingEdit
		o.Draft = &ownDraft{e.Title, e.Tags, e.Details, e.Content, e.Status, e.Publish}
	}
	return o
}

// ownName returns the name of a post's file.
func ownName(p portable.Post) string {
	folder := "posts"
	if p.Status == portable.Draft || p.Status == portable.Scheduled {
		folder = "drafts"
	}
	return fmt.Sprintf("%s/%s-%s-%.8s.md", folder, p.Created.UTC().Format(time.DateOnly),
		p.Details.Slug(p.Slug, p.Title), p.ID)
}

// ownFiles returns the files of a post, by name. Images are the paths of the pictures in the export.
func ownFiles(p portable.Post, images map[string]bool) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		m := ownMatter{Title: p.Title, Date: ownTime(p.Created), Lastmod: ownTime(p.Edited),
			Publish: ownTime(p.Publish), Slug: p.Slug, Tags: p.Tags, Details: p.Details, Aliases: p.Paths,
			Closed: p.CommentsClosed, ID: p.ID}
		switch p.Status {
		case portable.Draft, portable.Scheduled:
			if m.Draft = p.Status == portable.Draft; p.Hidden {
				m.Status = string(portable.Unlisted)
			}
		case portable.Unlisted, portable.Unpublished:
			m.Status = string(p.Status)
		}
		if !yield(ownName(p), ownText(m, p.Content, images)) || p.PendingEdit == nil {
			return
		}
		m = ownMatter{Title: p.PendingEdit.Title, Date: ownTime(p.Created), Publish: ownTime(p.PendingEdit.Publish),
			Tags: SplitTags(p.PendingEdit.Tags), Details: p.PendingEdit.Details,
			Draft: true, Status: string(p.PendingEdit.Status), ID: p.ID, Changes: true}
		name := strings.TrimSuffix(path.Base(ownName(p)), ".md")
		yield("drafts/"+name+"-changes.md", ownText(m, p.PendingEdit.Content, images))
	}
}

// SplitTags splits tags as the author typed them.
func SplitTags(typed string) []string {
	var names []string
	for name := range strings.SplitSeq(typed, ",") {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}

func ownTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z")
}

// ownText returns the content of a file: front matter, an empty line, the text and a line break. It names the
// pictures in the export by relative paths.
func ownText(m ownMatter, content string, images map[string]bool) string {
	head, err := yaml.ValueToNode(m)
	if err != nil {
		panic("portable: " + err.Error()) // front matter of strings and times can always be encoded
	}
	ast.Walk(quoting{}, head)
	content = markup.Rewrite(content, func(l markup.Link) (string, bool) {
		name, ok := domain.ParseImagePath(l.Destination)
		file := ImagePath(name.String())
		return "../" + file + domain.PictureWidth(l.Destination), ok && images[file]
	})
	return "---\n" + head.String() + "\n---\n\n" + content + "\n"
}

// quoting quotes strings that the encoder writes plainly and the decoder reads differently: infinite numbers, strings
// with tabs, and those that begin like an explicit key.
type quoting struct{}

// Visit quotes n if it is such a string.
func (q quoting) Visit(n ast.Node) ast.Visitor {
	if s, ok := n.(*ast.StringNode); ok && (strings.HasPrefix(s.Value, "?") || strings.Contains(s.Value, "\t") ||
		unquotedNumber.MatchString(s.Value)) {
		s.Token.Type = token.DoubleQuoteType
	}
	return q
}

var unquotedNumber = regexp.MustCompile(`(?i)^[-+]?\.(inf|nan)$`)
