// Package export writes and reads Inkfeed's own export.
package export

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"path"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"inkfeed/domain"
	"inkfeed/domain/names"
	"inkfeed/domain/portable"
	"inkfeed/domain/portable/frontmatter"
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
	Name domain.ImageName
	Open func() (io.ReadCloser, error)
}

// Source is the content of an export. It is read piece by piece, so that the whole need not fit into memory.
type Source struct {
	Profile portable.Profile
	// Posts is called twice: once for the document and once for the Markdown.
	Posts     func() iter.Seq2[portable.Post, error]
	Comments  iter.Seq2[portable.Comment, error]
	Likes     iter.Seq2[portable.Reaction, error]
	Bookmarks iter.Seq2[portable.Reaction, error]
	Images    iter.Seq2[Image, error]
}

// ownPost is the form of a post in the document.
type ownPost struct {
	ID       string             `json:"id"`
	File     string             `json:"file"`
	Title    string             `json:"title"`
	Slug     string             `json:"slug,omitempty"`
	Tags     []string           `json:"tags,omitempty"`
	Language string             `json:"language,omitempty"`
	Status   portable.Status    `json:"status"`
	Created  time.Time          `json:"created"`
	Edited   time.Time          `json:"edited,omitzero"`
	Publish  time.Time          `json:"publish,omitzero"`
	Aliases  []string           `json:"aliases,omitempty"`
	Content  string             `json:"content"`
	Draft    *ownDraft          `json:"draft,omitempty"`
	Versions []portable.Version `json:"versions,omitempty"`
}

type ownDraft struct {
	Title    string    `json:"title"`
	Tags     string    `json:"tags,omitempty"`
	Language string    `json:"language,omitempty"`
	Content  string    `json:"content"`
	Publish  time.Time `json:"publish,omitzero"`
}

// ownMatter is the front matter of a post. It uses Hugo's keys where Hugo has one.
type ownMatter struct {
	Title    string   `yaml:"title"`
	Date     string   `yaml:"date,omitempty"`
	Lastmod  string   `yaml:"lastmod,omitempty"`
	Publish  string   `yaml:"publishDate,omitempty"`
	Slug     string   `yaml:"slug,omitempty"`
	Tags     []string `yaml:"tags,omitempty"`
	Language string   `yaml:"language,omitempty"`
	Aliases  []string `yaml:"aliases,omitempty"`
	Draft    bool     `yaml:"draft,omitempty"`
	Status   string   `yaml:"status,omitempty"`
	ID       string   `yaml:"id"`
	// Changes reports that a draft changes a published post.
	Changes bool `yaml:"changes,omitempty"`
}

func ownPostOf(p portable.Post) ownPost {
	o := ownPost{ID: p.ID, File: ownName(p), Title: p.Title, Slug: p.Slug, Tags: p.Tags, Language: p.Language,
		Status: p.Status, Created: p.Created, Edited: p.Edited, Publish: p.Publish, Aliases: p.Paths,
		Content:  p.Content,
		Versions: p.Versions}
	if p.Edition != nil {
		o.Draft = &ownDraft{p.Edition.Title, p.Edition.Tags, p.Edition.Language, p.Edition.Content, p.Edition.Publish}
	}
	return o
}

// ownName returns the name of a post's file.
func ownName(p portable.Post) string {
	folder := "posts"
	if p.Status == portable.Draft || p.Status == portable.Scheduled {
		folder = "drafts"
	}
	slug := names.Slug(p.Title)
	if p.Slug != "" {
		slug = names.Slug(p.Slug)
	}
	return fmt.Sprintf("%s/%s-%s-%.8s.md", folder, p.Created.UTC().Format(time.DateOnly), slug, p.ID)
}

// ownFiles returns the files of a post, by name.
func ownFiles(p portable.Post) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		m := ownMatter{Title: p.Title, Date: ownTime(p.Created), Lastmod: ownTime(p.Edited),
			Publish: ownTime(p.Publish), Slug: p.Slug, Tags: p.Tags, Language: p.Language, Aliases: p.Paths, ID: p.ID}
		switch p.Status {
		case portable.Draft, portable.Scheduled:
			if m.Draft = p.Status == portable.Draft; p.Hidden {
				m.Status = string(portable.Unlisted)
			}
		case portable.Unlisted, portable.Unpublished:
			m.Status = string(p.Status)
		}
		if !yield(ownName(p), ownText(m, p.Content)) || p.Edition == nil {
			return
		}
		m = ownMatter{Title: p.Edition.Title, Date: ownTime(p.Created), Publish: ownTime(p.Edition.Publish),
			Tags: SplitTags(p.Edition.Tags), Language: p.Edition.Language, Draft: true, ID: p.ID, Changes: true}
		name := strings.TrimSuffix(path.Base(ownName(p)), ".md")
		yield("drafts/"+name+"-changes.md", ownText(m, p.Edition.Content))
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

// ownText returns the content of a file: front matter, an empty line, the text and a line break. It names pictures by
// relative paths.
func ownText(m ownMatter, content string) string {
	head, err := yaml.Marshal(m)
	if err != nil {
		panic("portable: " + err.Error()) // front matter of strings and times can always be encoded
	}
	content = markup.Rewrite(content, func(l markup.Link) (string, bool) {
		name, ok := domain.ParseImagePath(l.Destination)
		return "../" + ImagePath(name.String()), ok
	})
	return "---\n" + string(head) + "---\n\n" + content + "\n"
}

// ErrNotExport reports that a file named like an export's document is something else.
var ErrNotExport = errors.New("not an export of Inkfeed")

// ReadFile reads Inkfeed's own export. The name is that of its document.
func ReadFile(files *portable.Files, name string) (*portable.Blog, error) {
	body, err := files.Read(name, portable.MaxDocument)
	if err != nil {
		return nil, err
	}
	var d struct {
		Format    string              `json:"format"`
		Version   int                 `json:"version"`
		Profile   portable.Profile    `json:"profile"`
		Posts     []ownPost           `json:"posts"`
		Comments  []portable.Comment  `json:"comments"`
		Likes     []portable.Reaction `json:"likes"`
		Bookmarks []portable.Reaction `json:"bookmarks"`
	}
	if err := json.Unmarshal(body, &d); err != nil {
		if !json.Valid(body) {
			return nil, fmt.Errorf("%s: it is not valid JSON: %w", name, err)
		}
		return nil, ErrNotExport
	}
	switch {
	case d.Format != exportFormat:
		return nil, ErrNotExport
	case d.Version != exportVersion:
		return nil, fmt.Errorf("%s: it has version %d, but this Inkfeed reads version %d",
			name, d.Version, exportVersion)
	}
	b := &portable.Blog{Format: "Inkfeed", Title: d.Profile.Username, Files: files,
		Rest: portable.Rest{Profile: d.Profile, Comments: d.Comments, Likes: d.Likes, Bookmarks: d.Bookmarks}}
	root := path.Dir(name)
	if b.Rest.Profile.Avatar != "" {
		b.Rest.Profile.Avatar = path.Join(root, b.Rest.Profile.Avatar)
	}
	byID := make(map[string]*ownPost)
	for i := range d.Posts {
		byID[d.Posts[i].ID] = &d.Posts[i]
	}
	places := make(map[string]int)
	var changes []portable.Post
	for _, file := range files.Paths {
		folder := path.Dir(file)
		if !portable.IsText(file) || folder != path.Join(root, "posts") && folder != path.Join(root, "drafts") {
			continue
		}
		p, isChange, err := readOwnFile(files, file)
		switch {
		case err != nil:
			b.AddProblem(file, "not imported: %v", err)
		case isChange:
			changes = append(changes, p)
		default:
			if _, twice := places[p.ID]; twice {
				b.AddProblem(file, "not imported: another file contains the same post")
				continue
			}
			if known := byID[p.ID]; known != nil {
				p.Versions = known.Versions
			}
			places[p.ID] = len(b.Posts)
			b.Posts = append(b.Posts, p)
		}
	}
	for _, change := range changes {
		i, ok := places[change.ID]
		if !ok {
			b.AddProblem(change.Where, "not imported: it changes a post that is not in the export")
			continue
		}
		b.Posts[i].Edition = &portable.Edition{Title: change.Title, Tags: strings.Join(change.Tags, ", "),
			Language: change.Language, Content: change.Content, Publish: change.Publish}
	}
	return b, nil
}

func readOwnFile(files *portable.Files, name string) (p portable.Post, isChange bool, err error) {
	body, err := files.Read(name, portable.MaxText)
	if err != nil {
		return portable.Post{}, false, err
	}
	m, content, err := frontmatter.Split(strings.ToValidUTF8(string(body), "\uFFFD"))
	if err != nil {
		return portable.Post{}, false, err
	}
	p = portable.Post{ID: m.Text("id"), Where: path.Base(name), Title: m.Text("title"), Slug: m.Text("slug"),
		Tags: m.List("", "tags"), Language: m.Text("language"), File: name}
	if !domain.IsID(p.ID) {
		return portable.Post{}, false, errors.New("its front matter has no valid post id")
	}
	p.Key = "inkfeed:" + p.ID
	p.Content = strings.TrimSuffix(strings.TrimPrefix(content, "\n"), "\n")
	for _, d := range []struct {
		to  *time.Time
		key string
	}{{&p.Created, "date"}, {&p.Edited, "lastmod"}, {&p.Publish, "publishDate"}} {
		if *d.to, err = m.Time(time.UTC, d.key); err != nil {
			return portable.Post{}, false, err
		}
	}
	for _, alias := range m.List("", "aliases") {
		if strings.HasPrefix(alias, "/?") {
			p.Paths = append(p.Paths, alias)
			continue
		}
		p.AddPath(alias)
	}
	status := portable.Status(m.Text("status"))
	p.Hidden = status == portable.Unlisted && (m.Bool("draft") || !p.Publish.IsZero())
	switch {
	case m.Bool("draft"):
		p.Status = portable.Draft
	case !p.Publish.IsZero():
		p.Status = portable.Scheduled
	case status == portable.Unlisted, status == portable.Unpublished:
		p.Status = status
	case status == "", status == portable.Published:
		p.Status = portable.Published
	default:
		return portable.Post{}, false, fmt.Errorf("the status %q is not known", status)
	}
	return p, m.Bool("changes"), nil
}
