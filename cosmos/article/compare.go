package article

import (
	"context"
	"fmt"
	"strings"
	"time"

	"inkfeed/cosmos/client"
	"inkfeed/domain"
)

// Versions are the names of the models that Compare measures, in order. "site" is V3 as Inkfeed's pages use it, which
// read lists by pages.
var Versions = [...]string{"V1", "V2", "V3", "site"}

// Cost is the measured cost of one of the article's requests.
type Cost struct {
	Requests int     // sent to the service
	Charge   float64 // in RU
}

// Row is the cost of one of the article's requests in each version.
type Row struct {
	Name, What string
	Costs      [len(Versions)]Cost // as in Versions
	// Projection is what V3 spends afterwards on the copies of the post; zero for requests that change no post.
	Projection Cost
}

// Compare loads a sample into an empty database in all versions of the model, and measures the ten requests in each.
// The database must have this number of feed ranges for each container.
func Compare(ctx context.Context, s Sample, three *V3, ranges int) ([]Row, error) {
	one, err := NewV1(ctx, three.db, ranges)
	if err != nil {
		return nil, fmt.Errorf("create the containers of V1: %w", err)
	}
	two, err := NewV2(ctx, three.db, ranges)
	if err != nil {
		return nil, fmt.Errorf("create the containers of V2: %w", err)
	}
	models := [...]Model{one, two, three, &Site{three}}
	for i, m := range models[:3] {
		err := Each(s.Users, func(u domain.User) error { return m.C1(ctx, u) })
		if err == nil {
			err = m.Load(ctx, s.Entries)
		}
		if err != nil {
			return nil, fmt.Errorf("load the sample into %s: %w", Versions[i], err)
		}
	}
	requests := s.requests()
	rows := make([]Row, len(requests))
	for _, queries := range []bool{true, false} { // writes change what queries cost, so queries come first
		for i, r := range requests {
			if strings.HasPrefix(r.name, "Q") != queries {
				continue
			}
			rows[i].Name, rows[i].What = r.name, r.what
			for v, m := range models {
				if rows[i].Costs[v], err = r.measure(ctx, m); err != nil {
					return nil, fmt.Errorf("%s of %s: %w", r.name, Versions[v], err)
				}
			}
			if r.changed != nil {
				project := func(ctx context.Context) error { return three.Copy(ctx, r.changed()) }
				rows[i].Projection, err = measure(ctx, project)
				if err != nil {
					return nil, fmt.Errorf("project %s of V3: %w", r.name, err)
				}
			}
		}
	}
	return rows, nil
}

// request is one of the article's requests.
type request struct {
	name, what string
	run        func(context.Context, Model) error
	changed    func() string // the post that the last run changed; nil if the request changes none
}

// measure runs a request twice and returns the cost of the second run. The first run also fills the SDK's caches.
func (r request) measure(ctx context.Context, m Model) (Cost, error) {
	if err := r.run(ctx, m); err != nil {
		return Cost{}, err
	}
	return measure(ctx, func(ctx context.Context) error { return r.run(ctx, m) })
}

func measure(ctx context.Context, run func(context.Context) error) (Cost, error) {
	ctx, usage := client.WithUsage(ctx)
	err := run(ctx)
	return Cost{usage.Requests(), usage.Charge()}, err
}

// requests returns the ten requests on a sample. Writes are as long as the post with the most comments and likes, and
// as its first comment.
func (s Sample) requests() []request {
	now := domain.Timestamp(time.Now())
	var lastPost string
	comment := "A comment."
	for _, e := range s.Entries {
		if e.ID == s.Post.ID && len(e.Comments) > 0 {
			comment = e.Comments[0].Content
		}
	}
	onPost := func() string { return s.Post.ID }
	user := func() domain.User {
		id := domain.NewUserID(nil)
		return domain.User{ID: id, Username: "new-" + id[len(id)-12:], Created: now, NameVersion: 1,
			PropagatedVersion: 1}
	}
	return []request{
		{"C1", "create a user", func(ctx context.Context, m Model) error { return m.C1(ctx, user()) }, nil},
		{"Q1", "retrieve a user", func(ctx context.Context, m Model) error {
			_, err := m.Q1(ctx, s.Author.ID)
			return err
		}, nil},
		{"C2", "create a post", func(ctx context.Context, m Model) error {
			lastPost = domain.NewID()
			return m.C2(ctx, domain.Post{ID: lastPost, AuthorID: s.Author.ID, AuthorName: s.Author.Username,
				Title: s.Post.Title, Content: s.Post.Content, Created: now, Revision: 1, Version: 1})
		}, func() string { return lastPost }},
		{"Q2", "retrieve a post", func(ctx context.Context, m Model) error {
			_, err := m.Q2(ctx, s.Post.ID)
			return err
		}, nil},
		{"Q3", "list a user's posts", func(ctx context.Context, m Model) error {
			_, err := m.Q3(ctx, s.Author.ID)
			return err
		}, nil},
		{"C3", "comment", func(ctx context.Context, m Model) error {
			return m.C3(ctx, domain.Comment{ID: domain.NewID(), PostID: s.Post.ID, AuthorID: s.Author.ID,
				AuthorName: s.Author.Username, Content: comment, Created: now})
		}, onPost},
		{"Q4", "list a post's comments", func(ctx context.Context, m Model) error {
			_, err := m.Q4(ctx, s.Post.ID)
			return err
		}, nil},
		{"C4", "like a post", func(ctx context.Context, m Model) error {
			u := user()
			return m.C4(ctx, domain.Like{PostID: s.Post.ID, UserID: u.ID, Username: u.Username, Created: now})
		}, onPost},
		{"Q5", "list a post's likes", func(ctx context.Context, m Model) error {
			_, err := m.Q5(ctx, s.Post.ID)
			return err
		}, nil},
		{"Q6", "list the newest posts", func(ctx context.Context, m Model) error {
			_, err := m.Q6(ctx)
			return err
		}, nil},
	}
}
