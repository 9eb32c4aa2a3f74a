package importing_test

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"inkfeed/domain"
	"inkfeed/domain/importing"
	"inkfeed/domain/portable"
	"inkfeed/domain/portable/formats"
)

// picturesBlog is an export of Ghost with ten pictures in its posts. The files are those pictures of them that it has.
func picturesBlog(t *testing.T, files int) *portable.Blog {
	t.Helper()
	photo, err := os.ReadFile("../portable/testdata/photo.png")
	if err != nil {
		t.Fatal(err)
	}
	root, posts := fstest.MapFS{}, []string{}
	for n := range 10 {
		posts = append(posts, fmt.Sprintf(`{"id":"%d","title":"Post %[1]d","slug":"post-%[1]d","status":"published",`+
			`"visibility":"public","published_at":"2020-01-02T10:00:00Z",`+
			`"feature_image":"__GHOST_URL__/content/images/cover.png",`+
			`"html":"<p>Text %[1]d <img src='https://old.example/content/images/%[1]d.png' alt='A cat'></p>`+
			`<p><img src='https://cdn.example/x.png' alt='Elsewhere'></p>"}`, n))
		if n < files {
			root[fmt.Sprintf("content/images/%d.png", n)] = &fstest.MapFile{Data: photo, ModTime: now}
		}
	}
	root["ghost.json"] = &fstest.MapFile{ModTime: now, Data: []byte(`{"db":[{"data":{"posts":[` +
		strings.Join(posts, ",") + `],"settings":[{"key":"url","value":"https://old.example"}]}}]}`)}
	blog, err := formats.Read([]fs.FS{root}, now)
	if err != nil {
		t.Fatal(err)
	}
	return blog
}

// importPictures imports picturesBlog with a policy.
func importPictures(t *testing.T, m *memoryStore, files int, policy portable.PicturePolicy) importing.Report {
	t.Helper()
	report, err := importBlog(t, m, picturesBlog(t, files), func(i *importing.Importer) { i.MissingPictures = policy })
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// wantTexts checks the texts of all posts and the number of drafts.
func (m *memoryStore) wantTexts(t *testing.T, drafts int, pictured, missing int) {
	t.Helper()
	if len(m.drafts) != drafts || len(m.posts) != 10-drafts {
		t.Fatalf("%d posts, %d drafts", len(m.posts), len(m.drafts))
	}
	texts := make([]string, 0, 10)
	for _, p := range m.posts {
		texts = append(texts, p.Content)
	}
	for _, d := range m.drafts {
		texts = append(texts, d.Content)
	}
	here, lacking := 0, 0
	for _, text := range texts {
		if !strings.HasPrefix(text, "Text") || !strings.Contains(text, "![Elsewhere](https://cdn.example/x.png)") {
			t.Errorf("a text is %q", text)
		}
		here += strings.Count(text, domain.MediaPrefix)
		lacking += strings.Count(text, ".png"+domain.MissingPicture)
	}
	if here != pictured || lacking != missing {
		t.Errorf("%d pictures, %d placeholders; want %d, %d", here, lacking, pictured, missing)
	}
}

func TestPostsWithMissingPictures(t *testing.T) {
	for name, c := range map[string]struct {
		files, drafts int
		policy        portable.PicturePolicy
	}{
		"are drafts if one picture in ten is missing":       {9, 1, ""},
		"are drafts if all pictures are missing":            {0, 10, portable.ProposedPictures},
		"are published with placeholders if the user wants": {0, 0, portable.PublishWithout},
		"are drafts if the user wants":                      {9, 1, portable.DraftWithout},
		"are no concern if all pictures are there":          {10, 0, portable.DraftWithout},
	} {
		t.Run(name, func(t *testing.T) {
			m := newStore()
			report := importPictures(t, m, c.files, c.policy)
			m.wantTexts(t, c.drafts, c.files, 10-c.files)
			if report.Missing != 10-c.files || report.Shown != 10 || report.Lacking != c.drafts || report.Held != 0 {
				t.Errorf("%d of %d are missing, %d drafts, %d held", report.Missing, report.Shown, report.Lacking,
					report.Held)
			}
			problems := fmt.Sprint(report.Problems)
			if n := strings.Count(problems, "its cover /content/images/cover.png was left out"); n != 10 {
				t.Errorf("%d covers are reported: %s", n, problems)
			}
			if n := strings.Count(problems, "imported as a draft: 1 of its pictures"); n != c.drafts {
				t.Errorf("%d drafts are reported", n)
			}
			repeated := importPictures(t, m, c.files, c.policy)
			if repeated.Unchanged != 10 || repeated.New != 0 {
				t.Errorf("repeated: %+v", repeated)
			}
			importPictures(t, m, 10, c.policy)
			m.wantTexts(t, 0, 10, 0)
		})
	}
}

func TestProposalForMissingPictures(t *testing.T) {
	for _, c := range []struct {
		missing, all int
		want         portable.PicturePolicy
	}{{0, 5, portable.PublishWithout}, {1, 11, portable.PublishWithout}, {1, 10, portable.DraftWithout},
		{1, 1, portable.DraftWithout}} {
		if got := portable.ProposedPictures.For(c.missing, c.all); got != c.want {
			t.Errorf("%d of %d: %s", c.missing, c.all, got)
		}
	}
}

func TestFormerAddressOfADraftWithoutPicturesLeadsToItOncePublished(t *testing.T) {
	m := newStore()
	importPictures(t, m, 0, "")
	if to, ok := m.redirects["/post-3"]; !ok || m.drafts[to.PostID].Title != "Post 3" {
		t.Errorf("%+v", to)
	}
}

func TestRepeatedImportWithoutPicturesKeepsThoseThatAreHere(t *testing.T) {
	m := newStore()
	importPictures(t, m, 10, "")
	before := maps.Clone(m.posts)
	report := importPictures(t, m, 0, "")
	m.wantTexts(t, 0, 10, 0)
	if !maps.Equal(before, m.posts) || report.Kept != 10 ||
		!strings.Contains(fmt.Sprint(report.Problems), "it stays as it is here: 1 of its pictures") {
		t.Errorf("kept %d: %v", report.Kept, report.Problems)
	}
}

func TestPreviewOfMissingPicturesPredictsTheImport(t *testing.T) {
	blog := picturesBlog(t, 5)
	report, err := importBlog(t, newStore(), blog, func(i *importing.Importer) { i.DryRun = true })
	if err != nil || report.Lacking != 5 || report.Drafts != 5 || report.Result("Ghost").Missing != 5 {
		t.Errorf("%+v, %v", report, err)
	}
	if p := blog.Posts[9]; p.Status != portable.Published || !strings.HasPrefix(p.Content, "![") {
		t.Errorf("the import changed the caller's blog: %+v", p)
	}
}

func TestRepeatedImportPublishesNoDraftWhoseReadersTheAuthorChose(t *testing.T) {
	for name, change := range map[string]func(*domain.Draft){
		"unlisted":  func(d *domain.Draft) { d.Status = domain.Unlisted },
		"scheduled": func(d *domain.Draft) { d.Publish = now.AddDate(0, 1, 0) },
	} {
		t.Run(name, func(t *testing.T) {
			m := newStore()
			importPictures(t, m, 0, "")
			for id, d := range m.drafts {
				change(&d)
				m.drafts[id] = d
			}
			report := importPictures(t, m, 10, "")
			if len(m.posts) != 0 || len(m.drafts) != 10 ||
				!strings.Contains(fmt.Sprint(report.Problems), "its draft was changed here") {
				t.Errorf("%d posts, %d drafts: %v", len(m.posts), len(m.drafts), report.Problems)
			}
		})
	}
}
