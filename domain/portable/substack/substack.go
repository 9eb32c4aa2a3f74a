// Package substack reads exports of Substack.
package substack

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/plaintext"
	"inkfeed/domain/portable"
	"inkfeed/domain/portable/markup"
)

// PostsTable is the table of posts in an export of Substack: it has one row for each post, and the texts are
// posts/ID.SLUG.html. Its columns are those of exports that people have published with their converters
// (TryGhost/migrate and others). The lists of subscribers and of opened emails beside it are never read.
const PostsTable = "posts.csv"

// csvRow is a row of posts.csv.
type csvRow struct {
	id, number, slug string // "123.a-slug" and its parts
	date             string
	published        bool
	ragged           bool // its cells may be those of other columns
	kind             string
	audience         string
	title, subtitle  string
	podcast          string
}

type substack struct {
	blog   *portable.Blog
	folder string // of posts.csv
	read   map[string]bool
}

// ReadFolder reads an export of Substack. It returns nil if there is no table of Substack's posts.
func ReadFolder(files *portable.Files, _ time.Time) (*portable.Blog, error) {
	name, ok := files.Shallowest(PostsTable)
	if !ok {
		return nil, nil
	}
	body, err := files.ReadCSV(name)
	if err != nil {
		return nil, err
	}
	rows, ok, err := readRows(body)
	if !ok || err != nil {
		return nil, err
	}
	s := &substack{blog: &portable.Blog{Format: "Substack", Files: files}, folder: path.Dir(name),
		read: make(map[string]bool)}
	for _, known := range files.Paths {
		// The name of the list of subscribers, which is not opened, tells the address.
		if m := subscriberList.FindStringSubmatch(path.Base(known)); m != nil && path.Dir(known) == s.folder {
			s.blog.Title = m[1]
			s.blog.Sites.Add("https://" + m[1] + ".substack.com")
		}
	}
	for _, row := range rows {
		s.add(row)
	}
	for _, known := range files.Paths {
		if path.Dir(known) == path.Join(s.folder, "posts") && path.Ext(known) == ".html" && !s.read[known] {
			row := csvRow{id: markup.Stem(known), kind: "newsletter"}
			row.number, row.slug, _ = strings.Cut(row.id, ".")
			s.blog.AddProblem(path.Base(known), "imported as a draft: posts.csv does not list it")
			s.add(row)
		}
	}
	s.blog.FindSite()
	return s.blog, nil
}

var subscriberList = regexp.MustCompile(`^email_list\.([a-z0-9-]+)\.csv$`)

// readRows reads posts.csv. It returns false if columns of Substack's table are missing.
func readRows(body []byte) (rows []csvRow, ok bool, err error) {
	table := csv.NewReader(bytes.NewReader(body))
	table.FieldsPerRecord, table.LazyQuotes, table.ReuseRecord = -1, true, true
	head, err := table.Read()
	if err != nil {
		return nil, false, nil
	}
	columns := make(map[string]int)
	for i, column := range head {
		columns[strings.ToLower(strings.TrimSpace(column))] = i
	}
	for _, column := range []string{"post_id", "is_published", "title"} {
		if _, there := columns[column]; !there {
			return nil, false, nil
		}
	}
	_, limited := columns["audience"]
	for {
		row, err := table.Read()
		if errors.Is(err, io.EOF) {
			return rows, true, nil
		}
		if err != nil {
			return nil, true, err
		}
		cell := func(column string) string {
			if i, there := columns[column]; there && i < len(row) {
				return strings.TrimSpace(row[i])
			}
			return ""
		}
		p := csvRow{
			id: cell("post_id"), date: cell("post_date"), published: strings.EqualFold(cell("is_published"), "true"),
			kind: strings.ToLower(cell("type")), audience: cell("audience"), title: cell("title"),
			subtitle: cell("subtitle"), podcast: cell("podcast_url"), ragged: len(row) != len(head),
		}
		if !limited { // early exports lack this column
			p.audience = "everyone"
		}
		if p.number, p.slug, _ = strings.Cut(p.id, "."); p.id != "" {
			rows = append(rows, p)
		}
	}
}

// add imports the post of a row with its text.
func (s *substack) add(row csvRow) {
	b := s.blog
	p := portable.Post{Key: "substack:" + row.number, Where: cmp.Or(row.title, row.id), Title: row.title,
		Slug: row.slug}
	if !plaintext.Exceeds(row.subtitle, domain.MaxSubtitle) {
		p.Subtitle = row.subtitle
	}
	name := path.Join(s.folder, "posts", row.id+".html")
	if !b.Files.Has(name) {
		name = path.Join(s.folder, "posts", row.number+".html")
	}
	s.read[name] = true
	if !b.Files.Has(name) {
		b.AddProblem(p.Where, "not imported: its text is not in the export")
		return
	}
	page, err := markup.ReadPage(b.Files, name)
	if err != nil {
		b.AddProblem(p.Where, "not imported: %v", err)
		return
	}
	p.Created, _ = portable.ParseTime(row.date, time.UTC)
	s.status(&p, row, page)
	if row.slug != "" {
		p.AddPath("/p/" + row.slug)
	}
	p.DraftPaths()
	content, err := translateText(page, row)
	if err != nil {
		b.AddProblem(p.Where, "not imported: %v", err)
		return
	}
	page.Translator.AddPost(b, p, content)
}

// status makes a post a draft unless everyone could read it on the site.
func (s *substack) status(p *portable.Post, row csvRow, page *markup.Page) {
	p.Status = portable.Draft
	switch {
	case row.ragged:
		s.blog.AddProblem(p.Where, "imported as a draft: its row in posts.csv does not have one cell for each column")
	case !row.published:
	case row.audience == "only_paid", row.audience == "founding", row.audience == "only_free":
		s.blog.AddProblem(p.Where, "imported as a draft: only subscribers could read it (%s)", row.audience)
	case row.audience != "everyone":
		s.blog.AddProblem(p.Where, "imported as a draft: its audience %q is not known", row.audience)
	case page.Find(".paywall-jump").Length() > 0:
		s.blog.AddProblem(p.Where, "imported as a draft: only paying subscribers could read all of it")
	case slices.Contains([]string{"newsletter", "podcast", "thread", "video", "post", ""}, row.kind):
		p.Status = portable.Published
	case row.kind == "page":
		p.Status = portable.Unlisted
		s.blog.AddProblem(p.Where, "imported as an unlisted post: it was a page")
	default:
		s.blog.AddProblem(p.Where, "imported as a draft: its kind %q is not known", row.kind)
	}
}
