package cosmostest

import (
	"fmt"
	"testing"

	"inkfeed/cosmos/cosmostest/fixture"
	"inkfeed/domain"
)

// editRevision edits a revision of a post. It returns the post with the next one, whose number its texts contain.
func (s *suite) editRevision(t *testing.T, post domain.Post, revision int, tags domain.Tags) domain.Post {
	t.Helper()
	e := domain.Edit{PostID: post.ID, Revision: revision, Title: fmt.Sprint("Revision ", revision+1),
		Content: fmt.Sprint("Text ", revision+1), Tags: tags, At: fixture.At(revision + 1)}
	return fixture.Must[domain.Post](t)(s.Posts.Edit(t.Context(), e, post.AuthorID))
}

func (s *suite) versions(t *testing.T) {
	author := s.MustUser(t)
	fixture.Run(t, "an edit stores the replaced version once", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		for range 2 {
			s.editRevision(t, post, 1, "Go,Über uns")
		}
		s.editRevision(t, post, 2, "")
		want := []domain.PostVersion{
			{PostID: post.ID, Revision: 2, Title: "Revision 2", Content: "Text 2", Tags: "Go,Über uns",
				Saved: fixture.At(2)},
			{PostID: post.ID, Revision: 1, Title: post.Title, Content: post.Content, Saved: post.Created},
		}
		page := fixture.Must[domain.ListPage[domain.PostVersion]](t)(s.Posts.Versions(t.Context(), post.ID, 1))
		if len(page.Items) != 2 || page.Items[0] != want[0] || page.Items[1] != want[1] || page.More {
			t.Errorf("versions %+v", page)
		}
		for _, v := range want {
			if got := fixture.Must[domain.PostVersion](t)(s.Posts.Version(t.Context(), post.ID, v.Revision)); got != v {
				t.Errorf("got %+v, want %+v", got, v)
			}
		}
		for _, revision := range []int{-1, 0, 3, 4} {
			_, err := s.Posts.Version(t.Context(), post.ID, revision)
			fixture.WantKind(t, err, domain.NotFound)
		}
		_, err := s.Posts.Version(t.Context(), "..", 1)
		fixture.WantKind(t, err, domain.NotFound)
	})
	fixture.Run(t, "a rejected edit stores nothing", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		s.editRevision(t, post, 1, "")
		e := domain.Edit{PostID: post.ID, Revision: 1, Title: "Late", Content: "Text", At: fixture.At(9)}
		_, err := s.Posts.Edit(t.Context(), e, author.ID)
		fixture.WantKind(t, err, domain.Conflict)
		if page := fixture.Must[domain.ListPage[domain.PostVersion]](t)(s.Posts.Versions(t.Context(), post.ID,
			1)); len(page.Items) != 1 {
			t.Errorf("versions %+v", page)
		}
	})
	fixture.Run(t, "comments, likes and a new name create no version", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		s.MustComment(t, author, post.ID, 1)
		if _, err := s.Posts.PropagateName(t.Context(), author.ID,
			domain.Author{Name: author.Username}, 1000); err != nil {
			t.Error(err)
		}
		fixture.Must[domain.Post](t)(s.Posts.SetStatus(t.Context(), post.ID, author.ID, domain.Unlisted))
		if page := fixture.Must[domain.ListPage[domain.PostVersion]](t)(s.Posts.Versions(t.Context(), post.ID,
			1)); len(page.Items) != 0 {
			t.Errorf("versions %+v", page)
		}
	})
	fixture.Run(t, "a change of status sets no edit date and creates no version", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		for i, status := range []domain.Status{domain.Unlisted, domain.Published, domain.Published} {
			e := domain.Edit{PostID: post.ID, Revision: i + 1, Title: post.Title, Content: post.Content,
				Tags: post.Tags, Status: status, At: fixture.At(5 + i)}
			want := fixture.Must[domain.Post](t)(s.Posts.Latest(t.Context(), post.ID))
			want.Status, want.Revision, want.Version, want.Withdrawn = status, i+2, want.Version+1, true
			for range 2 {
				if got := fixture.Must[domain.Post](t)(s.Posts.Edit(t.Context(), e, author.ID)); got != want {
					t.Errorf("with the status %q the post is %+v, want %+v", status, got, want)
				}
			}
		}
		if page := fixture.Must[domain.ListPage[domain.PostVersion]](t)(s.Posts.Versions(t.Context(), post.ID,
			1)); len(page.Items) != 0 {
			t.Errorf("versions %+v", page)
		}
		first := domain.Edit{PostID: post.ID, Revision: 1, Title: post.Title, Content: post.Content,
			Status: domain.Published, At: fixture.At(9)}
		_, err := s.Posts.Edit(t.Context(), first, author.ID)
		fixture.WantKind(t, err, domain.Conflict)
		for i, change := range []func(*domain.Edit){
			func(e *domain.Edit) { e.Title = "Another title" },
			func(e *domain.Edit) { e.Content = "Another text" },
			func(e *domain.Edit) { e.Tags = "Go" },
		} {
			before := fixture.Must[domain.Post](t)(s.Posts.Latest(t.Context(), post.ID))
			e := domain.Edit{PostID: post.ID, Revision: before.Revision, Title: before.Title, Content: before.Content,
				Tags: before.Tags, At: fixture.At(20 + i)}
			change(&e)
			if got := fixture.Must[domain.Post](t)(s.Posts.Edit(t.Context(), e, author.ID)); !got.Edited.Equal(e.At) {
				t.Errorf("edited %v", got.Edited)
			}
			if got := fixture.Must[domain.PostVersion](t)(s.Posts.Version(t.Context(), post.ID,
				before.Revision)); got != before.PastVersion() {
				t.Errorf("the past version is %+v, want %+v", got, before.PastVersion())
			}
		}
	})
}

func (s *suite) versionLists(t *testing.T) {
	author := s.MustUser(t)
	fixture.Run(t, "versions are paged, newest first, with the beginning of each", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		const n = domain.VersionsPerPage + 2
		for i := range n {
			s.editRevision(t, post, i+1, "")
		}
		list := fixture.All(t, func(page int) (domain.ListPage[domain.PostVersion], error) {
			return s.Posts.Versions(t.Context(), post.ID, page)
		})
		for i, v := range list {
			if v.Revision != n-i {
				t.Errorf("version %d is of revision %d", i, v.Revision)
			}
		}
		if len(list) != n {
			t.Errorf("%d versions are listed", len(list))
		}
	})
	fixture.Run(t, "versions of the same time are ordered by number", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		for i := range 3 {
			e := domain.Edit{PostID: post.ID, Revision: i + 1, Title: fmt.Sprint("Edit ", i), Content: "Text",
				At: post.Created}
			fixture.Must[domain.Post](t)(s.Posts.Edit(t.Context(), e, author.ID))
		}
		for i, v := range fixture.Must[domain.ListPage[domain.PostVersion]](t)(s.Posts.Versions(t.Context(), post.ID,
			1)).Items {
			if v.Revision != 3-i {
				t.Errorf("version %d is of revision %d", i, v.Revision)
			}
		}
	})
	fixture.Run(t, "removed tags are former tags, restored ones are not", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		if got := s.editRevision(t, post, 1, "Go,Über uns"); got.Tags != "Go,Über uns" || got.FormerTags != "" {
			t.Errorf("tags %q, former %q", got.Tags, got.FormerTags)
		}
		if got := s.editRevision(t, post, 2, "Rust"); got.Tags != "Rust" || got.FormerTags != "Go,Über uns" {
			t.Errorf("tags %q, former %q", got.Tags, got.FormerTags)
		}
		if got := s.editRevision(t, post, 3, "go"); got.Tags != "go" || got.FormerTags != "Über uns,Rust" {
			t.Errorf("tags %q, former %q", got.Tags, got.FormerTags)
		}
	})
}

func (s *suite) versionLives(t *testing.T) {
	author := s.MustUser(t)
	fixture.Run(t, "versions are imported with a post once", func(t *testing.T) {
		post, comments, likes := imported(t, author, 1, 1)
		post.Revision, post.Version, post.Edited = 3, 3, fixture.At(9)
		versions := []domain.PostVersion{{PostID: post.ID, Revision: 1, Title: "One", Content: "Text",
			Saved: fixture.At(0)},
			{PostID: post.ID, Revision: 2, Title: "Two", Content: "Text", Tags: "Go", Saved: fixture.At(1)}}
		for range 2 {
			fixture.Check(t, s.Posts.Import(t.Context(), post, comments, likes))
			fixture.Check(t, s.Posts.ImportVersions(t.Context(), post.ID, versions))
		}
		page := fixture.Must[domain.ListPage[domain.PostVersion]](t)(s.Posts.Versions(t.Context(), post.ID, 1))
		if len(page.Items) != 2 || page.Items[0] != versions[1] || page.Items[1] != versions[0] {
			t.Errorf("versions %+v", page.Items)
		}
		s.WantCounts(t, post.ID, 1, 1)
	})
	fixture.Run(t, "versions of any valid size are stored", func(t *testing.T) {
		post, comments, likes := imported(t, author, 60, 3)
		const n = 12
		post.Revision, post.Version = n+1, n+1
		var versions []domain.PostVersion
		for i := range n {
			versions = append(versions, domain.PostVersion{PostID: post.ID, Revision: i + 1, Title: "Large",
				Content: repeat("漢", domain.MaxContent/3), Saved: fixture.At(i)})
		}
		for i := range comments {
			comments[i].Content = repeat("<", domain.MaxComment)
		}
		for range 2 {
			fixture.Check(t, s.Posts.Import(t.Context(), post, comments, likes))
			fixture.Check(t, s.Posts.ImportVersions(t.Context(), post.ID, versions))
		}
		for _, want := range versions {
			if got := fixture.Must[domain.PostVersion](t)(s.Posts.Version(t.Context(), post.ID,
				want.Revision)); got != want {
				t.Errorf("revision %d is %d bytes", got.Revision, len(got.Content))
			}
		}
		s.WantCounts(t, post.ID, 60, 3)
	})
	fixture.Run(t, "versions are deleted with the post", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		s.MustComment(t, author, post.ID, 1)
		for i := range 3 {
			s.editRevision(t, post, i+1, "")
		}
		fixture.Check(t, s.Posts.Delete(t.Context(), post.ID, author.ID))
		s.eraseAll(t, post.ID)
		if page := fixture.Must[domain.ListPage[domain.PostVersion]](t)(s.Posts.Versions(t.Context(), post.ID,
			1)); len(page.Items) != 0 {
			t.Errorf("versions %+v", page)
		}
		s.wantCountsOf(t, fixture.Must[domain.Post](t)(s.Posts.Latest(t.Context(), post.ID)), 0, 0)
	})
}
