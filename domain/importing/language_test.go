package importing_test

import (
	"archive/zip"
	"bytes"
	"io/fs"
	"iter"
	"strings"
	"testing"

	"inkfeed/domain"
	"inkfeed/domain/portable"
	"inkfeed/domain/portable/export"
	"inkfeed/domain/portable/formats"
)

func TestExportAndImportKeepTheLanguage(t *testing.T) {
	exported := []portable.Post{
		{ID: "abcdefghijkmnpqrstuvwxyz23", Title: "Post", Content: "Text.", Details: domain.Details{Language: "de"},
			Status: portable.Published, Created: now,
			PendingEdit: &portable.PendingEdit{Title: "Post", Content: "Better.",
				Details: domain.Details{Language: "nl"}},
			Versions: []portable.Version{{Revision: 1, Title: "Post", Content: "Worse.",
				Details: domain.Details{Language: "fr"}}}},
		{ID: "bbcdefghijkmnpqrstuvwxyz23", Title: "Draft", Content: "Text.", Details: domain.Details{Language: "pt-BR"},
			Status: portable.Draft, Created: now},
	}
	var b bytes.Buffer
	err := export.Write(&b, export.Source{
		Posts:    func() iter.Seq2[portable.Post, error] { return sequence(exported) },
		Comments: sequence[portable.Comment](nil), Likes: sequence[portable.Reaction](nil),
		Bookmarks: sequence[portable.Reaction](nil), Images: sequence[export.Image](nil),
	}, now)
	if err != nil {
		t.Fatal(err)
	}
	files, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	blog, err := formats.Read([]fs.FS{files}, now)
	if err != nil {
		t.Fatal(err)
	}
	m := newStore()
	if r, err := importBlog(t, m, blog, nil); err != nil || len(r.Problems) != 0 {
		t.Fatalf("the import reports %v, error %v", r.Problems, err)
	}
	post, draft := exported[0].ID, exported[1].ID
	for name, c := range map[string]struct{ got, want string }{
		"of a post":         {m.posts[post].Details.Language, "de"},
		"of its change":     {m.drafts[post].Details.Language, "nl"},
		"of an old version": {m.versions[post+"1"].Details.Language, "fr"},
		"of a draft":        {m.drafts[draft].Details.Language, "pt-BR"},
	} {
		t.Run(name, func(t *testing.T) {
			if c.got != c.want {
				t.Errorf("language %q, want %q", c.got, c.want)
			}
		})
	}
}

func sequence[T any](all []T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, each := range all {
			if !yield(each, nil) {
				return
			}
		}
	}
}

func TestImportOfALanguage(t *testing.T) {
	source := func(language string) map[string]string {
		return map[string]string{"hugo.toml": "",
			"content/a.md": "---\ntitle: A\ndate: 2020-01-01\nlang: " + language + "\n---\nText.\n"}
	}
	t.Run("normalises the code", func(t *testing.T) {
		m := newStore()
		mustImport(t, m, source("en_gb"))
		if got := m.posts[m.idOf(t, "A")].Details.Language; got != "en-GB" {
			t.Errorf("language %q, want en-GB", got)
		}
	})
	t.Run("leaves out and reports an invalid code", func(t *testing.T) {
		for _, invalid := range []string{"javascript", "en" + strings.Repeat("-abcdefgh", 1_000)} {
			m := newStore()
			r := mustImport(t, m, source(invalid))
			if got := m.posts[m.idOf(t, "A")].Details.Language; got != "" || !reports(r, "a.md: the language") ||
				!reports(r, "was left out: Enter a language code") {
				t.Errorf("language %.60q, problems %v", got, r.Problems)
			}
		}
	})
	t.Run("updates the post when only the source's language changed", func(t *testing.T) {
		m := newStore()
		mustImport(t, m, source("de"))
		if r := mustImport(t, m, source("de")); r.Unchanged != 1 {
			t.Errorf("the same source reports %+v, want 1 unchanged", r)
		}
		if r := mustImport(t, m, source("nl")); r.Changed != 1 {
			t.Errorf("the changed source reports %+v, want 1 changed", r)
		}
		if got := m.posts[m.idOf(t, "A")].Details.Language; got != "nl" {
			t.Errorf("language %q, want nl", got)
		}
	})
	t.Run("keeps the language that the author set here", func(t *testing.T) {
		m := newStore()
		mustImport(t, m, source("de"))
		id := m.idOf(t, "A")
		p := m.posts[id]
		p.Details, p.Revision = domain.Details{Language: "fr"}, p.Revision+1
		m.posts[id] = p
		if r := mustImport(t, m, source("de")); r.Kept != 1 || m.posts[id].Details.Language != "fr" {
			t.Errorf("language %q, report %+v; want fr and 1 kept", m.posts[id].Details.Language, r)
		}
	})
}

func TestImportOfACanonicalAddress(t *testing.T) {
	for name, c := range map[string]struct{ stated, want, problem string }{
		"keeps one on another site":        {"https://example.com/first", "https://example.com/first", ""},
		"drops the post's own address":     {"https://my.example/a/", "", ""},
		"drops a relative one of its own":  {"/a/", "", ""},
		"reports that of another own post": {"https://my.example/b/", "", "the canonical address"},
		"reports what is no web address":   {"mailto:a@example.com", "", "Enter a web address"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newStore()
			r := mustImport(t, m, map[string]string{"hugo.toml": "baseURL = 'https://my.example/'",
				"content/a.md": "---\ntitle: A\ndate: 2020-01-01\ncanonicalURL: " + c.stated + "\n---\nText.\n",
				"content/b.md": "---\ntitle: B\ndate: 2020-01-01\n---\nText.\n"})
			got := m.posts[m.idOf(t, "A")].Details.CanonicalURL
			if got != c.want || c.problem != "" && !reports(r, c.problem) || c.problem == "" && len(r.Problems) > 0 {
				t.Errorf("the address is %q, the problems %v", got, r.Problems)
			}
		})
	}
}
