package cosmos

import (
	"context"
	"reflect"
	"strings"
	"testing"
	"time"

	"inkfeed/cosmos/article"
	"inkfeed/cosmos/embedded"
	"inkfeed/domain"
	"inkfeed/domain/sample"
)

// models holds the article's three versions of a data model over one data set, and the site's own requests.
type models struct {
	*blog
	v1   *article.V1
	v2   *article.V2
	v3   *article.V3
	site *article.Site
}

// named returns the models in order, with their names.
func (m *models) named() []namedModel {
	return []namedModel{{"V1", m.v1}, {"V2", m.v2}, {"V3", m.v3}, {"site", m.site}}
}

// model is a version of the article's data model.
type model = article.Model

type namedModel struct {
	name string
	model
}

// openModels opens the models on an engine and creates their missing containers with the given number of feed ranges.
func openModels(tb testing.TB, b *blog, engine *embedded.Engine, ranges int) *models {
	tb.Helper()
	store, err := Open(context.Background(), Options{Endpoint: engine.Endpoint(), Key: engine.Key(), Transport: engine,
		Database: "models"})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(store.Close)
	one, err := article.NewV1(context.Background(), store.Database, ranges)
	if err != nil {
		tb.Fatal(err)
	}
	two, err := article.NewV2(context.Background(), store.Database, ranges)
	if err != nil {
		tb.Fatal(err)
	}
	three := article.NewV3(store.Database, store.Accounts, store.Users, store.UserCopies, store.Posts, store.Feed)
	return &models{b, one, two, three, &article.Site{V3: three}}
}

// loadModels opens an engine and loads the data set in all versions.
func loadModels(tb testing.TB, b *blog, ranges int) *models {
	tb.Helper()
	engine, err := embedded.Open(tb.TempDir(), embedded.Options{Ranges: ranges})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { engine.Close() })
	m := openModels(tb, b, engine, ranges)
	m.load(tb)
	return m
}

func (m *models) load(tb testing.TB) {
	tb.Helper()
	ctx := context.Background()
	for _, v := range m.named()[:3] {
		err := article.Each(m.users, func(u domain.User) error { return v.C1(ctx, u) })
		if err == nil {
			err = v.Load(ctx, m.entries)
		}
		if err != nil {
			tb.Fatalf("load %s: %v", v.name, err)
		}
	}
}

// agree checks that all versions give the same answers, before and after writes.
func (m *models) agree(t *testing.T) {
	t.Run("on the data set", func(t *testing.T) { m.compare(t, m.author.ID, m.post.ID) })
	user, post, comment, like := m.newUser(), m.newPost(), m.newComment(), m.newLike()
	post.Created = m.entries[0].Created.Add(time.Hour) // the newest post
	comment.PostID, like.PostID = post.ID, post.ID
	// The user of the like must exist, because V1 looks up usernames.
	like.UserID, like.Username = user.ID, user.Username
	ctx := t.Context()
	for _, v := range m.named()[:3] {
		for _, write := range []func() error{
			func() error { return v.C1(ctx, user) },
			func() error { return v.C2(ctx, post) },
			func() error { return v.C3(ctx, comment) },
			func() error { return v.C4(ctx, like) },
		} {
			if err := write(); err != nil {
				t.Fatalf("write to %s: %v", v.name, err)
			}
		}
	}
	if err := m.v3.Copy(ctx, post.ID); err != nil {
		t.Fatal(err)
	}
	t.Run("on written items", func(t *testing.T) { m.compare(t, m.stranger.ID, post.ID) })
}

// compare checks that the models answer the queries like V1.
func (m *models) compare(t *testing.T, userID, postID string) {
	t.Helper()
	for _, q := range []struct {
		name string
		ask  func(context.Context, model) (any, error)
	}{
		{"Q1", func(ctx context.Context, v model) (any, error) {
			u, err := v.Q1(ctx, userID)
			return domain.User{ID: u.ID, Username: u.Username}, err // the fields that V1 stores
		}},
		{"Q2", func(ctx context.Context, v model) (any, error) {
			p, err := v.Q2(ctx, postID)
			p.Revision, p.Version = 0, 0 // V1 has no versions
			return p, err
		}},
		{"Q3", func(ctx context.Context, v model) (any, error) { return unversioned(v.Q3(ctx, userID)) }},
		{"Q4", func(ctx context.Context, v model) (any, error) { return v.Q4(ctx, postID) }},
		{"Q5", func(ctx context.Context, v model) (any, error) { return v.Q5(ctx, postID) }},
		{"Q6", func(ctx context.Context, v model) (any, error) { return unversioned(v.Q6(ctx)) }},
	} {
		var want any
		for _, v := range m.named() {
			got, err := q.ask(t.Context(), v)
			if err != nil {
				t.Fatalf("%s of %s: %v", q.name, v.name, err)
			}
			if want == nil {
				want = got
			}
			expected := want
			if list, ok := want.([]domain.Summary); ok && v.name == "site" { // the site reads one page
				expected = list[:min(domain.PostsPerPage, len(list))]
			}
			if !reflect.DeepEqual(got, expected) {
				t.Errorf("%s of %s:\n got %v\nwant %v", q.name, v.name, got, expected)
			}
		}
	}
}

// unversioned clears the revisions and versions of posts, which the article's models do not have.
func unversioned(list []domain.Summary, err error) ([]domain.Summary, error) {
	all := make([]domain.Summary, len(list)) // not nil, also for an empty page
	for i, s := range list {
		s.Revision, s.Version = 0, 0
		all[i] = s
	}
	return all, err
}

// TestModelsHoldTheLargestPost loads a post of the maximum size with long comments, which exceed one transaction.
func TestModelsHoldTheLargestPost(t *testing.T) {
	from := sample.New(blogSeed, 1, dataDay)
	author := from.Users[0]
	now := domain.Timestamp(time.Now())
	post := domain.Post{ID: domain.NewID(), AuthorID: author.ID, AuthorName: author.Username, Title: "Large",
		Content: strings.Repeat("c", domain.MaxContent), Created: now, Revision: 1, Version: 1}
	e := entry{Post: post}
	for range domain.CommentsPerPage {
		e.Comments = append(e.Comments, domain.Comment{ID: domain.NewID(), PostID: post.ID, AuthorID: author.ID,
			AuthorName: author.Username, Content: strings.Repeat("\u5b57", domain.MaxComment), Created: now})
	}
	m := loadModels(t, &blog{users: from.Users, entries: []entry{counted(e)}}, 1)
	for _, v := range m.named() {
		comments, err := v.Q4(t.Context(), post.ID)
		if err != nil || len(comments) != len(e.Comments) {
			t.Errorf("%s has %d of %d comments: %v", v.name, len(comments), len(e.Comments), err)
		}
	}
}
