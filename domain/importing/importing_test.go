package importing_test

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/importing"
	"inkfeed/domain/picture"
	"inkfeed/domain/picture/picturetest"
	"inkfeed/domain/portable"
	"inkfeed/domain/portable/formats"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

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
	t testing.TB, m *memoryStore, user domain.User, owners map[string]domain.User,
	source map[string]string, dryRun bool,
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
	importer := importing.Importer{User: user, Owners: owners, Users: users{m}, Profiles: users{m}, Posts: posts{m},
		Drafts:  drafts{m},
		Records: records{m}, Redirects: redirects{m},
		Images: images{m}, Files: files{m}, Maker: picture.NewMaker(nil), Now: now, DryRun: dryRun,
		ClaimsAll: true,
		Writers:   1, // so that the order of the calls is always the same
		Try:       func(_ context.Context, call func() error) error { return call() }, Progress: func() {}}
	return importer.Import(t.Context(), blog)
}

// importBlog imports a blog for Ada.
func importBlog(t testing.TB, m *memoryStore, blog *portable.Blog,
	configure func(*importing.Importer)) (importing.Report, error) {
	t.Helper()
	importer := importing.Importer{User: ada, Users: users{m}, Profiles: users{m}, Posts: posts{m},
		Drafts: drafts{m}, Records: records{m},
		Redirects: redirects{m},
		Images:    images{m}, Files: files{m}, Maker: picture.NewMaker(nil), Now: now, Writers: 1, ClaimsAll: true,
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
	published := func(source map[string]string) map[string]string {
		source = maps.Clone(source)
		source["content/posts/idea.md"] = strings.Replace(source["content/posts/idea.md"], "draft: true\n", "", 1)
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
		{"a draft was discarded, and published at its source", published,
			func(t *testing.T, m *memoryStore) { delete(m.drafts, m.idOf(t, "Idea")) },
			importing.Report{Left: 1, Unchanged: 3}, "it was deleted here", "Text with"},
		{"the post was deleted long ago", nil,
			func(t *testing.T, m *memoryStore) { delete(m.posts, m.idOf(t, "One")) },
			importing.Report{Left: 1, Unchanged: 3}, "it was deleted here", ""},
		{"a draft was published at its source", published, nil,
			importing.Report{New: 1, Unchanged: 3}, "", "Text with"},
		{"a draft was published at its source, and changed here", published, func(t *testing.T, m *memoryStore) {
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

func TestDryRunOfAnUnchangedBlogReportsNoChange(t *testing.T) {
	m := newStore()
	mustImport(t, m, hugoBlog(t))
	for id, image := range m.images {
		image.Source = "" // as by an early release, which stored no digests
		m.images[id] = image
	}
	if r, err := importFiles(t, m, hugoBlog(t), true); err != nil || r.Unchanged != 4 || r.Changed != 0 ||
		r.Pictures != 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

// Wherever an import is interrupted, the next one has the same result as a single complete import.
func TestInterruptedImportIsCompletedByTheNext(t *testing.T) {
	source := hugoBlog(t)
	changed := maps.Clone(source)
	changed["content/posts/one.md"] += "\nMore.\n"
	changed["content/posts/idea.md"] += "\nMore.\n"
	published := maps.Clone(changed)
	published["content/posts/idea.md"] = "---\ntitle: Idea\n---\nA whole thought.\n"
	sources := []map[string]string{source, changed, published}

	whole := newStore()
	for _, s := range sources {
		before := whole.calls
		mustImport(t, whole, s)
		if calls := whole.calls - before; calls < 10 {
			t.Fatalf("%d calls are too few for this test", calls)
		}
	}
	want := whole.state()
	for n := 1; n <= whole.calls; n++ {
		m := newStore()
		m.failing = n
		for _, s := range sources {
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
		"c.md: not imported", "e.md: the file notes.pdf", "e.md: the picture gone.png",
		"e.md: pictures on other sites"} {
		if !reports(r, about) {
			t.Errorf("%q is not reported: %v", about, r.Problems)
		}
	}
	if r.New != 3 || r.Left != 2 {
		t.Errorf("the report is %+v", r)
	}
}

func TestPictureThatMayDifferIsReported(t *testing.T) {
	whole := picturetest.PNG(picturetest.Grid())
	deep := picturetest.PNG(picturetest.Grid(), picturetest.CICP(9, 16))
	files := map[string]string{"a.md": "# A\n\n![x](cut.png) ![y](deep.png) ![z](usual.png)\n",
		"cut.png": string(whole[:len(whole)/2]), "deep.png": string(deep), "usual.png": string(whole)}
	m := newStore()
	for _, dryRun := range []bool{true, false, false} { // also when the pictures are here
		r, err := importFiles(t, m, files, dryRun)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Problems) != 2 || !reports(r, "a.md: the picture cut.png was imported: Its file is incomplete") ||
			!reports(r, "a.md: the picture deep.png was imported: Its colours may look different") {
			t.Errorf("dry run %t: %v", dryRun, r.Problems)
		}
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
	m = newStore()
	m.displayName = "Countess"
	if mustImport(t, m, export("Ada Lovelace")); m.displayName != "Countess" {
		t.Errorf("the existing display name was replaced by %q", m.displayName)
	}
}

func TestInvalidPastVersionIsLeftOut(t *testing.T) {
	m := newStore()
	long := strings.Repeat("x", 2*domain.MaxContent)
	r, err := importBlog(t, m, &portable.Blog{Format: "Inkfeed", Posts: []portable.Post{
		{Key: "a", Where: "a.md", Title: "A", Content: "Text.", Created: now,
			PendingEdit: &portable.PendingEdit{Title: "A", Content: long},
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
