package web_test

import (
	"context"
	"slices"
	"strings"

	"inkfeed/domain"
)

// fakeSearch finds posts whose titles hold the query, and marks it there.
type fakeSearch struct{ *fake }

func (f fakeSearch) Search(_ context.Context, query string, page int) (domain.Found, error) {
	leave, err := f.enter("Search")
	defer leave()
	if err != nil {
		return domain.Found{}, err
	}
	found := domain.Found{Posts: domain.Page[domain.Hit]{Number: page}, Empty: query == "" || query == "-", Building: f.building}
	if found.Empty {
		return found, nil
	}
	var hits []domain.Hit
	for _, p := range f.posts {
		before, after, ok := strings.Cut(p.Title, query)
		if !ok || !p.Status.Listed() {
			continue
		}
		s := f.summary(p)
		hits = append(hits, domain.Hit{Summary: s, Headline: []domain.Fragment{{Text: before}, {Text: query, Marked: true}, {Text: after}},
			Extract: []domain.Fragment{{Text: "… "}, {Text: s.Text, Marked: true}}})
	}
	slices.SortFunc(hits, func(a, b domain.Hit) int { return domain.NewestFirst(a.Summary, b.Summary) })
	found.Posts = cut(hits, page, domain.SearchPerPage)
	found.Total = len(hits)
	return found, nil
}

func (f fakeSearch) Tags(_ context.Context, prefix string, limit int) ([]domain.TagUse, error) {
	leave, err := f.enter("Tags")
	defer leave()
	if err != nil {
		return nil, err
	}
	var uses []domain.TagUse
	for _, name := range []string{"Go", "golang", "日本語"} {
		if strings.HasPrefix(domain.TagKey(name), domain.TagKey(prefix)) && len(uses) < limit {
			uses = append(uses, domain.TagUse{Name: name, Posts: 1})
		}
	}
	return uses, nil
}
