package export

import (
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/domain/portable"
	"inkfeed/domain/portable/frontmatter"
)

// ErrNotExport reports that a file named like an export's document is something else.
var ErrNotExport = errors.New("not an export of Inkfeed")

// exportDocument is the document of an export.
type exportDocument struct {
	Format    string              `json:"format"`
	Version   int                 `json:"version"`
	Site      *portable.Site      `json:"site"`
	Profile   portable.Profile    `json:"profile"`
	Posts     []ownPost           `json:"posts"`
	Images    []portable.Picture  `json:"images"`
	Comments  []portable.Comment  `json:"comments"`
	Likes     []portable.Reaction `json:"likes"`
	Bookmarks []portable.Reaction `json:"bookmarks"`
}

// ReadFile reads Inkfeed's own export. The name is that of its document.
func ReadFile(files *portable.Files, name string) (*portable.Blog, error) {
	d, err := readDocument(files, name)
	if err != nil {
		return nil, err
	}
	root := path.Dir(name)
	b := d.blog(root)
	b.Files = files
	addTexts(b, root, d.Posts)
	return b, nil
}

func readDocument(files *portable.Files, name string) (d exportDocument, err error) {
	body, err := files.ReadJSON(name)
	if err != nil {
		return d, err
	}
	if err := json.Unmarshal(body, &d); err != nil {
		if !json.Valid(body) {
			return d, portable.InvalidExport("Inkfeed", err)
		}
		return d, ErrNotExport
	}
	switch {
	case d.Format != exportFormat:
		return d, ErrNotExport
	case d.Version != exportVersion:
		return d, portable.NewFault(locale.M("it has version {version}, but this site reads version {known}",
			"version", d.Version, "known", exportVersion), nil)
	}
	return d, nil
}

// blog returns the blog without its texts. Its pictures are in the folder root.
func (d exportDocument) blog(root string) *portable.Blog {
	b := &portable.Blog{Format: "Inkfeed", Title: d.Profile.Username,
		Rest: portable.Rest{Profile: d.Profile, Comments: d.Comments, Likes: d.Likes, Bookmarks: d.Bookmarks}}
	pictures := []*string{&b.Rest.Profile.Avatar, &b.Rest.Profile.Header}
	if b.Site = d.Site; b.Site != nil {
		b.Title, b.Rest = b.Site.Name, portable.Rest{}
		pictures = slices.Collect(maps.Values(b.Site.Pictures()))
	}
	for _, picture := range pictures {
		if *picture != "" {
			*picture = path.Join(root, *picture)
		}
	}
	for _, picture := range d.Images {
		if picture.File = path.Join(root, picture.File); portable.IsImage(picture.File) {
			b.Pictures = append(b.Pictures, picture)
		}
	}
	return b
}

// addTexts reads the posts and drafts in the folders of an export. The document has the versions of its posts.
func addTexts(b *portable.Blog, root string, posts []ownPost) {
	isID := domain.IsID
	if b.Site != nil {
		isID = domain.IsPageID
	}
	byID := make(map[string]*ownPost)
	for i := range posts {
		byID[posts[i].ID] = &posts[i]
	}
	places := make(map[string]int)
	var changes []portable.Post
	for _, file := range b.Files.Paths {
		folder := path.Dir(file)
		if !portable.IsText(file) || folder != path.Join(root, "posts") && folder != path.Join(root, "drafts") {
			continue
		}
		p, isChange, err := readOwnFile(b, file, isID)
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
			if b.Site != nil {
				p.Paths = nil // the former addresses of pages are in the list of pages
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
		b.Posts[i].PendingEdit = &portable.PendingEdit{Title: change.Title, Tags: strings.Join(change.Tags, ", "),
			Details: change.Details, Content: change.Content, Status: change.Status, Publish: change.Publish}
	}
}

func readOwnFile(b *portable.Blog, name string, isID func(string) bool) (p portable.Post, isChange bool, err error) {
	body, err := b.Files.ReadText(name, portable.MaxText)
	if err != nil {
		return portable.Post{}, false, err
	}
	m, content, err := frontmatter.Split(string(body))
	if err != nil {
		return portable.Post{}, false, err
	}
	p = portable.Post{ID: m.Text("id"), Where: path.Base(name), Title: m.Text("title"), Slug: m.Text("slug"),
		Tags: m.List("", "tags"), File: name, CommentsClosed: m.Bool("commentsClosed"),
		Details: domain.DetailsOf(func(name string) string { return m.Text(name) })}
	if !isID(p.ID) {
		return portable.Post{}, false, portable.NewFault(locale.M("its front matter has no valid post id"), nil)
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
			p.AddOld(alias)
			continue
		}
		p.AddPath(alias)
	}
	status, isChange, visibility := portable.Status(m.Text("status")), m.Bool("changes"), m.Visibility()
	unlisted := status == portable.Unlisted || visibility.Audience == frontmatter.Unlisted
	private := visibility.Audience == frontmatter.Private
	if status == portable.Unpublished { // which is private by itself, but may have a date
		m.Remove("status")
		private = m.Visibility().Audience == frontmatter.Private
	}
	p.Hidden = unlisted && (private || !p.Publish.IsZero())
	for _, r := range visibility.Reasons {
		b.Problems = append(b.Problems, r.Problem(p.Where))
	}
	switch {
	case status != "" && status != portable.Published && status != portable.Unlisted && status != portable.Unpublished:
		return portable.Post{}, false, portable.NewFault(locale.M("the status {status} is not known",
			"status", strconv.Quote(string(status))), nil)
	case isChange:
		p.Status = status
	case private:
		p.Status = portable.Draft
	case !p.Publish.IsZero():
		p.Status = portable.Scheduled
	case unlisted:
		p.Status = portable.Unlisted
	default:
		p.Status = cmp.Or(status, portable.Published)
	}
	return p, isChange, nil
}
