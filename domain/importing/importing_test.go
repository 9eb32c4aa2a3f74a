package importing_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/importing"
	"inkfeed/domain/picture"
	"inkfeed/domain/portable"
	"inkfeed/domain/portable/formats"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// memoryStore implements all stores of an import in memory, by the rules of the real ones. The call whose number is
// failing fails.
type memoryStore struct {
	mu          sync.Mutex
	calls       int
	failing     int
	bio         string
	displayName string
	undone      int
	posts       map[string]domain.Post
	versions    map[string]domain.PostVersion
	drafts      map[string]domain.Draft
	records     map[string]domain.Import
	redirects   map[string]domain.Redirect
	images      map[string]domain.Image
	files       map[string]int
	comments    map[string]domain.Comment
}

func newStore() *memoryStore {
	return &memoryStore{posts: map[string]domain.Post{}, versions: map[string]domain.PostVersion{},
		drafts:  map[string]domain.Draft{},
		records: map[string]domain.Import{}, redirects: map[string]domain.Redirect{}, images: map[string]domain.Image{},
		files: map[string]int{}, comments: map[string]domain.Comment{}}
}

var (
	errCut     = domain.Errorf(domain.Unavailable, "cut off")
	errMissing = domain.Errorf(domain.NotFound, "there is none")
	errRace    = domain.Errorf(domain.Conflict, "it is another version")
)

// enter begins a call. The caller must call leave.
func (m *memoryStore) enter() (leave func(), err error) {
	m.mu.Lock()
	if m.calls++; m.calls == m.failing {
		err = errCut
	}
	return m.mu.Unlock, err
}

// put writes one item, unless the call fails.
func put[T any](m *memoryStore, into map[string]T, key string, value T) error {
	leave, err := m.enter()
	defer leave()
	if err == nil {
		into[key] = value
	}
	return err
}

// get reads one item, unless the call fails.
func get[T any](m *memoryStore, from map[string]T, key string) (T, error) {
	leave, err := m.enter()
	defer leave()
	value, ok := from[key]
	if err == nil && !ok {
		err = errMissing
	}
	return value, err
}

type (
	users     struct{ *memoryStore }
	posts     struct{ *memoryStore }
	drafts    struct{ *memoryStore }
	records   struct{ *memoryStore }
	redirects struct{ *memoryStore }
	images    struct{ *memoryStore }
	files     struct{ *memoryStore }
)

func (u users) ByID(context.Context, string) (domain.User, error) { return domain.User{}, errMissing }
func (u users) SetProfile(_ context.Context, _, bio string) error {
	leave, err := u.enter()
	defer leave()
	if err == nil {
		u.bio = bio
	}
	return err
}
func (u users) SetDisplayName(_ context.Context, _, name string) (domain.User, error) {
	leave, err := u.enter()
	defer leave()
	if err == nil {
		u.displayName = name
	}
	return domain.User{DisplayName: name}, err
}
func (u users) SetAvatar(context.Context, string, string) error { return nil }

func (p posts) Latest(_ context.Context, id string) (domain.Post, error) {
	return get(p.memoryStore, p.posts, id)
}

func (p posts) Create(_ context.Context, post domain.Post) error {
	leave, err := p.enter()
	defer leave()
	if _, there := p.posts[post.ID]; err == nil && !there {
		p.posts[post.ID] = post
	}
	return err
}

func (p posts) Edit(_ context.Context, e domain.Edit, _ string) (domain.Post, error) {
	leave, err := p.enter()
	defer leave()
	post := p.posts[e.PostID]
	switch {
	case err != nil:
		return domain.Post{}, err
	case post.Revision != e.Revision:
		return domain.Post{}, errRace
	}
	p.versions[fmt.Sprint(post.ID, post.Revision)] = post.Replaced()
	post.Title, post.Content, post.Tags, post.Details = e.Title, e.Content, e.Tags, e.Details
	post.Status, post.Edited = e.Status, e.At
	post.Revision++
	p.posts[post.ID] = post
	return post, nil
}

func (p posts) AddVersion(_ context.Context, v domain.PostVersion) error {
	return put(p.memoryStore, p.versions, fmt.Sprint(v.PostID, v.Revision), v)
}

func (p posts) Comment(_ context.Context, postID, id string) (domain.Comment, error) {
	return get(p.memoryStore, p.comments, postID+id)
}

func (p posts) AddComment(_ context.Context, c domain.Comment) (domain.Post, error) {
	return domain.Post{}, put(p.memoryStore, p.comments, c.PostID+c.ID, c)
}
func (p posts) Like(context.Context, domain.Like) (domain.Post, error) { return domain.Post{}, nil }
func (p posts) Bookmark(context.Context, domain.Post, string, time.Time) (domain.Bookmark, error) {
	return domain.Bookmark{}, nil
}

func (d drafts) Get(_ context.Context, _, id string) (domain.Draft, error) {
	return get(d.memoryStore, d.drafts, id)
}

func (d drafts) Save(_ context.Context, draft domain.Draft) (domain.Draft, error) {
	leave, err := d.enter()
	defer leave()
	if err == nil {
		err = domain.CheckDraft(draft)
	}
	stored, there := d.drafts[draft.PostID]
	switch {
	case err != nil:
		return domain.Draft{}, err
	case there && stored.SameText(draft):
		return stored, nil
	case stored.Version != draft.Version:
		return domain.Draft{}, errRace
	}
	draft.Version, draft.Publish = draft.Version+1, stored.Publish
	d.drafts[draft.PostID] = draft
	return draft, nil
}

func (d drafts) Schedule(_ context.Context, _, id string, version int, at time.Time) (domain.Draft, error) {
	leave, err := d.enter()
	defer leave()
	draft := d.drafts[id]
	switch {
	case err != nil:
		return domain.Draft{}, err
	case draft.Version != version:
		return domain.Draft{}, errRace
	}
	draft.Publish = at
	d.drafts[id] = draft
	return draft, nil
}

func (d drafts) Unschedule(_ context.Context, _, id string) (domain.Draft, error) {
	leave, err := d.enter()
	defer leave()
	draft := d.drafts[id]
	if err == nil {
		draft.Publish = time.Time{}
		d.drafts[id] = draft
	}
	return draft, err
}

func (d drafts) Discard(_ context.Context, _, id string, version int) error {
	leave, err := d.enter()
	defer leave()
	if err == nil && d.drafts[id].Version != version {
		err = errRace
	}
	if err == nil {
		delete(d.drafts, id)
	}
	return err
}

func (r records) Of(context.Context, string) ([]domain.Import, error) {
	leave, err := r.enter()
	defer leave()
	return slices.Collect(maps.Values(r.records)), err
}
func (r records) Undone(context.Context, string) (int, error) {
	leave, err := r.enter()
	defer leave()
	return r.undone, err
}
func (r records) Put(_ context.Context, i domain.Import) error {
	return put(r.memoryStore, r.records, i.PostID, i)
}

func (r redirects) Put(_ context.Context, to domain.Redirect) (domain.Redirect, error) {
	leave, err := r.enter()
	defer leave()
	if there, ok := r.redirects[to.Path]; err == nil && ok {
		return there, nil
	}
	if err == nil {
		r.redirects[to.Path] = to
	}
	return to, err
}
func (r redirects) Move(_ context.Context, to domain.Redirect) error {
	return put(r.memoryStore, r.redirects, to.Path, to)
}

func (i images) All(context.Context, string) ([]domain.Image, error) {
	leave, err := i.enter()
	defer leave()
	return slices.Collect(maps.Values(i.images)), err
}

func (i images) SetSource(_ context.Context, _ string, name domain.ImageName, source string) error {
	leave, err := i.enter()
	defer leave()
	if image, ok := i.images[name.String()]; err == nil && ok {
		image.Source = source
		i.images[name.String()] = image
	}
	return err
}

func (i images) Begin(_ context.Context, image domain.Image) (domain.Image, error) {
	leave, err := i.enter()
	defer leave()
	if there, ok := i.images[image.Name.String()]; err == nil && ok {
		return there, nil
	}
	image.Incomplete = true
	if err == nil {
		i.images[image.Name.String()] = image
	}
	return image, err
}

func (i images) Complete(_ context.Context, _ string, name domain.ImageName) error {
	leave, err := i.enter()
	defer leave()
	if image, ok := i.images[name.String()]; err == nil && ok {
		image.Incomplete = false
		i.images[name.String()] = image
	}
	return err
}

func (f files) Put(_ context.Context, name string, content []byte) error {
	return put(f.memoryStore, f.files, name, len(content))
}

var ada = domain.User{ID: "u.abcdefghijkmnpqrstuvwxyz23", Username: "ada", Created: now}

// importFiles imports files for Ada.
func importFiles(t testing.TB, m *memoryStore, source map[string]string, dryRun bool) (importing.Report, error) {
	t.Helper()
	return importAs(t, m, ada, source, dryRun)
}

func importAs(t testing.TB, m *memoryStore, user domain.User, source map[string]string,
	dryRun bool) (importing.Report, error) {
	t.Helper()
	return importFor(t, m, user, nil, source, dryRun)
}

// importFor imports files for the users who own the posts of some authors, and for the user who owns all others.
func importFor(
	t testing.TB, m *memoryStore, user domain.User, owners map[string]domain.User, source map[string]string, dryRun bool,
) (importing.Report, error) {
	t.Helper()
	root := fstest.MapFS{}
	for name, text := range source {
		root[name] = &fstest.MapFile{Data: []byte(text), ModTime: now.AddDate(0, 0,
			-1)} // the time of the file, which dates posts without a date
	}
	blog, err := formats.Read([]fs.FS{root}, now)
	if err != nil {
		t.Fatal(err)
	}
	importer := importing.Importer{User: user, Owners: owners, Users: users{m}, Posts: posts{m}, Drafts: drafts{m},
		Records: records{m}, Redirects: redirects{m},
		Images: images{m}, Files: files{m}, Maker: picture.NewMaker(), Now: now, DryRun: dryRun, Writers: 1, // so that calls come in one order
		Try: func(_ context.Context, call func() error) error { return call() }, Progress: func() {}}
	return importer.Import(t.Context(), blog)
}

// importBlog imports a blog for Ada.
func importBlog(t testing.TB, m *memoryStore, blog *portable.Blog,
	configure func(*importing.Importer)) (importing.Report, error) {
	t.Helper()
	importer := importing.Importer{User: ada, Users: users{m}, Posts: posts{m}, Drafts: drafts{m}, Records: records{m},
		Redirects: redirects{m},
		Images:    images{m}, Files: files{m}, Maker: picture.NewMaker(), Now: now, Writers: 1,
		Try: func(_ context.Context, call func() error) error { return call() }, Progress: func() {}}
	if configure != nil {
		configure(&importer)
	}
	return importer.Import(t.Context(), blog)
}

func mustImport(t *testing.T, m *memoryStore, source map[string]string) importing.Report {
	t.Helper()
	report, err := importFiles(t, m, source, false)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func hugoBlog(t testing.TB) map[string]string {
	t.Helper()
	photo, err := os.ReadFile("../portable/testdata/photo.png")
	if err != nil {
		t.Fatal(err)
	}
	return map[string]string{
		"hugo.toml": "baseURL = 'https://ada.example'",
		"content/posts/one.md": "---\ntitle: One\ndate: 2020-01-01\ntags: [a, b]\naliases: [/uno/]\n---\nText with " +
			"![a photo](/photo.png) and [two](/posts/two/).\n",
		"content/posts/two.md": "---\ntitle: Two\ndate: 2020-01-02\nbuild: {list: never}\n---\nSee [one]({{< ref " +
			"\"one\" >}}).\n",
		"content/posts/idea.md": "---\ntitle: Idea\ndraft: true\ntags: x\n---\nHalf a thought.\n",
		"content/posts/soon.md": "---\ntitle: Soon\ndate: 2030-01-01\n---\nNot yet.\n",
		"static/photo.png":      string(photo),
	}
}

// idOf returns the id of the post or draft with a title.
func (m *memoryStore) idOf(t *testing.T, title string) (id string) {
	t.Helper()
	for id, p := range m.posts {
		if p.Title == title {
			return id
		}
	}
	for id, d := range m.drafts {
		if d.Title == title {
			return id
		}
	}
	t.Fatalf("there is no %q", title)
	return ""
}

// reports tells whether the report has a problem with a text.
func reports(r importing.Report, about string) bool {
	for _, p := range r.Problems {
		if strings.Contains(p.String(), about) {
			return true
		}
	}
	return false
}

func TestImportCreatesPostsDraftsPicturesAndRedirects(t *testing.T) {
	m := newStore()
	if r := mustImport(t, m, hugoBlog(t)); r.New != 4 || len(r.Problems) != 0 || r.Pictures != 1 {
		t.Fatalf("the report is %+v", r)
	}
	one, two := m.posts[m.idOf(t, "One")], m.posts[m.idOf(t, "Two")]
	var picture domain.Image
	for _, i := range m.images {
		picture = i
	}
	if want := "Text with ![a photo](" + picture.Name.Path() + ") and [two](" + two.Path() + ")."; one.Content != want {
		t.Errorf("the text is %q, want %q", one.Content, want)
	}
	if picture.Alt != "a photo" || picture.Incomplete || m.files[picture.Name.String()] == 0 ||
		m.files[picture.Name.OwnerFile()] != len(picture.UserID) {
		t.Errorf("the picture is %+v", picture)
	}
	if one.Tags != "a,b" || !one.Created.Equal(time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)) ||
		one.Status != domain.Published || two.Status != domain.Unlisted {
		t.Errorf("%+v, %+v", one, two)
	}
	if m.redirects["/uno"].PostID != one.ID || m.redirects["/posts/one"].PostID != one.ID ||
		m.redirects["/posts/soon"].PostID == "" || m.redirects["/posts/idea"].PostID != "" {
		t.Errorf("redirects %v", m.redirects)
	}
	if soon := m.drafts[m.idOf(t, "Soon")]; soon.Publish.Year() != 2030 {
		t.Errorf("%+v", soon)
	}
}

// Both the source and the post here may have changed since the first import.
func TestSecondImportKeepsChangesOfBothSides(t *testing.T) {
	const file = "content/posts/one.md"
	changed := func(source map[string]string, name string) map[string]string {
		source = maps.Clone(source)
		source[name] += "\nMore.\n"
		return source
	}
	edit := func(m *memoryStore, id string) {
		p := m.posts[id]
		p.Content, p.Revision = "Changed here.", p.Revision+1
		m.posts[id] = p
	}
	for _, c := range []struct {
		name   string
		there  func(map[string]string) map[string]string // changes the source
		here   func(t *testing.T, m *memoryStore)
		report importing.Report
		says   string
		text   string // part of the post's text after the second import
	}{
		{"nothing changed", nil, nil, importing.Report{Unchanged: 4}, "", "Text with"},
		{"the source changed", func(s map[string]string) map[string]string { return changed(s, file) }, nil,
			importing.Report{Changed: 1, Unchanged: 3}, "", "More."},
		{"the post changed", nil, func(t *testing.T, m *memoryStore) { edit(m, m.idOf(t, "One")) },
			importing.Report{Kept: 1, Unchanged: 3}, "", "Changed here."},
		{"both changed", func(s map[string]string) map[string]string { return changed(s, file) },
			func(t *testing.T, m *memoryStore) { edit(m, m.idOf(t, "One")) },
			importing.Report{Left: 1, Unchanged: 3}, "changed both here and in its source", "Changed here."},
		{"the post was deleted", nil, func(t *testing.T, m *memoryStore) {
			id := m.idOf(t, "One")
			m.posts[id] = domain.Post{ID: id, AuthorID: ada.ID, Deleted: now}
		}, importing.Report{Left: 1, Unchanged: 3}, "it was deleted here", ""},
		{"a draft's source changed", func(s map[string]string) map[string]string {
			return changed(s,
				"content/posts/idea.md")
		}, nil,
			importing.Report{Changed: 1, Unchanged: 3}, "", "Text with"},
		{"a draft changed", nil, func(t *testing.T, m *memoryStore) {
			id := m.idOf(t, "Idea")
			d := m.drafts[id]
			d.Content, d.Version = "Mine.", d.Version+1
			m.drafts[id] = d
		}, importing.Report{Kept: 1, Unchanged: 3}, "", "Text with"},
		{"a draft was discarded", nil, func(t *testing.T, m *memoryStore) { delete(m.drafts, m.idOf(t, "Idea")) },
			importing.Report{Left: 1, Unchanged: 3}, "its draft was discarded here", "Text with"},
		{"a draft was published at its source", func(s map[string]string) map[string]string {
			s = maps.Clone(s)
			s["content/posts/idea.md"] = strings.Replace(s["content/posts/idea.md"], "draft: true\n", "", 1)
			return s
		}, nil, importing.Report{New: 1, Unchanged: 3}, "", "Text with"},
		{"a draft was published at its source, and changed here", func(s map[string]string) map[string]string {
			s = maps.Clone(s)
			s["content/posts/idea.md"] = strings.Replace(s["content/posts/idea.md"], "draft: true\n", "", 1)
			return s
		}, func(t *testing.T, m *memoryStore) {
			id := m.idOf(t, "Idea")
			d := m.drafts[id]
			d.Content, d.Version = "Mine.", d.Version+1
			m.drafts[id] = d
		}, importing.Report{Left: 1, Unchanged: 3}, "its draft was changed here", "Text with"},
		{"the source has another former address", func(s map[string]string) map[string]string {
			s = maps.Clone(s)
			s[file] = strings.Replace(s[file], "[/uno/]", "[/uno/, /ein/]", 1)
			return s
		}, nil, importing.Report{Unchanged: 4}, "", "Text with"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, source := newStore(), hugoBlog(t)
			mustImport(t, m, source)
			id := m.idOf(t, "One")
			if c.here != nil {
				c.here(t, m)
			}
			if c.there != nil {
				source = c.there(source)
			}
			for again := range 2 {
				r := mustImport(t, m, source)
				if got := (importing.Report{New: r.New, Changed: r.Changed, Unchanged: r.Unchanged, Kept: r.Kept,
					Left: r.Left}); again == 0 && !reflect.DeepEqual(got, c.report) {
					t.Errorf("the report is %+v, want %+v: %v", got, c.report, r.Problems)
				} else if again == 1 && (r.New != 0 || r.Changed != 0) {
					t.Errorf("a third import reports %+v", got)
				}
				if c.says != "" && !reports(r, c.says) || c.says == "" && len(r.Problems) != 0 {
					t.Errorf("problems %v", r.Problems)
				}
			}
			if !strings.Contains(m.posts[id].Content, c.text) {
				t.Errorf("the post is %q", m.posts[id].Content)
			}
			if c.name == "the source has an address more" && m.redirects["/ein"].PostID != id {
				t.Errorf("redirects %v", m.redirects)
			}
		})
	}
}

func TestDryRunWritesNothing(t *testing.T) {
	m, empty := newStore(), newStore()
	r, err := importFiles(t, m, hugoBlog(t), true)
	if err != nil || r.New != 4 || r.Pictures != 1 {
		t.Fatalf("%+v, %v", r, err)
	}
	if m.calls = 0; !reflect.DeepEqual(m, empty) {
		t.Errorf("it wrote %+v", m)
	}
}

func TestDryRunOfNewPostsDecodesNoPicture(t *testing.T) {
	source := hugoBlog(t)
	photo := []byte(source["static/photo.png"])
	clear(photo[len(photo)-40 : len(photo)-20]) // only decoding finds the damage
	source["static/photo.png"] = string(photo)
	r, err := importFiles(t, newStore(), source, true)
	if err != nil || r.Pictures != 1 || reports(r, "photo.png was left out") {
		t.Errorf("a dry run has %d pictures and reports %v, error %v", r.Pictures, r.Problems, err)
	}
	if r = mustImport(t, newStore(), source); r.Pictures != 0 || !reports(r, "photo.png was left out") {
		t.Errorf("an import has %d pictures and reports %v", r.Pictures, r.Problems)
	}
	source["static/photo.png"] = "no picture"
	if r, err = importFiles(t, newStore(), source, true); err != nil || r.Pictures != 0 ||
		!reports(r, "photo.png was left out") {
		t.Errorf("for a file that is not a picture it has %d pictures and reports %v, error %v", r.Pictures, r.Problems, err)
	}
}

func TestDryRunOfAnUnchangedBlogReportsNoChange(t *testing.T) {
	m := newStore()
	mustImport(t, m, hugoBlog(t))
	for id, image := range m.images {
		image.Source = "" // as by an early release, which stored no digests
		m.images[id] = image
	}
	if r, err := importFiles(t, m, hugoBlog(t), true); err != nil || r.Unchanged != 4 || r.Changed != 0 || r.Pictures != 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestListsOfTheOldBlogRedirectToListsHere(t *testing.T) {
	m, source := newStore(), hugoBlog(t)
	source["content/posts/many.md"] = "---\ntitle: Many\ndate: 2021-01-01\ntags: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, " +
		"eleven]\n---\nText.\n"
	mustImport(t, m, source)
	lead := func(t *testing.T, wanted map[string]string) {
		t.Helper()
		for path, to := range wanted {
			if got := m.redirects[path]; got.To != to || got.PostID != "" || got.OwnerID != ada.ID {
				t.Errorf("%s leads to %+v, want %s", path, got, to)
			}
		}
	}
	lead(t, map[string]string{"/": "/@", "/feed": "/@/feed.rss", "/posts": "/@", "/tags/a": "/tags/a",
		"/archives": "/@/archive"})
	t.Run("to all posts if no post could keep the tag", func(t *testing.T) {
		lead(t, map[string]string{"/tags/eleven": "/@"})
	})
	t.Run("without writing them again", func(t *testing.T) {
		before := m.calls
		mustImport(t, m, source)
		unchanged := m.calls - before
		m.redirects = map[string]domain.Redirect{}
		mustImport(t, m, source)
		if m.redirects["/feed"].To != "" {
			t.Errorf("the second import made %d calls", unchanged)
		}
	})
	t.Run("to new targets after a change of the source", func(t *testing.T) {
		m = newStore()
		mustImport(t, m, source)
		source["content/posts/many.md"] = strings.Replace(source["content/posts/many.md"], "10, eleven", "eleven", 1)
		mustImport(t, m, source)
		lead(t, map[string]string{"/tags/eleven": "/tags/eleven"})
	})
	t.Run("unless a post gets the address later", func(t *testing.T) {
		source["content/archives.md"] = "---\ntitle: All\ndate: 2020-02-02\n---\nText.\n"
		mustImport(t, m, source)
		if got := m.redirects["/archives"]; got.PostID != m.idOf(t, "All") || got.To != "" {
			t.Errorf("its address leads to %+v", got)
		}
	})
	t.Run("unless the address redirects to another user's blog", func(t *testing.T) {
		bob := domain.User{ID: "u.23zyxwvutsrqpnmkjihgfedcba", Username: "bob", Created: now}
		r, err := importAs(t, m, bob, map[string]string{"_config.yml": "", "_posts/2020-01-01-x.md": "text"}, false)
		if err != nil || !reports(r, "lead to another author's here") {
			t.Errorf("%+v, %v", r.Problems, err)
		}
		lead(t, map[string]string{"/": "/@", "/feed": "/@/feed.rss"})
	})
	t.Run("and are listed in a record", func(t *testing.T) {
		named := make(map[string]bool)
		for _, record := range m.records {
			for _, path := range record.Paths {
				named[path] = true
			}
		}
		for path := range m.redirects {
			if !named[path] {
				t.Errorf("no record names %s", path)
			}
		}
	})
}

func TestLinkToAPostThatIsNotImportedStaysAsItWas(t *testing.T) {
	m := newStore()
	r := mustImport(t, m, map[string]string{
		"hugo.toml": "",
		"content/posts/one.md": "---\ntitle: One\ndate: 2020-01-01\n---\n[long](/posts/long/), " +
			"[empty](/posts/empty/), [two](/posts/two/)\n",
		"content/posts/two.md": "---\ntitle: Two\ndate: 2020-01-01\n---\nSee [long](long.md#end).\n",
		"content/posts/long.md": "---\ntitle: Long\ndate: 2020-01-01\n---\n" +
			strings.Repeat("word ", domain.MaxContent/5+1),
		"content/posts/empty.md": "---\ntitle: Empty\ndate: 2020-01-01\n---\n",
	})
	one, two := m.posts[m.idOf(t, "One")], m.posts[m.idOf(t, "Two")]
	if want := "[long](/posts/long/), [empty](/posts/empty/), [two](" + two.Path() + ")"; one.Content != want ||
		two.Content != "See [long](long.md#end)." {
		t.Errorf("the posts are %q and %q", one.Content, two.Content)
	}
	if r.Left != 2 || !reports(r, "links to 2 posts that are not imported stay as they were, the first to /posts/long/") {
		t.Errorf("the report is %+v", r)
	}
}

func TestPostThatIsTooLongOnlyWithNewAddressesKeepsItsOldOnes(t *testing.T) {
	m := newStore()
	fitting := "[x](a.md) " + strings.Repeat("word ", (domain.MaxContent-20)/5)
	r := mustImport(t, m, map[string]string{"a.md": "---\ntitle: A\ndate: 2020-01-01\n---\n" + fitting,
		"b.md": "---\ntitle: B\ndate: 2020-01-01\n---\n[a](a.md)\n"})
	a, b := m.posts[m.idOf(t, "A")], m.posts[m.idOf(t, "B")]
	if strings.TrimSpace(a.Content) != strings.TrimSpace(fitting) || r.Left != 0 ||
		!reports(r, "the text would be too long") {
		t.Errorf("%d characters, and the report is %+v", len(a.Content), r)
	}
	if b.Content != "[a]("+a.Path()+")" {
		t.Errorf("the other post is %q", b.Content)
	}
}

// state returns the content of the store without times of writing and the number of calls.
func (m *memoryStore) state() *memoryStore {
	s := newStore()
	s.bio, s.displayName = m.bio, m.displayName
	s.posts, s.versions, s.records, s.redirects = m.posts, m.versions, m.records, m.redirects
	s.images, s.files, s.comments = m.images, m.files, m.comments
	for id, d := range m.drafts {
		d.Version, d.Saved = 0, time.Time{}
		s.drafts[id] = d
	}
	return s
}

// Wherever an import is interrupted, the next one has the same result as a single complete import.
func TestInterruptedImportIsCompletedByTheNext(t *testing.T) {
	source := hugoBlog(t)
	changed := maps.Clone(source)
	changed["content/posts/one.md"] += "\nMore.\n"
	changed["content/posts/idea.md"] += "\nMore.\n"

	whole := newStore()
	mustImport(t, whole, source)
	first := whole.calls
	mustImport(t, whole, changed)
	both := whole.calls
	if first < 20 || both-first < 15 {
		t.Fatalf("%d and %d calls are too few for this test", first, both-first)
	}
	want := whole.state()
	for n := 1; n <= both; n++ {
		m := newStore()
		m.failing = n
		for _, s := range []map[string]string{source, changed} {
			if _, err := importFiles(t, m, s, false); err != nil {
				if !errors.Is(err, errCut) {
					t.Fatalf("call %d: %v", n, err)
				}
				if r := mustImport(t, m, s); r.Left != 0 || len(r.Problems) != 0 {
					t.Errorf("after call %d failed, the next import reports %+v", n, r)
				}
			}
		}
		if got := m.state(); !reflect.DeepEqual(got, want) {
			t.Errorf("call %d failed, and then there is\n%+v, want\n%+v", n, got, want)
		}
	}
}

func TestUnsuitableContentIsReportedAndLeftOut(t *testing.T) {
	m := newStore()
	r := mustImport(t, m, map[string]string{
		"a.md": "---\ntitle: " + strings.Repeat("long ", 60) + "\ntags: [" + strings.Repeat("t, ", 3) +
			strings.Repeat("x", 60) + ", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]\n---\ntext ![x](broken.png)\n",
		"b.md": "# Empty\n", "c.md": "# Too long\n\n" + strings.Repeat("x",
			domain.MaxContent+1), "d.md": "---\ntitle: Tomorrow\ndate: 2999-01-01\n---\ntext\n",
		"broken.png": "no picture", "e.md": "[f](notes.pdf) ![g](gone.png) ![h](https://elsewhere.example/h.png)\n",
		"notes.pdf": "%PDF"})
	for _, about := range []string{"a.md: its title was cut", "a.md: the tag", "a.md: it has more tags",
		"a.md: the picture broken.png was left out", "b.md: not imported",
		"c.md: not imported", "e.md: the file notes.pdf", "e.md: the picture gone.png", "e.md: pictures on other sites"} {
		if !reports(r, about) {
			t.Errorf("%q is not reported: %v", about, r.Problems)
		}
	}
	if r.New != 3 || r.Left != 2 {
		t.Errorf("the report is %+v", r)
	}
}

func TestPicturesAreCountedWhenTheyAreWritten(t *testing.T) {
	m := newStore()
	for n, want := range []int{1, 0} {
		if r, err := importFiles(t, m, hugoBlog(t), true); err != nil || r.Pictures != want {
			t.Errorf("the dry run before import %d counts %d pictures, error %v", n, r.Pictures, err)
		}
		if r := mustImport(t, m, hugoBlog(t)); r.Pictures != want {
			t.Errorf("import %d counts %d pictures", n, r.Pictures)
		}
	}
	for name, image := range m.images { // as after an interruption
		image.Incomplete = true
		m.images[name] = image
	}
	if r := mustImport(t, m, hugoBlog(t)); r.Pictures != 1 {
		t.Errorf("the import completed %d pictures, want 1", r.Pictures)
	}
}

func TestUnchangedPictureIsNotDecodedAgain(t *testing.T) {
	m := newStore()
	source := hugoBlog(t)
	mustImport(t, m, source)
	if len(m.images) != 1 {
		t.Fatalf("there are %d pictures", len(m.images))
	}
	source["static/photo.png"] = "no picture, so that decoding it would fail"
	for name, image := range m.images {
		if want := domain.SourceDigest([]byte(hugoBlog(t)["static/photo.png"])); image.Source != want {
			t.Errorf("its source is %q, want %q", image.Source, want)
		}
		image.Source = domain.SourceDigest([]byte(source["static/photo.png"]))
		m.images[name] = image
	}
	if r := mustImport(t, m, source); r.Unchanged != 4 || len(r.Problems) != 0 || r.Written {
		t.Errorf("the report is %+v", r)
	}
	t.Run("and the digest of a picture that was uploaded before is recorded", func(t *testing.T) {
		for name, image := range m.images {
			image.Source = ""
			m.images[name] = image
		}
		mustImport(t, m, hugoBlog(t))
		for _, image := range m.images {
			if image.Source == "" {
				t.Error("the digest is not recorded")
			}
		}
	})
}

func TestSVGIsImported(t *testing.T) {
	m := newStore()
	r := mustImport(t, m,
		map[string]string{"hugo.toml": "",
			"static/tide.svg":      `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20"><rect/></svg>`,
			"static/web.svg":       `<svg xmlns="http://www.w3.org/2000/svg"><image href="https://a.example/x.png"/></svg>`,
			"content/posts/one.md": "---\ntitle: One\ndate: 2020-01-01\n---\n![Tide](/tide.svg) ![Web](/web.svg)\n"})
	if content := m.posts[m.idOf(t, "One")].Content; !strings.Contains(content, "-40x20.svg)") || r.Pictures != 1 {
		t.Errorf("%d pictures in %q", r.Pictures, content)
	}
	if !reports(r, "web.svg was left out: This SVG contains a picture") {
		t.Errorf("the problems are %v", r.Problems)
	}
}

func TestDateWithoutATimeStaysTheSame(t *testing.T) {
	for date, want := range map[string]string{
		"2020-05-01":                "2020-05-01T00:00:00Z",
		"2020-05-01T00:00:00+02:00": "2020-05-01T00:00:00Z",
		"2020-05-01T00:30:00+02:00": "2020-04-30T22:30:00Z",
	} {
		m := newStore()
		mustImport(t, m, map[string]string{"hugo.toml": "timeZone = 'America/New_York'",
			"content/posts/one.md": "---\ntitle: One\ndate: " + date + "\n---\nText.\n"})
		if got := m.posts[m.idOf(t, "One")].Created.Format(time.RFC3339); got != want {
			t.Errorf("%s becomes %s, want %s", date, got, want)
		}
	}
}

func TestUnchangedImportMakesFewCalls(t *testing.T) {
	m := newStore()
	mustImport(t, m, hugoBlog(t))
	m.calls = 0
	// The records, the number of undone imports and the pictures; each post; each draft.
	if r := mustImport(t, m, hugoBlog(t)); m.calls != 3+4+2 || r.Written {
		t.Errorf("the import made %d calls and wrote: %t", m.calls, r.Written)
	}
}

func TestLinksToDraftsAreReported(t *testing.T) {
	hugo := func(text string) map[string]string {
		return map[string]string{"hugo.toml": "", "content/posts/two.md": "---\ntitle: Two\ndraft: true\n---\ntext\n",
			"content/posts/three.md": "---\ntitle: Three\ndraft: true\n---\ntext\n", "content/posts/one.md": "---\ntitle: One\n---\n" + text + "\n"}
	}
	ghost := func(two string) map[string]string {
		return map[string]string{"ghost.json": `{"db": [{"data": {"posts": [
			{"uuid": "1", "title": "One", "slug": "ghost-one", "status": "published", "html": "<p><a href=\"__GHOST_URL__/ghost-two/\">x</a></p>"},
			{"uuid": "2", "title": "Two", "slug": "ghost-two", ` + two + `, "html": "<p>text</p>"}]}}]}`}
	}
	wordpress := map[string]string{"wordpress.xml": `<?xml version="1.0"?><rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:wp="http://wordpress.org/export/1.2/"><channel>
		<title>B</title><link>https://ada.example</link><wp:wxr_version>1.2</wp:wxr_version><wp:base_blog_url>https://ada.example</wp:base_blog_url>
		<item><title>One</title><link>https://ada.example/one/</link><content:encoded><![CDATA[<a href="https://ada.example/?p=2">x</a>]]></content:encoded>
			<wp:post_id>1</wp:post_id><wp:status>publish</wp:status><wp:post_type>post</wp:post_type></item>
		<item><title>Two</title><link>https://ada.example/?p=2</link><content:encoded>text</content:encoded>
			<wp:post_id>2</wp:post_id><wp:status>draft</wp:status><wp:post_type>post</wp:post_type></item></channel></rss>`}
	for name, c := range map[string]struct {
		source map[string]string
		report string
	}{
		"of Hugo": {hugo("[x](/posts/two/)"), "one.md: a link leads to /posts/two/, which is a draft"},
		"several of Hugo": {hugo("[x](/posts/two/) [x](/posts/three/) [y](/posts/two/)"),
			"one.md: links lead to 2 drafts, the first to /posts/two/"},
		"of Ghost":     {ghost(`"status": "draft"`), "ghost-one: a link leads to /ghost-two/, which is a draft"},
		"of WordPress": {wordpress, "a link leads to https://ada.example/?p=2, which is a draft"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newStore()
			r := mustImport(t, m, c.source)
			if len(r.Problems) != 1 || !reports(r, c.report) {
				t.Errorf("the report says %v", r.Problems)
			}
			two := "/posts/" + m.idOf(t, "Two") + "/"
			if text := m.posts[m.idOf(t, "One")].Content; !strings.Contains(text, two) {
				t.Errorf("the text is %q, without %s, the draft's future address", text, two)
			}
		})
	}
	t.Run("including posts for members in Ghost", func(t *testing.T) {
		r := mustImport(t, newStore(), ghost(`"status": "published", "visibility": "members"`))
		if len(r.Problems) != 2 || !reports(r, "/ghost-two/, which is a draft") {
			t.Errorf("the report says %v", r.Problems)
		}
	})
	t.Run("unless a published post has the same address", func(t *testing.T) {
		s := ghost(`"status": "draft"`)
		s["ghost.json"] = strings.Replace(s["ghost.json"], `{"uuid": "2"`,
			`{"uuid": "3", "title": "Three", "slug": "ghost-two", "status": "published", "html": "<p>text</p>"}, {"uuid": "2"`, 1)
		m := newStore()
		if r := mustImport(t, m, s); len(r.Problems) != 0 {
			t.Errorf("the report says %v", r.Problems)
		}
	})
}

func TestLinksToMissingPagesAreReported(t *testing.T) {
	for _, c := range []struct{ text, report string }{
		{"[x](/tags/boats/)", "a link leads to /tags/boats/, which"},
		{"[x](/tags/boats/) [again](/tags/boats/) [y](https://ada.example/gone/)",
			"links lead to 2 addresses that the export does not have, the first to /tags/boats/"},
		{"[x](../gone.md)", "a link leads to ../gone.md"},
		{"[home](/) [home](https://ada.example) [here](#there) [two](/posts/two/#b) " +
			"[out](https://elsewhere.example/x) [mail](mailto:a@b.example)", ""},
	} {
		source := map[string]string{"hugo.toml": "baseURL = 'https://ada.example'",
			"content/posts/two.md": "---\ntitle: Two\n---\ntext\n",
			"content/posts/one.md": "---\ntitle: One\n---\n" + c.text + "\n"}
		r := mustImport(t, newStore(), source)
		if c.report == "" && len(r.Problems) > 0 || c.report != "" && (!reports(r, c.report) || len(r.Problems) != 1) {
			t.Errorf("%s: the report says %v", c.text, r.Problems)
		}
	}
}

func TestDisplayNameIsImportedIfTheUserHasNone(t *testing.T) {
	export := func(name string) map[string]string {
		return map[string]string{"inkfeed.json": `{"format": "inkfeed", "version": 1, "profile": {"displayName": "` +
			name + `"}, "posts": [], "comments": [], "likes": [], "bookmarks": []}`}
	}
	m := newStore()
	if r := mustImport(t, m, export(" Ada  Lovelace")); m.displayName != "Ada Lovelace" || len(r.Problems) != 0 {
		t.Errorf("the display name is %q, problems %v", m.displayName, r.Problems)
	}
	m = newStore()
	if r := mustImport(t, m, export("Administrator")); m.displayName != "" || !reports(r, "display name was left out") {
		t.Errorf("the display name is %q, problems %v", m.displayName, r.Problems)
	}
	m = newStore()
	if r, err := importFiles(t, m, export("Ada Lovelace"), true); err != nil || m.displayName != "" || m.calls != 0 {
		t.Errorf("a dry run wrote %q, problems %v, error %v", m.displayName, r.Problems, err)
	}
	named := ada
	named.DisplayName = "Countess"
	m = newStore()
	if _, err := importAs(t, m, named, export("Ada Lovelace"), false); err != nil || m.displayName != "" {
		t.Errorf("the existing display name was replaced by %q, error %v", m.displayName, err)
	}
}

func TestPostWithTemplateCodeIsADraftThatKeepsItsAddress(t *testing.T) {
	source := map[string]string{"hugo.toml": "",
		"content/one.md": "---\ntitle: One\ndate: 2020-01-01\n---\nText {{< tide >}}.\n",
		"content/two.md": "---\ntitle: Two\ndate: 2020-01-01\n---\nSee [one](/one/).\n", "content/three.md": "---\ntitle: Three\ndraft: true\n---\nText {{< tide >}}.\n"}
	m := newStore()
	if dry, err := importFiles(t, m, source, true); err != nil || dry.Drafts != 2 || dry.Redirects != 2 {
		t.Errorf("the dry run counts %+v, %v", dry, err)
	}
	r := mustImport(t, m, source)
	if r.New != 3 || r.Drafts != 2 || r.Redirects != 2 || !reports(r, "one.md: the shortcode tide is not known") {
		t.Fatalf("the report is %+v", r)
	}
	one := m.idOf(t, "One")
	if _, public := m.posts[one]; public || !strings.Contains(m.drafts[one].Content, "{{< tide >}}") {
		t.Errorf("the draft is %+v", m.drafts[one])
	}
	if to := m.redirects["/one"]; to.PostID != one {
		t.Errorf("its address leads to %q", to.PostID)
	}
	if _, there := m.redirects["/three"]; there {
		t.Error("a former draft has an address")
	}
	if r := mustImport(t, m, source); r.Unchanged != 3 || r.Redirects != 0 {
		t.Errorf("the second report is %+v", r)
	}
	t.Run("until its source is corrected", func(t *testing.T) {
		source["content/one.md"] = "---\ntitle: One\ndate: 2020-01-01\n---\nText of the tide.\n"
		if r := mustImport(t, m, source); r.New != 1 || r.Drafts != 0 {
			t.Errorf("the report is %+v", r)
		}
		if p := m.posts[one]; p.Content != "Text of the tide." {
			t.Errorf("the post is %+v", p)
		}
	})
}

func TestScheduleOfADraftFollowsItsSource(t *testing.T) {
	soon, later := time.Now().AddDate(0, 0, 7).UTC().Truncate(time.Second),
		time.Now().AddDate(0, 0, 8).UTC().Truncate(time.Second)
	dated := func(at time.Time, more string) map[string]string {
		return map[string]string{"hugo.toml": "", "content/posts/a.md": "---\ntitle: A\ndate: " +
			at.Format(time.RFC3339) + "\n" + more + "---\nText.\n"}
	}
	imported := func(t *testing.T, source map[string]string) (*memoryStore, string) {
		m := newStore()
		mustImport(t, m, source)
		for id := range m.drafts {
			return m, id
		}
		t.Fatal("there is no draft")
		return nil, ""
	}
	for _, c := range []struct {
		name          string
		before, after map[string]string
		want          time.Time
	}{
		{"to another time", dated(soon, ""), dated(later, ""), later},
		{"to no schedule", dated(soon, ""), dated(soon, "draft: true\n"), time.Time{}},
		{"to a schedule", dated(soon, "draft: true\n"), dated(soon, ""), soon},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, id := imported(t, c.before)
			if r := mustImport(t, m, c.after); r.Changed != 1 {
				t.Errorf("the report is %+v", r)
			}
			if got := m.drafts[id].Publish; !got.Equal(c.want) {
				t.Errorf("the draft is scheduled for %v, want %v", got, c.want)
			}
			if r := mustImport(t, m, c.after); r.Unchanged != 1 {
				t.Errorf("the next import reports %+v", r)
			}
		})
	}
	t.Run("unless its author chose a time here", func(t *testing.T) {
		m, id := imported(t, dated(soon, ""))
		d := m.drafts[id]
		d.Publish = later
		m.drafts[id] = d
		mustImport(t, m, dated(soon, "draft: true\n"))
		if got := m.drafts[id].Publish; !got.Equal(later) {
			t.Errorf("the draft is scheduled for %v, want %v", got, later)
		}
	})
}

func TestInvalidPastVersionIsLeftOut(t *testing.T) {
	m := newStore()
	long := strings.Repeat("x", 2*domain.MaxContent)
	r, err := importBlog(t, m, &portable.Blog{Format: "Inkfeed", Posts: []portable.Post{
		{Key: "a", Where: "a.md", Title: "A", Content: "Text.", Created: now,
			Edition: &portable.Edition{Title: "A", Content: long},
			Versions: []portable.Version{{Revision: 0, Title: "A", Content: "Zero."},
				{Revision: 1, Title: "A", Content: long}, {Revision: 2, Title: "A", Content: "Two."}}},
		{Key: "b", Where: "b.md", Title: "B", Content: "Text.", Created: now},
	}}, nil)
	if err != nil || r.New != 2 || len(m.posts) != 2 || len(m.versions) != 1 || len(m.drafts) != 0 {
		t.Fatalf("there are %d posts, %d versions and %d drafts: %+v, %v", len(m.posts), len(m.versions), len(m.drafts),
			r, err)
	}
	for _, about := range []string{"a.md: an earlier version was left out",
		"a.md: its unpublished changes were left out"} {
		if !reports(r, about) {
			t.Errorf("%q is not reported: %v", about, r.Problems)
		}
	}
}
