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

// memory is a store of all that an import needs, by the rules of the real one. Its call
// of number failing fails.
type memory struct {
	mu        sync.Mutex
	calls     int
	failing   int
	bio       string
	called    string
	undone    int
	posts     map[string]domain.Post
	versions  map[string]domain.PostVersion
	drafts    map[string]domain.Draft
	records   map[string]domain.Import
	redirects map[string]domain.Redirect
	images    map[string]domain.Image
	files     map[string]int
	comments  map[string]domain.Comment
}

func newMemory() *memory {
	return &memory{posts: map[string]domain.Post{}, versions: map[string]domain.PostVersion{},
		drafts:  map[string]domain.Draft{},
		records: map[string]domain.Import{}, redirects: map[string]domain.Redirect{}, images: map[string]domain.Image{},
		files: map[string]int{}, comments: map[string]domain.Comment{}}
}

var (
	errCut     = domain.Errorf(domain.Unavailable, "cut off")
	errMissing = domain.Errorf(domain.NotFound, "there is none")
	errRace    = domain.Errorf(domain.Conflict, "it is another version")
)

// enter begins a call; leave must be called.
func (m *memory) enter() (leave func(), err error) {
	m.mu.Lock()
	if m.calls++; m.calls == m.failing {
		err = errCut
	}
	return m.mu.Unlock, err
}

// put writes one thing, unless the call fails.
func put[T any](m *memory, into map[string]T, key string, value T) error {
	leave, err := m.enter()
	defer leave()
	if err == nil {
		into[key] = value
	}
	return err
}

func get[T any](m *memory, from map[string]T, key string) (T, error) {
	leave, err := m.enter()
	defer leave()
	value, ok := from[key]
	if err == nil && !ok {
		err = errMissing
	}
	return value, err
}

type (
	users     struct{ *memory }
	posts     struct{ *memory }
	drafts    struct{ *memory }
	records   struct{ *memory }
	redirects struct{ *memory }
	images    struct{ *memory }
	files     struct{ *memory }
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
		u.called = name
	}
	return domain.User{DisplayName: name}, err
}
func (u users) SetAvatar(context.Context, string, string) error { return nil }

func (p posts) Latest(_ context.Context, id string) (domain.Post, error) {
	return get(p.memory, p.posts, id)
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
	return put(p.memory, p.versions, fmt.Sprint(v.PostID, v.Revision), v)
}

func (p posts) Comment(_ context.Context, postID, id string) (domain.Comment, error) {
	return get(p.memory, p.comments, postID+id)
}

func (p posts) AddComment(_ context.Context, c domain.Comment) (domain.Post, error) {
	return domain.Post{}, put(p.memory, p.comments, c.PostID+c.ID, c)
}
func (p posts) Like(context.Context, domain.Like) (domain.Post, error) { return domain.Post{}, nil }
func (p posts) Bookmark(context.Context, domain.Post, string, time.Time) (domain.Bookmark, error) {
	return domain.Bookmark{}, nil
}

func (d drafts) Get(_ context.Context, _, id string) (domain.Draft, error) {
	return get(d.memory, d.drafts, id)
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
	return put(r.memory, r.records, i.PostID, i)
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
	return put(r.memory, r.redirects, to.Path, to)
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
	return put(f.memory, f.files, name, len(content))
}

var ada = domain.User{ID: "u.abcdefghijkmnpqrstuvwxyz23", Username: "ada", Created: now}

// bring imports files into a store.
func bring(t testing.TB, m *memory, source map[string]string, dryRun bool) (importing.Report, error) {
	t.Helper()
	return bringAs(t, m, ada, source, dryRun)
}

func bringAs(t testing.TB, m *memory, user domain.User, source map[string]string,
	dryRun bool) (importing.Report, error) {
	t.Helper()
	return bringFor(t, m, user, nil, source, dryRun)
}

// bringFor imports files for the users who own the posts of some authors, and for one who owns
// the rest.
func bringFor(
	t testing.TB, m *memory, user domain.User, owners map[string]domain.User, source map[string]string, dryRun bool,
) (importing.Report, error) {
	t.Helper()
	root := fstest.MapFS{}
	for name, text := range source {
		root[name] = &fstest.MapFile{Data: []byte(text), ModTime: now.AddDate(0, 0,
			-1)} // files have a time, whatever else they lack
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

// bringBlog imports a blog for Ada.
func bringBlog(t testing.TB, m *memory, blog *portable.Blog,
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

func mustBring(t *testing.T, m *memory, source map[string]string) importing.Report {
	t.Helper()
	report, err := bring(t, m, source, false)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func aBlog(t testing.TB) map[string]string {
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

// titled is the post or draft of that title, and its id.
func (m *memory) titled(t *testing.T, title string) (id string) {
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

func told(r importing.Report, about string) bool {
	for _, p := range r.Problems {
		if strings.Contains(p.String(), about) {
			return true
		}
	}
	return false
}

func TestImport(t *testing.T) {
	m := newMemory()
	if r := mustBring(t, m, aBlog(t)); r.New != 4 || len(r.Problems) != 0 || r.Pictures != 1 {
		t.Fatalf("the report is %+v", r)
	}
	one, two := m.posts[m.titled(t, "One")], m.posts[m.titled(t, "Two")]
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
	if soon := m.drafts[m.titled(t, "Soon")]; soon.Publish.Year() != 2030 {
		t.Errorf("%+v", soon)
	}
}

// Of a post there are its source and what it is here, and each may have changed.
func TestImportingAgain(t *testing.T) {
	const file = "content/posts/one.md"
	changed := func(source map[string]string, name string) map[string]string {
		source = maps.Clone(source)
		source[name] += "\nMore.\n"
		return source
	}
	edit := func(m *memory, id string) {
		p := m.posts[id]
		p.Content, p.Revision = "Changed here.", p.Revision+1
		m.posts[id] = p
	}
	for _, c := range []struct {
		name   string
		there  func(map[string]string) map[string]string // what becomes of the source
		here   func(t *testing.T, m *memory)
		report importing.Report
		says   string
		text   string // that the post has then
	}{
		{"nothing changed", nil, nil, importing.Report{Unchanged: 4}, "", "Text with"},
		{"the source changed", func(s map[string]string) map[string]string { return changed(s, file) }, nil,
			importing.Report{Changed: 1, Unchanged: 3}, "", "More."},
		{"the post changed", nil, func(t *testing.T, m *memory) { edit(m, m.titled(t, "One")) },
			importing.Report{Kept: 1, Unchanged: 3}, "", "Changed here."},
		{"both changed", func(s map[string]string) map[string]string { return changed(s, file) },
			func(t *testing.T, m *memory) { edit(m, m.titled(t, "One")) },
			importing.Report{Left: 1, Unchanged: 3}, "changed both here and in its source", "Changed here."},
		{"the post was deleted", nil, func(t *testing.T, m *memory) {
			id := m.titled(t, "One")
			m.posts[id] = domain.Post{ID: id, AuthorID: ada.ID, Deleted: now}
		}, importing.Report{Left: 1, Unchanged: 3}, "it was deleted here", ""},
		{"a draft's source changed", func(s map[string]string) map[string]string {
			return changed(s,
				"content/posts/idea.md")
		}, nil,
			importing.Report{Changed: 1, Unchanged: 3}, "", "Text with"},
		{"a draft changed", nil, func(t *testing.T, m *memory) {
			id := m.titled(t, "Idea")
			d := m.drafts[id]
			d.Content, d.Version = "Mine.", d.Version+1
			m.drafts[id] = d
		}, importing.Report{Kept: 1, Unchanged: 3}, "", "Text with"},
		{"a draft was discarded", nil, func(t *testing.T, m *memory) { delete(m.drafts, m.titled(t, "Idea")) },
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
		}, func(t *testing.T, m *memory) {
			id := m.titled(t, "Idea")
			d := m.drafts[id]
			d.Content, d.Version = "Mine.", d.Version+1
			m.drafts[id] = d
		}, importing.Report{Left: 1, Unchanged: 3}, "its draft was changed here", "Text with"},
		{"the source has an address more", func(s map[string]string) map[string]string {
			s = maps.Clone(s)
			s[file] = strings.Replace(s[file], "[/uno/]", "[/uno/, /ein/]", 1)
			return s
		}, nil, importing.Report{Unchanged: 4}, "", "Text with"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, source := newMemory(), aBlog(t)
			mustBring(t, m, source)
			id := m.titled(t, "One")
			if c.here != nil {
				c.here(t, m)
			}
			if c.there != nil {
				source = c.there(source)
			}
			for again := range 2 {
				r := mustBring(t, m, source)
				if got := (importing.Report{New: r.New, Changed: r.Changed, Unchanged: r.Unchanged, Kept: r.Kept,
					Left: r.Left}); again == 0 && !reflect.DeepEqual(got, c.report) {
					t.Errorf("the report is %+v, want %+v: %v", got, c.report, r.Problems)
				} else if again == 1 && (r.New != 0 || r.Changed != 0) {
					t.Errorf("once more: %+v", got)
				}
				if c.says != "" && !told(r, c.says) || c.says == "" && len(r.Problems) != 0 {
					t.Errorf("problems %v", r.Problems)
				}
			}
			if !strings.Contains(m.posts[id].Content, c.text) {
				t.Errorf("the post says %q", m.posts[id].Content)
			}
			if c.name == "the source has an address more" && m.redirects["/ein"].PostID != id {
				t.Errorf("redirects %v", m.redirects)
			}
		})
	}
}

func TestADryRunWritesNothing(t *testing.T) {
	m, empty := newMemory(), newMemory()
	r, err := bring(t, m, aBlog(t), true)
	if err != nil || r.New != 4 || r.Pictures != 1 {
		t.Fatalf("%+v, %v", r, err)
	}
	if m.calls = 0; !reflect.DeepEqual(m, empty) {
		t.Errorf("it wrote %+v", m)
	}
}

func TestADryRunOfNewPostsDecodesNoPicture(t *testing.T) {
	source := aBlog(t)
	photo := []byte(source["static/photo.png"])
	clear(photo[len(photo)-40 : len(photo)-20]) // only decoding finds the damage
	source["static/photo.png"] = string(photo)
	r, err := bring(t, newMemory(), source, true)
	if err != nil || r.Pictures != 1 || told(r, "photo.png was left out") {
		t.Errorf("a dry run has %d pictures and reports %v, %v", r.Pictures, r.Problems, err)
	}
	if r = mustBring(t, newMemory(), source); r.Pictures != 0 || !told(r, "photo.png was left out") {
		t.Errorf("an import has %d pictures and reports %v", r.Pictures, r.Problems)
	}
	source["static/photo.png"] = "no picture"
	if r, err = bring(t, newMemory(), source, true); err != nil || r.Pictures != 0 ||
		!told(r, "photo.png was left out") {
		t.Errorf("of a file of another kind it has %d pictures and reports %v, %v", r.Pictures, r.Problems, err)
	}
}

func TestADryRunOfAnUnchangedBlogChangesNothing(t *testing.T) {
	m := newMemory()
	mustBring(t, m, aBlog(t))
	for id, image := range m.images {
		image.Source = "" // as of an import before digests were kept
		m.images[id] = image
	}
	if r, err := bring(t, m, aBlog(t), true); err != nil || r.Unchanged != 4 || r.Changed != 0 || r.Pictures != 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestListsOfTheOldBlogLeadToThoseHere(t *testing.T) {
	m, source := newMemory(), aBlog(t)
	source["content/posts/many.md"] = "---\ntitle: Many\ndate: 2021-01-01\ntags: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, " +
		"eleven]\n---\nText.\n"
	mustBring(t, m, source)
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
	t.Run("of a tag that no post could keep, to all posts", func(t *testing.T) {
		lead(t, map[string]string{"/tags/eleven": "/@"})
	})
	t.Run("again, without writing anything", func(t *testing.T) {
		before := m.calls
		mustBring(t, m, source)
		unchanged := m.calls - before
		m.redirects = map[string]domain.Redirect{}
		mustBring(t, m, source)
		if m.redirects["/feed"].To != "" {
			t.Errorf("they were written again; %d calls", unchanged)
		}
	})
	t.Run("of what has changed, to what is there then", func(t *testing.T) {
		m = newMemory()
		mustBring(t, m, source)
		source["content/posts/many.md"] = strings.Replace(source["content/posts/many.md"], "10, eleven", "eleven", 1)
		mustBring(t, m, source)
		lead(t, map[string]string{"/tags/eleven": "/tags/eleven"})
	})
	t.Run("unless a post comes to be there", func(t *testing.T) {
		source["content/archives.md"] = "---\ntitle: All\ndate: 2020-02-02\n---\nText.\n"
		mustBring(t, m, source)
		if got := m.redirects["/archives"]; got.PostID != m.titled(t, "All") || got.To != "" {
			t.Errorf("its address leads to %+v", got)
		}
	})
	t.Run("unless another user's blog has the address", func(t *testing.T) {
		bob := domain.User{ID: "u.23zyxwvutsrqpnmkjihgfedcba", Username: "bob", Created: now}
		r, err := bringAs(t, m, bob, map[string]string{"_config.yml": "", "_posts/2020-01-01-x.md": "text"}, false)
		if err != nil || !told(r, "lead to another author's here") {
			t.Errorf("%+v, %v", r.Problems, err)
		}
		lead(t, map[string]string{"/": "/@", "/feed": "/@/feed.rss"})
	})
	t.Run("by addresses that records name", func(t *testing.T) {
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

func TestALinkToAPostThatIsNotImportedStaysAsItWas(t *testing.T) {
	m := newMemory()
	r := mustBring(t, m, map[string]string{
		"hugo.toml": "",
		"content/posts/one.md": "---\ntitle: One\ndate: 2020-01-01\n---\n[long](/posts/long/), " +
			"[empty](/posts/empty/), [two](/posts/two/)\n",
		"content/posts/two.md": "---\ntitle: Two\ndate: 2020-01-01\n---\nSee [long](long.md#end).\n",
		"content/posts/long.md": "---\ntitle: Long\ndate: 2020-01-01\n---\n" +
			strings.Repeat("word ", domain.MaxContent/5+1),
		"content/posts/empty.md": "---\ntitle: Empty\ndate: 2020-01-01\n---\n",
	})
	one, two := m.posts[m.titled(t, "One")], m.posts[m.titled(t, "Two")]
	if want := "[long](/posts/long/), [empty](/posts/empty/), [two](" + two.Path() + ")"; one.Content != want ||
		two.Content != "See [long](long.md#end)." {
		t.Errorf("they say %q and %q", one.Content, two.Content)
	}
	if r.Left != 2 || !told(r, "links to 2 posts that are not imported stay as they were, the first to /posts/long/") {
		t.Errorf("the report is %+v", r)
	}
}

func TestAPostThatFitsWithItsOwnAddressesIsImported(t *testing.T) {
	m := newMemory()
	fitting := "[x](a.md) " + strings.Repeat("word ", (domain.MaxContent-20)/5)
	r := mustBring(t, m, map[string]string{"a.md": "---\ntitle: A\ndate: 2020-01-01\n---\n" + fitting,
		"b.md": "---\ntitle: B\ndate: 2020-01-01\n---\n[a](a.md)\n"})
	a, b := m.posts[m.titled(t, "A")], m.posts[m.titled(t, "B")]
	if strings.TrimSpace(a.Content) != strings.TrimSpace(fitting) || r.Left != 0 ||
		!told(r, "the text would be too long") {
		t.Errorf("%d characters, and the report is %+v", len(a.Content), r)
	}
	if b.Content != "[a]("+a.Path()+")" {
		t.Errorf("the other says %q", b.Content)
	}
}

// state is what a store holds, but for times of writing and how often it was asked.
func (m *memory) state() *memory {
	s := newMemory()
	s.bio, s.called = m.bio, m.called
	s.posts, s.versions, s.records, s.redirects = m.posts, m.versions, m.records, m.redirects
	s.images, s.files, s.comments = m.images, m.files, m.comments
	for id, d := range m.drafts {
		d.Version, d.Saved = 0, time.Time{}
		s.drafts[id] = d
	}
	return s
}

// Wherever an import stops, the next one makes of it what one alone would have.
func TestAnImportThatStopsAnywhereIsFinishedByTheNext(t *testing.T) {
	source := aBlog(t)
	changed := maps.Clone(source)
	changed["content/posts/one.md"] += "\nMore.\n"
	changed["content/posts/idea.md"] += "\nMore.\n"

	whole := newMemory()
	mustBring(t, whole, source)
	first := whole.calls
	mustBring(t, whole, changed)
	both := whole.calls
	if first < 20 || both-first < 15 {
		t.Fatalf("%d and %d calls: the store is hardly asked", first, both-first)
	}
	want := whole.state()
	for n := 1; n <= both; n++ {
		m := newMemory()
		m.failing = n
		for _, s := range []map[string]string{source, changed} {
			if _, err := bring(t, m, s, false); err != nil {
				if !errors.Is(err, errCut) {
					t.Fatalf("call %d: %v", n, err)
				}
				if r := mustBring(t, m, s); r.Left != 0 || len(r.Problems) != 0 {
					t.Errorf("call %d failed, and then: %+v", n, r)
				}
			}
		}
		if got := m.state(); !reflect.DeepEqual(got, want) {
			t.Errorf("call %d failed, and then there is\n%+v, want\n%+v", n, got, want)
		}
	}
}

func TestWhatDoesNotFitIsToldAndDoesNoHarm(t *testing.T) {
	m := newMemory()
	r := mustBring(t, m, map[string]string{
		"a.md": "---\ntitle: " + strings.Repeat("long ", 60) + "\ntags: [" + strings.Repeat("t, ", 3) +
			strings.Repeat("x", 60) + ", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]\n---\ntext ![x](broken.png)\n",
		"b.md": "# Empty\n", "c.md": "# Too long\n\n" + strings.Repeat("x",
			domain.MaxContent+1), "d.md": "---\ntitle: Tomorrow\ndate: 2999-01-01\n---\ntext\n",
		"broken.png": "no picture", "e.md": "[f](notes.pdf) ![g](gone.png) ![h](https://elsewhere.example/h.png)\n",
		"notes.pdf": "%PDF"})
	for _, about := range []string{"a.md: its title was cut", "a.md: the tag", "a.md: it has more tags",
		"a.md: the picture broken.png was left out", "b.md: not imported",
		"c.md: not imported", "e.md: the file notes.pdf", "e.md: the picture gone.png", "e.md: pictures on other sites"} {
		if !told(r, about) {
			t.Errorf("nothing is said of %q: %v", about, r.Problems)
		}
	}
	if r.New != 3 || r.Left != 2 {
		t.Errorf("the report is %+v", r)
	}
}

func TestPicturesAreCountedOnceTheyAreWritten(t *testing.T) {
	m := newMemory()
	for n, want := range []int{1, 0} {
		if r, err := bring(t, m, aBlog(t), true); err != nil || r.Pictures != want {
			t.Errorf("before import %d, %d pictures would be brought: %v", n, r.Pictures, err)
		}
		if r := mustBring(t, m, aBlog(t)); r.Pictures != want {
			t.Errorf("import %d brought %d pictures", n, r.Pictures)
		}
	}
	for name, image := range m.images { // as a break leaves it
		image.Incomplete = true
		m.images[name] = image
	}
	if r := mustBring(t, m, aBlog(t)); r.Pictures != 1 {
		t.Errorf("%d pictures were finished", r.Pictures)
	}
}

// Readers cannot follow such a link yet, but nothing is missing.
func TestAPictureWhoseFileIsUnchangedIsNotDecodedAgain(t *testing.T) {
	m := newMemory()
	source := aBlog(t)
	mustBring(t, m, source)
	if len(m.images) != 1 {
		t.Fatalf("there are %d pictures", len(m.images))
	}
	source["static/photo.png"] = "no picture, so that decoding it would fail"
	for name, image := range m.images {
		if want := domain.SourceDigest([]byte(aBlog(t)["static/photo.png"])); image.Source != want {
			t.Errorf("its source is %q, want %q", image.Source, want)
		}
		image.Source = domain.SourceDigest([]byte(source["static/photo.png"]))
		m.images[name] = image
	}
	if r := mustBring(t, m, source); r.Unchanged != 4 || len(r.Problems) != 0 || r.Written {
		t.Errorf("the report is %+v", r)
	}
	t.Run("one that was uploaded before is noted", func(t *testing.T) {
		for name, image := range m.images {
			image.Source = ""
			m.images[name] = image
		}
		mustBring(t, m, aBlog(t))
		for _, image := range m.images {
			if image.Source == "" {
				t.Error("its source is not noted")
			}
		}
	})
}

func TestSVGsAreBroughtOver(t *testing.T) {
	m := newMemory()
	r := mustBring(t, m,
		map[string]string{"hugo.toml": "",
			"static/tide.svg":      `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20"><rect/></svg>`,
			"static/web.svg":       `<svg xmlns="http://www.w3.org/2000/svg"><image href="https://a.example/x.png"/></svg>`,
			"content/posts/one.md": "---\ntitle: One\ndate: 2020-01-01\n---\n![Tide](/tide.svg) ![Web](/web.svg)\n"})
	if content := m.posts[m.titled(t, "One")].Content; !strings.Contains(content, "-40x20.svg)") || r.Pictures != 1 {
		t.Errorf("%d pictures in %q", r.Pictures, content)
	}
	if !told(r, "web.svg was left out: This SVG contains a picture") {
		t.Errorf("the problems are %v", r.Problems)
	}
}

func TestADateWithoutATimeStaysThatDate(t *testing.T) {
	for date, want := range map[string]string{
		"2020-05-01":                "2020-05-01T00:00:00Z",
		"2020-05-01T00:00:00+02:00": "2020-05-01T00:00:00Z",
		"2020-05-01T00:30:00+02:00": "2020-04-30T22:30:00Z",
	} {
		m := newMemory()
		mustBring(t, m, map[string]string{"hugo.toml": "timeZone = 'America/New_York'",
			"content/posts/one.md": "---\ntitle: One\ndate: " + date + "\n---\nText.\n"})
		if got := m.posts[m.titled(t, "One")].Created.Format(time.RFC3339); got != want {
			t.Errorf("%s becomes %s, want %s", date, got, want)
		}
	}
}

func TestAnUnchangedImportMakesFewCalls(t *testing.T) {
	m := newMemory()
	mustBring(t, m, aBlog(t))
	m.calls = 0
	// The records, the number of undone imports and the pictures; each post; each draft.
	if r := mustBring(t, m, aBlog(t)); m.calls != 3+4+2 || r.Written {
		t.Errorf("it made %d calls, and wrote: %t", m.calls, r.Written)
	}
}

func TestLinksToDraftsAreToldAsSuch(t *testing.T) {
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
		tells  string
	}{
		"of Hugo": {hugo("[x](/posts/two/)"), "one.md: a link leads to /posts/two/, which is a draft"},
		"several of Hugo": {hugo("[x](/posts/two/) [x](/posts/three/) [y](/posts/two/)"),
			"one.md: links lead to 2 drafts, the first to /posts/two/"},
		"of Ghost":     {ghost(`"status": "draft"`), "ghost-one: a link leads to /ghost-two/, which is a draft"},
		"of WordPress": {wordpress, "a link leads to https://ada.example/?p=2, which is a draft"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMemory()
			r := mustBring(t, m, c.source)
			if len(r.Problems) != 1 || !told(r, c.tells) {
				t.Errorf("the report says %v", r.Problems)
			}
			two := "/posts/" + m.titled(t, "Two") + "/"
			if text := m.posts[m.titled(t, "One")].Content; !strings.Contains(text, two) {
				t.Errorf("the text is %q, without %s, where the draft will be", text, two)
			}
		})
	}
	t.Run("of Ghost for its members", func(t *testing.T) {
		r := mustBring(t, newMemory(), ghost(`"status": "published", "visibility": "members"`))
		if len(r.Problems) != 2 || !told(r, "/ghost-two/, which is a draft") {
			t.Errorf("the report says %v", r.Problems)
		}
	})
	t.Run("a published post has its address before a draft", func(t *testing.T) {
		s := ghost(`"status": "draft"`)
		s["ghost.json"] = strings.Replace(s["ghost.json"], `{"uuid": "2"`,
			`{"uuid": "3", "title": "Three", "slug": "ghost-two", "status": "published", "html": "<p>text</p>"}, {"uuid": "2"`, 1)
		m := newMemory()
		if r := mustBring(t, m, s); len(r.Problems) != 0 {
			t.Errorf("the report says %v", r.Problems)
		}
	})
}

func TestLinksToWhatTheExportLacksAreTold(t *testing.T) {
	for _, c := range []struct{ text, tells string }{
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
		r := mustBring(t, newMemory(), source)
		if c.tells == "" && len(r.Problems) > 0 || c.tells != "" && (!told(r, c.tells) || len(r.Problems) != 1) {
			t.Errorf("%s: the report says %v", c.text, r.Problems)
		}
	}
}

func TestADisplayNameIsTakenWhereThereIsNone(t *testing.T) {
	export := func(name string) map[string]string {
		return map[string]string{"inkfeed.json": `{"format": "inkfeed", "version": 1, "profile": {"displayName": "` +
			name + `"}, "posts": [], "comments": [], "likes": [], "bookmarks": []}`}
	}
	m := newMemory()
	if r := mustBring(t, m, export(" Ada  Lovelace")); m.called != "Ada Lovelace" || len(r.Problems) != 0 {
		t.Errorf("called %q, %v", m.called, r.Problems)
	}
	m = newMemory()
	if r := mustBring(t, m, export("Administrator")); m.called != "" || !told(r, "display name was left out") {
		t.Errorf("called %q, %v", m.called, r.Problems)
	}
	m = newMemory()
	if r, err := bring(t, m, export("Ada Lovelace"), true); err != nil || m.called != "" || m.calls != 0 {
		t.Errorf("a trial wrote %q, %v, %v", m.called, r.Problems, err)
	}
	named := ada
	named.DisplayName = "Countess"
	m = newMemory()
	if _, err := bringAs(t, m, named, export("Ada Lovelace"), false); err != nil || m.called != "" {
		t.Errorf("called %q, in place of the name that was there: %v", m.called, err)
	}
}

func TestAPostWithTemplateCodeIsADraftThatKeepsItsAddress(t *testing.T) {
	source := map[string]string{"hugo.toml": "",
		"content/one.md": "---\ntitle: One\ndate: 2020-01-01\n---\nText {{< tide >}}.\n",
		"content/two.md": "---\ntitle: Two\ndate: 2020-01-01\n---\nSee [one](/one/).\n", "content/three.md": "---\ntitle: Three\ndraft: true\n---\nText {{< tide >}}.\n"}
	m := newMemory()
	if dry, err := bring(t, m, source, true); err != nil || dry.Drafts != 2 || dry.Redirects != 2 {
		t.Errorf("the dry run counts %+v, %v", dry, err)
	}
	r := mustBring(t, m, source)
	if r.New != 3 || r.Drafts != 2 || r.Redirects != 2 || !told(r, "one.md: the shortcode tide is not known") {
		t.Fatalf("the report is %+v", r)
	}
	one := m.titled(t, "One")
	if _, public := m.posts[one]; public || !strings.Contains(m.drafts[one].Content, "{{< tide >}}") {
		t.Errorf("the draft is %+v", m.drafts[one])
	}
	if to := m.redirects["/one"]; to.PostID != one {
		t.Errorf("its address leads to %q", to.PostID)
	}
	if _, there := m.redirects["/three"]; there {
		t.Error("a draft that was one before has an address")
	}
	if r := mustBring(t, m, source); r.Unchanged != 3 || r.Redirects != 0 {
		t.Errorf("the second report is %+v", r)
	}
	t.Run("until its source is repaired", func(t *testing.T) {
		source["content/one.md"] = "---\ntitle: One\ndate: 2020-01-01\n---\nText of the tide.\n"
		if r := mustBring(t, m, source); r.New != 1 || r.Drafts != 0 {
			t.Errorf("the report is %+v", r)
		}
		if p := m.posts[one]; p.Content != "Text of the tide." {
			t.Errorf("the post is %+v", p)
		}
	})
}

func TestADraftIsPublishedWhenItsSourceSays(t *testing.T) {
	soon, later := time.Now().AddDate(0, 0, 7).UTC().Truncate(time.Second),
		time.Now().AddDate(0, 0, 8).UTC().Truncate(time.Second)
	dated := func(at time.Time, more string) map[string]string {
		return map[string]string{"hugo.toml": "", "content/posts/a.md": "---\ntitle: A\ndate: " +
			at.Format(time.RFC3339) + "\n" + more + "---\nText.\n"}
	}
	imported := func(t *testing.T, source map[string]string) (*memory, string) {
		m := newMemory()
		mustBring(t, m, source)
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
		{"at another time", dated(soon, ""), dated(later, ""), later},
		{"not any more", dated(soon, ""), dated(soon, "draft: true\n"), time.Time{}},
		{"after all", dated(soon, "draft: true\n"), dated(soon, ""), soon},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, id := imported(t, c.before)
			if r := mustBring(t, m, c.after); r.Changed != 1 {
				t.Errorf("the report is %+v", r)
			}
			if got := m.drafts[id].Publish; !got.Equal(c.want) {
				t.Errorf("it publishes itself at %v, want %v", got, c.want)
			}
			if r := mustBring(t, m, c.after); r.Unchanged != 1 {
				t.Errorf("once more, the report is %+v", r)
			}
		})
	}
	t.Run("unless its author chose a time here", func(t *testing.T) {
		m, id := imported(t, dated(soon, ""))
		d := m.drafts[id]
		d.Publish = later
		m.drafts[id] = d
		mustBring(t, m, dated(soon, "draft: true\n"))
		if got := m.drafts[id].Publish; !got.Equal(later) {
			t.Errorf("it publishes itself at %v, want %v", got, later)
		}
	})
}

func TestAnEarlierVersionThatCannotBeKeptStopsNothing(t *testing.T) {
	m := newMemory()
	long := strings.Repeat("x", 2*domain.MaxContent)
	r, err := bringBlog(t, m, &portable.Blog{Format: "Inkfeed", Posts: []portable.Post{
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
		if !told(r, about) {
			t.Errorf("nothing is said of %q: %v", about, r.Problems)
		}
	}
}
