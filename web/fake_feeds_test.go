package web_test

import (
	"context"
	"slices"

	"inkfeed/domain"
)

type fakeTags struct{ *fake }

func (f fakeTags) PostsOf(_ context.Context, key string, page int) (domain.Page[domain.Summary], error) {
	leave, err := f.enter("Tags.PostsOf")
	defer leave()
	return f.summaries(page, func(p domain.Post) bool {
		return p.Status.Listed() && slices.Contains(p.Tags.Keys(), key)
	}), err
}

func (f fakeSearch) CountPosts(context.Context) (int, bool, error) { return 0, false, nil }

func (f fakeSearch) Posts(context.Context, int, int) ([]domain.Listing, error) { return nil, nil }
