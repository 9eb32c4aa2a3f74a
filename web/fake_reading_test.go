package web_test

import (
	"context"

	"inkfeed/domain"
)

func (f fakeTags) Related(_ context.Context, post domain.Post) ([]domain.Summary, error) {
	leave, err := f.enter("Related")
	defer leave()
	if err != nil {
		return nil, err
	}
	return domain.Related(post.ID, post.Tags, f.listed(func(domain.Post) bool { return true })), nil
}

// listed is all of some posts that stand in lists, the newest first.
func (f *fake) listed(take func(domain.Post) bool) (all []domain.Summary) {
	for page := 1; ; page++ {
		list := f.summaries(page, take)
		if all = append(all, list.Items...); !list.More {
			return all
		}
	}
}

func (f fakeUsers) Neighbours(_ context.Context, post domain.Post) (previous, next *domain.Summary, err error) {
	leave, err := f.enter("Neighbours")
	defer leave()
	if err != nil {
		return nil, nil, err
	}
	place := domain.Summary{PostID: post.ID, Created: post.Created}
	for _, s := range f.listed(func(p domain.Post) bool { return p.AuthorID == post.AuthorID }) {
		switch order := domain.NewestFirst(s, place); {
		case order < 0:
			next = &s
		case order > 0 && previous == nil:
			previous = &s
		}
	}
	return previous, next, nil
}

func (f fakeUsers) Archive(_ context.Context, userID string, year, page int) (domain.Archive, error) {
	leave, err := f.enter("Archive")
	defer leave()
	if err != nil {
		return domain.Archive{}, err
	}
	own := f.listed(func(p domain.Post) bool { return p.AuthorID == userID })
	if year == 0 && len(own) > 0 {
		year = own[0].Created.Year()
	}
	archive := domain.Archive{Year: year}
	var of []domain.Summary
	for _, s := range own {
		switch y := s.Created.Year(); {
		case y > year:
			archive.Newer = y
		case y == year:
			of = append(of, s)
		case archive.Older == 0:
			archive.Older = y
		}
	}
	archive.Posts = cut(of, page, domain.ArchivePerPage)
	return archive, nil
}
